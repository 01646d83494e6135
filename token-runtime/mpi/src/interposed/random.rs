//! Random numbers: each process has its own, forks would have the same.

use super::{identity, interpose};
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use token_runtime::fork_events::ForkObstacle;

/// Files of random numbers: the kernel gives each program that it starts some in `auxv`.
const FILES: [&[u8]; 4] = [
    b"/dev/random",
    b"/dev/urandom",
    b"/dev/hwrng",
    b"/proc/self/auxv",
];
/// Everything below is new each time it is read.
const FOLDER: &[u8] = b"/proc/sys/kernel/random/";

/// What opening a file says of a process.
///
/// # Safety
///
/// `path` is null or a text that ends with a zero byte.
unsafe fn opened(path: *const c_char, flags: c_int) -> Option<ForkObstacle> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero byte,
    // each list with a null pointer.
    let path = unsafe { std::ffi::CStr::from_ptr(path) }.to_bytes();
    // Most files are none of them, and most of their paths are relative.
    if path.first() == Some(&b'/') {
        if FILES.contains(&path) || path.starts_with(FOLDER) {
            return Some(ForkObstacle::Random);
        }
        if identity::leads_to_number(path) {
            return Some(ForkObstacle::ProcessId);
        }
    }
    if flags & libc::O_EXCL != 0 && flags & libc::O_CREAT != 0 {
        Some(ForkObstacle::UniqueNames)
    } else {
        None
    }
}

fn unsupported() -> c_int {
    // SAFETY: the C library returns the address of this thread's `errno`, which no other thread reads or
    // writes.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

/// Fills a buffer where the C library has no function for it.
fn fill(buffer: *mut c_void, bytes: usize) -> c_int {
    let mut done = 0;
    while done < bytes {
        // SAFETY: `done` is less than `bytes`, and the program guarantees a buffer of `bytes` bytes.
        let more = unsafe {
            libc::syscall(
                libc::SYS_getrandom,
                buffer.cast::<u8>().wrapping_add(done),
                bytes - done,
                0,
            )
        };
        if more <= 0 {
            return -1;
        }
        done += more as usize;
    }
    0
}

/// The kernel gives each program that it starts random bytes.
fn is_random_entry(entry: c_ulong) -> Option<ForkObstacle> {
    if entry == libc::AT_RANDOM {
        Some(ForkObstacle::Random)
    } else {
        None
    }
}

fn number() -> c_uint {
    let mut number = 0;
    fill((&raw mut number).cast(), size_of::<c_uint>());
    number
}

interpose! {
    Some(ForkObstacle::Random) => getrandom(buffer: *mut c_void, bytes: usize, flags: c_uint) -> isize,
        // SAFETY: the program guarantees a buffer of this size, as the C library's function requires.
        otherwise unsafe { libc::syscall(libc::SYS_getrandom, buffer, bytes, flags) as isize };
    Some(ForkObstacle::Random) => getentropy(buffer: *mut c_void, bytes: usize) -> c_int, otherwise fill(buffer, bytes);
    Some(ForkObstacle::Random) => arc4random() -> c_uint, otherwise number();
    Some(ForkObstacle::Random) => arc4random_buf(buffer: *mut c_void, bytes: usize) -> (),
        otherwise { fill(buffer, bytes); };
    Some(ForkObstacle::Random) => arc4random_uniform(bound: c_uint) -> c_uint, otherwise number() % bound.max(1);
    is_random_entry(entry) => getauxval(entry: c_ulong) -> c_ulong, otherwise 0;
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags) } => open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
        otherwise unsupported();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags) } => open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
        otherwise unsupported();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags) } => __open_2(path: *const c_char, flags: c_int) -> c_int, otherwise unsupported();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags) } => __open64_2(path: *const c_char, flags: c_int) -> c_int,
        otherwise unsupported();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags) } =>
        openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int, otherwise unsupported();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags) } =>
        openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int, otherwise unsupported();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags_of(mode)) } =>
        fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE, otherwise std::ptr::null_mut();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, flags_of(mode)) } =>
        fopen64(path: *const c_char, mode: *const c_char) -> *mut libc::FILE, otherwise std::ptr::null_mut();
    // SAFETY: the program guarantees a path that ends with a zero byte, or null, which `opened` checks.
    unsafe { opened(path, 0) } =>
        freopen(path: *const c_char, mode: *const c_char, file: *mut libc::FILE) -> *mut libc::FILE,
        otherwise std::ptr::null_mut();
}

/// `O_CREAT` and `O_EXCL` of `fopen`'s mode `x`.
///
/// # Safety
///
/// `mode` is null or a text that ends with a zero byte.
unsafe fn flags_of(mode: *const c_char) -> c_int {
    if mode.is_null() {
        return 0;
    }
    // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero byte,
    // each list with a null pointer.
    let mode = unsafe { std::ffi::CStr::from_ptr(mode) }.to_bytes();
    if mode.contains(&b'x') {
        libc::O_CREAT | libc::O_EXCL
    } else {
        0
    }
}

/// Functions of the C++ library: `std::random_device`.
const OF_CPP: &std::ffi::CStr = c"libstdc++.so.6";

/// The C++ library's function, wherever it is loaded: next to this library, or only where a part of the program sees it.
fn of_cpp(name: &std::ffi::CStr) -> *mut c_void {
    // SAFETY: both names end with a zero byte; nothing is loaded that is not, and looking up a symbol changes nothing.
    unsafe {
        let next = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
        if !next.is_null() {
            return next;
        }
        let library = libc::dlopen(OF_CPP.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            library
        } else {
            libc::dlsym(library, name.as_ptr())
        }
    }
}

/// `std::random_device::_M_getval()`.
///
/// # Safety
///
/// As the C++ library's: `device` is the object.
#[unsafe(no_mangle)]
unsafe extern "C" fn _ZNSt13random_device9_M_getvalEv(device: *mut c_void) -> c_uint {
    super::report_obstacle(ForkObstacle::Random);
    let next = of_cpp(c"_ZNSt13random_device9_M_getvalEv");
    if next.is_null() {
        return number();
    }
    // SAFETY: the C++ library's function of this name, which has this argument.
    unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> c_uint>(next)(
            device,
        )
    }
}
