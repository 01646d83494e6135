//! The symbols of the library. [`entries!`] defines, with one line per function, the symbols of all
//! languages: `MPI_X` and `PMPI_X` for C, `mpi_x_` and `pmpi_x_` for Fortran, which passes everything
//! by reference and has the error code last, `mpi_x_f08_` and `pmpir_x_f08_` for `use mpi_f08`, whose
//! error code may be left out; and where there are forms for large counts, these, too.
//!
//! To add a function: one line in the file of its chapter, one body, and its row in
//! `base_data::mpi::functions` says `Full` or `Runs` (a missing row stops the compiler; the function
//! that was a stub until now ceases to be one by itself, see `missing`). A line is
//!
//! ```text
//! every Comm_rank = communicators::rank: (comm: Int, rank: Out);
//! ```
//!
//! First the group of symbols, by what the function's arguments are in Fortran and since when it exists:
//!
//! | group | C | Fortran | `mpi_f08` | large counts |
//! | --- | --- | --- | --- | --- |
//! | `every` | yes | yes | `_f08_` | |
//! | `every_large` | yes | yes | `_f08_` | C, `_f08_large_` |
//! | `every_large_c` | yes | yes | `_f08_` | C |
//! | `choice` | yes | yes | `_f08ts_`: has choice buffers | |
//! | `choice_large` | yes | yes | `_f08ts_` | C, `_f08ts_large_` |
//! | `always`, `starting` | yes | yes | `_f08_` | |
//! | `old` | yes | yes | replaced by MPI 2: not there | |
//! | `only_c` | yes | | | |
//!
//! Then the name behind `MPI_`, the body, and the arguments with their kinds (`crate::arguments`), which
//! are also the types that the body gets: `fn(&mut Process, Int, Out) -> Outcome`.
//!
//! A function with many arguments groups them for its body: the arguments in the order of the standard, a
//! semicolon, and what the body gets instead:
//!
//! ```text
//! choice_large Recv = receives::receive: (
//!     buf: Buffer, count: Count, datatype: Int, source: Int, tag: Int, comm: Int, status: Status;
//!     Data::new(buf, count, datatype), Partner::new(source, tag, comm), status
//! );
//! ```
//!
//! Functions `always` may be called before `MPI_Init` and after `MPI_Finalize`; their bodies get what there
//! is then, `fn(&mut Basics, Int, Out) -> Outcome`. A function that is `starting` makes the process a rank. Functions with arguments of C only are in `special`.

// What nothing is passed for has no size, and takes no place among the arguments.
#![allow(improper_ctypes_definitions)]

mod attributes;
mod collectives;
mod communicators;
mod completion;
mod datatypes;
mod errors;
mod info;
mod local;
mod missing;
mod modules;
mod point_to_point;
mod sessions;
mod special;

use base_data::mpi::functions::FUNCTIONS;

/// The row of a function; evaluated at compile time, where a panic is a compiler's error.
pub const fn row(name: &str) -> u32 {
    let mut row = 0;
    while row < FUNCTIONS.len() {
        if equal(FUNCTIONS[row].name.as_bytes(), name.as_bytes()) {
            assert!(
                FUNCTIONS[row].support.runs(),
                "the table says it is not supported"
            );
            return row as u32;
        }
        row += 1;
    }
    panic!("the table of MPI functions lacks this one");
}

/// Whether recordings have a form for the calls of a row's function, or need none.
pub const fn is_recordable(row: u32) -> bool {
    let function = &FUNCTIONS[row as usize];
    function.support.is_predicted() || !function.kind.is_recorded()
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// See the module.
macro_rules! entries {
    ($($group:ident $name:ident = $body:path: ($($arguments:tt)*);)+) => {$(
        $crate::entries::entries! { @$group $name, $body, ($($arguments)*) }
    )+};
    (@always $name:ident, $body:path, $arguments:tt) => {
        $crate::entries::entries! { @guarded call_always, $name, $body, $arguments }
    };
    (@starting $name:ident, $body:path, $arguments:tt) => {
        $crate::entries::entries! { @guarded call_starting, $name, $body, $arguments }
    };
    (@guarded $guard:ident, $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @c C $guard, $name, $body, $arguments, [<MPI_ $name>] [<PMPI_ $name>] }
        $crate::entries::entries! { @fortran Fortran $guard, $name, $body, $arguments,
            [<mpi_ $name:lower _>] [<pmpi_ $name:lower _>] }
        $crate::entries::entries! { @fortran F08 $guard, $name, $body, $arguments,
            [<mpi_ $name:lower _f08_>] [<pmpir_ $name:lower _f08_>] }
    } };
    (@every $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @old $name, $body, $arguments }
        $crate::entries::entries! { @fortran F08 call, $name, $body, $arguments,
            [<mpi_ $name:lower _f08_>] [<pmpir_ $name:lower _f08_>] }
    } };
    (@every_large $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @every_large_c $name, $body, $arguments }
        $crate::entries::entries! { @fortran LargeF08 call, $name, $body, $arguments,
            [<mpi_ $name:lower _f08_large_>] [<pmpir_ $name:lower _f08_large_>] }
    } };
    (@every_large_c $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @every $name, $body, $arguments }
        $crate::entries::entries! { @c LargeC call, $name, $body, $arguments, [<MPI_ $name _c>] [<PMPI_ $name _c>] }
    } };
    (@choice $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @old $name, $body, $arguments }
        $crate::entries::entries! { @fortran F08 call, $name, $body, $arguments,
            [<mpi_ $name:lower _f08ts_>] [<pmpir_ $name:lower _f08ts_>] }
    } };
    (@choice_large $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @choice $name, $body, $arguments }
        $crate::entries::entries! { @c LargeC call, $name, $body, $arguments, [<MPI_ $name _c>] [<PMPI_ $name _c>] }
        $crate::entries::entries! { @fortran LargeF08 call, $name, $body, $arguments,
            [<mpi_ $name:lower _f08ts_large_>] [<pmpir_ $name:lower _f08ts_large_>] }
    } };
    (@old $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @only_c $name, $body, $arguments }
        $crate::entries::entries! { @fortran Fortran call, $name, $body, $arguments,
            [<mpi_ $name:lower _>] [<pmpi_ $name:lower _>] }
    } };
    (@only_c $name:ident, $body:path, $arguments:tt) => { ::paste::paste! {
        $crate::entries::entries! { @c C call, $name, $body, $arguments, [<MPI_ $name>] [<PMPI_ $name>] }
    } };
    (@c $binding:ident $guard:ident, $function:ident, $body:path, ($($name:ident: $kind:ty),* $(,)?), $($symbol:ident)+) => {
        $crate::entries::entries! { @c $binding $guard, $function, $body, ($($name: $kind),*; $($name),*), $($symbol)+ }
    };
    (@c $binding:ident $guard:ident, $function:ident, $body:path,
        ($($name:ident: $kind:ty),*; $($given:expr),* $(,)?), $($symbol:ident)+) => {
        ::native::entry! {
            $($symbol),+: (
                $($name: <$kind as $crate::arguments::Argument<$crate::arguments::$binding>>::Passed),*
            ) -> ::std::ffi::c_int {
                const ROW: u32 = $crate::entries::row(concat!("MPI_", stringify!($function)));
                // SAFETY: `$kind` is the kind of this parameter in the standard's signature of the function, and `received`
                // requires an argument of that kind in C's binding.
                $(let $name = unsafe {
                    <$kind as $crate::arguments::Argument<$crate::arguments::$binding>>::received($name, ())
                };)*
                $crate::entry_guard::$guard(ROW, const { $crate::entries::is_recordable(ROW) }, |state| $body(state, $($given),*))
            }
        }
    };
    (@fortran $binding:ident $guard:ident, $function:ident, $body:path, ($($name:ident: $kind:ty),* $(,)?), $($symbol:ident)+) => {
        $crate::entries::entries! { @fortran $binding $guard, $function, $body, ($($name: $kind),*; $($name),*), $($symbol)+ }
    };
    (@fortran $binding:ident $guard:ident, $function:ident, $body:path,
        ($($name:ident: $kind:ty),*; $($given:expr),* $(,)?), $($symbol:ident)+) => {
        ::paste::paste! { ::native::entry! {
            $($symbol),+: (
                $($name: <$kind as $crate::arguments::Argument<$crate::arguments::$binding>>::Passed,)*
                ierror: *mut ::std::ffi::c_int,
                $([<$name _behind>]:
                    <$kind as $crate::arguments::Argument<$crate::arguments::$binding>>::Behind),*
            ) {
                const ROW: u32 = $crate::entries::row(concat!("MPI_", stringify!($function)));
                // SAFETY: `$kind` is the kind of this parameter in the standard's signature, and `received` requires an
                // argument of that kind in this binding, with the length of a text behind all arguments.
                $(let $name = unsafe {
                    <$kind as $crate::arguments::Argument<$crate::arguments::$binding>>::received(
                        $name, [<$name _behind>]
                    )
                };)*
                let code = $crate::entry_guard::$guard(ROW, const { $crate::entries::is_recordable(ROW) }, |state| $body(state, $($given),*));
                $crate::entries::set_error(ierror, code);
            }
        } }
    };
}

use entries;

/// Gives Fortran the error code, unless the program has left it out.
pub fn set_error(ierror: *mut std::ffi::c_int, code: i32) {
    if !ierror.is_null() {
        // SAFETY: a Fortran program passes a variable or, with `use mpi_f08`, nothing.
        unsafe { ierror.write_unaligned(code) }
    }
}
