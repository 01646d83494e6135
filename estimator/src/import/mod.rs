//! Files of other tools as base data: program data, and compute data with the times that stand in the
//! file. One format per file.
//!
//! [`crate::formats::LoadTrace`] reads the files; [`crate::formats::FORMATS`] lists the formats.

mod dependencies;
pub(crate) mod goal;
mod goal_labels;
mod goal_statements;
mod observation;
mod ti_actions;
pub(crate) mod ti_datatypes;
pub(crate) mod time_independent;
pub(crate) mod trace_builder;

pub use observation::of_observation;

use crate::EstimateError;
use crate::formats::TraceFile;
use base_data::compute_data::ComputeData;
use base_data::program_data::ProgramData;

/// What a file of another tool holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// What the ranks do.
    pub program: ProgramData,
    /// How long they compute.
    pub compute: ComputeData,
    /// What is read otherwise than it was meant, each a sentence.
    pub remarks: Vec<String>,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImportError {
    /// A line that is wrong.
    #[error("{file}:{line}: found {found}, expected {expected}; {remedy}")]
    Line {
        /// File.
        file: String,
        /// Line, 1-based.
        line: usize,
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Calls that cannot be replayed.
    #[error(transparent)]
    Program(#[from] EstimateError),
    /// The file as a whole.
    #[error("{file}: {reason}")]
    Whole {
        /// File.
        file: String,
        /// What is wrong and what to do.
        reason: String,
    },
}

/// What to do about most broken lines.
pub(crate) const MAKE_AGAIN: &str = "correct the line or make the trace again";

/// Whether the name of a file ends like this behind its last dot.
fn has_ending(file: &TraceFile<'_>, ending: &str) -> bool {
    std::path::Path::new(file.name)
        .extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// Whether bytes are text that is none of mpiete's own files.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1 << 12)];
    !start.contains(&0) && !start.starts_with(b"mpiete ")
}
