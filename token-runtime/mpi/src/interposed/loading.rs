//! MPI libraries that the program loads while it runs. Where it names one of the MPICH family by its path, it gets this one: the
//! loader compares only names without folders with what is loaded already.

use super::Next;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What this library is loaded as.
const OWN_NAME: &CStr = c"libmpi.so.12";
/// Names of the family's libraries, up to the version.
const FAMILY: [&[u8]; 4] = [b"libmpi.so", b"libmpich.so", b"libmpifort.so", b"libmpichfort.so"];
/// The version of the family's binary interface.
const VERSION: &[u8] = b".12";

static DLOPEN: Next = Next::new(c"dlopen");

/// The C library's function, which takes names as they are.
///
/// # Safety
///
/// As the C library's: a library's initialization may do anything.
pub unsafe fn open(name: &CStr, how: c_int) -> *mut c_void {
    type Opens = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;
    let next = DLOPEN.get();
    if next.is_null() {
        return next;
    }
    // SAFETY: the C library's function of this name, which has these arguments.
    unsafe { std::mem::transmute::<*mut c_void, Opens>(next)(name.as_ptr(), how) }
}

/// The file name that is given to the C library instead of the program's.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
///
/// # Safety
///
/// `name` is null or a text that ends with a zero byte.
unsafe extern "C" fn replaced(name: *const c_char, _how: c_int) -> *const c_char {
    if name.is_null() {
        return name;
    }
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(name) }.to_bytes();
    if text.contains(&b'/') && super::unnoticed(|| is_of_family(text)) { OWN_NAME.as_ptr() } else { name }
}

fn is_of_family(path: &[u8]) -> bool {
    let path = Path::new(OsStr::from_bytes(path));
    has_name_of_family(path, b"") && path.canonicalize().is_ok_and(|path| has_name_of_family(&path, VERSION))
}

fn has_name_of_family(path: &Path, version: &[u8]) -> bool {
    let Some(name) = path.file_name().map(OsStr::as_bytes) else { return false };
    let rest = FAMILY.iter().find_map(|family| name.strip_prefix(*family));
    rest.is_some_and(|rest| rest.starts_with(version))
}

/// The C library's function looks at where it was called from, and so it must be jumped to.
#[cfg(target_arch = "x86_64")]
mod entry {
    use super::{DLOPEN, replaced};
    use std::ffi::{c_char, c_int, c_void};

    extern "C" fn next() -> *mut c_void {
        DLOPEN.get()
    }

    /// # Safety
    ///
    /// As the C library's.
    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn dlopen(name: *const c_char, how: c_int) -> *mut c_void {
        std::arch::naked_asm!(
            "push rsi",
            "sub rsp, 16",
            "call {replaced}",
            "mov qword ptr [rsp], rax",
            "call {next}",
            "mov rdi, qword ptr [rsp]",
            "add rsp, 16",
            "pop rsi",
            "jmp rax",
            replaced = sym replaced,
            next = sym next,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_tell_the_family() {
        let is_named = |path: &str| has_name_of_family(Path::new(path), VERSION);
        assert!(
            is_named("/a/libmpi.so.12")
                && is_named("/a/libmpich.so.12.2.1")
                && is_named("/a/libmpifort.so.12")
        );
        assert!(!is_named("/a/libmpi.so.40.30.4") && !is_named("/a/libmpi.so") && !is_named("/a/libm.so.12"));
    }
}
