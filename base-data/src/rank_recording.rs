//! What one rank leaves behind when it ends: the raw material of program data (mode `record`) and
//! of compute data (mode `measure`). Not a file users keep; the host reads these and merges them.

use crate::compute_data::Unit;
use crate::distribution::Distribution;
use crate::ids::{BlockId, Rank};
use crate::mpi::Datatype;
use crate::observation::ObservedRank;
use crate::program_data::{Communicator, Op, Variant};
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// The end of one rank's run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankRecording {
    /// Which rank.
    pub rank: Option<Rank>,
    /// Whether the rank reached `MPI_Finalize`.
    pub finalized: bool,
    /// What `measured` and `outside_mpi` count.
    pub unit: Unit,
    /// Its stream with constant operands; empty outside mode `record`. Communicator operands,
    /// variants and counts per rank are indices into the lists below.
    pub stream: Vec<Op>,
    /// Calls at places that no probe marked: site ids from [`RankRecording::UNMARKED`] upwards
    /// index this list.
    pub unmarked: Vec<UnmarkedSite>,
    /// Variants by index.
    pub variants: Vec<Variant>,
    /// Elements per rank of a communicator, by index.
    pub count_lists: Vec<Vec<u64>>,
    /// Datatypes by index.
    pub datatypes: Vec<Datatype>,
    /// Communicators this rank was a member of, by index; 0 the world, 1 self.
    pub communicators: Vec<Communicator>,
    /// Measured blocks; empty outside mode `measure`.
    pub measured: Vec<MeasuredVariant>,
    /// What became of conditions and bounds of which something is assumed; empty where they are not computed.
    pub conditions: Vec<ConditionCount>,
    /// Largest resident memory in bytes.
    pub peak_memory: u64,
    /// Most bytes that the program requested at once: static storage and the allocations that probes report; 0 where
    /// they were not counted.
    pub requested_memory: u64,
    /// Time this rank held the token outside MPI calls: its own computation. Where statements are counted,
    /// one picosecond stands for one.
    pub outside_mpi: Time,
    /// Processor time of the rank's process, user and system, from start to end.
    pub cpu: Time,
    /// Where clocks other than `MPI_Wtime` were read while it was recorded.
    pub clock_reads: ClockReads,
}

/// Where clocks of the system were read between `MPI_Init` and `MPI_Finalize`; the last that applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ClockReads {
    /// Nowhere.
    #[default]
    None,
    /// In the run-time library of a compiler: the program's own sources ask for the time, as with
    /// `system_clock` or `omp_get_wtime`.
    RuntimeLibrary,
    /// In code that is not the compiler's: C, C++, other libraries.
    OtherCode,
}

impl RankRecording {
    /// The first site id of calls that no mark preceded.
    pub const UNMARKED: u32 = 1 << 30;
}

/// How a condition or bound of which something is assumed turned out on a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionCount {
    /// Number of the assumption.
    pub assumption: u32,
    /// How often it was evaluated; of a counted loop, its iterations.
    pub evaluations: u64,
    /// How often it held.
    pub held: u64,
    /// Fewest and most evaluations in a repetition that it ended; of a counted loop, iterations.
    pub ended: Option<(u64, u64)>,
    /// Most evaluations in a repetition that it did not end.
    pub unended: u64,
}

/// A place where an MPI function is called, as the running program shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UnmarkedSite {
    /// Standard name, `MPI_Send`.
    pub function: String,
    /// Path of the executable or shared object that calls; empty where it is not known.
    pub object: String,
    /// Offset of the return address in the object as a file's own addresses count; 0 where it is
    /// not known.
    pub offset: u64,
}

/// What one rank of an observed run leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankObservation {
    /// Its stream.
    pub recording: RankRecording,
    /// Its times, in the recording's unit.
    pub times: ObservedRank,
    /// Wall clock when it entered `MPI_Init`, in nanoseconds since 1970.
    pub entered: i64,
    /// What the MPI library calls itself.
    pub mpi_library: String,
    /// Whether one rank of its computer was let compute at a time.
    pub one_at_a_time: bool,
    /// MPI functions that were called and are not in the stream, with how often.
    pub left_out: Vec<(String, u64)>,
    /// What else could not be observed, as sentences.
    pub missing: Vec<String>,
}

/// What one rank measured of one variant of one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredVariant {
    /// The block.
    pub block: BlockId,
    /// Values of its work terms.
    pub terms: Vec<i64>,
    /// The first execution on this rank.
    pub first: i64,
    /// The later executions, in picoseconds or statements.
    pub warm: Distribution,
    /// Executions that were disturbed and left out.
    pub disturbed: u64,
    /// The later executions in order, where the work of the block changes while the loops around it run; empty elsewhere.
    pub course: Vec<TimeSeriesSegment>,
    /// What of a later execution went into pages of memory that were missing when they were touched, in picoseconds: the
    /// mean of the long ones.
    pub missing_pages: f64,
}

/// Consecutive executions of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSeriesSegment {
    /// Number of the first of them among all executions of the variant on the rank, from 0. Number 0 stands alone and
    /// without times, where none came later.
    pub first: u64,
    /// Number of the last.
    pub last: u64,
    /// What they took, in picoseconds or statements, but for those that were disturbed.
    pub times: Distribution,
}
