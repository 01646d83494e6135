//! Properties that differ between processes: process id, start time, unique names, rank in a variable of the launcher, and
//! functions that run at a fork.

use super::interpose;
use std::ffi::{CStr, c_char, c_int, c_void};
use token_runtime::environment::LAUNCHER_RANKS;
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

/// Links to the folder of the process: their targets contain its number.
const FOLDERS: [&[u8]; 2] = [b"/proc/self", b"/proc/thread-self"];
/// What is in these folders and has no number of the process, or leads away from them. Programs look for themselves by `exe`,
/// and for the memory that they use in the others.
const WITHOUT_NUMBER: [&[u8]; 14] = [
    b"exe", b"cwd", b"root", b"fd", b"fdinfo", b"cmdline", b"comm", b"environ", b"maps", b"smaps",
    b"statm", b"mounts", b"cgroup", b"limits",
];

/// Whether a path leads to the number of the process.
pub(super) fn leads_to_number(path: &[u8]) -> bool {
    let Some(rest) = FOLDERS.iter().find_map(|folder| path.strip_prefix(*folder)) else {
        return false;
    };
    if !rest.is_empty() && !rest.starts_with(b"/") {
        return false;
    }
    let first = rest
        .split(|&byte| byte == b'/')
        .find(|name| !name.is_empty());
    first.is_none_or(|name| !WITHOUT_NUMBER.contains(&name))
}

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
    if leads_to_number(path) {
        Some(ForkObstacle::ProcessId)
    } else {
        None
    }
}

/// # Safety
///
/// `name` is null or a text that ends with a zero byte.
unsafe fn launcher_variable(name: *const c_char) -> Option<ForkObstacle> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees a text that ends with a zero byte.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if LAUNCHER_RANKS.iter().any(|rank| rank.as_bytes() == name) {
        Some(ForkObstacle::LauncherVariables)
    } else {
        None
    }
}

interpose! {
    // SAFETY: the program guarantees a name that ends with a zero byte, or null, which is checked.
    unsafe { launcher_variable(name) } => getenv(name: *const c_char) -> *mut c_char, otherwise std::ptr::null_mut();
    // SAFETY: the program guarantees a name that ends with a zero byte, or null, which is checked.
    unsafe { launcher_variable(name) } => secure_getenv(name: *const c_char) -> *mut c_char, otherwise std::ptr::null_mut();
    Some(ForkObstacle::ProcessId) => getpid() -> libc::pid_t, otherwise number(libc::SYS_getpid);
    Some(ForkObstacle::ProcessId) => getppid() -> libc::pid_t, otherwise number(libc::SYS_getppid);
    Some(ForkObstacle::ProcessId) => gettid() -> libc::pid_t, otherwise number(libc::SYS_gettid);
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } => readlink(path: *const c_char, place: *mut c_char, bytes: usize) -> isize,
        otherwise unsupported() as isize;
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } =>
        __readlink_chk(path: *const c_char, place: *mut c_char, bytes: usize, room: usize) -> isize,
        otherwise unsupported() as isize;
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } =>
        readlinkat(folder: c_int, path: *const c_char, place: *mut c_char, bytes: usize) -> isize,
        otherwise unsupported() as isize;
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } =>
        __readlinkat_chk(folder: c_int, path: *const c_char, place: *mut c_char, bytes: usize, room: usize) -> isize,
        otherwise unsupported() as isize;
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } => realpath(path: *const c_char, place: *mut c_char) -> *mut c_char,
        otherwise std::ptr::null_mut();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } => __realpath_chk(path: *const c_char, place: *mut c_char, room: usize) -> *mut c_char,
        otherwise std::ptr::null_mut();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } => canonicalize_file_name(path: *const c_char) -> *mut c_char,
        otherwise std::ptr::null_mut();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `pointed_at` checks.
    unsafe { pointed_at(path) } => opendir(path: *const c_char) -> *mut c_void, otherwise std::ptr::null_mut();
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

#[cfg(test)]
mod tests {
    use super::leads_to_number;

    #[test]
    fn paths_to_the_number_of_the_process_are_detected() {
        for path in [
            "/proc/self",
            "/proc/self/",
            "/proc/thread-self",
            "/proc/self/status",
            "/proc/self//stat",
            "/proc/self/task",
        ] {
            assert!(leads_to_number(path.as_bytes()), "{path}");
        }
        for path in [
            "/proc/selfish",
            "/proc/self/exe",
            "/proc/self/fd/3",
            "/proc/self/maps",
            "/proc/cpuinfo",
            "proc/self",
        ] {
            assert!(!leads_to_number(path.as_bytes()), "{path}");
        }
    }
}
