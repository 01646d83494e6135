//! Values of the constants of this run's MPI library, for probes in procedures where no name of MPI is visible.

use crate::family::{Family, Numbers};
use std::ffi::c_int;

/// They may be asked for before `MPI_Init`, when nothing is observed yet.
fn numbers() -> Numbers {
    Family::of_handles().numbers()
}

/// `MPI_PROC_NULL`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_proc_null_() -> c_int {
    numbers().proc_null
}

/// `MPI_ANY_SOURCE`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_any_source_() -> c_int {
    numbers().any_source
}

/// `MPI_ANY_TAG`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_any_tag_() -> c_int {
    numbers().any_tag
}

/// `MPI_UNDEFINED`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_undefined_() -> c_int {
    numbers().undefined
}
