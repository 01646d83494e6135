//! Functions of MPI that the library does not have yet: each is there under all its names, so that programs that may
//! call it start. A call ends the run with a sentence that names it, or returns an error where the program has asked
//! for that. The build script lists those whose rows in the table of MPI functions say so. All their arguments are
//! words: numbers, handles, and addresses.

use super::set_error;
use crate::entry_guard;
use std::ffi::c_int;

/// The value of a handle that Fortran passes.
///
/// # Safety
///
/// `word` must be what a Fortran program passed for a handle.
unsafe fn handle_at(word: usize) -> i32 {
    // SAFETY: Fortran passes every argument by reference, here a variable of default integer kind.
    unsafe { (word as *const c_int).read_unaligned() }
}

/// `c "MPI_Put" (a0, a1) [handle]: symbols, …;` with the word that is a communicator, if one is; for Fortran also the
/// word that is the error code's place.
macro_rules! missing {
    ($($language:ident $name:literal ($($word:ident),*) [$($communicator:ident)?] [$($error:ident)?]: $($symbol:ident),+;)+) => {
        $(missing! { @$language $name ($($word),*) [$($communicator)?] [$($error)?]: $($symbol),+ })+
    };
    (@c $name:literal ($($word:ident),*) [$($communicator:ident)?] []: $($symbol:ident),+) => {
        native::entry! { $($symbol),+: ($($word: usize),*) -> c_int {
            $(let _ = $word;)*
            #[allow(unused_mut, unused_assignments)]
            let mut communicator = None;
            $(communicator = Some($communicator as i32);)?
            entry_guard::missing($name, communicator)
        } }
    };
    (@fortran $name:literal ($($word:ident),*) [$($communicator:ident)?] [$error:ident]: $($symbol:ident),+) => {
        native::entry! { $($symbol),+: ($($word: usize),*) {
            $(let _ = $word;)*
            #[allow(unused_mut, unused_assignments)]
            let mut communicator = None;
            // SAFETY: the program passed what the standard says for this function.
            $(communicator = Some(unsafe { handle_at($communicator) });)?
            set_error($error as *mut c_int, entry_guard::missing($name, communicator));
        } }
    };
}

include!(concat!(env!("OUT_DIR"), "/missing.rs"));
