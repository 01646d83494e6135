//! Entries that do not fit the pattern of `entries`: text arguments (Fortran passes the length
//! behind all others and wants blanks, C wants a zero byte), `argc` and `argv`, clocks, and what
//! may be called before `MPI_Init` and after `MPI_Finalize`.

use crate::arguments::Out;
use crate::entries::row;
use crate::guard::{self, State};
use crate::{local, start};
use native::entry;
use std::ffi::{c_char, c_int, c_void};

/// What we support of threads: calls from one thread at a time, `MPI_THREAD_SERIALIZED`.
const THREADS: i32 = 2;
/// The standard's version whose functions these are.
const VERSION: (i32, i32) = (4, 0);

entry!(MPI_Init, PMPI_Init: (_argc: *mut c_int, _argv: *mut c_void) -> c_int {
    start::init(const { row("MPI_Init") });
    0
});
entry!(mpi_init_, pmpi_init_: (ierror: Out) {
    start::init(const { row("MPI_Init") });
    ierror.set(0);
});
entry!(MPI_Init_thread, PMPI_Init_thread: (
    _argc: *mut c_int, _argv: *mut c_void, required: c_int, provided: Out
) -> c_int {
    start::init(const { row("MPI_Init_thread") });
    provided.set(required.clamp(0, THREADS));
    0
});
entry!(mpi_init_thread_, pmpi_init_thread_: (required: Out, provided: Out, ierror: Out) {
    start::init(const { row("MPI_Init_thread") });
    provided.set(required.get().clamp(0, THREADS));
    ierror.set(0);
});
entry!(MPI_Finalize, PMPI_Finalize: () -> c_int {
    start::finalize(const { row("MPI_Finalize") });
    0
});
entry!(mpi_finalize_, pmpi_finalize_: (ierror: Out) {
    start::finalize(const { row("MPI_Finalize") });
    ierror.set(0);
});

/// A call that is none for the recording, allowed at any time; it still takes the probe's mark.
fn any_time<T>(body: impl FnOnce(&State) -> T) -> T {
    guard::enter(|library| {
        library.announced = None;
        body(&library.state)
    })
}

fn initialized(flag: Out) {
    flag.set(any_time(|state| !matches!(state, State::Before)).into());
}
entry!(MPI_Initialized, PMPI_Initialized: (flag: Out) -> c_int {
    initialized(flag);
    0
});
entry!(mpi_initialized_, pmpi_initialized_: (flag: Out, ierror: Out) {
    initialized(flag);
    ierror.set(0);
});

fn finalized(flag: Out) {
    flag.set(any_time(|state| matches!(state, State::After)).into());
}
entry!(MPI_Finalized, PMPI_Finalized: (flag: Out) -> c_int {
    finalized(flag);
    0
});
entry!(mpi_finalized_, pmpi_finalized_: (flag: Out, ierror: Out) {
    finalized(flag);
    ierror.set(0);
});

fn version(version: Out, subversion: Out) {
    any_time(|_| ());
    version.set(VERSION.0);
    subversion.set(VERSION.1);
}
entry!(MPI_Get_version, PMPI_Get_version: (major: Out, minor: Out) -> c_int {
    version(major, minor);
    0
});
entry!(mpi_get_version_, pmpi_get_version_: (major: Out, minor: Out, ierror: Out) {
    version(major, minor);
    ierror.set(0);
});

entry!(MPI_Wtime, PMPI_Wtime: () -> f64 { local::wtime() });
entry!(mpi_wtime_, pmpi_wtime_: () -> f64 { local::wtime() });
entry!(MPI_Wtick, PMPI_Wtick: () -> f64 { local::wtick() });
entry!(mpi_wtick_, pmpi_wtick_: () -> f64 { local::wtick() });

/// Writes a text for C and its length without the zero byte.
///
/// # Safety
///
/// `place` must have room for the text, as the standard's constants say.
unsafe fn c_text(text: &str, place: *mut c_char, length: Out) {
    any_time(|_| ());
    // SAFETY: the caller vouches for the room.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), text.len());
        place.add(text.len()).write(0);
    }
    length.set(text.len() as i32);
}

/// Writes a text for Fortran: blanks behind it, cut at the variable's length.
///
/// # Safety
///
/// `place` must be a character variable of `room` bytes.
unsafe fn fortran_text(text: &str, place: *mut c_char, length: Out, ierror: Out, room: usize) {
    any_time(|_| ());
    let used = text.len().min(room);
    // SAFETY: the caller vouches for `room` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), used);
        std::ptr::write_bytes(place.add(used), b' ', room - used);
    }
    length.set(used as i32);
    ierror.set(0);
}

// SAFETY of the six below: the program passes a place of the standard's length, Fortran with it.
entry!(MPI_Get_processor_name, PMPI_Get_processor_name: (name: *mut c_char, length: Out) -> c_int {
    unsafe { c_text(&local::processor_name(), name, length) };
    0
});
entry!(mpi_get_processor_name_, pmpi_get_processor_name_: (
    name: *mut c_char, length: Out, ierror: Out, room: usize
) {
    unsafe { fortran_text(&local::processor_name(), name, length, ierror, room) };
});
entry!(MPI_Get_library_version, PMPI_Get_library_version: (version: *mut c_char, length: Out) -> c_int {
    unsafe { c_text(local::LIBRARY_VERSION, version, length) };
    0
});
entry!(mpi_get_library_version_, pmpi_get_library_version_: (
    version: *mut c_char, length: Out, ierror: Out, room: usize
) {
    unsafe { fortran_text(local::LIBRARY_VERSION, version, length, ierror, room) };
});
entry!(MPI_Error_string, PMPI_Error_string: (code: c_int, string: *mut c_char, length: Out) -> c_int {
    unsafe { c_text(local::error_text(code), string, length) };
    0
});
entry!(mpi_error_string_, pmpi_error_string_: (
    code: Out, string: *mut c_char, length: Out, ierror: Out, room: usize
) {
    unsafe { fortran_text(local::error_text(code.get()), string, length, ierror, room) };
});
