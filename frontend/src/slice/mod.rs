//! The backward slice, its reasons, and the loops that it runs once or only counts.

pub(crate) mod counting_loops;
pub(crate) mod invariant;
pub(crate) mod reasons;
pub(crate) mod slice_cause;
pub(crate) mod slicer;
