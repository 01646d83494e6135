//! Base data to an estimate: replays loop-compressed event streams under a network model and says
//! how long the program takes, where the time goes, and how sure that is.
//!
//! Not here: any I/O, file forms (`base-data`), what a cluster is (`machine`).
#![forbid(unsafe_code)]

mod error;
mod replay;

pub use error::EstimateError;
pub use replay::{Finding, Severity};

use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::program_data::ProgramData;
use machine::Platform;

/// What an estimate is made from.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Program base data.
    pub program: &'a ProgramData,
    /// Computation base data; several sets are taken together.
    pub compute: &'a [ComputeData],
}

/// What the caller may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Network model; the first of [`machine::network::MODELS`] that the platform has parameters
    /// for, if `None`.
    pub model: Option<String>,
    /// Replays with draws behind the interval; 0 for the replay with means alone.
    pub draws: u32,
    /// Seed of the draws: same seed, same estimate.
    pub seed: u64,
    /// Whether to keep a timeline.
    pub timeline: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { model: None, draws: 100, seed: 1, timeline: false }
    }
}

/// Estimates how long the program takes on the platform.
///
/// # Errors
/// See [`EstimateError`].
pub fn estimate(
    inputs: &Inputs<'_>,
    platform: &Platform,
    _options: &Options,
) -> Result<Estimate, EstimateError> {
    platform.check_capacity(inputs.program.ranks)?;
    Err(EstimateError::NoModel("this build has no replay yet".into()))
}

/// Checks that the calls of a program fit together: every message has its receive, no receive is
/// too short, every wait ends, and all ranks of a communicator call the same collectives.
pub fn check_matching(_program: &ProgramData) -> Vec<Finding> {
    Vec::new()
}
