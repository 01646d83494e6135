//! Work terms of compute blocks: trip counts, static costs, data dependence, memory demand.

pub(crate) mod allocations;
pub(crate) mod block_splits;
pub(crate) mod block_tables;
pub(crate) mod data_dependent_branches;
pub(crate) mod data_indexed_loops;
pub(crate) mod iteration_dependent_loops;
pub(crate) mod iteration_dependent_work;
pub(crate) mod message_dependent_work;
pub(crate) mod parallel_regions;
pub(crate) mod skipped_iterations;
pub(crate) mod statement_costs;
pub(crate) mod statement_range;
pub(crate) mod stride_loops;
pub mod trip_count_calls;
pub(crate) mod trip_counts;
pub(crate) mod unequal_callees;
pub(crate) mod work_term_coverage;
pub(crate) mod work_terms;
pub(crate) mod writes;
