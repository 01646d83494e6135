//! The arguments of entries as one set of kinds, whatever the language that passes them: a number
//! that C passes by value and Fortran by reference, counts that are wider in the forms for large
//! counts, buffers that may be a special address or a section of an array, texts, places for
//! results. What differs between languages is in the [`Binding`]s; each kind says once, for all of
//! them, how it is passed.

mod arrays;
mod buffer;
mod callback;
mod groups;
pub mod null;
mod numbers;
mod outputs;
mod status;
mod text;

pub use arrays::{Aints, Counts, Displacements, Ints, OldAints, OutWeights, Weights};
pub use buffer::{Buffer, Descriptor, Section};
pub use callback::{Function, Language, OldWord, OutOldWord, OutWord, Word};
pub use groups::{Blocks, ByteDisplacements, Data, Partner, Reduction, TypedBlocks};
pub use numbers::{Aint, Count, Flag, Int, OldAint};
pub use outputs::{Out, OutAint, OutCount, OutIndex, OutOldAint};
pub use status::Status;
pub use text::{TextIn, TextOut};

use std::ffi::{c_int, c_void};

/// How a language passes arguments.
pub trait Binding {
    /// The language.
    const LANGUAGE: Language;
    /// Whether counts are `MPI_Count`.
    const LARGE_COUNTS: bool;
    /// How a value of type `T` that is only read is passed.
    type Value<T: Copy>: Copy;
    /// The type of counts.
    type Count: Copy + Into<i64> + TryFrom<i64>;
    /// The type of addresses in functions that MPI 2 replaced because Fortran's were too short.
    type OldAddress: Copy + Into<i64> + TryFrom<i64>;
    /// The type of attributes in functions that MPI 2 replaced for the same reason.
    type OldWord: Copy + Into<i64> + TryFrom<i64>;
    /// How a choice buffer is passed.
    type Choice: Copy;
    /// What is passed of a text behind all other arguments.
    type TextLength: Copy;

    /// Reads a value.
    ///
    /// # Safety
    ///
    /// `value` must be what a program passed as the binding says.
    unsafe fn read<T: Copy>(value: Self::Value<T>) -> T;
    /// Where the value is, if the language says so; else null.
    fn place<T: Copy>(value: Self::Value<T>) -> *const T;
    /// The data of a choice buffer.
    ///
    /// # Safety
    ///
    /// As for [`Binding::read`].
    unsafe fn buffer(passed: Self::Choice) -> Buffer;
    /// The bytes of a text that a Fortran program passes; `None` in C, where a zero byte ends it.
    fn text_length(length: Self::TextLength) -> Option<usize>;
}

/// An argument of an entry.
pub trait Argument<B: Binding>: Sized {
    /// How it is passed.
    type Passed;
    /// What is passed of it behind all others.
    type Behind;
    /// From what was passed.
    ///
    /// # Safety
    ///
    /// A program must have passed this, as the MPI standard says for this argument.
    unsafe fn received(passed: Self::Passed, behind: Self::Behind) -> Self;
}

/// C.
pub struct C;
/// C with counts of type `MPI_Count`: the functions whose names end in `_c`.
pub struct LargeC;
/// Fortran with `mpif.h` or `use mpi`.
pub struct Fortran;
/// Fortran with `use mpi_f08`.
pub struct F08;
/// The same with counts of kind `MPI_COUNT_KIND`.
pub struct LargeF08;

macro_rules! c_bindings {
    ($($binding:ident $large:literal $count:ty;)+) => {$(
        impl Binding for $binding {
            const LANGUAGE: Language = Language::C;
            const LARGE_COUNTS: bool = $large;
            type Value<T: Copy> = T;
            type Count = $count;
            type OldAddress = i64;
            type OldWord = i64;
            type Choice = *mut c_void;
            type TextLength = ();
            unsafe fn read<T: Copy>(value: T) -> T {
                value
            }
            fn place<T: Copy>(_: T) -> *const T {
                std::ptr::null()
            }
            unsafe fn buffer(passed: *mut c_void) -> Buffer {
                Buffer::from_c(passed)
            }
            fn text_length((): ()) -> Option<usize> {
                None
            }
        }
    )+};
}

macro_rules! fortran_bindings {
    ($($binding:ident $large:literal $count:ty, $choice:ty, $buffer:path;)+) => {$(
        impl Binding for $binding {
            const LANGUAGE: Language = Language::Fortran;
            const LARGE_COUNTS: bool = $large;
            type Value<T: Copy> = *const T;
            type Count = $count;
            type OldAddress = c_int;
            type OldWord = c_int;
            type Choice = $choice;
            type TextLength = usize;
            unsafe fn read<T: Copy>(value: *const T) -> T {
                // SAFETY: Fortran passes every argument by reference: `value` is the address of a variable of
                // type `T`. Variables of a `sequence` type or common block may be unaligned.
                unsafe { value.read_unaligned() }
            }
            fn place<T: Copy>(value: *const T) -> *const T {
                value
            }
            unsafe fn buffer(passed: $choice) -> Buffer {
                // SAFETY: `passed` is a program's argument of this kind, as the caller guarantees.
                unsafe { $buffer(passed) }
            }
            fn text_length(length: usize) -> Option<usize> {
                Some(length)
            }
        }
    )+};
}

c_bindings! {
    C false c_int;
    LargeC true i64;
}

fortran_bindings! {
    Fortran false c_int, *mut c_void, Buffer::from_fortran;
    F08 false c_int, *const Descriptor, Buffer::from_descriptor;
    LargeF08 true i64, *const Descriptor, Buffer::from_descriptor;
}
