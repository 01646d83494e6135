//! The clocks that the program reads: the C library's functions stand here, too, and come first where
//! programs are linked with this library, so that it is known when a program looks at the time. They
//! hand on to the C library, or to the system where there is no shared one.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// How often a clock was read, by this library, too.
static READINGS: AtomicU64 = AtomicU64::new(0);
/// The C library's `clock_gettime`, once it was looked up.
static OWN: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

type Reads = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// How often a clock was read so far.
pub fn readings() -> u64 {
    READINGS.load(Ordering::Relaxed)
}

/// Nanoseconds since some point in the past, the same for all ranks.
pub fn now() -> u64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds that the processor has worked for this thread.
pub fn processor() -> u64 {
    nanoseconds(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let time = read(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn read(clock: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    unsafe { clock_gettime(clock, &raw mut time) };
    time
}

/// The C library's function, if a shared one is loaded.
fn own() -> Option<Reads> {
    let mut own = OWN.load(Ordering::Relaxed);
    if own.is_null() {
        // SAFETY: the name ends with a zero byte; looking up a symbol changes nothing.
        own = unsafe { libc::dlsym(libc::RTLD_NEXT, c"clock_gettime".as_ptr()) };
        OWN.store(own, Ordering::Relaxed);
    }
    // SAFETY: it is null, or the C library's function of this name, which has these arguments.
    unsafe { std::mem::transmute::<*mut c_void, Option<Reads>>(own) }
}

/// What the C library's function does.
///
/// # Safety
///
/// `time` must be a place for the answer.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    READINGS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller vouches for the place.
    match own() {
        Some(own) => unsafe { own(clock, time) },
        None => unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as c_int },
    }
}

/// What the C library's function does; time zones are as old as unused.
///
/// # Safety
///
/// `place` must be a place for the answer or null, `zone` one for two integers or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(place: *mut libc::timeval, zone: *mut [c_int; 2]) -> c_int {
    let time = read(libc::CLOCK_REALTIME);
    let answer = libc::timeval { tv_sec: time.tv_sec, tv_usec: time.tv_nsec / 1000 };
    // SAFETY: the caller vouches for the places.
    unsafe {
        if !place.is_null() {
            place.write(answer);
        }
        if !zone.is_null() {
            zone.write([0, 0]);
        }
    }
    0
}

/// What the C library's function does.
///
/// # Safety
///
/// `place` must be a place for the answer, too, or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn time(place: *mut libc::time_t) -> libc::time_t {
    let seconds = read(libc::CLOCK_REALTIME).tv_sec;
    if !place.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { place.write(seconds) };
    }
    seconds
}
