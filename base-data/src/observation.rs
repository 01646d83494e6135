//! The file form of an observed real run: the program data that the run would have recorded, and
//! beside them, never inside, the times.

use crate::program_data::ProgramData;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// An observed run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Event streams of the run; its provenance is the observation's.
    pub program: ProgramData,
    /// Times of the ranks, in rank order.
    pub ranks: Vec<ObservedRank>,
    /// What is missing: ranks that left nothing, streams that were cut; empty when complete.
    pub missing: Vec<String>,
}

/// Times of one rank, parallel to its expanded stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRank {
    /// Time between the end of one call and the start of the next; one more than calls.
    pub gaps: Vec<Time>,
    /// Duration of each call.
    pub calls: Vec<Time>,
}
