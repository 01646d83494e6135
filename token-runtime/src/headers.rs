//! The headers and modules that programs are compiled with, as text: they give the values of the MPICH
//! ABI, so that a program compiled with them runs under any library of that family. The build script
//! makes them of the forms in `mpi/include` and of the functions and constants in `headers`.

/// For C: `mpi.h`.
pub const MPI_H: &str = include_str!(concat!(env!("OUT_DIR"), "/mpi.h"));
/// For Fortran: `mpif.h`, for fixed and free form alike.
pub const MPIF_H: &str = include_str!(concat!(env!("OUT_DIR"), "/mpif.h"));
/// For Fortran: the source of the module `mpi`; it includes `mpif.h`.
pub const MPI_F90: &str = include_str!(concat!(env!("OUT_DIR"), "/mpi.f90"));
/// For Fortran: the source of the module `mpi_f08`.
pub const MPI_F08_F90: &str = include_str!(concat!(env!("OUT_DIR"), "/mpi_f08.f90"));

/// All of them with their file names.
pub const ALL: [(&str, &str); 4] = [
    ("mpi.h", MPI_H),
    ("mpif.h", MPIF_H),
    ("mpi.f90", MPI_F90),
    ("mpi_f08.f90", MPI_F08_F90),
];
