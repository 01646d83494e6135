//! The host: starts the ranks of a program, watches them, ends them, and reads what they leave.
//! It computes nothing while they run; messages never pass through it.

mod copies;
mod emulation;
mod failure_report;
mod launch;
mod library;
mod preload;
mod representatives;
mod segment;
mod solo_ranks;
mod supervision;
mod tagged_output;
mod temporary_folder;
mod warnings;

pub use crate::classes::{MergeError, merge_program};
pub use crate::compute::merge_compute;
pub use crate::environment::Mode;
pub use crate::measure::{Cutting, StoppingRule as MeasureSettings};
pub use copies::{Copies, at_once};
pub use emulation::emulate;
pub use launch::{Input, Launch, MpmdProgram, Output, Recording, run};
pub use library::{
    LIBRARY_NAMES, library_folder, relative_library_folder, relative_path, replace_link,
};
pub use representatives::Measuring;
pub use segment::available_memory;
pub use solo_ranks::SoloRanks;
pub use temporary_folder::TemporaryFolder;

use base_data::rank_recording::ConditionCount;

/// Why a run gave no recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The program under test failed: it crashed, waits for itself, or misuses MPI. (Exit code 1.)
    #[error("{0}")]
    Program(String),
    /// The same, after a loop had been cut short in mode `measure`: the cut may be why.
    #[error("{0}")]
    CutShort(String),
    /// The ranks cannot be run one by one ([`Launch::solo`]): which call of which rank needs another.
    #[error("{0}")]
    NeedsOtherRanks(String),
    /// The run could not be set up. (Exit code 2.)
    #[error("{0}")]
    Setup(String),
    /// [`Launch::interrupt`] became true.
    #[error("interrupted; the ranks were ended")]
    Interrupted,
    /// [`Launch::limit`] has passed: by rank, how conditions have turned out of which something is assumed.
    #[error("the run took longer than it was given; the ranks were ended")]
    OutOfTime(Vec<Vec<ConditionCount>>),
}

impl RunError {
    pub(crate) fn setup(doing: &str, error: impl std::fmt::Display) -> Self {
        RunError::Setup(format!("{doing}: {error}"))
    }
}
