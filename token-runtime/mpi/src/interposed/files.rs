//! Changes of the file system and of descriptors: the first process that creates a folder succeeds, and the next ones find it.
//! Copies of a descriptor share one position, which descriptors that are opened again do not.

use super::interpose;
use std::ffi::{c_char, c_int, c_long, c_uint};
use token_runtime::fork_events::ForkObstacle;

fn unsupported() -> c_int {
    // SAFETY: the C library returns the address of this thread's `errno`, which no other thread reads or
    // writes.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

/// What a request about a descriptor says of a process.
fn of_request(request: c_int) -> Option<ForkObstacle> {
    match request {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => Some(ForkObstacle::Descriptors),
        // `/proc/locks` names no process for these: they belong to the open file.
        libc::F_OFD_SETLK | libc::F_OFD_SETLKW => Some(ForkObstacle::Locks),
        _ => None,
    }
}

interpose! {
    Some(ForkObstacle::Files) => mkdir(path: *const c_char, mode: c_uint) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => mkdirat(folder: c_int, path: *const c_char, mode: c_uint) -> c_int,
        otherwise unsupported();
    Some(ForkObstacle::Files) => link(from: *const c_char, to: *const c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => symlink(target: *const c_char, path: *const c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => rename(from: *const c_char, to: *const c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => linkat(
        from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_int
    ) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => symlinkat(target: *const c_char, folder: c_int, path: *const c_char) -> c_int,
        otherwise unsupported();
    Some(ForkObstacle::Files) => renameat(
        from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char
    ) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => renameat2(
        from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char, flags: c_uint
    ) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => mkfifo(path: *const c_char, mode: c_uint) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => unlink(path: *const c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int,
        otherwise unsupported();
    Some(ForkObstacle::Files) => rmdir(path: *const c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Files) => remove(path: *const c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Descriptors) => dup(descriptor: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Descriptors) => dup2(descriptor: c_int, copy: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::Descriptors) => dup3(descriptor: c_int, copy: c_int, flags: c_int) -> c_int,
        otherwise unsupported();
    of_request(request) => fcntl(descriptor: c_int, request: c_int, argument: c_long) -> c_int,
        otherwise unsupported();
    of_request(request) => fcntl64(descriptor: c_int, request: c_int, argument: c_long) -> c_int,
        otherwise unsupported();
}
