//! Numbers, handles and logical values that are read.

use super::{Argument, Binding};
use std::ffi::c_int;

/// A number or handle.
#[derive(Clone, Copy)]
pub struct Int(pub i32);

impl<B: Binding> Argument<B> for Int {
    type Passed = B::Value<c_int>;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires, so `B` can read it.
        Self(unsafe { B::read(passed) })
    }
}

/// A logical value: any number but 0 in C, and gfortran's `.true.` is 1.
#[derive(Clone, Copy)]
pub struct Flag(pub bool);

impl<B: Binding> Argument<B> for Flag {
    type Passed = B::Value<c_int>;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires, so `B` can read it.
        Self(unsafe { B::read(passed) } != 0)
    }
}

/// A number of elements: `int`, or `MPI_Count` in the forms for large counts.
#[derive(Clone, Copy)]
pub struct Count(pub i64);

impl<B: Binding> Argument<B> for Count {
    type Passed = B::Value<B::Count>;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires, so `B` can read it.
        Self(unsafe { B::read(passed) }.into())
    }
}

/// An address or a distance in bytes, `MPI_Aint` (or `MPI_Count`, which is as wide).
#[derive(Clone, Copy)]
pub struct Aint(pub i64);

impl<B: Binding> Argument<B> for Aint {
    type Passed = B::Value<i64>;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires, so `B` can read it.
        Self(unsafe { B::read(passed) })
    }
}

/// An address or distance of a function that MPI 2 replaced: a plain integer in Fortran.
#[derive(Clone, Copy)]
pub struct OldAint(pub i64);

impl<B: Binding> Argument<B> for OldAint {
    type Passed = B::Value<B::OldAddress>;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as `received` requires, so `B` can read it.
        Self(unsafe { B::read(passed) }.into())
    }
}
