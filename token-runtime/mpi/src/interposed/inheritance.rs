//! The place at the head of a session or of a process group, which a process does not hand on to its forks.

use super::interpose;
use std::ffi::c_int;
use token_runtime::fork_events::ForkObstacle;

fn unsupported() -> c_int {
    // SAFETY: the C library returns the address of this thread's `errno`, which no other thread reads or
    // writes.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

interpose! {
    Some(ForkObstacle::Inheritance) => setsid() -> libc::pid_t, otherwise unsupported();
    Some(ForkObstacle::Inheritance) => setpgid(process: libc::pid_t, group: libc::pid_t) -> c_int,
        otherwise unsupported();
}
