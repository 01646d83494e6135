//! Functions of the program that a call keeps, and the words (extra state, attributes) that go
//! with them. They are called through `entry_guard::call_user_function`.

use super::{Argument, Binding, null};
use std::ffi::c_void;

/// The language of a program's function, which says how it wants its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// By value.
    C,
    /// By reference, an error code as last argument.
    Fortran,
}

/// A function of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its address; 0 if the program passed a null pointer.
    pub address: usize,
    pub language: Language,
    /// Whether it takes counts of type `MPI_Count`.
    pub large: bool,
}

impl<B: Binding> Argument<B> for Function {
    type Passed = *const c_void;
    type Behind = ();
    unsafe fn received(passed: *const c_void, (): ()) -> Self {
        Self {
            address: passed as usize,
            language: B::LANGUAGE,
            large: B::LARGE_COUNTS,
        }
    }
}

/// Extra state or an attribute's value: a pointer in C, an integer of an address's width in Fortran.
#[derive(Clone, Copy)]
pub struct Word {
    pub value: i64,
    /// The variable that a Fortran program passed; null in C.
    pub variable: *const i64,
    pub language: Language,
}

impl<B: Binding> Argument<B> for Word {
    type Passed = B::Value<i64>;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires, so `B` can read it.
        let value = unsafe { B::read(passed) };
        Self {
            value,
            variable: B::place(passed),
            language: B::LANGUAGE,
        }
    }
}

/// The same in functions that MPI 2 replaced: a plain integer in Fortran.
#[derive(Clone, Copy)]
pub struct OldWord {
    pub value: i64,
    pub language: Language,
}

impl<B: Binding> Argument<B> for OldWord {
    type Passed = B::Value<B::OldWord>;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires, so `B` can read it.
        let value = unsafe { B::read(passed) };
        Self {
            value: value.into(),
            language: B::LANGUAGE,
        }
    }
}

/// A place for an attribute's value.
#[derive(Clone, Copy)]
pub struct OutWord {
    place: *mut i64,
    pub language: Language,
}

impl<B: Binding> Argument<B> for OutWord {
    type Passed = *mut i64;
    type Behind = ();
    unsafe fn received(passed: *mut i64, (): ()) -> Self {
        Self {
            place: passed,
            language: B::LANGUAGE,
        }
    }
}

impl OutWord {
    /// Writes the word.
    pub fn set(self, value: i64) {
        if !null::is(self.place) {
            // SAFETY: the pointer is not null; the standard requires a variable of the width of an address.
            unsafe { self.place.write_unaligned(value) }
        }
    }
}

/// A place for an attribute's value in functions that MPI 2 replaced: a plain integer in Fortran.
#[derive(Clone, Copy)]
pub struct OutOldWord {
    place: *mut u8,
    pub language: Language,
}

impl<B: Binding> Argument<B> for OutOldWord {
    type Passed = *mut B::OldWord;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        Self {
            place: passed.cast(),
            language: B::LANGUAGE,
        }
    }
}

impl OutOldWord {
    /// Writes the word; its lower half in Fortran.
    pub fn set(self, value: i64) {
        if null::is(self.place) {
            return;
        }
        match self.language {
            // SAFETY: in C, MPI_Attr_get takes the address of a pointer, which has 8 bytes; it is not null.
            Language::C => unsafe { self.place.cast::<i64>().write_unaligned(value) },
            // SAFETY: in Fortran, MPI_ATTR_GET takes a variable of default integer kind, which has 4 bytes.
            Language::Fortran => unsafe { self.place.cast::<i32>().write_unaligned(value as i32) },
        }
    }
}
