//! The file form of an observed real run: the program data that the run would have recorded, and
//! beside them, never inside, the times.

use crate::compute_data::Unit;
use crate::program_data::ProgramData;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// An observed run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Event streams of the run; its provenance is the observation's. With blocks where an
    /// observed probe was run, otherwise without.
    pub program: ProgramData,
    /// What the times below count: real time, or statements, where one picosecond stands for one
    /// statement and calls take none.
    pub unit: Unit,
    /// Whether one rank at a time was let compute: times outside MPI are then those of a rank that
    /// has a core to itself, times inside MPI mean nothing.
    pub one_at_a_time: bool,
    /// Times of the ranks, in rank order.
    pub ranks: Vec<ObservedRank>,
    /// What is missing: ranks that left nothing, streams that were cut; empty when complete.
    pub missing: Vec<String>,
}

/// Times of one rank, parallel to its expanded stream: its calls, blocks and marks in the order of
/// execution. It begins when `MPI_Init` is entered and ends when all ranks have come to
/// `MPI_Finalize`; the library's clean-up after that belongs to no rank. `gaps[0]`, `durations[0]`,
/// `gaps[1]`, … follow one another without a hole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRank {
    /// Computer it ran on.
    pub host: String,
    /// When it entered `MPI_Init`, since the first rank of the run did, by the computers' own
    /// clocks; across computers only as good as those agree.
    pub begin: Time,
    /// Time between the end of one entry and the start of the next; as many as entries, the first
    /// is zero.
    pub gaps: Vec<Time>,
    /// Duration of each entry; of marks zero.
    pub durations: Vec<Time>,
    /// Own time of the gaps and blocks for which it was asked for (long ones only: asking
    /// costs a system call): what they take where no other rank runs.
    pub processor: Vec<ProcessorTime>,
}

/// Own time of the rank in one stretch of computation: all but its waits for a processor that others had. It includes sleep and waits
/// for files and other threads, except on systems that do not state the waits for a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorTime {
    /// Which entry of the expanded stream.
    pub entry: u32,
    /// Of the gap before the entry, or of the entry itself (a block).
    pub stretch: Stretch,
    /// How much.
    pub time: Time,
}

/// Which stretch of computation at an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stretch {
    /// The gap before it.
    Gap,
    /// The entry itself.
    Entry,
}

impl ObservedRank {
    /// From entering `MPI_Init` to when all ranks have come to `MPI_Finalize`.
    pub fn whole(&self) -> Time {
        self.gaps.iter().chain(&self.durations).copied().sum()
    }
}
