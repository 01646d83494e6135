//! Arrays that are read.

use super::{Argument, Binding, Language, Out, null};
use crate::special_addresses;
use native::fortran;
use std::ffi::c_int;

macro_rules! arrays {
    ($($(#[$meta:meta])+ $name:ident $binding:ident $passed:ty, $wide:expr;)+) => {$(
        $(#[$meta])+
        #[derive(Clone, Copy)]
        pub struct $name {
            start: *const u8,
            wide: bool,
        }

        impl<$binding: Binding> Argument<$binding> for $name {
            type Passed = *const $passed;
            type Behind = ();
            unsafe fn received(passed: Self::Passed, (): ()) -> Self {
                Self { start: passed.cast(), wide: $wide }
            }
        }

        impl $name {
            /// One element.
            pub fn get(self, index: usize) -> i64 {
                if null::is(self.start) {
                    return 0;
                }
                // SAFETY: the pointer is not null. The standard requires an array with an element for each
                // index that the function reads; the read may be unaligned.
                unsafe {
                    if self.wide {
                        self.start.cast::<i64>().add(index).read_unaligned()
                    } else {
                        self.start.cast::<i32>().add(index).read_unaligned().into()
                    }
                }
            }

            /// The first `count` elements.
            pub fn all(self, count: usize) -> impl ExactSizeIterator<Item = i64> {
                (0..count).map(move |index| self.get(index))
            }
        }
    )+};
}

arrays! {
    /// Numbers of elements, one for each rank or block.
    Counts B B::Count, B::LARGE_COUNTS;
    /// Displacements in elements: `int`, or `MPI_Aint` in the forms for large counts.
    Displacements B B::Count, B::LARGE_COUNTS;
    /// Addresses or distances in bytes: `MPI_Aint` (or `MPI_Count`, which is as wide).
    Aints B i64, true;
    /// Addresses or distances of a function that MPI 2 replaced: plain integers in Fortran.
    OldAints B B::OldAddress, matches!(B::LANGUAGE, Language::C);
}

/// Numbers, handles or logical values.
#[derive(Clone, Copy)]
pub struct Ints(*const c_int);

impl<B: Binding> Argument<B> for Ints {
    type Passed = *const c_int;
    type Behind = ();
    unsafe fn received(passed: *const c_int, (): ()) -> Self {
        Self(passed)
    }
}

impl Ints {
    /// One element.
    pub fn get(self, index: usize) -> i32 {
        if null::is(self.0) {
            return 0;
        }
        // SAFETY: the pointer is not null. The standard requires an array with an element for each index that
        // the function reads; the read may be unaligned.
        unsafe { self.0.add(index).read_unaligned() }
    }

    /// The first `count` elements.
    pub fn all(self, count: usize) -> impl ExactSizeIterator<Item = i32> {
        (0..count).map(move |index| self.get(index))
    }
}

/// Weights of a distributed graph's edges.
#[derive(Clone, Copy)]
pub enum Weights {
    /// `MPI_UNWEIGHTED`: there are none.
    Unweighted,
    /// `MPI_WEIGHTS_EMPTY`, or an array; with no edge, it has no element.
    At(Ints),
}

impl<B: Binding> Argument<B> for Weights {
    type Passed = *const c_int;
    type Behind = ();
    unsafe fn received(passed: *const c_int, (): ()) -> Self {
        let unweighted = is_unweighted::<B>(passed as usize);
        if unweighted {
            Self::Unweighted
        } else {
            Self::At(Ints(passed))
        }
    }
}

fn is_unweighted<B: Binding>(address: usize) -> bool {
    match B::LANGUAGE {
        Language::C => address == special_addresses::MPI_UNWEIGHTED.address(),
        Language::Fortran => fortran::special().is_unweighted(address),
    }
}

/// A place for weights; `None` if the program passes `MPI_UNWEIGHTED`.
#[derive(Clone, Copy)]
pub struct OutWeights(pub Option<Out>);

impl<B: Binding> Argument<B> for OutWeights {
    type Passed = *mut c_int;
    type Behind = ();
    unsafe fn received(passed: *mut c_int, (): ()) -> Self {
        if is_unweighted::<B>(passed as usize) {
            return Self(None);
        }
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires.
        let place = unsafe { <Out as Argument<B>>::received(passed, ()) };
        Self(Some(place))
    }
}
