//! Abstract memory locations, with those of files, aliases, and the shapes of arrays.

pub(crate) mod address_taken;
mod alias_nodes;
pub(crate) mod aliases;
pub(crate) mod array_extents;
pub(crate) mod array_operations;
pub(crate) mod array_shapes;
pub(crate) mod evaluation_reads;
pub(crate) mod file_names;
pub(crate) mod files;
pub(crate) mod foreign_pointers;
pub(crate) mod io_units;
pub(crate) mod location_id;
pub(crate) mod locations;
pub(crate) mod passed_sections;
pub(crate) mod released_files;
pub(crate) mod same_shape_arrays;
mod union_find;
pub(crate) mod unit_allocation;
