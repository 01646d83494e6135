//! The programs that the tool is tried on, as data for the tests of the other crates: where their
//! sources lie, what must be on the include path, what they should answer.
//!
//! Three kernels of the NAS parallel benchmarks, written here from their specification, are in
//! [`kernel`], what they should answer in [`official`]; programs of a few lines that show one pattern
//! or one fault each are in [`pattern`]. The runner of the cases in `tests/ui` folders is in [`ui`]. Nothing here
//! compiles or runs anything, and no product code depends on this crate. Where the compiler or library that a test
//! needs is missing, [`skipped`] reports it.

#![forbid(unsafe_code)]

pub mod kernel;
pub mod official;
pub mod pattern;
pub mod problem_class;
pub mod skipped;
pub mod ui;

pub use kernel::{CG, EP, KERNELS, Kernel, LU};
pub use official::Official;
pub use pattern::{Outcome, PATTERNS, Pattern};
pub use problem_class::ProblemClass;

use std::path::PathBuf;

/// The folder with the sources of all programs.
pub fn programs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("programs")
}
