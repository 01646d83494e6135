//! Places for results: one number, or an array of them, that the call writes and may have to read.

use super::{Argument, Binding, Language, null};
use std::ffi::c_int;
use token_runtime::mpich::UNDEFINED;

/// A place for a number, a handle or a logical value (1 or 0), or an array of them.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Out(*mut c_int);

impl<B: Binding> Argument<B> for Out {
    type Passed = *mut c_int;
    type Behind = ();
    unsafe fn received(passed: *mut c_int, (): ()) -> Self {
        Self(passed)
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
        if !null::is(self.0) {
            // SAFETY: the pointer is not null. The standard requires the program to pass a variable, or an
            // array with an element for each index that the function writes.
            unsafe { self.0.add(index).write_unaligned(value) }
        }
    }

    /// Reads from an array.
    pub fn get_at(self, index: usize) -> i32 {
        if null::is(self.0) {
            return 0;
        }
        // SAFETY: the pointer is not null, and the standard requires as many elements as the function reads
        // or writes.
        unsafe { self.0.add(index).read_unaligned() }
    }
}

/// Places for indices of an array, which begin at 1 in Fortran.
#[derive(Clone, Copy)]
pub struct OutIndex {
    place: Out,
    first: i32,
}

impl<B: Binding> Argument<B> for OutIndex {
    type Passed = *mut c_int;
    type Behind = ();
    unsafe fn received(passed: *mut c_int, (): ()) -> Self {
        let first = match B::LANGUAGE {
            Language::C => 0,
            Language::Fortran => 1,
        };
        Self {
            place: Out(passed),
            first,
        }
    }
}

impl OutIndex {
    /// Writes an index that counts from 0, or `MPI_UNDEFINED`.
    pub fn set(self, index: i32) {
        self.set_at(0, index);
    }

    /// Writes to an array.
    pub fn set_at(self, at: usize, index: i32) {
        self.place.set_at(
            at,
            if index == UNDEFINED {
                index
            } else {
                index + self.first
            },
        );
    }
}

macro_rules! wide_places {
    ($($(#[$meta:meta])+ $name:ident $binding:ident $passed:ty, $wide:expr;)+) => {$(
        $(#[$meta])+
        #[derive(Clone, Copy)]
        pub struct $name {
            place: *mut u8,
            wide: bool,
        }

        impl<$binding: Binding> Argument<$binding> for $name {
            type Passed = *mut $passed;
            type Behind = ();
            unsafe fn received(passed: Self::Passed, (): ()) -> Self {
                Self { place: passed.cast(), wide: $wide }
            }
        }

        impl $name {
            /// Writes the number; `MPI_UNDEFINED` if it does not fit.
            pub fn set(self, value: i64) {
                self.set_at(0, value);
            }

            /// Reads the number that stands there.
            pub fn get(self) -> i64 {
                if null::is(self.place) {
                    return 0;
                }
                // SAFETY: the pointer is not null, and `wide` is the width of the type that the binding
                // declares for this argument.
                unsafe {
                    if self.wide {
                        self.place.cast::<i64>().read_unaligned()
                    } else {
                        self.place.cast::<i32>().read_unaligned().into()
                    }
                }
            }

            /// Writes to an array.
            pub fn set_at(self, index: usize, value: i64) {
                if null::is(self.place) {
                    return;
                }
                // SAFETY: the pointer is not null. The standard requires the program to pass a variable, or
                // an array with an element for each index that the function writes.
                unsafe {
                    if self.wide {
                        self.place.cast::<i64>().add(index).write_unaligned(value);
                    } else {
                        let value = i32::try_from(value).unwrap_or(UNDEFINED);
                        self.place.cast::<i32>().add(index).write_unaligned(value);
                    }
                }
            }
        }
    )+};
}

wide_places! {
    /// A place for a number of elements or bytes, or an array of them.
    OutCount B B::Count, B::LARGE_COUNTS;
    /// A place for an address or a distance, or an array of them.
    OutAint B i64, true;
}

/// The same of a function that MPI 2 replaced: a plain integer in Fortran.
#[derive(Clone, Copy)]
pub struct OutOldAint(OutAint);

impl<B: Binding> Argument<B> for OutOldAint {
    type Passed = *mut B::OldAddress;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        Self(OutAint {
            place: passed.cast(),
            wide: matches!(B::LANGUAGE, Language::C),
        })
    }
}

impl OutOldAint {
    /// Writes the number; `MPI_UNDEFINED` if it does not fit.
    pub fn set(self, value: i64) {
        self.0.set(value);
    }
}
