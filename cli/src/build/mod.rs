//! A program given by its own build: the build runs with compiler wrappers that record what is compiled
//! with which flags, and what is linked.

mod answers;
pub mod command_line;
pub mod expanded;
mod log;
mod mpi_libraries;
mod objects;
pub mod preprocessing;
mod program;
mod toolkit;
mod watched;
pub mod wrapper;

pub use command_line::Language;
pub use program::Program;
pub use watched::run;
