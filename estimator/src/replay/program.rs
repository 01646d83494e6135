//! Program data made ready for replay: loop-compressed lists of small steps whose operands are
//! evaluated, whose partners are channels and whose collectives are expanded into messages.
//!
//! Ranks that do the same share one list: its channels are numbered within the rank, and each rank
//! maps them to channels of the program. So the size of the steps depends on the number of different
//! lists, not of ranks.
//!
//! Steps contain no times, so that one list of steps serves every model and every draw.

use super::code::Code;
use base_data::Time;
use base_data::comm_data::CollectiveCurve;
use base_data::comm_data::LinkClass;
use base_data::mpi::{BasicDatatype, ReduceOp};
use base_data::program_data::CollectiveKind;
use base_data::{CallSiteId, CommId};
use machine::collective::selection::Library;
use machine::{Platform, Pu};
use std::sync::OnceLock;

/// A number of iterations, in halves so that a step takes 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LoopCount {
    high: u32,
    low: u32,
}

impl LoopCount {
    pub(crate) fn new(count: u64) -> Self {
        Self {
            high: (count >> 32) as u32,
            low: count as u32,
        }
    }

    #[inline]
    pub(crate) fn get(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }
}

/// One step. Channels are numbers within the rank ([`Steps::channel`]); sizes, combinations and so on
/// are indices into [`Steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Repeats the next `body` steps.
    Repeat { count: LoopCount, body: u32 },
    /// Executes a compute block; `index` is the variant's number within the list ([`Steps::compiled`] sets it).
    Compute {
        block: u32,
        variant: u32,
        index: u32,
    },
    /// `MPI_Init`: time begins.
    Begin,
    /// `MPI_Finalize`: time ends.
    End,
    /// Reads the clock.
    Clock { clock: u32 },
    /// The section begins or ends.
    Section { begins: bool },
    /// A call begins; the time of the following steps is accounted to it.
    Enter { site: u32 },
    /// A collective begins; only the matching pass looks.
    Collective { signature: u32 },
    /// Starts to send.
    Send {
        channel: u32,
        size: u32,
        slot: u32,
        blocking: bool,
    },
    /// Starts to receive.
    Receive {
        channel: u32,
        size: u32,
        slot: u32,
        blocking: bool,
    },
    /// Starts to receive the first message that fits a pattern: only a replay in the order of time
    /// knows which.
    ReceiveAny {
        pattern: u32,
        size: u32,
        slot: u32,
        blocking: bool,
    },
    /// Waits until a message of a channel can be received, and leaves it there.
    Probe { channel: u32 },
    /// Waits until a message that fits a pattern can be received, and leaves it there.
    ProbeAny { pattern: u32 },
    /// A transfer with `MPI_PROC_NULL`: done at once.
    NoTransfer { slot: u32 },
    /// Waits until the transfer of a slot is done.
    Finish {
        slot: u32,
        blocking: bool,
        collective: bool,
    },
    /// Combines operands of a reduction, or takes the measured time of a collective.
    Combine { combine: u32 },
    /// A collective with a request has begun. Its other steps, a schedule of the list, proceed in each call that waits.
    StartSchedule { schedule: u32 },
    /// Waits until the steps of a schedule are over. The next `body` steps are the same, for replays in which they are
    /// executed here.
    FinishSchedule { schedule: u32, body: u32 },
    /// A test or probe that found nothing: schedules proceed as far as they can.
    Proceed,
}

/// The slot of blocking sends; those of requests follow.
pub(crate) const SEND_SLOT: u32 = 0;
/// The slot of blocking receives.
pub(crate) const RECEIVE_SLOT: u32 = 1;
/// The slot of request 0.
pub(crate) const FIRST_REQUEST_SLOT: u32 = 2;

/// The steps of all ranks that do the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct StepList {
    pub(crate) steps: Vec<Step>,
    /// What started collectives do after their start.
    pub(crate) schedules: Vec<Vec<Step>>,
    /// Whether a call waits for something else while a collective is started, which proceeds in this call.
    pub(crate) has_overlap: bool,
    /// How many slots they use.
    pub(crate) slots: u32,
    /// How many variants of compute blocks they execute ([`Steps::compiled`] sets it).
    pub(crate) variants: u32,
}

/// What one rank does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RankSteps {
    /// Index into [`Steps::lists`].
    pub(crate) list: u32,
    /// Where its channels begin in [`Steps::rank_channels`].
    pub(crate) first_channel: u32,
}

/// What is sent over a channel is received in the order of sending: a channel is one communicator,
/// sender, receiver and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Channel {
    pub(crate) communicator: CommId,
    /// World rank.
    pub(crate) source: u32,
    /// World rank.
    pub(crate) destination: u32,
    pub(crate) tag: ChannelTag,
}

/// Messages of collectives never meet those of calls, and those of collectives that are started meet
/// only those of equal ones: ranks may complete them in different orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ChannelTag {
    Value(i64),
    Collective,
    /// Of a collective with this signature that was started by one call and completed by another.
    Started(u32),
}

impl ChannelTag {
    /// Whether the messages are those of a collective.
    pub(crate) fn is_collective(self) -> bool {
        match self {
            ChannelTag::Value(_) => false,
            ChannelTag::Collective | ChannelTag::Started(_) => true,
        }
    }
}

/// What a receive or a probe takes that does not say which message it got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    pub(crate) communicator: CommId,
    /// World rank; from any if `None`.
    pub(crate) source: Option<u32>,
    /// With any if `None`.
    pub(crate) tag: Option<i64>,
}

/// How a send completes, as far as it changes what a message costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sending {
    /// By the protocol of its length. A ready send, too: that its receive is posted saves nothing in
    /// the libraries at hand.
    Standard,
    /// With its receive, whatever its length.
    Synchronous,
    /// Without its receive, whatever its length.
    Buffered,
    /// Costs nothing: makes the receiver wait for the sender, in a collective whose time was measured.
    Free,
}

/// A message's length, kind of link and mode: what its costs depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    pub(crate) link: LinkClass,
    pub(crate) bytes: u64,
    pub(crate) sending: Sending,
}

/// What all ranks of a communicator must agree on when they call a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub(crate) communicator: CommId,
    /// `None` for the making of a communicator.
    pub(crate) kind: Option<CollectiveKind>,
    pub(crate) root: Option<u32>,
    /// Length of the operand; 0 where every rank has its own.
    pub(crate) bytes: u64,
    /// Whether another call completes it.
    pub(crate) started: bool,
}

/// What a rank does alone inside a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LocalTime {
    /// Combines two operands.
    Combination(Combination),
    /// Takes the measured time of the whole collective, after it has waited for the ranks that it depends on.
    Measured(Time),
}

/// A combination of two operands of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Combination {
    pub(crate) op: ReduceOp,
    pub(crate) element: BasicDatatype,
    pub(crate) elements: u64,
}

/// A place where a clock is read: the site, and the call path where it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Clock {
    pub(crate) site: CallSiteId,
    pub(crate) path: Option<u32>,
}

/// A program ready for replay.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) lists: Vec<StepList>,
    /// The lists as the dataflow replay runs them, made when it first does.
    pub(crate) code: OnceLock<Code>,
    pub(crate) ranks: Vec<RankSteps>,
    /// Channels of all ranks, rank by rank: indices into `channels`.
    pub(crate) rank_channels: Vec<u32>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) patterns: Vec<Pattern>,
    /// Sites whose wildcards do not say what they got, in ascending order: the steps that ask for a
    /// pattern.
    pub(crate) open_wildcards: Vec<CallSiteId>,
    pub(crate) sizes: Vec<Size>,
    pub(crate) signatures: Vec<Signature>,
    /// Times of [`Step::Combine`].
    pub(crate) local_times: Vec<LocalTime>,
    /// Which collectives take a measured time, and which lack one, for people.
    pub(crate) measured_collectives: Vec<String>,
    pub(crate) clocks: Vec<Clock>,
    /// Number of variants, sites and blocks that steps refer to.
    pub(crate) variants: usize,
    pub(crate) sites: usize,
    pub(crate) blocks: usize,
    /// Size of each communicator's group.
    pub(crate) group_sizes: Vec<u32>,
    /// Whether any rank marks a section.
    pub(crate) has_section: bool,
}

impl Step {
    /// Repeats the next `body` steps.
    pub(crate) fn repeat(count: u64, body: u32) -> Self {
        Self::Repeat {
            count: LoopCount::new(count),
            body,
        }
    }

    /// Whether schedules proceed in the step.
    #[inline]
    pub(crate) fn waits(self) -> bool {
        match self {
            Step::Finish { .. }
            | Step::Probe { .. }
            | Step::ProbeAny { .. }
            | Step::FinishSchedule { .. }
            | Step::Proceed => true,
            Step::Repeat { .. }
            | Step::Compute { .. }
            | Step::Begin
            | Step::End
            | Step::Clock { .. }
            | Step::Section { .. }
            | Step::Enter { .. }
            | Step::Collective { .. }
            | Step::Send { .. }
            | Step::Receive { .. }
            | Step::ReceiveAny { .. }
            | Step::NoTransfer { .. }
            | Step::Combine { .. }
            | Step::StartSchedule { .. } => false,
        }
    }

    /// Whether a replay counts the step as an event: schedules are no events besides those of their steps.
    #[inline]
    pub(crate) fn is_event(self) -> bool {
        !matches!(
            self,
            Step::StartSchedule { .. } | Step::FinishSchedule { .. } | Step::Proceed
        )
    }
}

impl StepList {
    /// Messages that the steps send, and events as a replay counts them.
    fn counts(&self) -> (u64, u64) {
        let (mut messages, mut events) = (0u64, 0u64);
        // The ends of the open loops, and how often the steps inside are executed.
        let mut open: Vec<(usize, u64)> = Vec::new();
        for (place, step) in self.steps.iter().enumerate() {
            while open.last().is_some_and(|(end, _)| *end <= place) {
                open.pop();
            }
            let times = open.last().map_or(1, |(_, times)| *times);
            match step {
                Step::Repeat { count, body } => {
                    let end = place + 1 + *body as usize;
                    open.push((end, times.saturating_mul(count.get())));
                    continue;
                }
                // The rank has ended.
                Step::End => break,
                Step::Send { .. } => messages = messages.saturating_add(times),
                _ if !step.is_event() => continue,
                _ => {}
            }
            events = events.saturating_add(times);
        }
        (messages, events)
    }
}

impl Steps {
    /// Messages and events of all ranks, as a replay counts them.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let counts: Vec<(u64, u64)> = self.lists.iter().map(StepList::counts).collect();
        let (mut messages, mut events) = (0u64, 0u64);
        for rank in &self.ranks {
            let (own_messages, own_events) = counts[rank.list as usize];
            messages = messages.saturating_add(own_messages);
            events = events.saturating_add(own_events);
        }
        (messages, events)
    }

    /// With lists whose variants are numbered within each: what a replay stores by
    /// rank and variant grows with what the ranks execute, not with ranks times variants.
    pub(crate) fn compiled(mut self) -> Self {
        let mut numbers = ListNumbers::new(self.variants);
        for list in &mut self.lists {
            numbers.next_list();
            for step in &mut list.steps {
                if let Step::Compute { variant, index, .. } = step {
                    *index = numbers.number(*variant);
                }
            }
            list.variants = numbers.count;
        }
        Self {
            // Code that was made before has the old numbers.
            code: OnceLock::new(),
            ..self
        }
    }

    /// The lists as the dataflow replay runs them.
    pub(crate) fn code(&self) -> &Code {
        self.code.get_or_init(|| Code::of(&self.lists))
    }

    /// Whether any collective proceeds in a call that waits for something else: then it depends on the order of time
    /// what the call does.
    pub(crate) fn have_overlap(&self) -> bool {
        self.lists.iter().any(|list| list.has_overlap)
    }

    /// The steps of a rank.
    pub(crate) fn of(&self, rank: usize) -> &[Step] {
        &self.lists[self.ranks[rank].list as usize].steps
    }

    /// The channel of the program that `channel` of a rank's steps means.
    #[inline]
    pub(crate) fn channel(&self, rank: u32, channel: u32) -> u32 {
        self.rank_channels[(self.ranks[rank as usize].first_channel + channel) as usize]
    }
}

/// Dense numbers within one list after the other, in the order of first use.
struct ListNumbers {
    /// By value: the last list that used it, and its number there.
    known: Vec<(u32, u32)>,
    list: u32,
    count: u32,
}

impl ListNumbers {
    fn new(values: usize) -> Self {
        Self {
            known: vec![(0, 0); values],
            list: 0,
            count: 0,
        }
    }

    fn next_list(&mut self) {
        (self.list, self.count) = (self.list + 1, 0);
    }

    fn number(&mut self, value: u32) -> u32 {
        let value = value as usize;
        if self.known.len() <= value {
            self.known.resize(value + 1, (0, 0));
        }
        let known = &mut self.known[value];
        // List numbers begin with 1, so the initial 0 belongs to no list. Nothing is cleared between lists.
        if known.0 != self.list {
            *known = (self.list, self.count);
            self.count += 1;
        }
        known.1
    }
}

/// What the steps need to know of the platform.
pub(crate) struct Target<'a> {
    /// Kind of link between two world ranks.
    pub(crate) link: &'a dyn Fn(u32, u32) -> LinkClass,
    /// MPI library, for the choice of collective algorithms.
    pub(crate) library: &'a Library,
    /// Measured times of collectives, which replace schedules.
    pub(crate) curves: &'a [CollectiveCurve],
    /// Node of each world rank, for collectives in two levels; empty if no two ranks share one.
    pub(crate) nodes: &'a [u32],
}

impl<'a> Target<'a> {
    /// A library on ranks that share no node, without measured collectives.
    pub(crate) fn new(link: &'a dyn Fn(u32, u32) -> LinkClass, library: &'a Library) -> Self {
        Self {
            link,
            library,
            curves: &[],
            nodes: &[],
        }
    }

    /// A platform; `nodes` are its [`Platform::shared_nodes`].
    pub(crate) fn of(
        platform: &'a Platform,
        link: &'a dyn Fn(u32, u32) -> LinkClass,
        nodes: &'a [u32],
    ) -> Self {
        Self {
            curves: platform.collective_curves(),
            nodes,
            ..Self::new(link, platform.library())
        }
    }
}

/// Where ranks sit and what calls cost: the machine's side of a replay.
#[derive(Clone, Debug)]
pub(crate) struct MachineSide {
    /// PU of each rank.
    pub(crate) pus: Vec<Pu>,
    /// By size.
    pub(crate) costs: Vec<machine::network::CallCosts>,
    /// By combination.
    pub(crate) combine: Vec<Time>,
}
