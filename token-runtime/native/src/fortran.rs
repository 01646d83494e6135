//! Fortran's special addresses of the MPICH family: members of COMMON blocks of the *program*, and
//! variables of the library that `use mpi_f08` refers to, found by name when the first Fortran call
//! comes.

use std::ffi::CStr;
use std::sync::OnceLock;

/// Addresses that mean something else than a place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Special {
    /// `MPI_BOTTOM` of `mpif.h` and `use mpi`.
    pub bottom: usize,
    /// `MPI_IN_PLACE`.
    pub in_place: usize,
    /// `MPI_STATUS_IGNORE`.
    pub status_ignore: usize,
    /// `MPI_STATUSES_IGNORE`.
    pub statuses_ignore: usize,
    /// `MPI_UNWEIGHTED`.
    pub unweighted: usize,
    /// The same five of `use mpi_f08`.
    f08: [usize; 5],
}

/// The addresses in this program.
pub fn special() -> &'static Special {
    static SPECIAL: OnceLock<Special> = OnceLock::new();
    SPECIAL.get_or_init(|| {
        let first = address(c"mpipriv1_");
        let int = size_of::<i32>();
        Special {
            bottom: first,
            in_place: first + int,
            status_ignore: first + 2 * int,
            statuses_ignore: address(c"mpipriv2_"),
            unweighted: address(c"mpifcmb5_"),
            f08: [
                c"MPIR_F08_MPI_BOTTOM",
                c"MPIR_F08_MPI_IN_PLACE",
                c"MPIR_F08_MPI_STATUS_IGNORE_OBJ",
                c"MPIR_F08_MPI_STATUSES_IGNORE_OBJ",
                c"__mpi_f08_link_constants_MOD_mpi_unweighted",
            ]
            .map(address),
        }
    })
}

impl Special {
    /// Whether it is `MPI_BOTTOM`.
    pub fn is_bottom(&self, address: usize) -> bool {
        address == self.bottom || address == self.f08[0]
    }

    /// Whether it is `MPI_IN_PLACE`.
    pub fn is_in_place(&self, address: usize) -> bool {
        address == self.in_place || address == self.f08[1]
    }

    /// Whether it is `MPI_STATUS_IGNORE` or `MPI_STATUSES_IGNORE`.
    pub fn is_status_ignore(&self, address: usize) -> bool {
        [
            self.status_ignore,
            self.statuses_ignore,
            self.f08[2],
            self.f08[3],
        ]
        .contains(&address)
    }

    /// Whether it is `MPI_UNWEIGHTED`.
    pub fn is_unweighted(&self, address: usize) -> bool {
        address == self.unweighted || address == self.f08[4]
    }
}

/// The address of a symbol as the program sees it; 0 if nothing that is loaded defines it.
pub fn address(name: &CStr) -> usize {
    // SAFETY: a `CStr` ends with a zero byte, and looking up a symbol runs no code of the library.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
}
