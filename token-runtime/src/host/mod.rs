//! The host: starts the ranks of a program, watches them, ends them, and reads what they leave.
//! It computes nothing while they run; messages never pass through it.

mod copies;
mod deadlock;
mod folder;
mod launch;
mod library;
mod lone_ranks;
mod preload;
mod representatives;
mod segment;
mod tagged;
mod warnings;
mod watch;

pub use crate::classes::{MergeError, merge_program};
pub use crate::compute::merge_compute;
pub use crate::environment::Mode;
pub use crate::measure::{Cutting, Rule as MeasureSettings};
pub use copies::{Copies, at_once};
pub use folder::TemporaryFolder;
pub use launch::{Input, Launch, Output, Part, Recording, run};
pub use library::{LIBRARY_NAMES, library_folder, replace_link};
pub use lone_ranks::LoneRanks;
pub use representatives::Measuring;

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
    /// The ranks cannot be run one by one ([`Launch::alone`]): which call of which rank needs another.
    #[error("{0}")]
    NotAlone(String),
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
