//! Graphs of a program: calls, control flow of procedures, reachability, and the end of the run.

pub(crate) mod assumed_outcomes;
pub(crate) mod call_graph;
pub(crate) mod control_expressions;
pub(crate) mod control_flow_graph;
pub(crate) mod externals;
pub(crate) mod passed_addresses;
pub(crate) mod run_bounds;
pub(crate) mod statement_ends;
pub(crate) mod successors;
pub(crate) mod termination;
pub(crate) mod unconditional_calls;
pub(crate) mod vertex_cut;
