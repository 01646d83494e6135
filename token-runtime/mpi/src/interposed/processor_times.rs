//! Clocks that are no `clock_gettime`, most of them of the processor's time for this process. A process that reads one
//! differs from others. An emulated rank reads its virtual time there, too, since one that waits for messages keeps its
//! processor busy.

use crate::interposed;
use crate::virtual_clock;
use native::system_clock;
use std::ffi::{c_int, c_long};
use token_runtime::fork_events::ForkObstacle;

/// Virtual processor time in nanoseconds, in an emulation.
fn virtual_time() -> Option<u64> {
    virtual_clock::system_time(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// What the C library's `getrusage` does.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrusage(who: c_int, usage: *mut libc::rusage) -> c_int {
    interposed::report_obstacle(ForkObstacle::ProcessorTime);
    // SAFETY: the system call takes the same arguments, and sets `errno` through the C library.
    let outcome = unsafe { libc::syscall(libc::SYS_getrusage, who, usage) } as c_int;
    if outcome == 0
        && let Some(time) = virtual_time()
    {
        // SAFETY: the call has filled in what the program guarantees to be a place for the answer.
        unsafe {
            (*usage).ru_utime = libc::timeval {
                tv_sec: (time / 1_000_000_000) as libc::time_t,
                tv_usec: (time % 1_000_000_000 / 1000) as libc::suseconds_t,
            };
            (*usage).ru_stime = libc::timeval {
                tv_sec: 0,
                tv_usec: 0,
            };
        }
    }
    outcome
}

/// What the C library's `clock` does.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock() -> c_long {
    /// `CLOCKS_PER_SEC` is a million on every system of this library.
    const NANOSECONDS: u64 = 1000;
    interposed::report_obstacle(ForkObstacle::ProcessorTime);
    if let Some(time) = virtual_time() {
        return (time / NANOSECONDS) as c_long;
    }
    system_clock::process_time().as_micros() as c_long
}

/// What the C library's `times` does.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn times(buffer: *mut libc::tms) -> libc::clock_t {
    /// Ticks of a second, of which there are 100 on Linux.
    const NANOSECONDS: u64 = 10_000_000;
    interposed::report_obstacle(ForkObstacle::ProcessorTime);
    // SAFETY: the system call takes the same argument.
    let ticks = unsafe { libc::syscall(libc::SYS_times, buffer) } as libc::clock_t;
    let Some(time) = virtual_time() else {
        return ticks;
    };
    if !buffer.is_null() {
        // SAFETY: it is not null, so the program guarantees a place for the answer.
        unsafe {
            (*buffer).tms_utime = (time / NANOSECONDS) as libc::clock_t;
            (*buffer).tms_stime = 0;
        }
    }
    (time / NANOSECONDS) as libc::clock_t
}

/// What the C library's `timespec_get` does: the base, or 0 for one that there is not.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn timespec_get(place: *mut libc::timespec, base: c_int) -> c_int {
    /// `TIME_UTC`, the only base of the standard.
    const UTC: c_int = 1;
    interposed::report_obstacle(ForkObstacle::Clock);
    if base != UTC {
        return 0;
    }
    if let Some(time) = virtual_clock::system_time(libc::CLOCK_REALTIME) {
        // SAFETY: the program guarantees a place for the answer.
        unsafe {
            (*place).tv_sec = (time / 1_000_000_000) as libc::time_t;
            (*place).tv_nsec = (time % 1_000_000_000) as c_long;
        }
        return base;
    }
    // SAFETY: the system call takes the program's place for the answer.
    match unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_REALTIME, place) } {
        0 => base,
        _ => 0,
    }
}
