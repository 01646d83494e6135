//! Control flow that depends on time: wildcards, completion and polling loops, clocks, order independence.

pub(crate) mod any_source_loops;
pub(crate) mod clock_dependence;
mod completion_forms;
pub(crate) mod completion_loops;
pub(crate) mod file_dataflow;
pub(crate) mod mpi_outputs;
pub(crate) mod order_independence;
pub(crate) mod order_independent_work;
pub(crate) mod outstanding_requests;
pub(crate) mod partial_completion;
pub(crate) mod polling_loops;
pub(crate) mod time_dependence;
pub(crate) mod waitsome_loops;
pub(crate) mod wildcards;
