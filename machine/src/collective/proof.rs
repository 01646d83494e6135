//! Data-flow proof: each schedule, executed symbolically, must leave the right data on every rank. For tests only.
//!
//! A message contains what its sender has at that moment; blocking sends wait until their receive is posted, so a
//! schedule that needs buffered sends fails. Data are cut into *units* at all places where any message of the schedule
//! begins or ends, and for each unit a rank knows whose contributions it has combined, as bits.

use super::selection::{self, Form, Level, Library, SelectedAlgorithm};
use super::step::{Blocks, DataPart, Effect, Operation, Parameters, Received, Sent, Step, Within};
use super::{COLLECTIVES, CollectiveAlgorithm, Limit};
use base_data::program_data::CollectiveKind;
use std::collections::{BTreeMap, HashSet, VecDeque};

/// Rank 0 of a collective of so many ranks with an operand, and blocks, of so many bytes; elements have 4.
pub(super) fn operation(ranks: u32, bytes: u64) -> Operation<'static> {
    Operation {
        rank: 0,
        ranks,
        root: 0,
        bytes,
        element: 4,
        sent: Blocks::Same(bytes),
        received: Blocks::Same(bytes),
        commutes: true,
        nodes: &[],
        within: None,
        parameters: Parameters::default(),
    }
}

/// Contributions by unit: a bit for each rank, and [`DISORDER`].
type Units = Vec<u64>;

/// Set where operands that do not commute were combined out of order: allowed in data that no result contains.
const DISORDER: u64 = 1 << 63;

/// A unit: of an all-to-all source and destination of a block, of all others the interval of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Layout {
    /// Where intervals begin, ascending, and the end of the last.
    Bytes {
        cuts: Vec<u64>,
        block_begins: Vec<u64>,
        by_node: Vec<u32>,
    },
    Pairs {
        ranks: u32,
    },
}

/// The units of a part for one of its two ends.
fn units_of(layout: &Layout, part: DataPart, own: u32, sends: bool) -> Vec<usize> {
    match layout {
        Layout::Bytes {
            cuts,
            block_begins,
            by_node,
        } => {
            let mut units = Vec::new();
            for (first, last) in intervals(block_begins, by_node, part) {
                // Every end of a sent part is a cut, so it consists of whole units.
                let begin = cuts.partition_point(|&cut| cut < first);
                let end = cuts.partition_point(|&cut| cut < last);
                units.extend(begin..end);
            }
            units
        }
        Layout::Pairs { ranks } => match part {
            DataPart::Blocks { first, count: 1 } => {
                let (source, destination) = if sends { (own, first) } else { (first, own) };
                vec![(source * ranks + destination) as usize]
            }
            DataPart::InTransit {
                stride,
                radix,
                digit,
            } => {
                // Before this message a block has travelled the lower digits of its distance.
                let at = match sends {
                    true => own,
                    false => (own + ranks - digit * stride % ranks) % ranks,
                };
                let mut units = Vec::new();
                for distance in 0..*ranks {
                    if distance / stride % radix == digit {
                        let source = (at + ranks - distance % stride) % ranks;
                        units.push((source * ranks + (source + distance) % ranks) as usize);
                    }
                }
                units
            }
            other => panic!("{other:?} in an all-to-all"),
        },
    }
}

/// A part as intervals of bytes of the operand, or of all blocks one behind the other.
fn intervals(block_begins: &[u64], by_node: &[u32], part: DataPart) -> Vec<(u64, u64)> {
    match part {
        DataPart::Nothing => Vec::new(),
        DataPart::Range { first, bytes } => vec![(first, first + bytes)],
        DataPart::Segment {
            block,
            first,
            bytes,
        } => {
            let begin = block_begins[block as usize] + first;
            vec![(begin, begin + bytes)]
        }
        DataPart::Blocks { first, count } => {
            let ranks = block_begins.len() as u32 - 1;
            assert!(count <= ranks, "{count} blocks of {ranks}");
            let mut all = Vec::new();
            for offset in 0..count {
                let block = ((first + offset) % ranks) as usize;
                all.push((block_begins[block], block_begins[block + 1]));
            }
            all
        }
        DataPart::Every { first, stride } => {
            let ranks = block_begins.len() - 1;
            let mut all = Vec::new();
            for block in (first as usize..ranks).step_by(stride as usize) {
                all.push((block_begins[block], block_begins[block + 1]));
            }
            all
        }
        DataPart::ByNode {
            begin,
            size,
            first,
            bytes,
        } => {
            let length = block_begins.get(1).map_or(0, |end| end - block_begins[0]);
            let (mut at, mut left) = (first, bytes);
            let mut all = Vec::new();
            while left > 0 {
                at %= length * u64::from(size);
                let rank = by_node[begin as usize + (at / length) as usize];
                let (inside, block) = (at % length, block_begins[rank as usize]);
                let taken = left.min(length - inside);
                all.push((block + inside, block + inside + taken));
                (at, left) = (at + taken, left - taken);
            }
            all
        }
        DataPart::InTransit { .. } => panic!("{part:?} outside an all-to-all"),
    }
}

struct Message {
    units: Vec<usize>,
    contributions: Units,
    bytes: u64,
    token: u64,
}

#[derive(Default)]
struct Channel {
    messages: VecDeque<Message>,
    sent: u64,
    posted: u64,
}

/// A started transfer that is not completed.
enum StartedTransfer {
    Sent { channel: (u32, u32), number: u64 },
    Posted(Received),
}

struct Rank {
    steps: Vec<Step>,
    next: usize,
    /// Whether the step at `next` has issued its messages.
    issued: Option<u64>,
    data: Units,
    result: Units,
    /// What arrived last, as it was sent: for messages that are passed on.
    inbox: Units,
    /// Whom the rank has heard of, directly or not: for barriers.
    heard: u64,
    slots: BTreeMap<u32, StartedTransfer>,
    combined: u64,
}

struct Machine<'a> {
    layout: Layout,
    channels: BTreeMap<(u32, u32), Channel>,
    ranks: Vec<Rank>,
    case: &'a str,
    operations: Vec<Operation<'a>>,
}

impl Machine<'_> {
    fn send(&mut self, rank: u32, sent: Sent) -> u64 {
        self.send_from(rank, sent, |state| &state.data)
    }

    /// Sends what a rank has in one of its buffers.
    fn send_from(&mut self, rank: u32, sent: Sent, buffer: fn(&Rank) -> &Units) -> u64 {
        let units = units_of(&self.layout, sent.part, rank, true);
        let state = &self.ranks[rank as usize];
        let data = buffer(state);
        let contributions: Units = units.iter().map(|&unit| data[unit]).collect();
        // No contribution: the data have not arrived yet, so the schedule sends them too early.
        let missing = contributions.contains(&0);
        assert!(!missing, "{}: rank {rank} lacks {sent:?}", self.case);
        let operation = &self.operations[rank as usize];
        let message = Message {
            units,
            contributions,
            bytes: operation.sent.bytes(sent.part, operation.ranks),
            token: state.heard,
        };
        assert!(sent.to < operation.ranks, "{}: {sent:?}", self.case);
        let channel = self.channels.entry((rank, sent.to)).or_default();
        channel.messages.push_back(message);
        channel.sent += 1;
        channel.sent
    }

    fn post(&mut self, rank: u32, received: Received) {
        assert!(
            received.from < self.operations[0].ranks,
            "{}: {received:?}",
            self.case
        );
        self.channels
            .entry((received.from, rank))
            .or_default()
            .posted += 1;
    }

    fn is_taken(&self, channel: (u32, u32), number: u64) -> bool {
        // Messages of a channel do not overtake: the n-th send completes with the n-th receive.
        self.channels[&channel].posted >= number
    }

    fn take(&mut self, rank: u32, received: Received) -> bool {
        let channel = self.channels.entry((received.from, rank)).or_default();
        let Some(message) = channel.messages.pop_front() else {
            return false;
        };
        let operation = &self.operations[rank as usize];
        let expected = units_of(&self.layout, received.part, rank, false);
        let bytes = operation.received.bytes(received.part, operation.ranks);
        assert_eq!(
            (&message.units, message.bytes),
            (&expected, bytes),
            "{}: rank {rank} expects {received:?}",
            self.case
        );
        let (case, commutes) = (self.case, operation.commutes);
        let state = &mut self.ranks[rank as usize];
        state.heard |= message.token;
        // `Forward` passes on this message only, nothing of an earlier one.
        state.inbox = vec![0; state.data.len()];
        for (&unit, &bits) in message.units.iter().zip(&message.contributions) {
            state.inbox[unit] = bits;
        }
        for (&unit, &bits) in message.units.iter().zip(&message.contributions) {
            let effects = [
                (received.arrival.data, &mut state.data),
                (received.arrival.result, &mut state.result),
            ];
            for (effect, buffer) in effects {
                match effect {
                    Effect::None => {}
                    Effect::Store => buffer[unit] = bits,
                    Effect::Combine => {
                        // A contribution that counts twice makes a sum wrong, but leaves the bits as they are.
                        let twice = buffer[unit] & bits & !DISORDER;
                        assert_eq!(twice, 0, "{case}: rank {rank} combines twice");
                        buffer[unit] |= bits;
                        // A rank may keep its own operand aside until it is its turn.
                        let combined = buffer[unit] & !DISORDER;
                        let others = combined & !(1 << rank);
                        if !commutes && !is_run(combined) && !is_run(others) {
                            buffer[unit] |= DISORDER;
                        }
                        state.combined += 1;
                    }
                }
            }
        }
        true
    }

    /// Goes on with a rank; whether it could.
    fn advance(&mut self, rank: u32) -> bool {
        let state = &self.ranks[rank as usize];
        let Some(&step) = state.steps.get(state.next) else {
            return false;
        };
        let issued = state.issued;
        let done = match step {
            Step::StartSend(slot, sent) => {
                let number = self.send(rank, sent);
                let channel = (rank, sent.to);
                self.open(rank, slot, StartedTransfer::Sent { channel, number })
            }
            Step::StartReceive(slot, received) => {
                self.post(rank, received);
                self.open(rank, slot, StartedTransfer::Posted(received))
            }
            Step::Wait(slot) => self.wait(rank, slot),
            Step::Send(sent) => match issued {
                None => return self.issue(rank, Some(sent), None),
                Some(number) => self.is_taken((rank, sent.to), number),
            },
            Step::Forward(sent) => match issued {
                None => {
                    let number = self.send_from(rank, sent, |state| &state.inbox);
                    self.ranks[rank as usize].issued = Some(number);
                    return true;
                }
                Some(number) => self.is_taken((rank, sent.to), number),
            },
            Step::Receive(received) => match issued {
                None => return self.issue(rank, None, Some(received)),
                Some(_) => self.take(rank, received),
            },
            Step::Exchange(sent, received) => match issued {
                None => return self.issue(rank, Some(sent), Some(received)),
                // In this order, since taking removes the message.
                Some(number) => self.is_taken((rank, sent.to), number) && self.take(rank, received),
            },
        };
        if done {
            let state = &mut self.ranks[rank as usize];
            state.next += 1;
            state.issued = None;
        }
        done
    }

    fn issue(&mut self, rank: u32, sent: Option<Sent>, received: Option<Received>) -> bool {
        if let Some(received) = received {
            self.post(rank, received);
        }
        let number = sent.map_or(0, |sent| self.send(rank, sent));
        self.ranks[rank as usize].issued = Some(number);
        true
    }

    fn open(&mut self, rank: u32, slot: u32, what: StartedTransfer) -> bool {
        let before = self.ranks[rank as usize].slots.insert(slot, what);
        assert!(before.is_none(), "{}: slot {slot} is in use", self.case);
        true
    }

    fn wait(&mut self, rank: u32, slot: u32) -> bool {
        let slots = &mut self.ranks[rank as usize].slots;
        let open = slots.remove(&slot).expect("a request to wait for");
        let done = match open {
            StartedTransfer::Sent { channel, number } => self.is_taken(channel, number),
            StartedTransfer::Posted(received) => {
                let queue = &self.channels[&(received.from, rank)].messages;
                !queue.is_empty() && self.take(rank, received)
            }
        };
        if !done {
            self.ranks[rank as usize].slots.insert(slot, open);
        }
        done
    }
}

/// Whether these ranks are consecutive: operands of which both are runs, and together again, are combined in order.
fn is_run(ranks: u64) -> bool {
    let shifted = ranks >> ranks.trailing_zeros().min(63);
    shifted & shifted.wrapping_add(1) == 0
}

/// Runs one algorithm for one case and checks the result.
fn check(algorithm: &CollectiveAlgorithm, case: &Case<'_>) {
    let text = format!(
        "{:?} {} of {} ranks, root {}, {} bytes, {:?}, nodes {:?}, {:?}",
        algorithm.kind,
        algorithm.name,
        case.ranks,
        case.root,
        case.bytes,
        case.blocks,
        case.nodes,
        case.parameters
    );
    let ranks = case.ranks;
    let kind = algorithm.kind;
    let mut operations = Vec::new();
    for rank in 0..ranks {
        operations.push(Operation {
            rank,
            root: case.root,
            bytes: if kind == CollectiveKind::Barrier {
                0
            } else {
                case.bytes
            },
            sent: case.blocks,
            received: case.blocks,
            commutes: case.commutes,
            nodes: case.nodes,
            within: case.within,
            parameters: case.parameters,
            ..operation(ranks, case.bytes)
        });
    }
    let all: Vec<Vec<Step>> = operations.iter().map(algorithm.schedule).collect();
    let by_node = operations[0].by_node().concat();
    let layout = layout(kind, case, &all, by_node);
    let mut machine = Machine {
        layout,
        channels: BTreeMap::new(),
        ranks: Vec::new(),
        case: &text,
        operations,
    };
    for (rank, steps) in (0..ranks).zip(all) {
        let data = initial(kind, &machine.layout, case, rank);
        let result = match kind {
            // The own contribution is no part of the result.
            CollectiveKind::ExclusiveScan => vec![0; data.len()],
            _ => data.clone(),
        };
        machine.ranks.push(Rank {
            steps,
            next: 0,
            issued: None,
            inbox: vec![0; data.len()],
            data,
            result,
            heard: 1 << rank,
            slots: BTreeMap::new(),
            combined: 0,
        });
    }
    // After a round in which no rank moves, all are done or wait for ever.
    let mut moved = true;
    while moved {
        moved = false;
        for rank in 0..ranks {
            while machine.advance(rank) {
                moved = true;
            }
        }
    }
    for (number, rank) in machine.ranks.iter().enumerate() {
        assert_eq!(
            rank.next,
            rank.steps.len(),
            "{text}: rank {number} waits for ever"
        );
        assert!(
            rank.slots.is_empty(),
            "{text}: rank {number} leaves a request"
        );
    }
    for (channel, state) in &machine.channels {
        assert!(
            state.messages.is_empty(),
            "{text}: message left over {channel:?}"
        );
        assert_eq!(state.sent, state.posted, "{text}: {channel:?}");
    }
    goal(kind, &machine, case);
}

/// One case of a collective.
#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    ranks: u32,
    root: u32,
    bytes: u64,
    blocks: Blocks<'a>,
    nodes: &'a [u32],
    commutes: bool,
    within: Option<Within<'a>>,
    parameters: Parameters,
}

impl Case<'_> {
    /// Equal blocks, or an operand, of so many bytes; rank 0 is the root.
    fn of(ranks: u32, bytes: u64) -> Self {
        Self {
            ranks,
            root: 0,
            bytes,
            blocks: Blocks::Same(bytes),
            nodes: &[],
            commutes: true,
            within: None,
            parameters: Parameters::default(),
        }
    }
}

fn has_blocks(kind: CollectiveKind) -> bool {
    matches!(
        kind,
        CollectiveKind::Gather
            | CollectiveKind::Scatter
            | CollectiveKind::Allgather
            | CollectiveKind::ReduceScatter
    )
}

fn layout(kind: CollectiveKind, case: &Case<'_>, all: &[Vec<Step>], by_node: Vec<u32>) -> Layout {
    if kind == CollectiveKind::Alltoall {
        return Layout::Pairs { ranks: case.ranks };
    }
    let mut block_begins = vec![0];
    if has_blocks(kind) {
        for rank in 0..case.ranks {
            block_begins.push(block_begins[rank as usize] + case.blocks.of(rank));
        }
    }
    let mut cuts = block_begins.clone();
    cuts.extend([0, if has_blocks(kind) { 0 } else { case.bytes }]);
    for step in all.iter().flatten() {
        if let Some(sent) = step.sent() {
            for (first, last) in intervals(&block_begins, &by_node, sent.part) {
                cuts.extend([first, last]);
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    Layout::Bytes {
        cuts,
        block_begins,
        by_node,
    }
}

/// What a rank has before.
fn initial(kind: CollectiveKind, layout: &Layout, case: &Case<'_>, rank: u32) -> Units {
    match layout {
        Layout::Pairs { ranks } => {
            let mut units = vec![0; (ranks * ranks) as usize];
            for destination in 0..*ranks {
                units[(rank * ranks + destination) as usize] = 1 << rank;
            }
            units
        }
        Layout::Bytes {
            cuts, block_begins, ..
        } => {
            let mut units = Vec::new();
            for &begin in &cuts[..cuts.len() - 1] {
                let is_own = has_blocks(kind) && block_of(block_begins, begin) == rank;
                let has = match kind {
                    CollectiveKind::Broadcast | CollectiveKind::Scatter => rank == case.root,
                    CollectiveKind::Gather | CollectiveKind::Allgather => is_own,
                    _ => true,
                };
                units.push(if has { 1 << rank } else { 0 });
            }
            units
        }
    }
}

fn block_of(block_begins: &[u64], byte: u64) -> u32 {
    let after = block_begins.iter().filter(|&&begin| begin <= byte).count();
    after as u32 - 1
}

/// Checks what each rank has in the end.
fn goal(kind: CollectiveKind, machine: &Machine<'_>, case: &Case<'_>) {
    let everyone = u64::MAX >> (64 - case.ranks);
    for (rank, state) in (0..case.ranks).zip(&machine.ranks) {
        let of = |text: &str| format!("{}: rank {rank} {text}", machine.case);
        if kind == CollectiveKind::Barrier {
            assert_eq!(state.heard, everyone, "{}", of("leaves early"));
            continue;
        }
        if kind == CollectiveKind::Alltoall {
            for source in 0..case.ranks {
                let unit = (source * case.ranks + rank) as usize;
                assert_eq!(state.data[unit], 1 << source, "{}", of("lacks a block"));
            }
            continue;
        }
        let Layout::Bytes {
            cuts, block_begins, ..
        } = &machine.layout
        else {
            panic!("bytes");
        };
        for (unit, &begin) in cuts[..cuts.len() - 1].iter().enumerate() {
            let block = match has_blocks(kind) {
                true => block_of(block_begins, begin),
                false => 0,
            };
            let below = (1u64 << rank) - 1;
            let expected = match kind {
                CollectiveKind::Broadcast => 1 << case.root,
                CollectiveKind::Scatter if block == rank => 1 << case.root,
                CollectiveKind::Gather if rank == case.root => 1 << block,
                CollectiveKind::Allgather => 1 << block,
                CollectiveKind::Reduce if rank == case.root => everyone,
                CollectiveKind::Allreduce => everyone,
                CollectiveKind::ReduceScatter if block == rank => everyone,
                CollectiveKind::Scan => below | 1 << rank,
                CollectiveKind::ExclusiveScan => below,
                _ => continue,
            };
            let has = [state.data[unit], state.result[unit]];
            let is_right = match kind {
                // Either buffer may have it; in an exclusive scan the data contain the own contribution.
                CollectiveKind::Scan => has.contains(&expected),
                CollectiveKind::ExclusiveScan => has[1] == expected,
                _ => has[0] == expected,
            };
            let is_disordered = has.iter().any(|&bits| bits & DISORDER != 0);
            assert!(
                is_right || !is_disordered,
                "{}",
                of("combines out of order")
            );
            assert!(
                is_right,
                "{}",
                of(&format!("has {has:x?} of unit {unit}, not {expected:x}"))
            );
        }
    }
}

fn is_rooted(kind: CollectiveKind) -> bool {
    matches!(
        kind,
        CollectiveKind::Broadcast
            | CollectiveKind::Reduce
            | CollectiveKind::Gather
            | CollectiveKind::Scatter
    )
}

// One above a power of two; sets of ranks are the bits of a `u64`.
const MOST_RANKS: u32 = 33;

/// All ranks from 1 to 33, all roots; no bytes, fewer elements than ranks, as many, and more that do not divide.
#[test]
fn every_schedule_leaves_the_right_data_on_every_rank() {
    for algorithm in COLLECTIVES {
        for ranks in 1..=MOST_RANKS {
            let roots = if is_rooted(algorithm.kind) { ranks } else { 1 };
            for root in 0..roots {
                let few = u64::from(ranks / 2) * 4;
                let many = u64::from(2 * ranks + 1) * 4;
                let sizes = if root == 0 {
                    vec![0, few, many]
                } else {
                    vec![few, many]
                };
                for bytes in sizes {
                    let case = Case {
                        root,
                        ..Case::of(ranks, bytes)
                    };
                    if algorithm.limit.allows(ranks, bytes.div_ceil(4)) {
                        check(algorithm, &case);
                    }
                }
            }
        }
    }
}

/// With segments of three elements, several radices and few messages at once.
#[test]
fn segmented_schedules_leave_the_right_data() {
    for algorithm in COLLECTIVES {
        for ranks in [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 33] {
            let roots = if is_rooted(algorithm.kind) { ranks } else { 1 };
            for root in [0, roots / 2, roots - 1] {
                for radix in [3, 4] {
                    let bytes = u64::from(ranks + 13) * 4;
                    let case = Case {
                        root,
                        parameters: Parameters {
                            segment: 14,
                            radix,
                            outstanding: 2,
                            ..Parameters::default()
                        },
                        ..Case::of(ranks, bytes)
                    };
                    if algorithm.limit.allows(ranks, bytes.div_ceil(4)) {
                        check(algorithm, &case);
                    }
                }
            }
        }
    }
}

/// Blocks of different lengths, some without bytes.
#[test]
fn schedules_with_unequal_blocks_leave_the_right_data() {
    for algorithm in COLLECTIVES {
        if !has_blocks(algorithm.kind) {
            continue;
        }
        for ranks in 1..=17u32 {
            let lengths: Vec<u64> = (0..ranks).map(|rank| u64::from(rank * 7 % 5) * 8).collect();
            let roots = if is_rooted(algorithm.kind) { ranks } else { 1 };
            for (root, segment) in [(0, 0), (roots - 1, 8)] {
                let case = Case {
                    root,
                    blocks: Blocks::Each(&lengths),
                    parameters: Parameters {
                        segment,
                        ..Parameters::default()
                    },
                    ..Case::of(ranks, 0)
                };
                if algorithm.limit.allows(ranks, u64::MAX) {
                    check(algorithm, &case);
                }
            }
        }
    }
}

/// Ranks on nodes in blocks and in turns.
#[test]
fn schedules_on_nodes_leave_the_right_data() {
    for algorithm in COLLECTIVES {
        for ranks in [1, 2, 3, 5, 8, 12, 17] {
            let blocks: Vec<u32> = (0..ranks).map(|rank| rank / 4).collect();
            let turns: Vec<u32> = (0..ranks).map(|rank| rank % 3).collect();
            let roots = if is_rooted(algorithm.kind) { ranks } else { 1 };
            for nodes in [&blocks, &turns] {
                for root in 0..roots {
                    for segment in [0, 120] {
                        let case = Case {
                            root,
                            nodes,
                            parameters: Parameters {
                                segment,
                                ..Parameters::default()
                            },
                            ..Case::of(ranks, 400)
                        };
                        if algorithm.limit.allows(ranks, 100) {
                            check(algorithm, &case);
                        }
                    }
                }
            }
        }
    }
}

/// A broadcast whose last child gets nothing fails the proof.
#[test]
#[should_panic(expected = "waits for ever")]
fn a_schedule_that_forgets_a_rank_fails() {
    fn forgetful(operation: &Operation<'_>) -> Vec<Step> {
        let mut steps = super::broadcast_binomial::schedule(operation);
        if operation.rank == 0 {
            steps.pop();
        }
        steps
    }
    let algorithm = CollectiveAlgorithm {
        kind: CollectiveKind::Broadcast,
        name: "forgetful",
        limit: Limit::None,
        schedule: forgetful,
    };
    check(&algorithm, &Case::of(4, 8));
}

/// A reduction whose tree is rotated by the root combines the last rank with the first.
#[test]
#[should_panic(expected = "combines out of order")]
fn a_rotated_reduction_of_operands_in_order_fails() {
    fn rotated(operation: &Operation<'_>) -> Vec<Step> {
        let operation = Operation {
            commutes: true,
            ..*operation
        };
        super::reduce_binomial::schedule(&operation)
    }
    let algorithm = CollectiveAlgorithm {
        kind: CollectiveKind::Reduce,
        name: "rotated",
        limit: Limit::None,
        schedule: rotated,
    };
    let case = Case {
        root: 3,
        commutes: false,
        ..Case::of(5, 8)
    };
    check(&algorithm, &case);
}

/// What a library is asked, but for the bytes.
#[derive(Clone, Copy, Debug)]
struct Question<'a> {
    library: &'a Library,
    kind: CollectiveKind,
    form: Form,
    ranks: u32,
    nodes: &'a [u32],
    commutes: bool,
}

impl Question<'_> {
    fn choice(&self, bytes: u64) -> SelectedAlgorithm {
        let blocks = if has_blocks(self.kind) || self.kind == CollectiveKind::Alltoall {
            self.ranks.into()
        } else {
            1
        };
        self.library.choose(&selection::Case {
            kind: self.kind,
            form: self.form,
            ranks: self.ranks,
            bytes,
            total: bytes * blocks,
            elements: bytes / 4,
            built_in: self.commutes,
            commutes: self.commutes,
            nodes: self.nodes,
            level: Level::All,
        })
    }

    fn name(&self, bytes: u64) -> (&'static str, Parameters) {
        let choice = self.choice(bytes);
        (choice.algorithm.name, choice.parameters)
    }

    /// Bytes on both sides of each switch, in elements of 4 bytes; the lengths between which switches are looked for divide
    /// each doubling in two, since libraries switch at powers of two, and at one and a half times one.
    fn sizes_around_switches(&self) -> Vec<u64> {
        let mut grid = vec![4];
        for exponent in 3..22 {
            grid.extend([1 << exponent, 3 << (exponent - 1)]);
        }
        let mut sizes = vec![4];
        for pair in grid.windows(2) {
            let (mut below, mut above) = (pair[0], pair[1]);
            if self.name(below) == self.name(above) {
                continue;
            }
            while above - below > 4 {
                let middle = (below + above) / 8 * 4;
                if self.name(middle) == self.name(below) {
                    below = middle;
                } else {
                    above = middle;
                }
            }
            sizes.extend([below, above]);
        }
        sizes.dedup();
        sizes
    }
}

/// All ranks from 1 to 33, all roots, and the lengths on both sides of each switch of each library: alone on nodes, and on
/// nodes of four ranks in blocks and in turns; operands that commute and that do not; blocking and nonblocking.
#[test]
fn what_libraries_choose_leaves_the_right_data() {
    let libraries = [
        ("MPICH", "3.3.2"),
        ("MPICH", "4.0.2"),
        ("MPICH ch3:sock", "4.0.2"),
        ("Open MPI", "4.1.4"),
        ("Open MPI", "5.0.8"),
        ("Cray MPICH", "8.1.17"),
        ("Intel MPI", "2021.8"),
    ];
    let libraries = libraries.map(|(name, version)| Library::of(name, version));
    let mut checked = HashSet::new();
    for ranks in 1..=MOST_RANKS {
        let blocks: Vec<u32> = (0..ranks).map(|rank| rank / 4).collect();
        let turns: Vec<u32> = (0..ranks).map(|rank| rank % ranks.div_ceil(4)).collect();
        for (number, library) in libraries.iter().enumerate() {
            for (placement, nodes) in [&[][..], &blocks, &turns].into_iter().enumerate() {
                for (kind, form, commutes) in forms() {
                    let question = Question {
                        library,
                        kind,
                        form,
                        ranks,
                        nodes,
                        commutes,
                    };
                    for bytes in question.sizes_around_switches() {
                        let choice = question.choice(bytes);
                        let is_flat = nodes.is_empty() || !choice.algorithm.name.starts_with("two");
                        // Without levels, only the algorithm and its numbers matter.
                        let of_levels = (!is_flat).then_some((number, placement, form));
                        let (name, parameters) = (choice.algorithm.name, choice.parameters);
                        let key = (kind, name, parameters, ranks, bytes, commutes, of_levels);
                        if checked.insert(key) {
                            check_roots(&question, &choice, bytes, is_flat);
                        }
                    }
                }
            }
        }
    }
}

fn check_roots(question: &Question<'_>, choice: &SelectedAlgorithm, bytes: u64, is_flat: bool) {
    let roots = match is_rooted(question.kind) {
        true => question.ranks,
        false => 1,
    };
    for root in 0..roots {
        let case = Case {
            root,
            nodes: if is_flat { &[] } else { question.nodes },
            commutes: question.commutes,
            within: Some(Within {
                library: question.library,
                built_in: question.commutes,
                is_nonblocking: question.form.is_nonblocking,
            }),
            parameters: choice.parameters,
            ..Case::of(question.ranks, bytes)
        };
        check(choice.algorithm, &case);
    }
}

/// All collectives in their forms with equal lengths, and whether operands commute.
fn forms() -> Vec<(CollectiveKind, Form, bool)> {
    use CollectiveKind::*;
    let kinds = [
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
    ];
    let mut forms = Vec::new();
    for kind in kinds {
        for is_nonblocking in [false, true] {
            for is_block in [false, true] {
                for commutes in [true, false] {
                    let form = Form {
                        has_counts: false,
                        is_nonblocking,
                        is_block,
                    };
                    let is_of_kind =
                        (kind == ReduceScatter || !is_block) && (kind.reduces() || commutes);
                    if is_of_kind {
                        forms.push((kind, form, commutes));
                    }
                }
            }
        }
    }
    forms
}
