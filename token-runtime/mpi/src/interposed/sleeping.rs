//! Sleeping: an emulated rank sleeps in virtual time, while the others run.

use crate::virtual_clock;
use std::ffi::{c_int, c_uint};

/// Nanoseconds of a time that the program gives.
///
/// # Safety
///
/// `time` must be null or the address of a time.
unsafe fn nanoseconds(time: *const libc::timespec) -> u64 {
    if time.is_null() {
        return 0;
    }
    // SAFETY: it is not null, so the caller guarantees that it is the address of a time.
    let time = unsafe { *time };
    (time.tv_sec.max(0) as u64)
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec.max(0) as u64)
}

/// The result of a system call that sleeps.
fn result(outcome: libc::c_long) -> c_int {
    outcome as c_int
}

/// What the C library's `nanosleep` does.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    // SAFETY: the program guarantees the address of a time.
    if virtual_clock::sleep(unsafe { nanoseconds(time) }) {
        return 0;
    }
    // SAFETY: the system call takes the same arguments, and sets `errno` through the C library.
    result(unsafe { libc::syscall(libc::SYS_nanosleep, time, left) })
}

/// What the C library's `clock_nanosleep` does: it returns its error.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: libc::clockid_t,
    flags: c_int,
    time: *const libc::timespec,
    left: *mut libc::timespec,
) -> c_int {
    // SAFETY: the program guarantees the address of a time.
    let mut length = unsafe { nanoseconds(time) };
    if flags & libc::TIMER_ABSTIME != 0 {
        length = length.saturating_sub(virtual_clock::system_time(clock).unwrap_or(0));
    }
    if virtual_clock::sleep(length) {
        return 0;
    }
    // SAFETY: the system call takes the same arguments.
    let outcome = unsafe { libc::syscall(libc::SYS_clock_nanosleep, clock, flags, time, left) };
    if outcome == 0 {
        return 0;
    }
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINTR)
}

/// Sleeps for so many nanoseconds; whether it did so to the end.
fn sleep_for(length: u64) -> bool {
    let time = libc::timespec {
        tv_sec: (length / 1_000_000_000) as libc::time_t,
        tv_nsec: (length % 1_000_000_000) as libc::c_long,
    };
    let nowhere: *mut libc::timespec = std::ptr::null_mut();
    // SAFETY: `time` is a local variable; what is left is not asked for.
    unsafe { nanosleep(&raw const time, nowhere) == 0 }
}

/// What the C library's `usleep` does.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    match sleep_for(u64::from(microseconds) * 1000) {
        true => 0,
        false => -1,
    }
}

/// What the C library's `sleep` does. After a signal it reports the whole time as left, since how long it slept is not
/// known here.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    match sleep_for(u64::from(seconds) * 1_000_000_000) {
        true => 0,
        false => seconds,
    }
}
