//! MPI libraries that the program loads while it runs. Where it names one of the MPICH family by its path, it gets this one: the
//! loader compares only names without folders with what is loaded already.

use super::Next;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What this library is loaded as.
const OWN_NAME: &CStr = c"libmpi.so.12";
/// Names of the family's libraries, up to the version.
const FAMILY: [&[u8]; 4] = [
    b"libmpi.so",
    b"libmpich.so",
    b"libmpifort.so",
    b"libmpichfort.so",
];
/// The version of the family's binary interface.
const VERSION: &[u8] = b".12";

static DLOPEN: Next = Next::new(c"dlopen");
static DLMOPEN: Next = Next::new(c"dlmopen");

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
    // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero byte,
    // each list with a null pointer.
    let text = unsafe { CStr::from_ptr(name) }.to_bytes();
    if super::without_reporting(|| is_of_family(text)) {
        OWN_NAME.as_ptr()
    } else {
        name
    }
}

/// Whether the program has loaded something into a namespace of its own (`dlmopen`).
static HAS_NAMESPACES: AtomicBool = AtomicBool::new(false);

/// Whether there may be libraries that the loader does not list here.
pub fn has_namespaces() -> bool {
    HAS_NAMESPACES.load(Ordering::Relaxed)
}

/// The library of this file in a namespace, if it is loaded there; else null.
pub fn find(namespace: libc::Lmid_t, name: &CStr) -> *mut c_void {
    type Opens = unsafe extern "C" fn(libc::Lmid_t, *const c_char, c_int) -> *mut c_void;
    let next = DLMOPEN.get();
    if next.is_null() {
        return next;
    }
    // SAFETY: the C library's function of this name, which has these arguments. It loads nothing; where there is no such
    // namespace, it fails.
    unsafe {
        let next: Opens = std::mem::transmute(next);
        next(
            namespace,
            name.as_ptr(),
            libc::RTLD_LAZY | libc::RTLD_NOLOAD,
        )
    }
}

/// The name that the C library loads among the program's own libraries instead of what the program wants in a namespace.
/// Null where it gets what it wants.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
///
/// # Safety
///
/// `name` is null or a text that ends with a zero byte.
unsafe extern "C" fn replaced_in_namespace(
    namespace: libc::Lmid_t,
    name: *const c_char,
) -> *const c_char {
    // SAFETY: the program guarantees what the C library's function requires: each text ends with a zero byte,
    // each list with a null pointer.
    let replaced = unsafe { replaced(name, 0) };
    if !std::ptr::eq(replaced, name) {
        return replaced;
    }
    if namespace != libc::LM_ID_BASE && !HAS_NAMESPACES.swap(true, Ordering::Relaxed) {
        crate::other_mpi::on_namespace();
    }
    std::ptr::null()
}

fn is_of_family(path: &[u8]) -> bool {
    let path = Path::new(OsStr::from_bytes(path));
    // By their names alone those would be found that have no content.
    if !path.as_os_str().as_bytes().contains(&b'/') {
        return has_name_of_family(path, VERSION);
    }
    has_name_of_family(path, b"")
        && path
            .canonicalize()
            .is_ok_and(|path| has_name_of_family(&path, VERSION))
}

fn has_name_of_family(path: &Path, version: &[u8]) -> bool {
    let Some(name) = path.file_name().map(OsStr::as_bytes) else {
        return false;
    };
    let rest = FAMILY.iter().find_map(|family| name.strip_prefix(*family));
    rest.is_some_and(|rest| rest.starts_with(version))
}

/// The C library's function looks at where it was called from, and so it must be jumped to.
#[cfg(target_arch = "x86_64")]
mod entry {
    use super::{DLMOPEN, DLOPEN, replaced, replaced_in_namespace};
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

    extern "C" fn next_in_namespace() -> *mut c_void {
        DLMOPEN.get()
    }

    /// # Safety
    ///
    /// As the C library's.
    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn dlmopen(
        namespace: libc::Lmid_t,
        name: *const c_char,
        how: c_int,
    ) -> *mut c_void {
        std::arch::naked_asm!(
            "push rdi",
            "push rsi",
            "push rdx",
            "call {replaced}",
            "test rax, rax",
            "jz 2f",
            // The program's own namespace has the number 0.
            "mov qword ptr [rsp + 16], 0",
            "mov qword ptr [rsp + 8], rax",
            "2:",
            "call {next}",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "jmp rax",
            replaced = sym replaced_in_namespace,
            next = sym next_in_namespace,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_is_detected_by_library_version() {
        let is_named = |path: &str| has_name_of_family(Path::new(path), VERSION);
        assert!(
            is_named("/a/libmpi.so.12")
                && is_named("/a/libmpich.so.12.2.1")
                && is_named("/a/libmpifort.so.12")
        );
        assert!(
            !is_named("/a/libmpi.so.40.30.4")
                && !is_named("/a/libmpi.so")
                && !is_named("/a/libm.so.12")
        );
    }
}
