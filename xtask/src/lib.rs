//! What the commands of `xtask` do. A library, because tests of other packages check the tables that it makes.
#![forbid(unsafe_code)]

pub mod accuracy;
pub mod bench;
mod csv_fields;
mod files;
pub mod frontend_table;
#[cfg(feature = "product")]
pub mod listings;
mod marked_tables;
pub mod meta_tables;
mod numbers;
pub mod process;
pub mod real_codes;
#[cfg(feature = "product")]
pub mod recordings;
mod scratch;
pub mod test_run;

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// The folder that release builds are written to.
fn release() -> PathBuf {
    root().join("target/release")
}

/// The command `mpiete`: that of the release build, or the one that the environment variable MPIETE names. A path is absolute,
/// because measured programs run in folders of their own; a name without a folder is left to PATH.
pub fn mpiete() -> PathBuf {
    let named = std::env::var_os("MPIETE").filter(|name| !name.is_empty());
    let Some(named) = named.map(PathBuf::from) else {
        return release().join("mpiete");
    };
    if is_found_in_path(&named) {
        return named;
    }
    std::path::absolute(&named).unwrap_or(named)
}

/// Whether a command is a bare name, which is looked up in PATH when it is started.
fn is_found_in_path(command: &Path) -> bool {
    command.components().count() == 1
}

/// The folder of a program of `npb-fixtures`.
fn fixture(program: &str) -> PathBuf {
    npb_fixtures::programs().join(program)
}
