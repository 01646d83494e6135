//! How a test reports that it cannot run here: a program or library is missing. It prints `skipped: REASON` and passes. The test
//! runner hides what a passing test prints, so the reason also goes to a file, which `xtask test` counts.

use std::fs::OpenOptions;
use std::io::Write;
use std::thread;

/// The environment variable with the name of the file of skipped tests.
pub const FILE_VARIABLE: &str = "MPIETE_SKIPPED";

/// Separates the name of a test from the reason, in a line of that file.
pub const SEPARATOR: char = '\t';

/// Reports that the test of this thread, or a part of it, cannot run.
pub fn skip(reason: &str) {
    println!("skipped: {reason}");
    let Some(path) = std::env::var_os(FILE_VARIABLE) else {
        return;
    };
    // The test runner names the thread of a test after it.
    let thread = thread::current();
    let test = thread.name().unwrap_or_default();
    let line = format!("{test}{SEPARATOR}{reason}\n");
    // Tests run at the same time: a line is one write at the end of the file.
    let file = OpenOptions::new().append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        panic!("cannot write {}: {error}", path.display());
    }
}
