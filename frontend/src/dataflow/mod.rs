//! Data-flow analyses: control dependence, reaching definitions, loop-carried dependences, uniformity.

pub(crate) mod control;
pub(crate) mod control_locations;
pub(crate) mod dependence;
pub(crate) mod dependence_sources;
pub(crate) mod loop_carried;
pub(crate) mod rank_varying;
pub(crate) mod reachable_statements;
pub(crate) mod sorted_edges;
pub(crate) mod uniform_values;
