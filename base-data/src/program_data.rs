//! Program base data: per rank class one loop-compressed stream of blocks and MPI calls.
//!
//! By the law of the design it depends on sources, input and number of ranks only: there is no
//! time in it, no network, no algorithm of an MPI library (collectives stay collectives), no
//! handle of one, and no placement of ranks on nodes.

pub use crate::assumption::{AssumedOutcome, Assumption, AssumptionOrigin};
use crate::block_table::{BlockTable, SourceSpan};
pub use crate::formula::{Formula, FormulaStep};
use crate::ids::{BlockId, CallSiteId, CommId, FormulaId, Rank, RequestId, TableId, VariantId};
use crate::mpi::{Datatype, ReduceOp};
pub use crate::program_check::MOST_RANKS;
use crate::provenance::Provenance;
use crate::rank_set::RankSet;
use serde::{Deserialize, Serialize};

/// Program base data of one program with one input on one number of ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramData {
    /// Inputs and tools from which it was made.
    pub provenance: Provenance,
    /// Number of ranks.
    pub ranks: u32,
    /// How it was recorded.
    pub method: RecordMethod,
    /// Blocks, call sites and loops that the streams refer to.
    pub table: BlockTable,
    /// (block, work terms) pairs that occurred; index = [`VariantId`].
    pub variants: Vec<Variant>,
    /// Datatypes that occurred, by index.
    pub datatypes: Vec<Datatype>,
    /// Communicators; index = [`CommId`]. The first two are the world and self.
    pub communicators: Vec<Communicator>,
    /// Operand values that no formula gives: by position of the rank in its class.
    pub tables: Vec<Vec<i64>>,
    /// Vectors of counts of v-collectives: by position of the rank in its class, then by rank of
    /// the communicator.
    pub count_tables: Vec<Vec<Vec<u64>>>,
    /// Operand formulas.
    pub formulas: Vec<Formula>,
    /// Call paths of clock reads: from the main program's call inwards, the clock's own site last.
    pub call_paths: Vec<Vec<CallSiteId>>,
    /// The classes; every rank is in exactly one.
    pub classes: Vec<RankClass>,
    /// The section to be predicted; the whole run from `MPI_Init` to `MPI_Finalize` if `None`.
    pub section: Option<SourceSpan>,
    /// Assumptions of the slice.
    pub assumptions: Vec<Assumption>,
    /// Places where the sequence of calls may depend on time, so that one recording need not be
    /// valid on another machine.
    pub time_dependent: Vec<TimeDependentPlace>,
    /// Where the program allocates memory.
    pub allocations: Vec<Allocation>,
    /// Executable statements kept by the slice, and all of them; `None` without a slice.
    pub slice_share: Option<(u64, u64)>,
    /// Memory that ranks request, ranks of equal amounts together; empty where it was not counted, without ranks that did not run.
    /// Last, because files before version 5 end before it.
    pub requested_memory: Vec<RequestedMemory>,
}

/// Most memory that ranks request at once: static storage, and allocations whose sizes the slice computes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedMemory {
    /// The ranks.
    pub ranks: RankSet,
    /// Bytes that each of them requests.
    pub bytes: u64,
}

/// How program data came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordMethod {
    /// The sliced program ran on all ranks.
    #[default]
    Sliced,
    /// The whole program ran on all ranks.
    Unsliced,
    /// Single ranks of the sliced program ran and were generalised.
    Virtual,
    /// Written by hand or converted from another tool's file.
    Given,
}

/// A block with the values of its work terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The block.
    pub block: BlockId,
    /// Values of [`crate::block_table::Block::work_terms`], in their order.
    pub terms: Vec<i64>,
}

/// A communicator, by its parent and group rather than by handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Communicator {
    /// The communicator from which it was made; `None` for the world and self.
    pub parent: Option<CommId>,
    /// Number of the constructor call on the parent, 0-based.
    pub sequence: u32,
    /// World ranks in the communicator's order. For self: empty, each rank is alone.
    pub group: RankSet,
}

/// Ranks with the same stream up to operands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankClass {
    /// Its ranks; positions in tables count along this order.
    pub ranks: RankSet,
    /// The stream.
    pub stream: Vec<Op>,
}

/// One entry of a stream. Streams are flat: a loop says how many of the following entries are its
/// body, loops nest by inclusion.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Op {
    /// Repeats the next `body` entries.
    Loop {
        /// How often.
        count: Count,
        /// Number of entries, nested loops' bodies included; at least 1.
        body: u32,
    },
    /// Executes a compute block.
    Block {
        /// The block.
        block: BlockId,
        /// Index into [`ProgramData::variants`], after evaluation for the rank.
        variant: Operand,
    },
    /// A point of the run with a meaning.
    Mark(Mark),
    /// An MPI call.
    Call {
        /// Where.
        site: CallSiteId,
        /// What.
        call: Call,
    },
}

/// How often a loop is repeated, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Count {
    /// Counted while recording.
    Constant(u64),
    /// One iteration was run; nothing is carried from one to the next; the bound gave the count.
    Invariant(u64),
    /// Given by an assumption.
    Assumed {
        /// The count.
        count: u64,
        /// Index into [`ProgramData::assumptions`].
        assumption: u32,
    },
}

impl Count {
    /// How often.
    pub fn get(self) -> u64 {
        match self {
            Count::Constant(count) | Count::Invariant(count) | Count::Assumed { count, .. } => {
                count
            }
        }
    }
}

/// A point of the run with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// The program read `MPI_Wtime`.
    Clock {
        /// Its site.
        site: CallSiteId,
        /// Index into [`ProgramData::call_paths`], where it was recorded.
        path: Option<u32>,
    },
    /// The section to be predicted begins.
    SectionBegin,
    /// The section to be predicted ends.
    SectionEnd,
}

/// A value that may differ between the ranks of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    /// The same on all ranks.
    Constant(i64),
    /// World rank plus this.
    RankPlus(i64),
    /// World rank exclusive-or this.
    RankXor(i64),
    /// Formula of rank and size.
    Formula(FormulaId),
    /// By position of the rank in its class, in [`ProgramData::tables`].
    Table(TableId),
}

/// The partner of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Peer {
    /// This *rank of the communicator*.
    Rank(Operand),
    /// `MPI_PROC_NULL`: no transfer.
    Null,
    /// `MPI_ANY_SOURCE`.
    Any,
}

/// The tag of a receive or a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tag {
    /// This one.
    Value(Operand),
    /// `MPI_ANY_TAG`.
    Any,
}

/// How a send completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SendMode {
    /// `MPI_Send`, `MPI_Isend`.
    Standard,
    /// `MPI_Ssend`.
    Synchronous,
    /// `MPI_Rsend`.
    Ready,
    /// `MPI_Bsend`.
    Buffered,
}

/// Which message a wildcard receive got when it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObservedMatch {
    /// Rank of the communicator.
    pub source: i64,
    /// Tag.
    pub tag: i64,
}

/// Elements per rank of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Counts {
    /// One number.
    Same(Operand),
    /// One number per rank of the communicator: index into [`ProgramData::count_tables`].
    PerRank(u32),
}

/// The data side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Transfer {
    /// Partner.
    pub peer: Peer,
    /// Tag.
    pub tag: Tag,
    /// Number of elements (of a receive: the largest it takes).
    pub count: Operand,
    /// Index into [`ProgramData::datatypes`].
    pub datatype: u32,
    /// Evaluates to a [`CommId`].
    pub communicator: Operand,
}

/// How many requests a completion call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completion {
    /// `MPI_Wait`, `MPI_Waitall`, `MPI_Testall`.
    All,
    /// `MPI_Waitany`, `MPI_Test`, `MPI_Testany`.
    Any,
    /// `MPI_Waitsome`, `MPI_Testsome`.
    Some,
}

/// A collective operation, free of any algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum CollectiveKind {
    Barrier,
    Broadcast,
    Reduce,
    Allreduce,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
    ReduceScatter,
    Scan,
    ExclusiveScan,
}

impl CollectiveKind {
    /// Whether the operation combines operands of the ranks.
    pub fn reduces(self) -> bool {
        match self {
            CollectiveKind::Reduce
            | CollectiveKind::Allreduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::Scan
            | CollectiveKind::ExclusiveScan => true,
            CollectiveKind::Barrier
            | CollectiveKind::Broadcast
            | CollectiveKind::Gather
            | CollectiveKind::Scatter
            | CollectiveKind::Allgather
            | CollectiveKind::Alltoall => false,
        }
    }
}

/// An MPI call with the operands that determine its cost and its partners.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Call {
    /// `MPI_Init`: the rank's time starts here.
    Init,
    /// `MPI_Finalize`: the rank's time ends here.
    Finalize,
    /// `MPI_Abort`, never returns.
    Abort,
    /// A send; without a request it blocks.
    Send {
        /// How it completes.
        mode: SendMode,
        /// What is sent where.
        transfer: Transfer,
        /// The request it starts.
        request: Option<RequestId>,
    },
    /// A receive; without a request it blocks.
    Receive {
        /// What is received from where.
        transfer: Transfer,
        /// The request it starts.
        request: Option<RequestId>,
        /// What a wildcard got.
        observed: Option<ObservedMatch>,
    },
    /// `MPI_Sendrecv`.
    SendReceive {
        /// What is sent.
        send: Transfer,
        /// What is received.
        receive: Transfer,
        /// What a wildcard got.
        observed: Option<ObservedMatch>,
    },
    /// Waits for requests, in the order of the call's array; null requests are left out.
    Wait {
        /// How many must complete.
        completion: Completion,
        /// The requests.
        requests: Vec<RequestId>,
        /// Those that completed, for `Any` and `Some`.
        completed: Vec<RequestId>,
        /// What wildcard receives among them got, in the order of `requests`.
        observed: Vec<ObservedMatch>,
    },
    /// Tests requests.
    Test {
        /// How many must complete.
        completion: Completion,
        /// The requests.
        requests: Vec<RequestId>,
        /// Those that completed.
        completed: Vec<RequestId>,
    },
    /// Looks for a message.
    Probe {
        /// What is looked for.
        transfer: Transfer,
        /// Whether the call waits for one.
        blocking: bool,
        /// What was found; of a call that does not wait, `None` says that nothing was.
        observed: Option<ObservedMatch>,
    },
    /// Makes a persistent request.
    MakePersistent {
        /// Whether it sends.
        send: Option<SendMode>,
        /// What is transferred.
        transfer: Transfer,
        /// The request.
        request: RequestId,
    },
    /// Starts persistent requests.
    StartPersistent {
        /// The requests.
        requests: Vec<RequestId>,
    },
    /// A collective; without a request it blocks.
    Collective {
        /// Which.
        kind: CollectiveKind,
        /// Evaluates to a [`CommId`].
        communicator: Operand,
        /// Rank of the communicator.
        root: Option<Operand>,
        /// Elements sent by (or, for a broadcast, through) this rank.
        counts: Counts,
        /// Elements received, where they may differ from those sent.
        receive_counts: Option<Counts>,
        /// Index into [`ProgramData::datatypes`].
        datatype: u32,
        /// Reduction operation.
        reduce_op: Option<ReduceOp>,
        /// The request it starts.
        request: Option<RequestId>,
    },
    /// Makes a communicator, collectively over its parent.
    MakeCommunicator {
        /// Evaluates to the parent's [`CommId`].
        parent: Operand,
        /// Evaluates to the new [`CommId`], −1 where this rank gets none.
        made: Operand,
    },
}

impl Call {
    /// The request that the call starts or makes.
    pub fn started_request(&self) -> Option<RequestId> {
        match self {
            Call::Send { request, .. }
            | Call::Receive { request, .. }
            | Call::Collective { request, .. } => *request,
            Call::MakePersistent { request, .. } => Some(*request),
            Call::Init
            | Call::Finalize
            | Call::Abort
            | Call::SendReceive { .. }
            | Call::Wait { .. }
            | Call::Test { .. }
            | Call::Probe { .. }
            | Call::StartPersistent { .. }
            | Call::MakeCommunicator { .. } => None,
        }
    }
}

/// A place where the sequence of calls may depend on time or chance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeDependentPlace {
    /// Where.
    pub site: CallSiteId,
    /// What makes it so: a wildcard's source, the index of a Waitany, the flag of a Test, a clock.
    pub reason: String,
}

impl TimeDependentPlace {
    /// The reason of the place that stands for clocks in code that no analysis has seen.
    pub const CLOCK_OUTSIDE: &'static str = "a clock is read outside the analysed sources";

    /// The reason of the place that stands for random calls of a meta-program: the data contain one sample of them.
    pub const RANDOM_CALLS: &'static str = "random outcomes determine which MPI calls are made";
}

/// An allocation of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    /// Where.
    pub span: SourceSpan,
    /// Name of the array.
    pub name: String,
    /// Bytes as an expression in the program's language; empty where only the whole program computes it.
    pub expression: String,
}

impl ProgramData {
    /// A call that may depend on clocks which are read outside the analysed sources, if there is one: then the
    /// recorded control flow is that of the run it was recorded in.
    pub fn clock_outside(&self) -> Option<&TimeDependentPlace> {
        self.time_dependent
            .iter()
            .find(|place| place.reason == TimeDependentPlace::CLOCK_OUTSIDE)
    }

    /// A call that random outcomes of a meta-program determine, if there is one: then the streams are one sample of many.
    pub fn random_calls(&self) -> Option<&TimeDependentPlace> {
        self.time_dependent
            .iter()
            .find(|place| place.reason == TimeDependentPlace::RANDOM_CALLS)
    }

    /// The sentence on such calls.
    pub fn random_calls_note(&self) -> Option<String> {
        let place = self.random_calls()?;
        Some(format!(
            "the time is that of one sample, and others may take much more or less: {} at {}, and these base data contain \
             one outcome; `mpiete meta` with --draws 21 prints the mean and an interval of samples",
            place.reason,
            self.table.site_place(place.site)
        ))
    }

    /// The sentence on such a call, with which every report on the recording begins.
    pub fn clock_note(&self) -> Option<String> {
        let place = self.clock_outside()?;
        let function = match self.table.call_sites.get(place.site.index()) {
            Some(site) => site.function.as_str(),
            None => "a call",
        };
        Some(format!(
            "the recorded control flow is that of mpiete's MPI library and may differ under another MPI: {}, and calls \
             such as {function} at {} may depend on it",
            place.reason,
            self.table.site_place(place.site)
        ))
    }

    /// The class of `rank` and the rank's position in it.
    pub fn class_of(&self, rank: Rank) -> Option<(usize, usize)> {
        self.classes
            .iter()
            .enumerate()
            .find_map(|(i, class)| Some((i, class.ranks.position(rank)?)))
    }

    /// The value of `operand` for `rank`, which is at `position` of its class.
    pub fn value(&self, operand: Operand, rank: Rank, position: usize) -> Option<i64> {
        match operand {
            Operand::Constant(value) => Some(value),
            // The check of a file rejects operands that overflow; wrapping only keeps unchecked data from a
            // panic.
            Operand::RankPlus(offset) => Some(i64::from(rank.0).wrapping_add(offset)),
            Operand::RankXor(mask) => Some(i64::from(rank.0) ^ mask),
            Operand::Formula(id) => self.formulas.get(id.index())?.value(rank, self.ranks),
            Operand::Table(id) => self.tables.get(id.index())?.get(position).copied(),
        }
    }

    /// The variant a block operand means for a rank.
    pub fn variant(&self, operand: Operand, rank: Rank, position: usize) -> Option<VariantId> {
        let index = usize::try_from(self.value(operand, rank, position)?).ok()?;
        if index < self.variants.len() {
            Some(VariantId::from_index(index))
        } else {
            None
        }
    }
}
