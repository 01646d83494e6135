//! The processes that share a sweep: this one alone ([`alone`]), or, with the feature `mpi`, all processes of an MPI run
//! ([`mpi_run`]). The first of them leads: it makes the base data, and it writes.

#[cfg(not(feature = "mpi"))]
mod alone;
#[cfg(feature = "mpi")]
mod mpi_run;

#[cfg(not(feature = "mpi"))]
pub use alone::Team;
#[cfg(feature = "mpi")]
pub use mpi_run::Team;
