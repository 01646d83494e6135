//! Sleeping: an emulated rank sleeps in virtual time, while the others run. Elsewhere the C library's functions do it, which
//! return early after signals and when their thread is cancelled.

use super::hand_on;
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

/// Defines C functions that sleep for `$length` nanoseconds of virtual time, or hand on. `otherwise` is for a C library
/// without the function.
macro_rules! sleep {
    ($($symbol:ident($($name:ident: $kind:ty),*) -> $result:ty, sleeps $length:expr, otherwise $otherwise:expr;)+) => {
        $(
            hand_on! {
                $symbol($($name: $kind),*) -> $result,
                first if virtual_clock::is_running() {
                    virtual_clock::sleep($length);
                    return 0;
                },
                otherwise $otherwise
            }
        )+
    };
}

sleep! {
    nanosleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int,
        sleeps {
            // SAFETY: the program guarantees the address of a time.
            unsafe { nanoseconds(time) }
        }, otherwise -1;
    clock_nanosleep(clock: libc::clockid_t, flags: c_int, time: *const libc::timespec, left: *mut libc::timespec) -> c_int,
        sleeps {
            // SAFETY: the program guarantees the address of a time.
            let time = unsafe { nanoseconds(time) };
            until(clock, flags, time)
        }, otherwise libc::ENOSYS;
    usleep(microseconds: c_uint) -> c_int, sleeps u64::from(microseconds) * 1000, otherwise -1;
    sleep(seconds: c_uint) -> c_uint, sleeps u64::from(seconds) * 1_000_000_000, otherwise seconds;
}

/// Nanoseconds from now to a time of `clock_nanosleep`.
fn until(clock: libc::clockid_t, flags: c_int, time: u64) -> u64 {
    if flags & libc::TIMER_ABSTIME == 0 {
        return time;
    }
    time.saturating_sub(virtual_clock::system_time(clock).unwrap_or(0))
}
