//! Compilers as processes. Their temporary files are kept in a folder of this process, which is removed even if all are killed: a
//! killed compiler leaves its files where it made them.

use std::io;
use std::process::{Command, ExitStatus, Output};
use token_runtime::host::TemporaryFolder;

/// Where compilers make their temporary files.
const VARIABLE: &str = "TMPDIR";

/// Runs a compiler and returns what it has printed.
pub fn output(command: &mut Command) -> io::Result<Output> {
    let _files = temporary_files(command);
    command.output()
}

/// Runs a compiler that prints where this process does.
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    let _files = temporary_files(command);
    command.status()
}

/// Gives a compiler a folder, which exists as long as the result. Without a place for it, the compiler looks for one itself.
fn temporary_files(command: &mut Command) -> Option<TemporaryFolder> {
    let folder = TemporaryFolder::create("compiler-").ok()?;
    command.env(VARIABLE, folder.path());
    Some(folder)
}
