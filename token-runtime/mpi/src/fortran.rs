//! COMMON blocks by the names that the program's have whose members are Fortran's special addresses:
//! only so that the linker puts the program's own into its table of dynamic symbols, where
//! `native::fortran` finds them.

use std::cell::UnsafeCell;

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
