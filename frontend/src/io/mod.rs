//! The order of accesses to files by different ranks.

pub(crate) mod io_ordering;
pub(crate) mod shared_file_ordering;
pub(crate) mod synchronisation_epochs;
