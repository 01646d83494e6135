//! Fortran's special addresses of the MPICH family: members of COMMON blocks of the *program*,
//! found by name when the first Fortran call comes.

use std::ffi::CStr;
use std::sync::OnceLock;

/// Addresses that mean something else than a place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Special {
    /// `MPI_BOTTOM`.
    pub bottom: usize,
    /// `MPI_IN_PLACE`.
    pub in_place: usize,
    /// `MPI_STATUS_IGNORE`.
    pub status_ignore: usize,
    /// `MPI_STATUSES_IGNORE`.
    pub statuses_ignore: usize,
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
        }
    })
}

/// The address of a symbol as the program sees it; 0 if nothing that is loaded defines it.
pub fn address(name: &CStr) -> usize {
    // SAFETY: the name ends with a zero byte; looking up a symbol changes nothing.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
}
