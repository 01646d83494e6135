//! The folder that makes programs find this MPI library under all the names that the MPICH family
//! uses.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Names under which programs look for an MPI library of the MPICH family, and the one the linker
/// looks for at `-lmpi`.
pub const LIBRARY_NAMES: [&str; 5] =
    ["libmpi.so.12", "libmpich.so.12", "libmpifort.so.12", "libmpichfort.so.12", "libmpi.so"];

/// Makes `dir` (and what is missing above it) with links of all names to the shared object at
/// `library`; gives the folder. Links that are there already are made anew.
pub fn library_folder(dir: &Path, library: &Path) -> io::Result<PathBuf> {
    let library = library.canonicalize()?;
    std::fs::create_dir_all(dir)?;
    for name in LIBRARY_NAMES {
        let link = dir.join(name);
        match std::fs::remove_file(&link) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => symlink(&library, &link)?,
        }
    }
    dir.canonicalize()
}
