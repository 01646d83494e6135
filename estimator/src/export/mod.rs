//! Base data as files of other tools. One format per file; which there are is in
//! [`crate::formats::FORMATS`].
//!
//! Other tools have one time per execution, so that blocks take their mean times: those of one rank per
//! node and one thread, at the speed they were measured at.

mod expanded_loops;
pub(crate) mod goal;
mod tags;
mod ti_collectives;
pub(crate) mod time_independent;

use crate::assemble::checked;
use crate::block_times::{self, BlockTimesTable, ComputeSets, Conditions};
use crate::interval::MeanTimes;
use crate::replay::dataflow::BlockTimes;
use crate::replay::program::{Steps, Target};
use crate::replay::{self, matching};
use crate::{EstimateError, Inputs};
use base_data::Time;
use base_data::comm_data::LinkClass;
use base_data::compute_data::Unit;
use std::collections::HashSet;

/// Why base data cannot be written in another format.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The base data allow no replay either.
    #[error(transparent)]
    Program(#[from] EstimateError),
    /// The format cannot hold it.
    #[error("{place}: {reason}")]
    Format {
        /// File and line of the call.
        place: String,
        /// What cannot be written and what to do.
        reason: String,
    },
    /// The output takes no more.
    #[error("cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// A program that was checked, with the times of its blocks.
struct Prepared {
    steps: Steps,
    times: BlockTimesTable,
    speeds: Vec<f64>,
    remarks: Vec<String>,
}

/// Checks the calls and looks the times up.
fn prepare(inputs: &Inputs<'_>) -> Result<Prepared, ExportError> {
    let link = |_: u32, _: u32| LinkClass::BetweenNodes;
    let steps = replay::lower(
        inputs.program,
        &Target::new(&link, &machine::collective::selection::Library::default()),
    )?;
    let mut remarks = Vec::new();
    if steps.open_wildcards.is_empty() {
        let found = checked(matching::check(&steps, &inputs.program.table))?;
        remarks.extend(found.into_iter().map(|finding| finding.sentence));
    }
    let wanted = Conditions {
        unit: Unit::Time,
        ranks_per_node: 1,
        threads: 1,
    };
    let compute = ComputeSets::given(inputs.compute);
    let times = block_times::block_times(inputs.program, &steps, &compute, wanted)?;
    remarks.extend(times.warnings_without_shares());
    let speeds = vec![1.0; inputs.program.ranks as usize];
    Ok(Prepared {
        steps,
        times,
        speeds,
        remarks,
    })
}

/// The time one rank computes between two calls.
struct Clock<'a> {
    times: MeanTimes<'a>,
    rank: u32,
    seen: HashSet<u32>,
    since_call: Time,
}

impl<'a> Clock<'a> {
    fn new(prepared: &'a Prepared, rank: u32) -> Self {
        let times = MeanTimes::new(&prepared.times, &prepared.speeds);
        Self {
            times,
            rank,
            seen: HashSet::new(),
            since_call: Time::ZERO,
        }
    }

    /// Executes a block.
    fn compute(&mut self, variant: u32) {
        let first = self.seen.insert(variant);
        self.since_call += self.times.time(self.rank, variant, first);
    }

    /// Forgets what was computed: time begins.
    fn begin(&mut self) {
        self.since_call = Time::ZERO;
    }

    /// What was computed since the last call, all of it.
    fn take(&mut self) -> Time {
        std::mem::take(&mut self.since_call)
    }

    /// What was computed since the last call in whole nanoseconds; the rest is kept for the next time.
    fn take_nanoseconds(&mut self) -> i64 {
        let nanoseconds = (self.since_call.picoseconds() + 500).div_euclid(1000);
        self.since_call -= Time::from_nanoseconds(nanoseconds);
        nanoseconds
    }
}
