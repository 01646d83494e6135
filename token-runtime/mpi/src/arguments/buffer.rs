//! The program's data: an address, a special address, or a section of an array that `use mpi_f08`
//! passes by a descriptor.

use super::{Argument, Binding};
use native::fortran;
use std::ffi::c_void;
use token_runtime::mpich::IN_PLACE;

/// The program's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// At this address; null is `MPI_BOTTOM`.
    At(*mut u8),
    /// `MPI_IN_PLACE`.
    InPlace,
    /// The elements of a section with gaps; the count of the call counts them.
    Section(Section),
}

impl<B: Binding> Argument<B> for Buffer {
    type Passed = B::Choice;
    type Behind = ();
    unsafe fn received(passed: Self::Passed, (): ()) -> Self {
        // SAFETY: `passed` is a program's argument of this kind, as the caller guarantees.
        unsafe { B::buffer(passed) }
    }
}

/// A section of an array whose elements do not lie one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    descriptor: *const Descriptor,
    /// Where its first element lies.
    pub start: *mut u8,
}

/// What gfortran passes for an argument of type `type(*), dimension(..)`.
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    base: *mut u8,
    offset: isize,
    element_bytes: usize,
    version: i32,
    rank: i8,
    kind: i8,
    attribute: i16,
    span: isize,
    /// As many as the rank says.
    dimensions: [Dimension; 0],
}

/// One dimension of a descriptor: distance between neighbours in spans, and bounds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Dimension {
    stride: isize,
    lower: isize,
    upper: isize,
}

impl Descriptor {
    /// Extent, and distance of neighbours in bytes, of each dimension, the one that varies fastest first.
    ///
    /// # Safety
    ///
    /// It must be one that a program has passed.
    unsafe fn shape<'a>(this: *const Self) -> impl ExactSizeIterator<Item = (usize, isize)> + 'a {
        // SAFETY: the program passed a descriptor with as many dimensions as it says.
        let (rank, span, start) = unsafe {
            let span = if (*this).span != 0 {
                (*this).span
            } else {
                (*this).element_bytes as isize
            };
            (
                (*this).rank as usize,
                span,
                (&raw const (*this).dimensions).cast::<Dimension>(),
            )
        };
        (0..rank).map(move |at| {
            // SAFETY: the program passed a descriptor with as many dimensions as it says.
            let dimension = unsafe { start.add(at).read() };
            let extent = (dimension.upper - dimension.lower + 1).max(0) as usize;
            (extent, dimension.stride * span)
        })
    }
}

impl Section {
    /// Bytes of one element.
    pub fn element_bytes(self) -> usize {
        // SAFETY: the program passed the descriptor, and the call that uses it has not returned.
        unsafe { (*self.descriptor).element_bytes }
    }

    /// Extent, and distance of neighbours in bytes, of each dimension, the one that varies fastest first.
    pub fn shape(self) -> impl ExactSizeIterator<Item = (usize, isize)> {
        // SAFETY: the program passed the descriptor, and the call that uses it has not returned.
        unsafe { Descriptor::shape(self.descriptor) }
    }
}

impl Buffer {
    /// What C passes.
    pub fn from_c(passed: *mut c_void) -> Self {
        if passed as usize == IN_PLACE {
            Self::InPlace
        } else {
            Self::At(passed.cast())
        }
    }

    /// What `mpif.h` and `use mpi` pass.
    ///
    /// # Safety
    ///
    /// None is needed; the signature is that of the other forms.
    pub unsafe fn from_fortran(passed: *mut c_void) -> Self {
        let special = fortran::special();
        match passed as usize {
            address if special.is_in_place(address) => Self::InPlace,
            address if special.is_bottom(address) => Self::At(std::ptr::null_mut()),
            _ => Self::At(passed.cast()),
        }
    }

    /// What `use mpi_f08` passes.
    ///
    /// # Safety
    ///
    /// It must be a descriptor that a program has passed.
    pub unsafe fn from_descriptor(passed: *const Descriptor) -> Self {
        // SAFETY: the caller guarantees a descriptor that a program passed (TS 29113), which lives until the call returns.
        let (start, element, shape) = unsafe {
            (
                (*passed).base,
                (*passed).element_bytes,
                Descriptor::shape(passed),
            )
        };
        // SAFETY: an address is all that is looked at.
        match unsafe { Self::from_fortran(start.cast()) } {
            Self::At(start) if !start.is_null() && has_gaps(element, shape) => {
                Self::Section(Section {
                    descriptor: passed,
                    start,
                })
            }
            buffer => buffer,
        }
    }
}

/// Whether neighbours in memory are none in the array. The last dimension of an assumed-size array has
/// no known extent, which does not matter: nothing follows it.
fn has_gaps(element: usize, shape: impl Iterator<Item = (usize, isize)>) -> bool {
    let mut expected = element as isize;
    for (extent, distance) in shape {
        if extent != 1 && distance != expected {
            return true;
        }
        expected = distance * extent as isize;
    }
    false
}
