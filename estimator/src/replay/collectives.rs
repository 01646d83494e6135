//! Collectives as messages: the schedule of the algorithm that the platform's MPI library chooses
//! ([`machine::collective`]), with the protocol of ordinary messages, on channels of their own.
//! [`super::lengths`] determines how long each message is.
//!
//! A nonblocking collective sends and posts its first messages at the call, as far as its schedule goes without waiting. The
//! other steps proceed in each call that waits, tests or probes, and are over when the call that completes the collective is, as in
//! libraries without a thread of their own ([`Step::StartSchedule`]).
//!
//! The making of a communicator is replayed as what every MPI library does at least: all ranks of the
//! parent agree on a new context, an allreduce of [`AGREEMENT_BYTES`].

use super::calls::{Lowered, sign};
use super::lengths::{Direction, Lengths};
use super::lower::RankLowering;
use super::measured_collectives;
use super::program::{
    Channel, ChannelTag, Combination, LocalTime, RECEIVE_SLOT, SEND_SLOT, Sending, Signature, Size,
    Step, StepList,
};
use super::requests;
use crate::EstimateError;
use base_data::mpi::{BasicDatatype, ReduceOp};
use base_data::program_data::{Call, CollectiveKind, Counts, Op, Operand};
use base_data::{CallSiteId, CommId, RequestId, Time};
use machine::collective::selection::{Case, Form, Level};
use machine::collective::{
    self, DataPart, Measurement, Operation, Received, Sent, Step as Scheduled, Within,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One 64-bit number: the next free context.
const AGREEMENT_BYTES: u64 = 8;

/// Appends the steps of a collective, or of its start.
pub(super) fn lower(rank: &mut RankLowering<'_>, site: CallSiteId, call: &Call) -> Lowered {
    let Call::Collective {
        kind,
        communicator,
        root,
        reduce_op,
        request,
        ..
    } = call
    else {
        return Ok(());
    };
    let communicator = rank.communicator(site, *communicator)?;
    let lengths = Lengths::of(rank, site, call)?;
    let root = root_of(rank, site, communicator, *root)?;
    let (kind, started) = (*kind, request.is_some());
    let bytes = lengths.agreed();
    let signature = sign(
        rank,
        Signature {
            communicator,
            kind: Some(kind),
            root,
            bytes,
            started,
        },
    );
    let mut form = match rank.sites.function(site) {
        Some(function) => Form::of_function(function),
        None => Form::default(),
    };
    // All ranks must choose the same algorithm, so counts that the root alone knows count for all of them.
    form.has_counts |= lengths.differ() || has_counts_elsewhere(rank, kind);
    form.is_nonblocking = started;
    let chosen = Chosen {
        kind,
        form,
        communicator,
        root: root.unwrap_or(0),
        lengths: &lengths,
        reduce_op: *reduce_op,
    };
    if take_measured(rank, site, &chosen)? {
        return Ok(());
    }
    let schedule = schedule(rank, site, &chosen)?;
    let tag = if started {
        ChannelTag::Started(signature)
    } else {
        ChannelTag::Collective
    };
    let what = Expansion {
        communicator,
        tag,
        lengths,
        reduce_op: *reduce_op,
        sending: Sending::Standard,
    };
    match request {
        None => {
            expand(rank, &what, &schedule);
            Ok(())
        }
        Some(request) => start(rank, site, what, schedule, *request),
    }
}

/// Appends the steps of making a communicator.
pub(super) fn make_communicator(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    parent: Operand,
) -> Lowered {
    let communicator = rank.communicator(site, parent)?;
    let bytes = AGREEMENT_BYTES;
    sign(
        rank,
        Signature {
            communicator,
            kind: None,
            root: None,
            bytes,
            started: false,
        },
    );
    let lengths = Lengths::whole(bytes, BasicDatatype::Integer(8));
    let chosen = Chosen {
        kind: CollectiveKind::Allreduce,
        form: Form::default(),
        communicator,
        root: 0,
        lengths: &lengths,
        reduce_op: Some(ReduceOp::BitAnd),
    };
    let schedule = schedule(rank, site, &chosen)?;
    let what = Expansion {
        communicator,
        tag: ChannelTag::Collective,
        lengths,
        reduce_op: Some(ReduceOp::BitAnd),
        sending: Sending::Standard,
    };
    expand(rank, &what, &schedule);
    Ok(())
}

fn root_of(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    communicator: CommId,
    root: Option<Operand>,
) -> Result<Option<u32>, EstimateError> {
    let Some(operand) = root else { return Ok(None) };
    let value = rank.value(site, operand)?;
    let size = rank.groups.size(communicator);
    let root = u32::try_from(value).ok().filter(|&root| root < size);
    root.map(Some).ok_or_else(|| {
        rank.error(
            site,
            format!(
                "rank {} names root {value} in a communicator of {size} ranks",
                rank.rank
            ),
        )
    })
}

/// Whether a gather or scatter whose function has no `v` in its name, as in hand-written programs, has a count per rank
/// on its root: the other ranks know their own alone, and all must choose the same algorithm.
fn has_counts_elsewhere(rank: &mut RankLowering<'_>, kind: CollectiveKind) -> bool {
    if !matches!(kind, CollectiveKind::Gather | CollectiveKind::Scatter) {
        return false;
    }
    if let Some(known) = rank.tables.unnamed_counts.get(&kind) {
        return *known;
    }
    let data = rank.data;
    // Every rank asks, and each answer would look through all streams: it is kept by kind.
    let mut found = false;
    for op in data.classes.iter().flat_map(|class| &class.stream) {
        let Op::Call { site, call, .. } = op else {
            continue;
        };
        let Call::Collective {
            kind: other,
            counts,
            receive_counts,
            ..
        } = call
        else {
            continue;
        };
        let is_per_rank = |counts: &Counts| matches!(counts, Counts::PerRank(_));
        let differ = is_per_rank(counts) || receive_counts.as_ref().is_some_and(is_per_rank);
        let named = data.table.call_sites.get(site.index());
        let is_named = named.is_some_and(|site| Form::of_function(&site.function).has_counts);
        found |= *other == kind && differ && !is_named;
    }
    rank.tables.unnamed_counts.insert(kind, found);
    found
}

/// What an algorithm is chosen by.
struct Chosen<'a> {
    kind: CollectiveKind,
    form: Form,
    communicator: CommId,
    root: u32,
    lengths: &'a Lengths,
    reduce_op: Option<ReduceOp>,
}

/// Appends the waits of a call whose time was measured, and that time. Whether there is such a time: only blocking calls
/// with equal counts are measured by benchmarks.
fn take_measured(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    chosen: &Chosen<'_>,
) -> Result<bool, EstimateError> {
    let kind = chosen.kind;
    let has_data = kind == CollectiveKind::Barrier || !chosen.lengths.are_empty();
    let is_plain = !chosen.form.is_nonblocking && !chosen.form.has_counts;
    if rank.target.curves.is_empty() || !has_data || !is_plain {
        return Ok(false);
    }
    let ranks = rank.groups.size(chosen.communicator);
    let own = member(rank, site, chosen.communicator)?;
    let nodes = nodes_of(rank, chosen.communicator, ranks);
    let bytes = chosen.lengths.block_or_operand(kind, ranks);
    // Curves are measured with so many ranks on a node.
    let per_node = most_on_a_node(&nodes);
    let time = match collective::measured_time(rank.target.curves, kind, ranks, per_node, bytes) {
        Measurement::Time(time) => time.max(Time::ZERO),
        Measurement::None => return Ok(false),
        Measurement::Other(what) => {
            rank.tables.measured.lacking(kind, ranks, bytes, what);
            return Ok(false);
        }
    };
    rank.tables.measured.used(kind, ranks, bytes);
    let what = Expansion {
        communicator: chosen.communicator,
        tag: ChannelTag::Collective,
        lengths: Lengths::whole(0, BasicDatatype::Byte),
        reduce_op: None,
        sending: Sending::Free,
    };
    // The measured time begins when those have come that the collective waits for; empty messages carry that.
    let waits = measured_collectives::waits(kind, own, ranks, chosen.root);
    expand(rank, &what, &waits);
    let combine = rank.tables.local_times.number(LocalTime::Measured(time));
    rank.push(Step::Combine { combine });
    Ok(true)
}

/// How many ranks share a node at most; `nodes` is empty if none do.
fn most_on_a_node(nodes: &[u32]) -> u32 {
    let mut ranks_on: BTreeMap<u32, u32> = BTreeMap::new();
    for &node in nodes {
        *ranks_on.entry(node).or_default() += 1;
    }
    ranks_on.into_values().max().unwrap_or(1)
}

/// The number of the rank in a communicator.
fn member(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    communicator: CommId,
) -> Result<u32, EstimateError> {
    rank.groups
        .position(communicator, rank.rank.0)
        .ok_or_else(|| {
            let reason = format!(
                "rank {} is no member of the communicator of this call",
                rank.rank
            );
            rank.error(site, reason)
        })
}

fn schedule(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    chosen: &Chosen<'_>,
) -> Result<Vec<Scheduled>, EstimateError> {
    let ranks = rank.groups.size(chosen.communicator);
    let own = member(rank, site, chosen.communicator)?;
    let lengths = chosen.lengths;
    if chosen.kind != CollectiveKind::Barrier && lengths.are_empty() {
        // Libraries return at once where there are no data.
        return Ok(Vec::new());
    }
    let nodes = nodes_of(rank, chosen.communicator, ranks);
    let (built_in, commutes) = match chosen.reduce_op {
        Some(ReduceOp::User { commutes }) => (false, commutes),
        Some(_) | None => (true, true),
    };
    let element = lengths.element_bytes();
    let bytes = lengths.block_or_operand(chosen.kind, ranks);
    let case = Case {
        kind: chosen.kind,
        form: chosen.form,
        ranks,
        bytes,
        total: lengths.total(chosen.kind, ranks),
        elements: bytes / element,
        built_in,
        commutes,
        nodes: &nodes,
        level: Level::All,
    };
    let library = rank.target.library;
    let choice = library.choose(&case);
    let operation = Operation {
        rank: own,
        ranks,
        root: chosen.root,
        bytes,
        element,
        sent: lengths.sent_blocks(),
        received: lengths.received_blocks(),
        commutes,
        nodes: &nodes,
        within: Some(Within {
            library,
            built_in,
            is_nonblocking: chosen.form.is_nonblocking,
        }),
        parameters: choice.parameters,
    };
    Ok((choice.algorithm.schedule)(&operation))
}

/// Node of each rank of a communicator; empty if no two share one.
fn nodes_of(rank: &mut RankLowering<'_>, communicator: CommId, ranks: u32) -> Rc<[u32]> {
    if rank.target.nodes.is_empty() {
        return Rc::new([]);
    }
    if let Some(known) = rank.tables.nodes.get(&communicator) {
        return known.clone();
    }
    let own = rank.rank.0;
    let mut nodes = Vec::new();
    for member in 0..ranks {
        let world = rank
            .groups
            .world_rank(communicator, i64::from(member), own)
            .unwrap_or(own);
        nodes.push(rank.target.nodes.get(world as usize).copied().unwrap_or(0));
    }
    let mut sorted = nodes.clone();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
        nodes.clear();
    }
    let nodes: Rc<[u32]> = nodes.into();
    // The communicator of a rank with itself has another member on each rank.
    if ranks > 1 {
        rank.tables.nodes.insert(communicator, nodes.clone());
    }
    nodes
}

/// A collective to be made into messages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expansion {
    communicator: CommId,
    tag: ChannelTag,
    lengths: Lengths,
    reduce_op: Option<ReduceOp>,
    sending: Sending,
}

/// An outstanding message: its slot in the steps, and for a receive how its data are used.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OutstandingMessage {
    slot: u32,
    received: Option<Received>,
}

/// Outstanding messages, by slot of the schedule: these are small numbers.
#[derive(Clone, Debug, Default, PartialEq)]
struct OutstandingMessages(Vec<Option<OutstandingMessage>>);

impl OutstandingMessages {
    fn insert(&mut self, number: u32, slot: u32, received: Option<Received>) {
        let place = number as usize;
        if self.0.len() <= place {
            self.0.resize(place + 1, None);
        }
        self.0[place] = Some(OutstandingMessage { slot, received });
    }

    fn start_send(
        &mut self,
        rank: &mut RankLowering<'_>,
        what: &Expansion,
        sent: Sent,
        number: u32,
        slots: MessageSlots,
    ) {
        let slot = slots.numbered + number;
        start_send(rank, what, sent, slot, false);
        self.insert(number, slot, None);
    }

    fn start_receive(
        &mut self,
        rank: &mut RankLowering<'_>,
        what: &Expansion,
        received: Received,
        number: u32,
        slots: MessageSlots,
    ) {
        let slot = slots.numbered + number;
        start_receive(rank, what, received, slot, false);
        self.insert(number, slot, Some(received));
    }

    fn remove(&mut self, number: u32) -> Option<OutstandingMessage> {
        self.0.get_mut(number as usize)?.take()
    }
}

/// The slots of messages that are under way between start and completion of a collective, by request: the first,
/// and how many there are.
pub(super) type StartedSlots = BTreeMap<RequestId, (u32, u32)>;

/// Slots of the messages that a blocking collective has under way begin here until all slots of a rank are known.
const SCRATCH_SLOTS: u32 = 1 << 30;

/// The slots of a collective's messages: of those that a step sends or receives alone, and the first of numbered ones.
#[derive(Clone, Copy, Debug)]
struct MessageSlots {
    send: u32,
    receive: u32,
    numbered: u32,
}

/// Of blocking collectives.
const SLOTS_OF_CALL: MessageSlots = MessageSlots {
    send: SEND_SLOT,
    receive: RECEIVE_SLOT,
    numbered: SCRATCH_SLOTS,
};

/// Gives the messages that blocking collectives have under way slots above all others of the rank.
pub(super) fn place_scratch_slots(list: &mut StepList) {
    let base = list.slots;
    for step in &mut list.steps {
        if let Step::Send { slot, .. } | Step::Receive { slot, .. } | Step::Finish { slot, .. } =
            step
            // The number of requests is known only when the whole stream was read.
            && *slot >= SCRATCH_SLOTS
        {
            *slot = base + (*slot - SCRATCH_SLOTS);
            list.slots = list.slots.max(*slot + 1);
        }
    }
}

/// Starts what a schedule starts before it first waits: its nonblocking messages, and the first that would block. The other
/// steps become a schedule of the list.
fn start(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    what: Expansion,
    schedule: Vec<Scheduled>,
    request: RequestId,
) -> Lowered {
    requests::slot(rank, site, request)?;
    let is_started =
        |step: &Scheduled| matches!(step, Scheduled::StartSend(..) | Scheduled::StartReceive(..));
    // Without a progress thread, the library starts messages at the call up to the first that needs a message
    // to arrive.
    let before = schedule.iter().take_while(|step| is_started(step)).count();
    let (started, rest) = schedule.split_at(before);
    let sending = first_free_number(&schedule);
    let receiving = sending + 1;
    // Besides the numbered messages, the send and the receive of a first blocking step, which are started here as well, and those
    // of later blocking steps.
    let first = started_slots(rank, request, receiving + 3);
    let slots = MessageSlots {
        send: first,
        receive: first + 1,
        numbered: first + 2,
    };
    let mut open = OutstandingMessages::default();
    for step in started {
        match *step {
            Scheduled::StartSend(number, sent) => {
                open.start_send(rank, &what, sent, number, slots);
            }
            Scheduled::StartReceive(number, received) => {
                open.start_receive(rank, &what, received, number, slots);
            }
            _ => {}
        }
    }
    let (sent, received) = match rest.first() {
        Some(Scheduled::Send(sent)) => (Some(*sent), None),
        Some(Scheduled::Receive(received)) => (None, Some(*received)),
        Some(Scheduled::Exchange(sent, received)) => (Some(*sent), Some(*received)),
        _ => (None, None),
    };
    let mut remaining = Vec::new();
    if let Some(received) = received {
        open.start_receive(rank, &what, received, receiving, slots);
        remaining.push(Scheduled::Wait(receiving));
    }
    if let Some(sent) = sent {
        open.start_send(rank, &what, sent, sending, slots);
        remaining.insert(0, Scheduled::Wait(sending));
    }
    // The first blocking step has become one or two waits.
    let done = usize::from(!remaining.is_empty());
    remaining.extend_from_slice(&rest[done..]);
    let call = std::mem::take(&mut rank.open.list.steps);
    let has_overlap = rank.open.list.has_overlap;
    expand_remaining(rank, &what, &remaining, open, slots);
    let steps = std::mem::replace(&mut rank.open.list.steps, call);
    // These steps are not executed here.
    rank.open.list.has_overlap = has_overlap;
    let schedule = rank.open.schedules.number(steps);
    rank.push(Step::StartSchedule { schedule });
    rank.open.requests.collectives.insert(request, schedule);
    Ok(())
}

/// The first number above those of a schedule's messages.
fn first_free_number(schedule: &[Scheduled]) -> u32 {
    let mut free = 0;
    for step in schedule {
        if let Scheduled::StartSend(number, _) | Scheduled::StartReceive(number, _) = step {
            free = free.max(number + 1);
        }
    }
    free
}

/// Waits for a started collective.
pub(super) fn complete(rank: &mut RankLowering<'_>, schedule: u32) {
    let steps = rank.open.schedules.values()[schedule as usize].clone();
    let body = steps.len() as u32;
    rank.push(Step::FinishSchedule { schedule, body });
    for step in steps {
        rank.push(step);
    }
}

/// Lets started collectives proceed in a call that does not wait.
pub(super) fn proceed(rank: &mut RankLowering<'_>) {
    if !rank.open.requests.collectives.is_empty() {
        rank.push(Step::Proceed);
    }
}

/// So many slots of their own, above those of all requests of the stream; gives the first.
fn started_slots(rank: &mut RankLowering<'_>, request: RequestId, count: u32) -> u32 {
    if let Some(&(first, known)) = rank.open.slots.get(&request)
        && known >= count
    {
        return first;
    }
    let mut first = rank.slots_of_requests();
    for (other, slots) in rank.open.slots.values() {
        first = first.max(other + slots);
    }
    rank.open.list.slots = rank.open.list.slots.max(first + count);
    rank.open.slots.insert(request, (first, count));
    first
}

fn expand(rank: &mut RankLowering<'_>, what: &Expansion, schedule: &[Scheduled]) {
    let open = OutstandingMessages::default();
    expand_remaining(rank, what, schedule, open, SLOTS_OF_CALL);
}

/// Appends the remaining steps of a schedule, of which some messages are outstanding.
fn expand_remaining(
    rank: &mut RankLowering<'_>,
    what: &Expansion,
    schedule: &[Scheduled],
    mut open: OutstandingMessages,
    slots: MessageSlots,
) {
    for step in schedule {
        match *step {
            Scheduled::Send(sent) | Scheduled::Forward(sent) => {
                start_send(rank, what, sent, slots.send, true);
                finish(rank, slots.send, true);
            }
            Scheduled::Receive(received) => {
                start_receive(rank, what, received, slots.receive, true);
                finish(rank, slots.receive, true);
                arrive(rank, what, &received);
            }
            // As MPI_Sendrecv: the receive is posted before the send can block.
            Scheduled::Exchange(sent, received) => {
                start_receive(rank, what, received, slots.receive, false);
                start_send(rank, what, sent, slots.send, true);
                finish(rank, slots.send, true);
                finish(rank, slots.receive, false);
                arrive(rank, what, &received);
            }
            Scheduled::StartSend(number, sent) => {
                open.start_send(rank, what, sent, number, slots);
            }
            Scheduled::StartReceive(number, received) => {
                open.start_receive(rank, what, received, number, slots);
            }
            Scheduled::Wait(number) => {
                if let Some(done) = open.remove(number) {
                    finish(rank, done.slot, false);
                    if let Some(received) = done.received {
                        arrive(rank, what, &received);
                    }
                }
            }
        }
    }
}

fn start_send(
    rank: &mut RankLowering<'_>,
    what: &Expansion,
    sent: Sent,
    slot: u32,
    blocking: bool,
) {
    let end = (sent.to, sent.part);
    message(rank, what, Direction::Send, end, slot, blocking);
}

fn start_receive(
    rank: &mut RankLowering<'_>,
    what: &Expansion,
    received: Received,
    slot: u32,
    blocking: bool,
) {
    let end = (received.from, received.part);
    message(rank, what, Direction::Receive, end, slot, blocking);
}

fn finish(rank: &mut RankLowering<'_>, slot: u32, blocking: bool) {
    rank.push(Step::Finish {
        slot,
        blocking,
        collective: true,
    });
}

/// Appends the combinations of what has arrived.
fn arrive(rank: &mut RankLowering<'_>, what: &Expansion, received: &Received) {
    let Some(op) = what.reduce_op else { return };
    let ranks = rank.groups.size(what.communicator);
    for _ in 0..received.arrival.combinations() {
        let (element, elements) = what.lengths.elements(received.part, ranks);
        let combine = rank
            .tables
            .local_times
            .number(LocalTime::Combination(Combination {
                op,
                element,
                elements,
            }));
        rank.push(Step::Combine { combine });
    }
}

/// Starts one message of the schedule to or from a rank of the communicator.
fn message(
    rank: &mut RankLowering<'_>,
    what: &Expansion,
    way: Direction,
    (partner, part): (u32, DataPart),
    slot: u32,
    blocking: bool,
) {
    let own = rank.rank.0;
    let partner = rank
        .groups
        .world_rank(what.communicator, i64::from(partner), own)
        .unwrap_or(own);
    let (source, destination) = match way {
        Direction::Send => (own, partner),
        Direction::Receive => (partner, own),
    };
    let channel = Channel {
        communicator: what.communicator,
        source,
        destination,
        tag: what.tag,
    };
    let ranks = rank.groups.size(what.communicator);
    let (link, bytes) = (
        (rank.target.link)(source, destination),
        what.lengths.bytes(way, part, ranks),
    );
    let size = Size {
        link,
        bytes,
        sending: what.sending,
    };
    let (channel, size) = (
        rank.tables.channels.number(channel),
        rank.tables.sizes.number(size),
    );
    rank.push(match way {
        Direction::Send => Step::Send {
            channel,
            size,
            slot,
            blocking,
        },
        Direction::Receive => Step::Receive {
            channel,
            size,
            slot,
            blocking,
        },
    });
}
