//! The number of threads that OpenMP's queries return in the parallel regions of a slice. A slice executes them with one
//! thread, but the queries return the program's number. These definitions precede those of OpenMP's library where
//! programs are linked with this library; outside slices they forward to OpenMP's library.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

/// Regions that the slice is in.
static OPEN: AtomicI32 = AtomicI32::new(0);

type Asks = unsafe extern "C" fn() -> c_int;

/// The slice enters (1) or leaves (0) a parallel region.
///
/// # Safety
///
/// `enters` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_parallel_(enters: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let enters = unsafe { *enters } == 1;
    OPEN.fetch_add(if enters { 1 } else { -1 }, Ordering::Relaxed);
}

/// What a function of OpenMP's library answers, from this library on (`RTLD_NEXT`) or at all (`RTLD_DEFAULT`); `None`
/// where there is no such library.
fn ask(place: *mut c_void, name: &CStr) -> Option<c_int> {
    // SAFETY: the name ends with a zero byte; looking up a symbol changes nothing. It is null, or OpenMP's function of
    // this name, which has no arguments and answers an integer (a logical one is as long).
    unsafe {
        let found = libc::dlsym(place, name.as_ptr());
        let function = std::mem::transmute::<*mut c_void, Option<Asks>>(found)?;
        Some(function())
    }
}

/// Threads of the innermost of so many regions: those in regions that make no further threads have one.
fn threads_in(open: i32) -> c_int {
    let levels = ask(libc::RTLD_DEFAULT, c"omp_get_max_active_levels").unwrap_or(1);
    let most = ask(libc::RTLD_DEFAULT, c"omp_get_max_threads").unwrap_or(1);
    if open <= levels { most } else { 1 }
}

fn threads() -> c_int {
    match OPEN.load(Ordering::Relaxed) {
        open @ 1.. => threads_in(open),
        _ => ask(libc::RTLD_NEXT, c"omp_get_num_threads").unwrap_or(1),
    }
}

fn is_parallel() -> c_int {
    match OPEN.load(Ordering::Relaxed) {
        1.. => (threads_in(1) > 1).into(),
        _ => ask(libc::RTLD_NEXT, c"omp_in_parallel").unwrap_or(0),
    }
}

/// Threads of the region that the program is in.
#[unsafe(no_mangle)]
extern "C" fn omp_get_num_threads() -> c_int {
    threads()
}

/// The same for Fortran.
#[unsafe(no_mangle)]
extern "C" fn omp_get_num_threads_() -> c_int {
    threads()
}

/// Whether the program is in a region of several threads.
#[unsafe(no_mangle)]
extern "C" fn omp_in_parallel() -> c_int {
    is_parallel()
}

/// The same for Fortran.
#[unsafe(no_mangle)]
extern "C" fn omp_in_parallel_() -> c_int {
    is_parallel()
}
