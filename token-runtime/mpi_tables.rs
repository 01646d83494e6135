//! The tables of MPI functions for the build scripts of both MPI layers. They compile only these five files: the
//! crate `base-data` as a build dependency would be compiled a second time, with all crates that it depends on.

#[path = "../base-data/src/mpi/function.rs"]
pub mod function;
#[path = "../base-data/src/mpi/functions.rs"]
pub mod functions;
#[path = "../base-data/src/mpi/mpi_4_1.rs"]
pub mod mpi_4_1;
#[path = "../base-data/src/mpi/roles.rs"]
pub mod roles;
#[path = "../base-data/src/mpi/unsupported.rs"]
pub mod unsupported;
