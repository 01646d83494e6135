//! What mpiete knows of MPI itself: the tables of functions, the roles of arguments, canonical
//! datatypes and reduction operations. Matching rules live beside those who match (kernel, replay).

pub mod datatypes;
pub mod functions;
pub mod mpi_4_1;
pub mod roles;
pub mod unsupported;

pub use datatypes::{BasicDatatype, Datatype, ReduceOp};
pub use functions::{Function, Support, find};
pub use roles::{Argument, Kind, Role};
