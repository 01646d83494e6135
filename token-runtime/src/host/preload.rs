//! Makes the dynamic loader take this MPI library in place of the program's: it is loaded before all others, and the other names
//! of the MPICH family belong to objects without content that are loaded with it. The loader compares names (`DT_SONAME`) before
//! it searches, so a path that is compiled into the program (`DT_RPATH`) is never searched.
//!
//! The packages `mpi` and `observer` are the libraries that are loaded.

use super::library::library_folder;
use crate::environment::LIBRARIES;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::Path;

const PRELOAD: &str = "LD_PRELOAD";
const SEARCHED: &str = "LD_LIBRARY_PATH";
const SANITIZER: &str = "ASAN_OPTIONS";
/// The address sanitizer wants to be the first library; that another one comes before it does no harm.
const ANY_ORDER: &str = "verify_asan_link_order=0";
/// The library itself.
const OWN_NAME: &str = "libmpi.so.12";
/// Names that belong to objects without content.
const OTHER_NAMES: [&str; 3] = ["libmpich.so.12", "libmpifort.so.12", "libmpichfort.so.12"];
/// What ends a path in the loader's lists, or is replaced there.
const SPECIAL: [char; 5] = [':', ';', ' ', '\n', '$'];

/// The folder of a run with all that the loader is to find.
pub(super) struct Libraries {
    /// Spelled as in the loader's environment variables.
    path: String,
    /// Keeps `path` valid where it goes through this process's open files.
    _folder: File,
}

impl Libraries {
    /// Makes the folder.
    pub(super) fn create(folder: &Path, library: &Path) -> io::Result<Self> {
        let place = library_folder(&folder.join("lib"), library)?;
        let objects = place.join("names");
        std::fs::create_dir(&objects)?;
        for name in OTHER_NAMES {
            std::fs::write(objects.join(name), without_content(name, library)?)?;
        }
        let opened = File::open(&place)?;
        let through_file = || format!("/proc/{}/fd/{}", std::process::id(), opened.as_raw_fd());
        let path = place
            .to_str()
            .filter(|path| !path.contains(SPECIAL))
            .map(str::to_string);
        Ok(Self {
            path: path.unwrap_or_else(through_file),
            _folder: opened,
        })
    }

    /// Environment variables of a rank. `get` gives those that it would have otherwise.
    pub(super) fn variables(
        &self,
        get: impl Fn(&str) -> Option<String>,
    ) -> Vec<(&'static str, String)> {
        let before = |first: String, name: &str, between: char| match get(name) {
            Some(others) if !others.is_empty() => format!("{first}{between}{others}"),
            Some(_) | None => first,
        };
        let others = OTHER_NAMES.map(|name| format!("{}/names/{name}", self.path));
        let loaded = format!("{}/{OWN_NAME}:{}", self.path, others.join(":"));
        let options = get(SANITIZER).filter(|options| !options.is_empty());
        let options = options.map_or_else(
            || ANY_ORDER.into(),
            |options| format!("{options}:{ANY_ORDER}"),
        );
        vec![
            (SEARCHED, before(self.path.clone(), SEARCHED, ':')),
            (PRELOAD, before(loaded, PRELOAD, ':')),
            (SANITIZER, options),
            (LIBRARIES, self.path.clone()),
        ]
    }
}

/// Bytes of the header of an ELF file, of a program header and of an entry of a symbol table, for 64 bits.
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
const SYMBOL: usize = 24;
/// The hash table of no symbols: one bucket, one chain, both empty.
const HASH_WORDS: [u32; 4] = [1, 1, 0, 0];
/// Pages of all processors divide it.
const ALIGNMENT: u64 = 1 << 16;

/// A shared object that has a name and nothing else, for the processor of another one.
fn without_content(name: &str, like: &Path) -> io::Result<Vec<u8>> {
    let mut model = [0; HEADER];
    File::open(like)?.read_exact(&mut model)?;
    let headers_end = HEADER + 3 * PROGRAM_HEADER;
    let names = [b"\0", name.as_bytes(), b"\0"].concat();
    let symbols = headers_end;
    let hash = symbols + SYMBOL;
    let dynamic = hash + size_of_val(&HASH_WORDS);
    let entries = |strings: usize| -> [(u64, u64); 7] {
        [
            (14, 1),                  // DT_SONAME
            (4, hash as u64),         // DT_HASH
            (5, strings as u64),      // DT_STRTAB
            (6, symbols as u64),      // DT_SYMTAB
            (10, names.len() as u64), // DT_STRSZ
            (11, SYMBOL as u64),      // DT_SYMENT
            (0, 0),
        ]
    };
    let dynamic_bytes = size_of_val(&entries(0));
    let strings = dynamic + dynamic_bytes;
    let size = strings + names.len();

    let mut file = model[..16].to_vec();
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_ne_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_ne_bytes());
    let wide = |file: &mut Vec<u8>, value: u64| file.extend(value.to_ne_bytes());
    half(&mut file, 3); // ET_DYN
    file.extend(&model[18..24]); // The processor, the version.
    wide(&mut file, 0); // No entry point.
    wide(&mut file, HEADER as u64);
    wide(&mut file, 0); // No sections.
    file.extend(&model[48..52]); // The processor's flags.
    [HEADER, PROGRAM_HEADER, 3, 0, 0, 0]
        .into_iter()
        .for_each(|value| half(&mut file, value as u16));
    // PT_LOAD, PT_DYNAMIC, PT_GNU_STACK: without the last the loader would make stacks executable.
    for (kind, at, bytes, alignment) in [
        (1, 0, size, ALIGNMENT),
        (2, dynamic, dynamic_bytes, 8),
        (0x6474_e551, 0, 0, 16),
    ] {
        word(&mut file, kind);
        word(&mut file, 6); // Readable and writable: the loader notes addresses in the dynamic entries.
        [at, at, at, bytes, bytes]
            .into_iter()
            .for_each(|value| wide(&mut file, value as u64));
        wide(&mut file, alignment);
    }
    file.resize(symbols + SYMBOL, 0);
    HASH_WORDS
        .into_iter()
        .for_each(|value| word(&mut file, value));
    for (tag, value) in entries(strings) {
        wide(&mut file, tag);
        wide(&mut file, value);
    }
    file.extend(names);
    Ok(file)
}
