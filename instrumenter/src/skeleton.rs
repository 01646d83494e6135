//! The skeleton of a program: a C program over MPI that executes a time-independent trace with real messages, and with
//! computation that only takes its time. It shows what a network does to a program without the program.

const PROGRAM: &str = include_str!("skeleton/skeleton.c");
const MAKEFILE: &str = include_str!("skeleton/Makefile");
const README: &str = include_str!("skeleton/README");

/// Name of the trace that the makefile runs.
pub const TRACE: &str = "trace.ti";

/// The files beside the trace of so many ranks: name and text.
pub fn generate(ranks: u32) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (name, text) in [
        ("skeleton.c", PROGRAM),
        ("Makefile", MAKEFILE),
        ("README", README),
    ] {
        files.push((name.into(), text.replace("@RANKS@", &ranks.to_string())));
    }
    files
}
