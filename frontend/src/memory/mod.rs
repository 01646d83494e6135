//! Abstract memory locations, aliases, and the shapes of arrays.

pub(crate) mod address_taken;
pub(crate) mod aliased_dummies;
pub(crate) mod aliases;
pub(crate) mod array_extents;
pub(crate) mod array_operations;
pub(crate) mod array_shapes;
pub(crate) mod locations;
pub(crate) mod passed_sections;
pub(crate) mod same_shape_arrays;
