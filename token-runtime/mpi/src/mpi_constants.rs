//! Values of MPI's constants, for probes in procedures where no name of MPI is visible.

use std::ffi::c_int;
use token_runtime::mpich;

/// `MPI_PROC_NULL`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_proc_null_() -> c_int {
    mpich::PROC_NULL
}

/// `MPI_ANY_SOURCE`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_any_source_() -> c_int {
    mpich::ANY_SOURCE
}

/// `MPI_ANY_TAG`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_any_tag_() -> c_int {
    mpich::ANY_TAG
}

/// `MPI_UNDEFINED`.
#[unsafe(no_mangle)]
extern "C" fn mpiete_mpi_undefined_() -> c_int {
    mpich::UNDEFINED
}
