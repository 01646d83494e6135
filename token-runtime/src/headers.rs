//! The headers that programs are compiled with, as text: they give the values of the MPICH ABI,
//! so that a program compiled with them runs under any library of that family.

/// For C: `mpi.h`.
pub const MPI_H: &str = include_str!("../mpi/include/mpi.h");
/// For Fortran: `mpif.h`, for fixed and free form alike.
pub const MPIF_H: &str = include_str!("../mpi/include/mpif.h");
/// For Fortran: the source of the module `mpi`; it includes `mpif.h`.
pub const MPI_F90: &str = include_str!("../mpi/include/mpi.f90");

/// All of them with their file names.
pub const ALL: [(&str, &str); 3] = [("mpi.h", MPI_H), ("mpif.h", MPIF_H), ("mpi.f90", MPI_F90)];
