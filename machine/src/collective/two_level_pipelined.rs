//! Collectives in two levels whose operand is cut into segments: while a segment is between nodes, the next is inside them.
//! Open MPI's component han (ompi/mca/coll/han/coll_han_bcast.c, coll_han_reduce.c and coll_han_allreduce.c of 5.0.8, `…_intra`).
//!
//! The collective between nodes is started, the one inside the node performed, and the first one completed. An allreduce has
//! two under way between nodes, a broadcast and a reduction; here they take turns.

use super::selection::Level;
use super::step::{DataPart, Operation, Step};
use super::two_level::{self, Nodes, OfLevel};
use base_data::program_data::CollectiveKind;

/// First byte and length of each segment.
fn segments(operation: &Operation<'_>) -> Vec<(u64, u64)> {
    let mut segments = Vec::new();
    for part in operation.segments() {
        if let DataPart::Range { first, bytes } = part {
            segments.push((first, bytes));
        }
    }
    segments
}

/// A collective of one segment on one level.
fn of_segment<'a>(
    kind: CollectiveKind,
    level: Level,
    (members, root): (&'a [u32], u32),
    (first, bytes): (u64, u64),
) -> OfLevel<'a> {
    OfLevel {
        kind,
        level,
        is_nonblocking: false,
        members,
        root,
        first,
        bytes,
    }
}

/// Broadcast: between the ranks that have the root's place on their nodes, inside the nodes.
pub fn broadcast(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    if !nodes.are_equal() {
        return two_level::broadcast(operation);
    }
    let place = nodes.find(operation.root).1;
    let column = nodes.column(place);
    let (node, kind) = (nodes.node(), CollectiveKind::Broadcast);
    let segments = segments(operation);
    let between = |segment| of_segment(kind, Level::Leaders, (&column, operation.root), segment);
    let mut steps = between(segments[0]).among_all(operation);
    for (number, &segment) in segments.iter().enumerate() {
        let mut next = Vec::new();
        if let Some(&segment) = segments.get(number + 1) {
            let started = OfLevel {
                is_nonblocking: true,
                ..between(segment)
            };
            next = started.among_all(operation);
        }
        let inside = of_segment(kind, Level::Node, (node, node[place]), segment);
        overlap(next, inside.among_all(operation), &mut steps);
    }
    steps
}

/// Reduction: inside the nodes to the rank with the root's place, between those.
pub fn reduce(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    if !nodes.are_equal() {
        return two_level::reduce(operation);
    }
    let place = nodes.find(operation.root).1;
    let column = nodes.column(place);
    let (node, kind) = (nodes.node(), CollectiveKind::Reduce);
    let segments = segments(operation);
    let inside =
        |segment| of_segment(kind, Level::Node, (node, node[place]), segment).among_all(operation);
    let mut steps = inside(segments[0]);
    for (number, &segment) in segments.iter().enumerate() {
        let between = OfLevel {
            is_nonblocking: true,
            ..of_segment(kind, Level::Leaders, (&column, operation.root), segment)
        };
        let next = segments.get(number + 1).map(|&segment| inside(segment));
        overlap(
            between.among_all(operation),
            next.unwrap_or_default(),
            &mut steps,
        );
    }
    steps
}

/// Allreduce: of each segment reduction inside the nodes, reduction and broadcast between leaders, broadcast inside the nodes.
pub fn allreduce(operation: &Operation<'_>) -> Vec<Step> {
    let nodes = Nodes::new(operation);
    let (node, leaders) = (nodes.node(), nodes.column(0));
    let segments = segments(operation);
    let inside = |kind, segment| of_segment(kind, Level::Node, (node, node[0]), segment);
    let between = |kind, segment| OfLevel {
        is_nonblocking: true,
        ..of_segment(kind, Level::Leaders, (&leaders, leaders[0]), segment)
    };
    let (reduce, broadcast) = (CollectiveKind::Reduce, CollectiveKind::Broadcast);
    let mut steps = Vec::new();
    // In round k: reduction of segment k inside, of k − 1 between, broadcast of k − 2 between, of k − 3 inside.
    for round in 0..segments.len() + 3 {
        let before = |rounds| round.checked_sub(rounds).and_then(|at| segments.get(at));
        let mut meanwhile = Vec::new();
        if let Some(&segment) = before(0) {
            meanwhile.extend(inside(reduce, segment).among_all(operation));
        }
        if let Some(&segment) = before(3) {
            meanwhile.extend(inside(broadcast, segment).among_all(operation));
        }
        let mut started = Vec::new();
        if let Some(&segment) = before(2) {
            started = between(broadcast, segment).among_all(operation);
        }
        let mut second = Vec::new();
        if let Some(&segment) = before(1) {
            second = between(reduce, segment).among_all(operation);
        }
        if started.is_empty() {
            std::mem::swap(&mut started, &mut second);
        }
        overlap(started, meanwhile, &mut steps);
        steps.extend(second);
    }
    steps
}

/// Appends the steps of a collective that is started, of another that is performed meanwhile, and what is left of the first.
///
/// A library starts the messages of a nonblocking collective up to the first that needs another to arrive.
fn overlap(started: Vec<Step>, meanwhile: Vec<Step>, steps: &mut Vec<Step>) {
    // The requests of both are under way at once, so those of the first have numbers above.
    let free = first_unused_request(&meanwhile);
    let highest = first_unused_request(&started);
    let [sending, receiving] = [free + highest, free + highest + 1];
    let mut rest = started.into_iter().map(|step| moved(step, free)).peekable();
    while let Some(step) =
        rest.next_if(|step| matches!(step, Step::StartSend(..) | Step::StartReceive(..)))
    {
        steps.push(step);
    }
    let mut waits = Vec::new();
    match rest.peek().copied() {
        Some(Step::Send(sent)) => {
            steps.push(Step::StartSend(sending, sent));
            waits.push(Step::Wait(sending));
        }
        Some(Step::Receive(received)) => {
            steps.push(Step::StartReceive(receiving, received));
            waits.push(Step::Wait(receiving));
        }
        Some(Step::Exchange(sent, received)) => {
            steps.push(Step::StartReceive(receiving, received));
            steps.push(Step::StartSend(sending, sent));
            waits.extend([Step::Wait(sending), Step::Wait(receiving)]);
        }
        _ => {}
    }
    if !waits.is_empty() {
        rest.next();
    }
    steps.extend(meanwhile);
    steps.extend(waits);
    steps.extend(rest);
}

/// The number above those of all requests of the steps.
fn first_unused_request(steps: &[Step]) -> u32 {
    let mut unused = 0;
    for step in steps {
        if let Step::StartSend(slot, _) | Step::StartReceive(slot, _) = step {
            unused = unused.max(slot + 1);
        }
    }
    unused
}

/// A step whose request has a number `by` higher.
fn moved(step: Step, by: u32) -> Step {
    match step {
        Step::StartSend(slot, sent) => Step::StartSend(slot + by, sent),
        Step::StartReceive(slot, received) => Step::StartReceive(slot + by, received),
        Step::Wait(slot) => Step::Wait(slot + by),
        other => other,
    }
}
