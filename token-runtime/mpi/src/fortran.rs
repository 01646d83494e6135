//! Fortran's special addresses: members of COMMON blocks of the *program*, found by name when the
//! first Fortran call comes. The library has blocks of the same names only so that the linker puts
//! the program's own into its table of dynamic symbols.

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::sync::OnceLock;

/// A COMMON block; nobody reads or writes it, only its address counts.
#[repr(C, align(32))]
pub struct Common<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);

// SAFETY: the content is never accessed from Rust.
unsafe impl<const BYTES: usize> Sync for Common<BYTES> {}

macro_rules! commons {
    ($($name:ident $bytes:literal)+) => {$(
        // SAFETY: the names belong to the ABI; the program's own blocks take precedence.
        #[allow(non_upper_case_globals)]
        #[unsafe(no_mangle)]
        pub static $name: Common<$bytes> = Common(UnsafeCell::new([0; $bytes]));
    )+};
}

commons! {
    mpipriv1_ 28
    mpipriv2_ 24
    mpiprivc_ 2
    mpifcmb5_ 4
    mpifcmb9_ 4
}

/// Addresses that mean something else than a place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Special {
    pub bottom: usize,
    pub in_place: usize,
    pub status_ignore: usize,
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

/// The address of a symbol as the program sees it.
fn address(name: &CStr) -> usize {
    // SAFETY: the name ends with a zero byte; looking up a symbol changes nothing.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
}
