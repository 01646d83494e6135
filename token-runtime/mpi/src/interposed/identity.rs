//! Properties that differ between processes: process id, start time, unique names, and functions that run at a fork.

use super::interpose;
use std::ffi::{CStr, c_char, c_int, c_void};
use token_runtime::fork_events::ForkObstacle;

type Handler = Option<unsafe extern "C" fn()>;

/// A system call without arguments that gives a number.
fn number(call: libc::c_long) -> libc::pid_t {
    // SAFETY: the call takes no addresses and returns a number.
    unsafe { libc::syscall(call) as libc::pid_t }
}

fn unsupported() -> c_int {
    // SAFETY: the C library returns the address of this thread's `errno`, which no other thread reads or
    // writes.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

/// `/proc/self` leads to the number of the process.
///
/// # Safety
///
/// `path` is null or a text that ends with a zero byte.
unsafe fn pointed_at(path: *const c_char) -> Option<ForkObstacle> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero byte,
    // each list with a null pointer.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if matches!(path, b"/proc/self" | b"/proc/thread-self") {
        Some(ForkObstacle::ProcessId)
    } else {
        None
    }
}

interpose! {
    Some(ForkObstacle::ProcessId) => getpid() -> libc::pid_t, otherwise number(libc::SYS_getpid);
    Some(ForkObstacle::ProcessId) => getppid() -> libc::pid_t, otherwise number(libc::SYS_getppid);
    Some(ForkObstacle::ProcessId) => gettid() -> libc::pid_t, otherwise number(libc::SYS_gettid);
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { pointed_at(path) } => readlink(path: *const c_char, place: *mut c_char, bytes: usize) -> isize,
        otherwise unsupported() as isize;
    Some(ForkObstacle::Clock) => ftime(place: *mut c_void) -> c_int, otherwise unsupported();
    Some(ForkObstacle::UniqueNames) => mkstemp(form: *mut c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::UniqueNames) => mkstemp64(form: *mut c_char) -> c_int, otherwise unsupported();
    Some(ForkObstacle::UniqueNames) => mkostemp(form: *mut c_char, flags: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::UniqueNames) => mkostemp64(form: *mut c_char, flags: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::UniqueNames) => mkstemps(form: *mut c_char, length: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::UniqueNames) => mkstemps64(form: *mut c_char, length: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::UniqueNames) => mkdtemp(form: *mut c_char) -> *mut c_char, otherwise std::ptr::null_mut();
    Some(ForkObstacle::UniqueNames) => mktemp(form: *mut c_char) -> *mut c_char, otherwise std::ptr::null_mut();
    Some(ForkObstacle::UniqueNames) => tmpnam(place: *mut c_char) -> *mut c_char, otherwise std::ptr::null_mut();
    Some(ForkObstacle::UniqueNames) => tempnam(folder: *const c_char, beginning: *const c_char) -> *mut c_char,
        otherwise std::ptr::null_mut();
    Some(ForkObstacle::SystemV) => shmget(key: libc::key_t, bytes: usize, flags: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::SystemV) => semget(key: libc::key_t, count: c_int, flags: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::SystemV) => msgget(key: libc::key_t, flags: c_int) -> c_int, otherwise unsupported();
    Some(ForkObstacle::ForkHandlers) =>
        __register_atfork(before: Handler, parent: Handler, child: Handler, object: *mut c_void) -> c_int,
        otherwise unsupported();
}
