//! What ranks under emulation and the emulation's engine say to each other. A rank *submits* an MPI call with the time
//! that it computed before it, and goes on when it gets the *answer*: the virtual time, and what the call found. Where
//! the answer can only be the time, the rank goes on without it, and submits the call together with the next one whose
//! answer it needs.
//!
//! These are no files: host and ranks of one run exchange them.

use crate::mpi::{Datatype, ReduceOp};
use crate::observation::ObservedRank;
use crate::program_data::{CollectiveKind, SendMode, Variant};
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// An MPI call of a rank, as far as its time depends on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// How long the rank polled since the last answer without asking, in virtual time. It is inside MPI then.
    pub polled: Time,
    /// How long it computed then, in virtual time.
    pub computed: Time,
    /// What the call starts, in order.
    pub actions: Vec<Action>,
    /// What it then waits for or asks.
    pub query: Query,
    /// Whether the rank has polled for long with next to nothing in between: a poll that finds nothing is then answered
    /// at the time of the next event.
    pub spins: bool,
    /// Of a poll: how long before the call the polls before it that found nothing began, in virtual time. The replay of
    /// the run, which has none of them, waits from then on.
    pub polled_before: Time,
    /// Messages that receives of the call have got, if the rank has not waited for the answer: the engine's must be the
    /// same.
    pub taken: Vec<Taken>,
    /// Function and place of the call, as the ranks' shared memory contains them, for messages.
    pub call: u64,
}

/// A message that a receive has got before the engine knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The receive.
    pub slot: Slot,
    /// Number of the message among those of its sender.
    pub number: u64,
}

/// Number of a transfer or collective that a rank has started and not completed. The rank chooses it; numbers are dense.
pub type Slot = u32;

/// Something that a call starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// A message is sent.
    Send {
        /// The transfer.
        slot: Slot,
        /// Context of the communicator: the same number on all its ranks.
        context: u64,
        /// World rank.
        destination: u32,
        /// Tag.
        tag: i32,
        /// Length.
        bytes: u64,
        /// How it completes.
        mode: SendMode,
        /// Number of the message among those of its sender, by which the receiver finds its data.
        number: u64,
        /// Whether the call itself completes the transfer.
        blocking: bool,
    },
    /// A message is wanted.
    Receive {
        /// The transfer.
        slot: Slot,
        /// Context of the communicator.
        context: u64,
        /// World rank; from any if `None`.
        source: Option<u32>,
        /// With any if `None`.
        tag: Option<i32>,
        /// The longest message that it takes.
        bytes: u64,
        /// Whether the call itself completes the transfer.
        blocking: bool,
    },
    /// A collective begins. Without a slot the call completes it.
    Collective {
        /// What completes it, if another call does.
        slot: Option<Slot>,
        /// Row of the function in the table of MPI functions.
        row: u32,
        /// Context of the communicator.
        context: u64,
        /// World ranks of the communicator in its order, when this rank names it first.
        members: Option<Vec<u32>>,
        /// What is done.
        operation: Operation,
    },
}

/// What a collective does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operation {
    /// It moves or combines data.
    Data {
        /// Which.
        kind: CollectiveKind,
        /// Rank of the communicator.
        root: Option<u32>,
        /// Elements that this rank sends.
        sent: ElementCounts,
        /// Elements that it receives, where they may differ.
        received: Option<ElementCounts>,
        /// Their type.
        datatype: Datatype,
        /// Reduction operation.
        reduce_op: Option<ReduceOp>,
    },
    /// It makes a communicator.
    MakeCommunicator,
}

/// Element counts of a collective.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementCounts {
    /// The same for all ranks.
    Same(u64),
    /// One for each rank of the communicator.
    Each(Vec<u64>),
}

/// What a call waits for, or asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Query {
    /// Nothing: it only starts something.
    #[default]
    Nothing,
    /// Until all of these are complete, in this order.
    All(Vec<Slot>),
    /// Until the first of these is complete.
    Any(Vec<Slot>),
    /// Until any of these is complete: all that are then.
    Some(Vec<Slot>),
    /// Whether all of these are complete.
    TestAll(Vec<Slot>),
    /// Whether any of these is complete: the first.
    TestAny(Vec<Slot>),
    /// Which of these are complete.
    TestSome(Vec<Slot>),
    /// A message, which stays where it is.
    Probe {
        /// Context of the communicator.
        context: u64,
        /// World rank; from any if `None`.
        source: Option<u32>,
        /// With any if `None`.
        tag: Option<i32>,
        /// Whether the call waits for one.
        blocking: bool,
    },
    /// Until all ranks have come to their end.
    Finalize,
}

impl Query {
    /// Whether the call goes on if it finds nothing.
    pub fn is_poll(&self) -> bool {
        match self {
            Query::TestAll(_) | Query::TestAny(_) | Query::TestSome(_) => true,
            Query::Probe { blocking, .. } => !blocking,
            Query::Nothing | Query::All(_) | Query::Any(_) | Query::Some(_) | Query::Finalize => {
                false
            }
        }
    }
}

/// How a call went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Virtual time at which the rank goes on, since `MPI_Init`.
    pub now: Time,
    /// What the call did or found.
    pub outcome: Outcome,
    /// Until then nothing can happen that an equal poll would find.
    pub quiet_until: Time,
    /// Whether no event is to come, unless a rank that polls does something else.
    pub is_last: bool,
    /// Of a poll that has found something: by how much the replay's wait for it ends earlier.
    pub ahead: Time,
    /// How long this call took, and before it those that were submitted with it, in their order.
    pub took: Vec<Time>,
}

/// What a call did or found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It completed these, in the order of its query; nothing for a poll that found nothing.
    Completed(Vec<Completed>),
    /// It found this message.
    Found(Matched),
    /// No rank can ever go on.
    Deadlock,
    /// The call cannot be emulated: the end of a sentence that begins with the rank and its call.
    Refused(String),
}

impl Default for Outcome {
    fn default() -> Self {
        Outcome::Completed(Vec::new())
    }
}

/// A transfer or collective that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completed {
    /// Which.
    pub slot: Slot,
    /// What a receive got.
    pub matched: Option<Matched>,
}

/// A message that a receive got or a probe found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// World rank of the sender.
    pub source: u32,
    /// Tag.
    pub tag: i32,
    /// Length.
    pub bytes: u64,
    /// Number of the message among those of its sender.
    pub number: u64,
}

/// First words of a rank's process to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The rank.
    pub rank: u32,
    /// Its process.
    pub process: u32,
}

/// The engine's answer, when all ranks have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// Speed of the rank's processing unit on the platform, relative to the one that runs it.
    pub speed: f64,
    /// What the system's clocks show at virtual time 0, in nanoseconds: time of day, and since the computer started.
    pub clocks: [u64; 2],
    /// Node of the platform that the rank runs on.
    pub node: u32,
}

/// What a rank leaves of an emulated run, beside its recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EmulatedRank {
    /// Virtual times of its entries.
    pub times: ObservedRank,
    /// Its own computation, stretch by stretch: up to each call that needs the engine, up to each poll and its end, and up
    /// to each reading of a clock.
    pub computed: Vec<Time>,
    /// Polls that found nothing.
    pub failed_polls: u64,
    /// Calls of the sampled procedure, if there is one.
    pub tasks: Vec<TaskCall>,
    /// Blocks of a slice that no time was given for, each once, ascending.
    pub untimed: Vec<Variant>,
}

/// A call of a sampled procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCall {
    /// Its INTEGER arguments.
    pub point: Vec<i64>,
    /// How long it computed, if it was executed.
    pub time: Option<Time>,
}

/// What ranks do with calls of a sampled procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SampledTasks {
    /// They execute those with these arguments, in ascending order, and skip the others in no time.
    Execute(Vec<Vec<i64>>),
    /// They skip all in the time that calls with these arguments take, in ascending order of arguments.
    Replay(Vec<(Vec<i64>, Time)>),
}

/// Times of the compute blocks of a slice, whose marks stand in the place of what they compute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlicedBlocks {
    /// Virtual time of each on the rank's processing unit, ascending by block and work terms.
    pub times: Vec<(Variant, Time)>,
}

/// Own computation of all ranks of a run, from which it can be emulated again with the same times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputeTimes {
    /// By rank: [`EmulatedRank::computed`].
    pub ranks: Vec<Vec<Time>>,
}

/// Whose turn it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The rank goes on, and submits its next call.
    Resume(u32, Answer),
    /// The rank goes on to its end: all have called `MPI_Finalize`.
    End(u32, Answer),
    /// All ranks have got their last answer.
    Over,
    /// No rank can ever go on; this one is to say so.
    Stuck(u32),
}

/// What determines the virtual time of calls: the network, and the order in which messages match.
pub trait Engine {
    /// Speed of a rank's processing unit relative to the one that runs the ranks.
    fn speed(&self, rank: u32) -> f64;

    /// Node of the platform that a rank runs on.
    fn node(&self, rank: u32) -> u32;

    /// The rank whose turn it is has come to its next call.
    ///
    /// # Errors
    /// A call that cannot be emulated: the end of a sentence that begins with the rank and its call.
    fn submit(&mut self, rank: u32, submission: &Submission) -> Result<(), String>;

    /// Whose turn it is next.
    fn next_turn(&mut self) -> Turn;
}
