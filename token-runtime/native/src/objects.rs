//! The objects (executable, shared libraries) a process has loaded: which one an address is in.

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The path of the object that an address of this process is in, and the address as the object's
/// file counts: what its symbols and debug information say. `None` for code in no object.
pub fn locate(address: u64) -> Option<(String, u64)> {
    let mut search = Search { address, found: None };
    // SAFETY: `visit` gets back the address of `search`, which lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    let (name, offset) = search.found?;
    Some((path(name)?.to_string_lossy().into_owned(), offset))
}

struct Search {
    address: u64,
    /// Name of the object and offset in it.
    found: Option<(PathBuf, u64)>,
}

/// Looks whether the address is in this object; anything but 0 ends the search.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader passes one object's description, valid during this call, and `locate`'s
    // `search`, to which nobody else has a reference now.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    // SAFETY: the description says how many headers there are, and where.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let offset = search.address.wrapping_sub(info.dlpi_addr);
    let holds = |header: &libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD && offset.wrapping_sub(header.p_vaddr) < header.p_memsz
    };
    if !headers.iter().any(holds) {
        return 0;
    }
    // SAFETY: names of objects end with a zero byte.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    search.found = Some((PathBuf::from(OsStr::from_bytes(name.to_bytes())), offset));
    1
}

/// The loader calls the executable by an empty name.
fn path(name: PathBuf) -> Option<PathBuf> {
    match name.as_os_str().is_empty() {
        true => std::env::current_exe().ok(),
        false => std::path::absolute(name).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_in_the_executable_or_in_a_library() {
        let own = locate(locate as *const () as u64).unwrap();
        assert_eq!(own.0, std::env::current_exe().unwrap().to_string_lossy());
        let (library, offset) = locate(libc::dl_iterate_phdr as *const () as u64).unwrap();
        assert!(library.contains("libc.so") && offset > 0, "{library}+{offset:#x}");
        assert_eq!(locate(1), None);
    }
}
