//! What mpiete knows of MPI itself: the tables of functions, the roles of arguments, canonical
//! datatypes and reduction operations. Matching rules live beside those who match (kernel, replay).

pub mod datatypes;
mod function;
pub mod functions;
pub mod mpi_4_1;
pub mod roles;
pub mod unsupported;

pub use datatypes::{BasicDatatype, Datatype, ReduceOp};
pub use function::{Function, Support};
pub use functions::find;
pub use roles::{Argument, FunctionKind, Role};
