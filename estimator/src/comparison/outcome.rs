//! Results of a comparison, ready for reports: names instead of numbers in tables.
//! Differences are always B minus A.

use super::side::{Both, SideName};
use base_data::Time;
use base_data::compute_data::Unit;
use base_data::estimate_file::Estimate;
use serde::Serialize;

/// Two sides compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What was compared.
    pub sides: Both<SideName>,
    /// Number of ranks.
    pub ranks: u32,
    /// Where the streams differ first; `None` if they are equal.
    pub streams: Option<StreamsDiffer>,
    /// The times; `None` where one side has none, or where the streams differ so much that no
    /// times can be compared (then a remark gives the reason).
    pub times: Option<Times>,
    /// Of two estimates, the mean over ranks by kind of time; else nothing.
    pub kinds: Vec<Portion>,
    /// What the user should know before trusting the numbers.
    pub remarks: Vec<String>,
}

/// The first place where the streams differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamsDiffer {
    /// On which rank.
    pub rank: u32,
    /// Which entry of that rank's stream, from 1; compute blocks and section marks count only where
    /// both sides have them.
    pub entry: u64,
    /// What each side does there, for people.
    pub does: Both<String>,
}

/// Times of both sides, and what their difference is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Times {
    /// What times count.
    pub unit: Unit,
    /// Which part of the run is compared, for people.
    pub window: String,
    /// Why only computation is compared; empty where everything is.
    pub computation_only: String,
    /// The numbers to remember.
    pub totals: Totals,
    /// Rank by rank.
    pub ranks: Vec<RankTimes>,
    /// The mean over ranks in two or three parts: computation, waiting for a processor, in MPI.
    pub parts: Vec<ComponentDifference>,
    /// The part in MPI by call site, largest difference first.
    pub calls: Vec<ComponentDifference>,
    /// The part of computation by the two calls between which it lies, largest difference first.
    pub gaps: Vec<ComponentDifference>,
    /// The part of computation by block, where both sides have blocks; largest difference first.
    pub blocks: Vec<ComponentDifference>,
}

/// The numbers to remember.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Totals {
    /// The time of each side: what an estimate predicts (its headline), or that of the rank
    /// that takes longest.
    pub time: Both<Time>,
    /// The rank that takes longest (of an estimate: in the replay without draws).
    pub longest: Both<RankTotal>,
    /// Mean over ranks: what all shares refer to.
    pub mean: Both<Time>,
    /// What an estimate predicts, where all of it is compared.
    pub predicted: Both<Option<Predicted>>,
    /// What an observed run spent in `MPI_Init` and `MPI_Finalize`, mean over ranks; not compared.
    pub start_up: Both<Option<StartUp>>,
    /// Where a run lies in the interval of an estimate.
    pub interval: Option<Position>,
}

/// A rank and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RankTotal {
    /// Rank.
    pub rank: u32,
    /// Time.
    pub time: Time,
}

/// A predicted time with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Predicted {
    /// The predicted time: the headline of the estimate.
    pub time: Time,
    /// 10th percentile.
    pub p10: Time,
    /// 90th percentile.
    pub p90: Time,
    /// Number of draws.
    pub draws: u32,
}

/// Time in the calls that begin and end MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StartUp {
    /// In `MPI_Init`.
    pub init: Time,
    /// In `MPI_Finalize`.
    pub finalize: Time,
}

/// Where a time lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// Shorter than the 10th percentile.
    Below,
    /// Between the 10th and the 90th percentile.
    Inside,
    /// Longer than the 90th percentile.
    Above,
}

/// Times of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RankTimes {
    /// Rank.
    pub rank: u32,
    /// Everything that is compared.
    pub total: Both<Time>,
    /// It computes.
    pub computing: Both<Time>,
    /// It could compute and has no processor.
    pub waiting: Both<Time>,
    /// It is in MPI calls; zero where only computation is compared.
    pub calls: Both<Time>,
}

/// The difference of one component of the mean time, and its share of the whole difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComponentDifference {
    /// The component.
    pub what: TimeComponent,
    /// Executions on all ranks together.
    pub executions: Both<u64>,
    /// Mean over all ranks.
    pub mean: Both<Time>,
    /// B minus A, of the means.
    pub difference: Time,
    /// Of the difference of the mean times, 1 being all of it; `None` where those do not differ.
    pub share: Option<f64>,
    /// The rank on which this component differs most, and B minus A there.
    pub most: RankTotal,
}

/// A part of the mean time over ranks, and how much of the difference it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Portion {
    /// Where; of a kind of time, its name as function.
    pub at: Named,
    /// Executions on all ranks together; 0 for a kind of time.
    pub executions: Both<u64>,
    /// Mean over the ranks of each side.
    pub mean: Both<Time>,
    /// B minus A.
    pub difference: Time,
    /// Of the difference of the mean times, 1 being all of it; `None` where those do not differ.
    pub share: Option<f64>,
}

/// A component of a rank's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TimeComponent {
    /// All computation.
    Computing,
    /// Waiting for a processor that another rank has.
    Waiting,
    /// All MPI calls.
    Calls,
    /// A call site.
    Call {
        /// Where.
        at: Named,
    },
    /// Computation between two calls.
    Gap {
        /// The call before.
        from: Named,
        /// The call after.
        to: Named,
    },
    /// A compute block.
    Block {
        /// Where.
        at: Named,
    },
    /// Computation in no block.
    BesideBlocks,
}

/// A place by its names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Named {
    /// `cg.f:120`, `a.out+0x1f40`; empty for what has no place.
    pub place: String,
    /// `MPI_Send`, `compute block`.
    pub function: String,
    /// Empty where it is not known.
    pub procedure: String,
}

impl Predicted {
    /// The prediction of an estimate.
    pub(super) fn of(estimate: &Estimate) -> Self {
        Self {
            time: estimate.headline,
            p10: estimate.p10,
            p90: estimate.p90,
            draws: estimate.draws,
        }
    }
}

impl Totals {
    /// B minus A.
    pub fn difference(&self) -> Time {
        self.time.b - self.time.a
    }

    /// The difference relative to A; `None` where A is zero.
    pub fn relative(&self) -> Option<f64> {
        relative(self.time)
    }
}

/// B minus A, relative to A; `None` where A is zero.
pub fn relative(times: Both<Time>) -> Option<f64> {
    let of = times.a.picoseconds();
    if of == 0 {
        return None;
    }
    Some((times.b - times.a).picoseconds() as f64 / of as f64)
}
