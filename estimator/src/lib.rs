//! Base data to an estimate: replays loop-compressed event streams under a network model and computes the
//! predicted time, its split, and its interval.
//!
//! The path: streams become small steps ([`replay`]), the matching pass checks the calls, compute
//! blocks get their times (`block_times`), a replay with mean times fills the time accounts
//! (`time_accounting`) and the timeline, and replays with draws give the correction of the headline and the interval
//! (`interval`). [`comparison`] compares two finished files.
//! [`tasks`] simulates master/worker programs, which have no event streams.
//!
//! Compute data may count statements instead of time: then the estimate does, too (`statements`).
//!
//! The crate does no I/O. File formats are in `base-data`, clusters in `machine`.
#![forbid(unsafe_code)]

mod assemble;
mod block_times;
mod causes;
pub mod comparison;
mod contention;
pub mod emulation;
mod error;
mod estimate_warnings;
pub mod export;
pub mod formats;
pub mod import;
mod interval;
mod memory;
mod numbered;
mod random;
mod replay;
pub mod scaling;
mod setup;
mod statements;
pub mod tasks;
mod time_accounting;
mod timeline;
mod total;
mod trace_sites;

pub use assemble::NOT_IN_INTERVAL;
pub use block_times::unsteady_blocks;
pub use error::EstimateError;
pub use interval::percentile;
pub use replay::{Finding, Severity};
pub use time_accounting::MOST_RANKS_WITH_CELLS;

use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::program_data::ProgramData;
use base_data::{Rank, Time, VariantId, comm_data::LinkClass};
use machine::Platform;
use replay::program::Target;
use std::collections::BTreeMap;

/// What an estimate is made from.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Program base data, whole (the reader of its file has checked it).
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
    /// Whether to compute wait states, the critical path and sensitivities.
    pub explain: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            model: None,
            draws: 100,
            seed: 1,
            timeline: false,
            explain: false,
        }
    }
}

/// Estimates how long the program takes on the platform. The date of the estimate is left as that of
/// the program data: the caller knows the clock.
///
/// # Errors
/// See [`EstimateError`].
pub fn estimate(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let estimate = assemble::estimate(inputs, platform, options)?;
    Ok(under_clock_note(inputs.program, estimate))
}

/// The predicted time, its interval and warnings alone, equal to those of [`estimate`]: no time by rank, block and
/// call, no timeline, no explanation, no program, no contributions to the interval. It needs one replay beside
/// the draws, and little memory.
///
/// # Errors
/// See [`EstimateError`].
pub fn estimate_total(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let estimate = total::of_program(inputs, platform, options)?;
    Ok(under_clock_note(inputs.program, estimate))
}

/// Times of a program whose data are one sample of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleTimes {
    /// With mean times.
    pub mean: Time,
    /// With noise drawn for the blocks and messages of this sample: the headline is the mean of these.
    pub noisy: Time,
    /// With all that is uncertain drawn: the interval contains these.
    pub uncertain: Time,
}

/// The times of sample `number` of `options.draws`, each of which has noise of its own: samples execute different blocks, so the
/// noise of one is not that of another.
///
/// # Errors
/// See [`EstimateError`].
pub fn sample_times(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
    number: u32,
) -> Result<SampleTimes, EstimateError> {
    total::of_sample(inputs, platform, options, number)
}

/// Mean time of an execution of each variant in the section on each rank that executes it there, in picoseconds on the PU of the
/// compute data: an estimate divides by the speed of the rank's PU.
///
/// # Errors
/// See [`EstimateError`].
pub fn variant_costs(
    inputs: &Inputs<'_>,
    platform: &Platform,
    model: Option<&str>,
) -> Result<BTreeMap<(u32, VariantId), f64>, EstimateError> {
    total::costs_of_variants(inputs, platform, model)
}

/// [`estimate_total`] of a file of another tool, with remarks on the file, without base data in between. `None` where
/// there is anything wrong with file or program: [`formats::TraceFormat::import`] and [`estimate_total`] say what.
pub fn estimate_trace_total(
    format: &formats::TraceFormat,
    trace: formats::TraceContent<'_>,
    platform: &Platform,
    options: &Options,
) -> Option<(Estimate, Vec<String>)> {
    total::of_trace(format, trace, platform, options)
}

/// Estimates how many statements each rank executes in compute blocks, from compute data that count
/// statements. One picosecond of the estimate stands for one statement; there is no machine in it.
///
/// # Errors
/// See [`EstimateError`]; compute data that hold times are [`EstimateError::OtherUnit`].
pub fn estimate_statements(
    inputs: &Inputs<'_>,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    let estimate = statements::estimate(inputs, options)?;
    Ok(under_clock_note(inputs.program, estimate))
}

/// The estimate with the note on clocks outside the analysed sources, if there is one, before all other warnings: it
/// questions every number.
fn under_clock_note(program: &ProgramData, mut estimate: Estimate) -> Estimate {
    estimate.warnings.splice(0..0, program.clock_note());
    estimate
}

/// Checks that the calls of a program fit together: every message has its receive, no receive is
/// too short, every wait ends, and all ranks of a communicator call the same collectives. Calls that
/// this version cannot replay are findings, too.
pub fn check_matching(program: &ProgramData) -> Vec<Finding> {
    let link = |_: u32, _: u32| LinkClass::BetweenNodes;
    match replay::lower(
        program,
        &Target::new(&link, &machine::collective::selection::Library::default()),
    ) {
        Ok(steps) => replay::matching::check(&steps, &program.table),
        Err(error) => {
            let sentence = error.to_string();
            vec![Finding {
                severity: Severity::Error,
                sites: Vec::new(),
                sentence,
            }]
        }
    }
}

/// The kind of link between two world ranks of a platform.
fn link_between(platform: &Platform, a: u32, b: u32) -> LinkClass {
    platform.link(Rank(a), Rank(b))
}

/// Name of the network model that [`estimate`] would use for so many ranks: `name` if it is given, or
/// the first that the platform has fits for.
///
/// # Errors
/// An unknown model, and links in use without communication data.
pub fn model_for(
    platform: &Platform,
    name: Option<&str>,
    ranks: u32,
) -> Result<&'static str, EstimateError> {
    setup::ChosenModel::choose(platform, name, ranks).map(|model| model.name())
}

/// Checks before anything is recorded that a network model can be made of the platform and follows its rules.
///
/// # Errors
/// What [`estimate`] would refuse whatever the program is.
pub fn check_model(platform: &Platform, name: &str, ranks: u32) -> Result<(), EstimateError> {
    let model = setup::ChosenModel::choose(platform, Some(name), ranks)?;
    let network = model.network(ranks)?;
    setup::check_rules(network.as_ref(), platform)
}
