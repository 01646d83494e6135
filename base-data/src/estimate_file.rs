//! The file form of an estimate: the headline with its interval and where that comes from, time
//! per rank, block and call site in categories, and a timeline.

use crate::compute_data::Unit;
use crate::explanation::Explanation;
use crate::ids::{BlockId, CallSiteId};
use crate::program_data::{Assumption, ProgramData};
use crate::provenance::Provenance;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// An estimate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Inputs and tools from which it was made.
    pub provenance: Provenance,
    /// Unit of all times: real time, or statements, where one picosecond stands for one
    /// statement and only [`Category::Compute`] means anything.
    pub unit: Unit,
    /// The program data that were replayed. Cells and timeline refer to their blocks and call
    /// sites; a comparison with another run begins with their streams.
    pub program: ProgramData,
    /// Platform.
    pub platform: String,
    /// Network model.
    pub model: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Predicted time of the section: mean with noise.
    pub headline: Time,
    /// 10th percentile.
    pub p10: Time,
    /// 90th percentile.
    pub p90: Time,
    /// Number of draws for the percentiles.
    pub draws: u32,
    /// Contributions to the interval, widest first.
    pub sources: Vec<IntervalSource>,
    /// Share of the headline's compute time that no measurement covers directly (0 to 1).
    pub extrapolated_share: f64,
    /// Assumptions of the program data.
    pub assumptions: Vec<Assumption>,
    /// Limitations that the user should know.
    pub warnings: Vec<String>,
    /// Per rank: end time and split.
    pub per_rank: Vec<RankTime>,
    /// Rank × block or call site, in categories.
    pub cells: Vec<Cell>,
    /// Times between consecutive `MPI_Wtime` reads.
    pub clock_intervals: Vec<ClockInterval>,
    /// Activities of each rank over time, merged to the resolution of a screen.
    pub timeline: Timeline,
    /// Messages the replay moved, and events it processed.
    pub replayed_messages: u64,
    /// See `replayed_messages`.
    pub replayed_events: u64,
    /// Causes of the time. Last but for later additions, because files of version 2 end before it.
    pub explanation: Explanation,
    /// Blocks with computed times whose measured ones do not follow their work terms. Last, because files before
    /// version 5 end before it.
    pub unsteady_blocks: Vec<BlockId>,
}

impl Estimate {
    /// The total of the replay with mean times, which is that of all tables and of the timeline: the time of the longest rank.
    /// `None` without ranks.
    pub fn without_noise(&self) -> Option<Time> {
        self.per_rank.iter().map(RankTime::time).max()
    }

    /// Adds a contribution to the interval; the widest stay first.
    pub fn add_source(&mut self, name: &str, width: Time) {
        self.sources.push(IntervalSource {
            name: name.into(),
            width,
        });
        self.sources
            .sort_by_key(|source| std::cmp::Reverse(source.width));
    }
}

/// A named contribution to the interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalSource {
    /// `sampling`, `noise`, `calibration`, `extrapolation`.
    pub name: String,
    /// Distance from the 10th to the 90th percentile when only this source varies.
    pub width: Time,
}

impl IntervalSource {
    /// The source of a meta-program whose samples differ in their MPI calls.
    pub const RANDOM_CALLS: &str = "random calls";
}

/// Category of a rank's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Compute blocks.
    Compute,
    /// Processor time of sending.
    SendOverhead,
    /// Processor time of receiving.
    ReceiveOverhead,
    /// Waiting for a receiver.
    SendWait,
    /// Waiting for a message.
    ReceiveWait,
    /// Waiting inside collectives.
    CollectiveWait,
}

impl Category {
    /// All, in the order of reports.
    pub const ALL: [Category; 6] = [
        Category::Compute,
        Category::SendOverhead,
        Category::ReceiveOverhead,
        Category::SendWait,
        Category::ReceiveWait,
        Category::CollectiveWait,
    ];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Category::Compute => "compute",
            Category::SendOverhead => "send overhead",
            Category::ReceiveOverhead => "receive overhead",
            Category::SendWait => "send wait",
            Category::ReceiveWait => "receive wait",
            Category::CollectiveWait => "collective wait",
        }
    }

    /// Position in [`Category::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// One rank's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankTime {
    /// When the section begins on this rank, since `MPI_Init`.
    pub begin: Time,
    /// When it ends.
    pub end: Time,
    /// Time within the section by [`Category::ALL`].
    pub split: [Time; 6],
}

impl RankTime {
    /// Time of the section on this rank.
    pub fn time(&self) -> Time {
        self.end - self.begin
    }
}

/// The block or call site to which time is accounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// A compute block.
    Block(BlockId),
    /// A call site.
    Site(CallSiteId),
}

/// Time of one rank at one block or call site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Rank.
    pub rank: u32,
    /// Block or call site.
    pub activity: Activity,
    /// How often it was executed.
    pub count: u64,
    /// Time by [`Category::ALL`].
    pub split: [Time; 6],
}

/// Time between two consecutive reads of `MPI_Wtime`, each executed once per rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockInterval {
    /// First read.
    pub from: CallSiteId,
    /// Second read.
    pub to: CallSiteId,
    /// Longest over the ranks.
    pub longest: Time,
    /// Of rank 0.
    pub rank_zero: Time,
}

/// Activities of each rank over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Segments shorter than this were merged with their neighbours.
    pub resolution: Time,
    /// Per rank, segments without gaps from the start.
    pub ranks: Vec<Vec<Segment>>,
}

/// A segment of a rank's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// When it ends; it begins where the one before ends.
    pub end: Time,
    /// Main category.
    pub category: Category,
    /// Its block or call site; `None` where several were merged.
    pub activity: Option<Activity>,
}
