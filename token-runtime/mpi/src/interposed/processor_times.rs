//! The bodies of clocks (`program_clocks`) that are no `clock_gettime`, most of them of the processor's time for this process. A
//! process that reads one differs from others. An emulated rank reads its virtual time there, too, since one that waits for
//! messages keeps its processor busy.

use crate::interposed::{self, system_calls::system_call};
use crate::{program_clocks, virtual_clock};
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
pub unsafe extern "C" fn read_usage(who: c_int, usage: *mut libc::rusage, caller: u64) -> c_int {
    program_clocks::watch(caller);
    interposed::report_obstacle(ForkObstacle::ProcessorTime);
    // SAFETY: the system call takes the same arguments, and sets `errno` through the C library.
    let outcome = unsafe {
        system_call(
            libc::SYS_getrusage,
            c_long::from(who),
            usage as c_long,
            0,
            0,
            0,
            0,
        )
    } as c_int;
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
pub unsafe extern "C" fn read_processor_time(caller: u64) -> c_long {
    /// `CLOCKS_PER_SEC` is a million on every system of this library.
    const NANOSECONDS: u64 = 1000;
    program_clocks::watch(caller);
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
pub unsafe extern "C" fn read_ticks(buffer: *mut libc::tms, caller: u64) -> libc::clock_t {
    /// Ticks of a second, of which there are 100 on Linux.
    const NANOSECONDS: u64 = 10_000_000;
    program_clocks::watch(caller);
    interposed::report_obstacle(ForkObstacle::ProcessorTime);
    // SAFETY: the system call takes the same argument.
    let ticks =
        unsafe { system_call(libc::SYS_times, buffer as c_long, 0, 0, 0, 0, 0) } as libc::clock_t;
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
pub unsafe extern "C" fn read_timespec(
    place: *mut libc::timespec,
    base: c_int,
    caller: u64,
) -> c_int {
    /// `TIME_UTC`, the only base of the standard.
    const UTC: c_int = 1;
    program_clocks::watch(caller);
    interposed::report_obstacle(ForkObstacle::Clock);
    if base != UTC {
        return 0;
    }
    // SAFETY: the program guarantees a place for the answer.
    unsafe { place.write(program_clocks::time_of_day()) };
    base
}

/// What `ftime` fills in.
#[repr(C)]
pub struct Milliseconds {
    time: libc::time_t,
    milliseconds: u16,
    zone: i16,
    summer: i16,
}

/// What the C library's `ftime` does, which old programs call; time zones are unused.
///
/// # Safety
///
/// As the C library's.
pub unsafe extern "C" fn read_milliseconds(place: *mut Milliseconds, caller: u64) -> c_int {
    program_clocks::watch(caller);
    interposed::report_obstacle(ForkObstacle::Clock);
    let now = program_clocks::time_of_day();
    let answer = Milliseconds {
        time: now.tv_sec,
        milliseconds: (now.tv_nsec / 1_000_000) as u16,
        zone: 0,
        summer: 0,
    };
    // SAFETY: the program guarantees a place for the answer.
    unsafe { place.write(answer) };
    0
}
