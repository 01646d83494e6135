//! Finds the MPI library of the token runtime: beside this program, or where MPIETE_LIB says.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// File name of the shared object.
const NAME: &str = "libmpiete_mpi.so";

/// Path of the shared object.
pub fn path() -> Result<PathBuf> {
    let places = candidates();
    if let Some(found) = places.iter().find(|path| path.is_file()) {
        return Ok(std::path::absolute(found)?);
    }
    let listed: Vec<String> = places.iter().map(|path| path.display().to_string()).collect();
    bail!(
        "the MPI library {NAME} was not found at {}; build it with `make build` or set MPIETE_LIB to its folder",
        listed.join(", ")
    )
}

fn candidates() -> Vec<PathBuf> {
    if let Some(folder) = std::env::var_os("MPIETE_LIB") {
        return vec![Path::new(&folder).join(NAME)];
    }
    let Some(folder) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_path_buf())) else {
        return Vec::new();
    };
    vec![folder.join("../lib/mpiete").join(NAME), folder.join(NAME)]
}
