//! What a process does not hand on to its forks: locked memory, memory that forks get empty or not at all, its place at the head
//! of a process group.

use super::interpose;
use std::ffi::{c_int, c_void};
use token_runtime::fork_events::ForkObstacle;

fn unsupported() -> c_int {
    // SAFETY: the C library returns the address of this thread's `errno`, which no other thread reads or
    // writes.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

fn of_advice(advice: c_int) -> Option<ForkObstacle> {
    match advice {
        libc::MADV_DONTFORK | libc::MADV_WIPEONFORK => Some(ForkObstacle::Inheritance),
        _ => None,
    }
}

interpose! {
    of_advice(advice) => madvise(place: *mut c_void, bytes: usize, advice: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Inheritance) => mlock(place: *const c_void, bytes: usize) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Inheritance) => mlockall(flags: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Inheritance) => setsid() -> libc::pid_t, otherwise unsupported();
    Some(ForkObstacle::Inheritance) => setpgid(process: libc::pid_t, group: libc::pid_t) -> c_int,
        otherwise unsupported();
}
