//! Entries that do not fit the pattern of `entries!`: `argc` and `argv`, functions that return a
//! number, and what may be called before `MPI_Init` and after `MPI_Finalize`.

use super::{row, set_error};
use crate::arguments::{Argument, C, F08, Fortran, Int, Out, TextOut};
use crate::entry_guard::{self, State};
use crate::error_codes::ErrorCodes;
use crate::process::World;
use crate::{local, start, threads};
use native::entry;
use std::ffi::{c_int, c_void};

/// The standard's version whose functions these are.
const VERSION: (i32, i32) = (4, 0);

entry!(MPI_Init, PMPI_Init: (_argc: *mut c_int, _argv: *mut c_void) -> c_int {
    start::init(const { row("MPI_Init") });
    0
});
entry!(mpi_init_, pmpi_init_, mpi_init_f08_, pmpir_init_f08_: (ierror: *mut c_int) {
    start::init(const { row("MPI_Init") });
    set_error(ierror, 0);
});
entry!(MPI_Init_thread, PMPI_Init_thread: (
    _argc: *mut c_int, _argv: *mut c_void, required: c_int, provided: *mut c_int
) -> c_int {
    start::init(const { row("MPI_Init_thread") });
    set_error(provided, threads::provide(required));
    0
});
entry!(mpi_init_thread_, pmpi_init_thread_, mpi_init_thread_f08_, pmpir_init_thread_f08_: (
    required: *const c_int, provided: *mut c_int, ierror: *mut c_int
) {
    start::init(const { row("MPI_Init_thread") });
    // SAFETY: Fortran passes the address of a number.
    let required = unsafe { required.read_unaligned() };
    set_error(provided, threads::provide(required));
    set_error(ierror, 0);
});
entry!(MPI_Finalize, PMPI_Finalize: () -> c_int {
    start::finalize(const { row("MPI_Finalize") });
    0
});
entry!(mpi_finalize_, pmpi_finalize_, mpi_finalize_f08_, pmpir_finalize_f08_: (ierror: *mut c_int) {
    start::finalize(const { row("MPI_Finalize") });
    set_error(ierror, 0);
});

entry!(MPI_Wtime, PMPI_Wtime: () -> f64 { local::wtime() });
entry!(mpi_wtime_, pmpi_wtime_, mpi_wtime_f08_, pmpir_wtime_f08_: () -> f64 { local::wtime() });
entry!(MPI_Wtick, PMPI_Wtick: () -> f64 { local::wtick() });
entry!(mpi_wtick_, pmpi_wtick_, mpi_wtick_f08_, pmpir_wtick_f08_: () -> f64 { local::wtick() });

/// Functions that may be called at any time: `Name = body: (argument: Kind, …);` with a body that
/// gets the state of the library and the arguments. They are none for the recording; they still take
/// the probe's mark.
macro_rules! any_time {
    ($($name:ident = $body:path: ($($argument:ident: $kind:ty),*);)+) => { ::paste::paste! {$(
        const _: u32 = row(concat!("MPI_", stringify!($name)));
        entry!([<MPI_ $name>], [<PMPI_ $name>]: ($($argument: <$kind as Argument<C>>::Passed),*) -> c_int {
            // SAFETY: `$kind` is the kind of this parameter in the standard's signature of the function, and `received`
            // requires an argument of that kind in C's binding.
            $(let $argument = unsafe { <$kind as Argument<C>>::received($argument, ()) };)*
            entry_guard::query_state(|state| $body(state, $($argument),*));
            0
        });
        any_time! { @ Fortran $body, ($($argument: $kind),*), [<mpi_ $name:lower _>] [<pmpi_ $name:lower _>] }
        any_time! { @ F08 $body, ($($argument: $kind),*),
            [<mpi_ $name:lower _f08_>] [<pmpir_ $name:lower _f08_>] }
    )+} };
    (@ $binding:ident $body:path, ($($argument:ident: $kind:ty),*), $symbol:ident $profiling:ident) => {
        ::paste::paste! {
            entry!($symbol, $profiling: (
                $($argument: <$kind as Argument<$binding>>::Passed,)*
                ierror: *mut c_int,
                $([<$argument _behind>]: <$kind as Argument<$binding>>::Behind),*
            ) {
                // SAFETY: `$kind` is the kind of this parameter in the standard's signature, and `received` requires an
                // argument of that kind in this binding.
                $(let $argument = unsafe {
                    <$kind as Argument<$binding>>::received($argument, [<$argument _behind>])
                };)*
                entry_guard::query_state(|state| $body(state, $($argument),*));
                set_error(ierror, 0);
            });
        }
    };
}

any_time! {
    Initialized = initialized: (flag: Out);
    Finalized = finalized: (flag: Out);
    Get_version = standard_version: (version: Out, subversion: Out);
    Get_processor_name = processor_name: (name: TextOut, resultlen: Out);
    Get_library_version = library_version: (version: TextOut, resultlen: Out);
    Error_string = error_string: (errorcode: Int, string: TextOut, resultlen: Out);
}

fn initialized(state: &State, flag: Out) {
    let initialized = match state {
        State::Before => false,
        State::Running(process) => process.world != World::Before,
        State::After => true,
    };
    flag.set(initialized.into());
}

fn finalized(state: &State, flag: Out) {
    let finalized = match state {
        State::Before => false,
        State::Running(process) => process.world == World::After,
        State::After => true,
    };
    flag.set(finalized.into());
}

fn standard_version(_: &State, version: Out, subversion: Out) {
    version.set(VERSION.0);
    subversion.set(VERSION.1);
}

fn processor_name(state: &State, name: TextOut, length: Out) {
    name.set_with_length(local::processor_name(state).as_bytes(), length);
}

fn library_version(_: &State, version: TextOut, length: Out) {
    version.set_with_length(local::LIBRARY_VERSION.as_bytes(), length);
}

fn error_string(state: &State, code: Int, string: TextOut, length: Out) {
    let text = match state {
        State::Running(process) => process.tables.basics.error_codes.text(code.0),
        State::Before | State::After => ErrorCodes::default().text(code.0),
    };
    string.set_with_length(text.as_bytes(), length);
}
