//! Warnings of ranks: errors of a program that real MPI libraries accept without a message, and
//! features that this library lacks. A rank writes its warnings to a file of the run's folder; the host makes sentences of them.

use crate::kernel::slot::CallLocation;
use crate::termination;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warning {
    /// A message was received as elements of another type than it was sent as.
    Types {
        /// The call that sent it ([`crate::kernel::slot::call_word`]).
        sender: u64,
        /// What it sent, for people.
        sent: String,
        /// The call that received it.
        receiver: u64,
        /// Description of the received data.
        received: String,
    },
    /// The rank ended with requests that no call had completed.
    Unfinished {
        /// How many.
        count: u64,
        /// Description of the first one.
        first: String,
        /// The call of `MPI_Finalize`.
        place: CallLocation,
    },
    /// A function that the library does not have returned an error.
    Missing {
        /// Its name.
        name: String,
        /// Where it was called.
        place: CallLocation,
    },
}

fn path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("warnings-{rank}"))
}

/// Leaves all warnings of a rank.
pub fn leave(folder: &Path, rank: u32, warnings: &[Warning]) -> std::io::Result<()> {
    termination::write(&path(folder, rank), &warnings)
}

/// The warnings that a rank has left.
pub fn read(folder: &Path, rank: u32) -> Vec<Warning> {
    termination::read(&path(folder, rank)).unwrap_or_default()
}
