//! Termination record: a small file in which a rank reports to the host that it has ended the run, written before it exits.

use crate::kernel::point_to_point::AwaitedTransfer;
use crate::kernel::slot::CallLocation;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Exit code of a rank that has ended the run and left a report.
pub const EXIT_CODE: i32 = 71;

/// Why a run was ended from inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Termination {
    /// No rank could go on.
    Deadlock,
    /// No rank could go on, and some wait for room in the shared memory.
    OutOfSharedMemory {
        /// Bytes of messages that no rank has received.
        bytes: u64,
    },
    /// No rank can go on: some poll for what never happens, and all others wait.
    EndlessPolling,
    /// The program called `MPI_Abort`.
    Abort {
        /// Its error code.
        code: i32,
    },
    /// Members of a communicator called different collectives.
    Mismatch {
        /// World rank of the member that came first.
        other: u32,
        /// What it called, for people.
        theirs: String,
        /// Where it called it.
        place: CallLocation,
        /// What this rank called.
        ours: String,
    },
    /// A function that the library does not have was called.
    Missing {
        /// Its name.
        name: String,
        /// Where it was called.
        place: CallLocation,
    },
    /// A rank that runs alone came to a call that takes others.
    NeedsOtherRanks,
    /// The program uses another MPI library than this one: a sentence.
    OtherMpi(String),
    /// Anything else, as the end of a sentence that begins with the rank and its call.
    Failure(String),
}

impl Termination {
    /// What ends a process that runs alone, without a host that knows its calls: a sentence.
    pub fn of_single_process(&self) -> String {
        match self {
            Self::Deadlock => "deadlock: the only rank waits for what never happens".into(),
            Self::OutOfSharedMemory { bytes } => format!(
                "out of memory: {} MiB of messages were sent and not received",
                bytes >> 20
            ),
            Self::EndlessPolling => {
                "the only rank polls again and again for what never happens".into()
            }
            Self::Abort { code } => format!("the program called MPI_Abort with error code {code}"),
            Self::Mismatch { theirs, ours, .. } => {
                format!("collective calls do not match: {theirs} and {ours}")
            }
            Self::Missing { name, .. } => {
                format!("the program called {name}, which mpiete's MPI library does not have yet")
            }
            Self::NeedsOtherRanks => "the program needs messages of other ranks".into(),
            Self::OtherMpi(sentence) | Self::Failure(sentence) => sentence.clone(),
        }
    }

    /// Exit code of such a process: the program's own, where it gave one.
    pub fn exit_code_of_single_process(&self) -> i32 {
        match self {
            Self::Abort { code } if code & 0xff != 0 => code & 0xff,
            Self::Abort { .. }
            | Self::Deadlock
            | Self::OutOfSharedMemory { .. }
            | Self::EndlessPolling
            | Self::Mismatch { .. }
            | Self::Missing { .. }
            | Self::NeedsOtherRanks
            | Self::OtherMpi(_)
            | Self::Failure(_) => EXIT_CODE,
        }
    }
}

/// What the rank that ends the run leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminationReport {
    /// The rank.
    pub rank: u32,
    /// Why.
    pub termination: Termination,
    /// Transfers that ranks wait for, if no rank could go on.
    pub awaited: Vec<AwaitedTransfer>,
}

impl TerminationReport {
    /// Of a rank; no rank waits.
    pub fn new(rank: u32, termination: Termination) -> Self {
        Self {
            rank,
            termination,
            awaited: Vec::new(),
        }
    }
}

/// Where the report lies in a run's folder.
pub fn report_path(folder: &Path) -> PathBuf {
    folder.join("end")
}

/// Where a rank's recording lies in a run's folder.
pub fn recording_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("rank-{rank}"))
}

/// Where a rank leaves what has become of conditions so far, in a run's folder.
pub fn conditions_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("conditions-{rank}"))
}

/// Keeps room for the report, so that it can say that there is no room.
pub fn reserve(folder: &Path) -> std::io::Result<()> {
    std::fs::write(reserve_path(folder), [0; RESERVED])
}

/// Writes the report of the rank that ends the run.
pub fn write_report(folder: &Path, report: &TerminationReport) -> std::io::Result<()> {
    write(&report_path(folder), report).or_else(|_| {
        std::fs::remove_file(reserve_path(folder))?;
        // The room that was kept is too small for the transfers of many ranks.
        let short = TerminationReport {
            awaited: Vec::new(),
            ..report.clone()
        };
        write(&report_path(folder), &short)
    })
}

/// Bytes of the largest report, about.
const RESERVED: usize = 4096;

fn reserve_path(folder: &Path) -> PathBuf {
    folder.join("reserve")
}

/// Writes a value into a run's folder so that no reader sees half of it.
pub fn write<T: Serialize>(path: &Path, value: &T) -> std::io::Result<()> {
    let bytes = postcard::to_stdvec(value).map_err(std::io::Error::other)?;
    let part = path.with_extension("part");
    std::fs::write(&part, bytes)?;
    std::fs::rename(part, path)
}

/// Reads what [`write`] wrote; `None` if it is not there or not whole.
pub fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    postcard::from_bytes(&std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abort_of_a_single_process_is_a_sentence_with_its_exit_code() {
        let abort = |code| Termination::Abort { code };
        let sentence = "the program called MPI_Abort with error code 7";
        assert_eq!(abort(7).of_single_process(), sentence);
        let codes = [7, 256, 0].map(|code| abort(code).exit_code_of_single_process());
        assert_eq!(codes, [7, EXIT_CODE, EXIT_CODE]);
    }
}
