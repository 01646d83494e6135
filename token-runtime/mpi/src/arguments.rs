//! The arguments of C and Fortran entries as one set of types: a number that C passes by value and
//! Fortran by reference, a buffer that may be a special address, places for results.

use native::fortran;
use std::ffi::{c_int, c_void};
use token_runtime::mpich::status::{self, Envelope};
use token_runtime::mpich::{IN_PLACE, STATUS_IGNORE};

/// An argument of an entry: how C and Fortran pass it.
///
/// # Safety
///
/// `from_c` and `from_fortran` are called with what a program passed, which must be as the MPI
/// standard says for this argument.
pub trait Argument: Sized {
    /// Its C type.
    type C;
    /// What Fortran passes.
    type Fortran;
    /// From C.
    unsafe fn from_c(value: Self::C) -> Self;
    /// From Fortran.
    unsafe fn from_fortran(value: Self::Fortran) -> Self;
}

/// A number or handle that is read.
#[derive(Clone, Copy)]
pub struct Int(pub i32);

impl Argument for Int {
    type C = c_int;
    type Fortran = *const c_int;
    unsafe fn from_c(value: c_int) -> Self {
        Self(value)
    }
    unsafe fn from_fortran(value: *const c_int) -> Self {
        // SAFETY: Fortran passes the address of an integer.
        Self(unsafe { value.read_unaligned() })
    }
}

/// A place for a number or handle.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Out(*mut c_int);

impl Argument for Out {
    type C = *mut c_int;
    type Fortran = *mut c_int;
    unsafe fn from_c(value: *mut c_int) -> Self {
        Self(value)
    }
    unsafe fn from_fortran(value: *mut c_int) -> Self {
        Self(value)
    }
}

impl Out {
    /// Writes the number.
    pub fn set(self, value: i32) {
        self.set_at(0, value);
    }

    /// Reads the number that stands there.
    pub fn get(self) -> i32 {
        self.get_at(0)
    }

    /// Writes to an array.
    pub fn set_at(self, index: usize, value: i32) {
        if !self.0.is_null() {
            // SAFETY: the program passed a place for a number, or an array with this index.
            unsafe { self.0.add(index).write_unaligned(value) }
        }
    }

    /// Reads from an array.
    pub fn get_at(self, index: usize) -> i32 {
        assert!(!self.0.is_null(), "an argument is a null pointer");
        // SAFETY: as in `set_at`.
        unsafe { self.0.add(index).read_unaligned() }
    }
}

/// The program's data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// At this address.
    At(*mut u8),
    /// `MPI_IN_PLACE`.
    InPlace,
}

impl Argument for Buffer {
    type C = *mut c_void;
    type Fortran = *mut c_void;
    unsafe fn from_c(value: *mut c_void) -> Self {
        if value as usize == IN_PLACE { Self::InPlace } else { Self::At(value.cast()) }
    }
    unsafe fn from_fortran(value: *mut c_void) -> Self {
        let special = fortran::special();
        match value as usize {
            address if address == special.in_place => Self::InPlace,
            address if address == special.bottom => Self::At(std::ptr::null_mut()),
            _ => Self::At(value.cast()),
        }
    }
}

/// A status or an array of them; `None` if the program ignores it.
#[derive(Clone, Copy)]
pub struct Status(Option<*mut c_int>);

impl Argument for Status {
    type C = *mut c_int;
    type Fortran = *mut c_int;
    unsafe fn from_c(value: *mut c_int) -> Self {
        Self((value as usize > STATUS_IGNORE).then_some(value))
    }
    unsafe fn from_fortran(value: *mut c_int) -> Self {
        let special = fortran::special();
        let address = value as usize;
        let ignored = address == special.status_ignore
            || address == special.statuses_ignore
            || address <= STATUS_IGNORE;
        Self((!ignored).then_some(value))
    }
}

impl Status {
    /// Writes one status of an array; the error member stays as it is, as the standard demands.
    pub fn set_at(self, index: usize, envelope: Envelope) {
        let Some(start) = self.0 else { return };
        for (i, word) in envelope.words().into_iter().enumerate() {
            // SAFETY: the program passed a status, or an array of them with this index.
            unsafe { start.add(index * status::SIZE + i).write_unaligned(word) }
        }
    }

    /// Writes the status.
    pub fn set(self, envelope: Envelope) {
        self.set_at(0, envelope);
    }

    /// Length in bytes that a status says.
    pub fn bytes(self) -> u64 {
        let Some(start) = self.0 else { return 0 };
        // SAFETY: the program passed a status, which is longer than these words.
        let words = unsafe { start.cast::<[i32; status::SIZE - 1]>().read_unaligned() };
        Envelope::of_words(words).bytes
    }
}
