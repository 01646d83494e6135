//! The processes that share a sweep: this one single_process ([`single_process`]), or, with the feature `mpi`, all processes of an MPI run
//! ([`mpi_run`]). The first of them leads: it makes the base data, and it writes.

#[cfg(feature = "mpi")]
mod mpi_run;
#[cfg(not(feature = "mpi"))]
mod single_process;

#[cfg(feature = "mpi")]
pub use mpi_run::ProcessGroup;
#[cfg(not(feature = "mpi"))]
pub use single_process::ProcessGroup;
