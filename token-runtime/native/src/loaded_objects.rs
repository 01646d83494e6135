//! The objects (executable, shared libraries) a process has loaded: which one an address is in.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An object in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// As the loader calls it; empty for the executable.
    name: PathBuf,
    /// Address in memory of the file's address 0.
    base: u64,
    /// Its code, as the file counts.
    code: Vec<Range<u64>>,
    /// The same by its place in the file.
    code_in_file: Vec<Range<u64>>,
    /// Address in memory of its dynamic entries; 0 if it has none.
    dynamic: u64,
}

impl Loaded {
    /// An address of this process as the object's file counts, if it is code of the object: what symbols
    /// and debug information say.
    #[inline]
    pub fn offset(&self, address: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        if self.code.iter().any(|part| part.contains(&offset)) {
            Some(offset)
        } else {
            None
        }
    }

    /// Its file.
    pub fn path(&self) -> Option<PathBuf> {
        match self.name.as_os_str().is_empty() {
            true => std::env::current_exe().ok(),
            false => std::path::absolute(&self.name).ok(),
        }
    }
}

/// Whether an object that is loaded now asks the loader for a library whose name begins so.
pub fn needs_library(beginning: &str) -> bool {
    loaded().iter().any(|object| {
        object
            .needed()
            .any(|name| name.to_bytes().starts_with(beginning.as_bytes()))
    })
}

/// Whether the executable needs such a library, itself or through others: the loader then loads it before the program starts.
pub fn executable_needs_library(beginning: &str) -> bool {
    let all = loaded();
    let mut reached = vec![0];
    let mut at = 0;
    while let Some(object) = reached.get(at).and_then(|&place| all.get(place)) {
        at += 1;
        for name in object.needed() {
            if name.to_bytes().starts_with(beginning.as_bytes()) {
                return true;
            }
            let is_it = |other: &Loaded| {
                let file_name = other.name.file_name();
                file_name.is_some_and(|file_name| file_name.as_bytes() == name.to_bytes())
            };
            if let Some(place) = all.iter().position(is_it)
                && !reached.contains(&place)
            {
                reached.push(place);
            }
        }
    }
    false
}

/// Tags of dynamic entries.
const END: u64 = 0;
const NEEDED: u64 = 1;
const STRINGS: u64 = 5;

impl Loaded {
    /// Where its code lies in its file.
    pub fn code_in_file(&self) -> impl Iterator<Item = Range<u64>> {
        self.code_in_file.iter().cloned()
    }

    /// As the loader calls it; empty for the executable.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Names of the libraries that it asks the loader for.
    fn needed(&self) -> impl Iterator<Item = &CStr> {
        let strings = self
            .entries()
            .find(|(tag, _)| *tag == STRINGS)
            .map_or(0, |(_, value)| value);
        // Loaders differ in whether they replace the file's address by the memory's.
        let strings = if strings < self.base {
            strings + self.base
        } else {
            strings
        };
        let names = self
            .entries()
            .filter(move |(tag, _)| *tag == NEEDED && strings != 0);
        // SAFETY: the entry says where in the table of strings the name begins, which ends with a zero byte; the
        // object stays loaded: those that the program closes again are not asked.
        names.map(move |(_, at)| unsafe { CStr::from_ptr((strings + at) as *const c_char) })
    }

    /// Tags and values of its dynamic entries.
    fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut next = self.dynamic as *const [u64; 2];
        std::iter::from_fn(move || {
            if next.is_null() {
                return None;
            }
            // SAFETY: the program header says where the entries are; the last one has the tag `END`.
            let [tag, value] = unsafe { next.read() };
            next = next.wrapping_add(1);
            if tag != END { Some((tag, value)) } else { None }
        })
    }
}

/// The path of the object that an address of this process is in, and the address as the object's
/// file counts. `None` for code in no object.
pub fn locate(address: u64) -> Option<(String, u64)> {
    let within = |object: Loaded| Some((object.offset(address)?, object));
    let (offset, object) = loaded().into_iter().find_map(within)?;
    Some((object.path()?.to_string_lossy().into_owned(), offset))
}

/// The program itself.
pub fn executable() -> Loaded {
    loaded().into_iter().next().unwrap_or_default()
}

/// All objects of this process now, the executable first.
pub fn loaded() -> Vec<Loaded> {
    let mut list: Vec<Loaded> = Vec::new();
    // SAFETY: `visit` gets back the address of `list`, which lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut list).cast()) };
    list
}

/// Adds one object; anything but 0 would end the search.
unsafe extern "C" fn visit(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    list: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes one object's description, valid during this call, and the list that `loaded` passed
    // to it by `&mut` and does not use until the iteration ends.
    let (info, list) = unsafe { (&*info, &mut *list.cast::<Vec<Loaded>>()) };
    // SAFETY: the description says how many headers there are, and where.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    // SAFETY: names of objects end with a zero byte.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    let is_code = |header: &&libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0
    };
    let code = || headers.iter().filter(is_code);
    list.push(Loaded {
        name: PathBuf::from(OsStr::from_bytes(name.to_bytes())),
        base: info.dlpi_addr,
        code_in_file: code()
            .map(|header| header.p_offset..header.p_offset + header.p_filesz)
            .collect(),
        code: code()
            .map(|header| header.p_vaddr..header.p_vaddr + header.p_memsz)
            .collect(),
        dynamic: headers
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC)
            .map_or(0, |header| info.dlpi_addr + header.p_vaddr),
    });
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_addresses_are_located_in_their_object() {
        let own = locate as *const () as u64;
        let (path, offset) = locate(own).unwrap();
        assert_eq!(path, std::env::current_exe().unwrap().to_string_lossy());
        assert_eq!(executable().offset(own), Some(offset));
        let (library, offset) = locate(libc::dl_iterate_phdr as *const () as u64).unwrap();
        assert!(
            library.contains("libc.so") && offset > 0,
            "{library}+{offset:#x}"
        );
        assert_eq!(locate(1), None);
        assert!(needs_library("libc.so") && !needs_library("libmpi"));
    }
}
