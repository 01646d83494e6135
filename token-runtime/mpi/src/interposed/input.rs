//! Standard input, which only rank 0 has.

use super::interpose;
use std::ffi::{c_int, c_void};
use token_runtime::fork_events::ForkObstacle;

fn unsupported() -> isize {
    // SAFETY: the C library returns the address of this thread's `errno`, which no other thread reads or
    // writes.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

/// What reading from a descriptor says of a process.
fn is_read(descriptor: c_int) -> Option<ForkObstacle> {
    if descriptor == 0 {
        Some(ForkObstacle::Input)
    } else {
        None
    }
}

interpose! {
    is_read(file) => read(file: c_int, buffer: *mut c_void, bytes: usize) -> isize, otherwise unsupported();
    is_read(file) => readv(file: c_int, parts: *const libc::iovec, count: c_int) -> isize, otherwise unsupported();
    is_read(file) => __read_chk(file: c_int, buffer: *mut c_void, bytes: usize, room: usize) -> isize,
        otherwise unsupported();
}
