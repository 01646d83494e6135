//! Finds the MPI library of the token runtime and the observer: beside this program, or in the folder that MPIETE_LIB names.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// File name of the MPI library.
const MPI: &str = "libmpiete_mpi.so";
/// File name of the observer.
const OBSERVER: &str = "libmpiete_observer.so";

/// Path of the MPI library.
pub fn path() -> Result<PathBuf> {
    find("the MPI library", MPI)
}

/// Path of the observer.
pub fn observer() -> Result<PathBuf> {
    find("the observer", OBSERVER)
}

fn find(what: &str, name: &str) -> Result<PathBuf> {
    let places: Vec<PathBuf> = folders().iter().map(|folder| folder.join(name)).collect();
    if let Some(found) = places.iter().find(|path| path.is_file()) {
        return Ok(std::path::absolute(found)?);
    }
    let listed: Vec<String> = places
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    bail!(
        "{what} {name} was not found at {}; build it with `make build` or set MPIETE_LIB to its folder",
        listed.join(", ")
    )
}

fn folders() -> Vec<PathBuf> {
    if let Some(folder) = std::env::var_os("MPIETE_LIB") {
        // No other folder is searched: a wrong setting is reported rather than replaced by another
        // version of the library.
        return vec![PathBuf::from(folder)];
    }
    let executable = std::env::current_exe().ok();
    let Some(folder) = executable.as_deref().and_then(Path::parent) else {
        return Vec::new();
    };
    // First an installation (`bin/` beside `lib/mpiete/`), then cargo's target folder, where both
    // lie beside the program.
    vec![folder.join("../lib/mpiete"), folder.to_path_buf()]
}
