//! The backward slice, its reasons, and the loops that it runs once or only counts.

pub(crate) mod counting_loops;
pub(crate) mod dependence_graph;
pub(crate) mod invariant;
pub(crate) mod needs;
pub(crate) mod reasons;
pub(crate) mod slicer;
