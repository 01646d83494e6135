//! The two families of MPI libraries and how they differ for a caller: handles are numbers in the
//! MPICH family and addresses in Open MPI, special numbers and the layout of a status have other
//! values. Fortran's handles are numbers in both.

use native::fortran::address;
use std::ffi::CStr;
use token_runtime::mpich;

/// A family of MPI libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// MPICH, Intel MPI, MVAPICH, Cray MPI, and mpiete's own.
    Mpich,
    /// Open MPI.
    OpenMpi,
}

/// What the names of the MPICH family's libraries hold.
const MPICH_NAMES: [&str; 5] = ["MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPI", "mpiete"];

/// Special ranks and tags.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pub proc_null: i32,
    pub any_source: i32,
    pub any_tag: i32,
    pub undefined: i32,
}

/// Where in a status its source and tag stand, counted in integers, and how many bytes it takes.
#[derive(Clone, Copy, Debug)]
pub struct StatusLayout {
    pub source: usize,
    pub tag: usize,
    pub bytes: usize,
}

impl Family {
    /// The family of the library that is loaded and calls itself `name`.
    pub fn of(name: &str) -> Option<Self> {
        if Self::of_handles() == Family::OpenMpi {
            return Some(Family::OpenMpi);
        }
        if MPICH_NAMES.iter().any(|known| name.contains(known)) {
            Some(Family::Mpich)
        } else {
            None
        }
    }

    /// The family of the library that is loaded, by the objects behind its handles.
    pub fn of_handles() -> Self {
        if address(c"ompi_mpi_comm_world") != 0 {
            Family::OpenMpi
        } else {
            Family::Mpich
        }
    }

    /// Its special numbers.
    pub fn numbers(self) -> Numbers {
        match self {
            Family::Mpich => Numbers {
                proc_null: mpich::PROC_NULL,
                any_source: mpich::ANY_SOURCE,
                any_tag: mpich::ANY_TAG,
                undefined: mpich::UNDEFINED,
            },
            Family::OpenMpi => Numbers {
                proc_null: -2,
                any_source: -1,
                any_tag: -1,
                undefined: -32766,
            },
        }
    }

    /// Its statuses.
    pub fn status(self) -> StatusLayout {
        match self {
            Family::Mpich => StatusLayout {
                source: 2,
                tag: 3,
                bytes: mpich::status::SIZE * size_of::<i32>(),
            },
            Family::OpenMpi => StatusLayout {
                source: 0,
                tag: 1,
                bytes: 24,
            },
        }
    }

    /// The addresses that C and Fortran programs pass instead of a status or of a buffer.
    pub fn special(self) -> Special {
        match self {
            Family::Mpich => {
                let fortran = native::fortran::special();
                Special {
                    c_ignored: mpich::STATUS_IGNORE,
                    c_in_place: mpich::IN_PLACE,
                    ignored: [
                        fortran.status_ignore,
                        fortran.statuses_ignore,
                        address(c"MPIR_F08_MPI_STATUS_IGNORE_OBJ"),
                        address(c"MPIR_F08_MPI_STATUSES_IGNORE_OBJ"),
                    ],
                    in_place: [fortran.in_place, address(c"MPIR_F08_MPI_IN_PLACE")],
                }
            }
            Family::OpenMpi => Special {
                c_ignored: 0,
                c_in_place: 1,
                ignored: [
                    address(c"mpi_fortran_status_ignore_"),
                    address(c"mpi_fortran_statuses_ignore_"),
                    0,
                    0,
                ],
                in_place: [address(c"mpi_fortran_in_place_"), 0],
            },
        }
    }

    /// The C handle of a predefined object: its number in the MPICH family, its symbol in Open MPI.
    pub fn handle(self, number: i32, symbol: &CStr) -> usize {
        match self {
            Family::Mpich => number as u32 as usize,
            Family::OpenMpi => address(symbol),
        }
    }
}

/// Addresses that mean something else than a place. 0 where there is none.
#[derive(Clone, Copy, Debug)]
pub struct Special {
    /// `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE` of C.
    pub c_ignored: usize,
    /// `MPI_IN_PLACE` of C.
    pub c_in_place: usize,
    /// The same two in Fortran's bindings.
    pub ignored: [usize; 4],
    /// `MPI_IN_PLACE` in Fortran's bindings.
    pub in_place: [usize; 2],
}
