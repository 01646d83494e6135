//! Causes of an estimated time: wait states and the delays that cause them, the critical path, and
//! the total with another network or faster blocks. All of it belongs to the
//! replay with mean times. The estimator computes it; sums of time in categories are in
//! [`crate::estimate_file`].

use crate::comm_data::LinkClass;
use crate::ids::{BlockId, CallSiteId};
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Causes of an estimated time. Empty in estimates without them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Wait states, the longest first.
    pub wait_states: Vec<WaitState>,
    /// What the last rank waited for, and that rank, and so on.
    pub critical_path: CriticalPath,
    /// The total as a function of one parameter at a time; network first, then blocks.
    pub sensitivities: Vec<Sensitivity>,
}

/// The late party of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DelayedParty {
    /// A receive waits for a send that is called later.
    Sender,
    /// A send by rendezvous waits for a receive that is called later.
    Receiver,
    /// A collective waits for a rank that enters it later.
    Collective,
}

/// Time that ranks waited at one call because others came late to another. Only what passed before
/// the other side was there counts; the rest of a wait is the time of the message itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitState {
    /// The late party.
    pub late: DelayedParty,
    /// Where is waited.
    pub site: CallSiteId,
    /// The call that the late party entered late.
    pub other: CallSiteId,
    /// How many waits, on all ranks.
    pub waits: u64,
    /// Their time together.
    pub time: Time,
    /// The longest of them.
    pub longest: Time,
    /// The rank that waited longest.
    pub rank: u32,
    /// The rank that it waited for.
    pub late_rank: u32,
}

/// The chain of computation and messages without slack that ends when the last rank ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Its length: the total of the replay with mean times.
    pub length: Time,
    /// The rank that ends last.
    pub last_rank: u32,
    /// How often it goes from one rank to another.
    pub changes: u64,
    /// Its parts, the longest first.
    pub shares: Vec<PathShare>,
    /// Where it is when, in the order of time, merged to what can be looked at: what is shorter
    /// than the resolution of the timeline is left out.
    pub segments: Vec<PathSegment>,
}

/// A part of the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathItem {
    /// Executions of a compute block.
    Block(BlockId),
    /// Processor time of calls that do not wait.
    Call(CallSiteId),
    /// Messages, from the call of the send (or of the receive, where that comes last) to the end of the
    /// call that waited.
    Message {
        /// The send's call.
        send: CallSiteId,
        /// The receive's call.
        receive: CallSiteId,
    },
}

/// Share of one item in the critical path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathShare {
    /// What.
    pub item: PathItem,
    /// How often.
    pub count: u64,
    /// Its time on the path.
    pub time: Time,
}

/// A segment of the critical path on one rank; a message connects two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathSegment {
    /// Rank.
    pub rank: u32,
    /// From when, since `MPI_Init`.
    pub from: Time,
    /// Until when.
    pub to: Time,
}

/// A kind of time that the network model's parameters stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkTime {
    /// Time in the network that does not depend on the length of the message: `L`.
    Latency,
    /// Processor time of a message that does not depend on its length: `o`, `o'`, `o_per_rank`.
    Overhead,
    /// Processor time per byte: `O`, `Oss`, `Ors`, `Osl`, `Orl`.
    OverheadPerByte,
    /// Least time between two messages: `g`.
    Gap,
    /// Time per byte in the network: `G`, `Gs`, `Gl`.
    GapPerByte,
}

impl NetworkTime {
    /// All, in the order of reports.
    pub const ALL: [NetworkTime; 5] = [
        NetworkTime::Latency,
        NetworkTime::Overhead,
        NetworkTime::OverheadPerByte,
        NetworkTime::Gap,
        NetworkTime::GapPerByte,
    ];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            NetworkTime::Latency => "latency",
            NetworkTime::Overhead => "overhead",
            NetworkTime::OverheadPerByte => "overhead per byte",
            NetworkTime::Gap => "gap",
            NetworkTime::GapPerByte => "gap per byte",
        }
    }
}

/// A varied parameter, as a factor on its present value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Varied {
    /// A kind of time of the network.
    Network {
        /// Which.
        time: NetworkTime,
        /// On which links.
        link: LinkClass,
    },
    /// The time of a compute block.
    Block(BlockId),
}

/// The total as a function of the factor on one parameter, all others as they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// The varied parameter.
    pub varied: Varied,
    /// The present slope: what the total would lose if the parameter went to nothing and nothing else
    /// became critical; the parameter's time on the critical path.
    pub slope: Time,
    /// The function is a straight line at least between these factors.
    pub straight: [f64; 2],
    /// Whether it bends at both ends of `straight`, or these are the ends of what was looked at; where
    /// false, the search ended before they were found.
    pub exact: bool,
    /// The function as found by replays, ascending in the factor; the present is among them.
    pub points: Vec<SensitivityPoint>,
}

/// A replay with a parameter changed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensitivityPoint {
    /// Factor on the parameter.
    pub factor: f64,
    /// Total.
    pub total: Time,
    /// Slope there, per unit of the factor.
    pub slope: Time,
}
