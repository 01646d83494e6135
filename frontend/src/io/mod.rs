//! Input and output: units, files, and the order of accesses to them.

pub(crate) mod file_dataflow;
pub(crate) mod file_names;
pub(crate) mod files;
pub(crate) mod io_ordering;
pub(crate) mod io_units;
pub(crate) mod shared_file_ordering;
pub(crate) mod synchronisation_epochs;
pub(crate) mod unit_allocation;
