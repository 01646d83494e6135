//! A program given by its own build: the build runs with compiler wrappers that record what is compiled
//! with which flags, and what is linked.

pub mod command_line;
mod functions;
mod intercept;
pub mod linked_code;
mod log;
pub mod machine_code;
mod mpi_libraries;
pub mod objects;
pub mod preprocessor_flags;
mod program;
pub mod references;
mod separate;
pub mod source_expansion;
mod toolkit;
pub mod wrapper;
mod wrapper_queries;

pub use command_line::Language;
pub use intercept::{run, run_of};
pub use program::Program;
