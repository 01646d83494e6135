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
    /// Another launcher started an MPI program in a rank, which runs as a job of its own.
    Launched {
        /// File name of the program.
        program: String,
        /// The launcher's variable that shows it.
        variable: String,
        /// Ranks that it started, if it says so.
        ranks: Option<u32>,
    },
}

fn path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("warnings-{rank}"))
}

/// Warnings of processes that a rank, or a script in its place, has started.
fn path_of_children(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("warnings-children-{rank}"))
}

/// Leaves a warning of a process that a rank has started. The processes of one job all write the same.
pub fn leave_of_child(folder: &Path, rank: u32, warning: Warning) -> std::io::Result<()> {
    let path = path_of_children(folder, rank);
    let mut warnings: Vec<Warning> = termination::read(&path).unwrap_or_default();
    if warnings.contains(&warning) {
        return Ok(());
    }
    warnings.push(warning);
    termination::write(&path, &warnings)
}

/// Leaves all warnings of a rank.
pub fn leave(folder: &Path, rank: u32, warnings: &[Warning]) -> std::io::Result<()> {
    termination::write(&path(folder, rank), &warnings)
}

/// The warnings that a rank has left.
pub fn read(folder: &Path, rank: u32) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = termination::read(&path(folder, rank)).unwrap_or_default();
    let of_children: Option<Vec<Warning>> = termination::read(&path_of_children(folder, rank));
    warnings.extend(of_children.unwrap_or_default());
    warnings
}
