//! Broadcast of two halves along the two subtrees of a complete binary tree: the left subtree gets the first half, the
//! right one the second, in segments; then each rank exchanges its half with its counterpart in the other subtree.
//! Open MPI 4.1's `split_binary_tree` (ompi/mca/coll/base/coll_base_bcast.c, `…_bcast_intra_split_bintree`).

use super::step::{Arrival, DataPart, Operation, Received, Step};
use super::tree::Tree;

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let elements = operation.elements();
    let lengths = [elements.div_ceil(2), elements / 2];
    let segment = operation.parameters.segment;
    // The library, too, takes one chain where a half is shorter than a segment.
    if lengths[1] == 0 || segment > lengths[1] * operation.element {
        return super::broadcast_pipeline::schedule(operation);
    }
    let halves = [
        operation.range(0, lengths[0]),
        operation.range(lengths[0], lengths[1]),
    ];
    let segments = [
        operation.segments_of(0, lengths[0]),
        operation.segments_of(lengths[0], lengths[1]),
    ];
    let (own, ranks) = (operation.relative(), operation.ranks);
    if ranks == 1 {
        return Vec::new();
    }
    let tree = Tree::level_order(operation, 2);
    let mut steps = Vec::new();
    // Numbering level by level puts odd ranks, counted from the root, into the left subtree.
    let side = if own % 2 == 1 { 0 } else { 1 };
    match tree.parent {
        None => send_halves(&tree, &segments, &mut steps),
        Some(parent) => pass_on(parent, &tree, &segments[side], &mut steps),
    }

    let last = ranks - 1;
    let last_has_no_counterpart = ranks.is_multiple_of(2);
    if own == 0 {
        if last_has_no_counterpart {
            steps.push(Step::send(operation.absolute(last), halves[1]));
        }
    } else if own == last && last_has_no_counterpart {
        steps.push(Step::receive(operation.root, halves[1]));
    } else {
        let counterpart = if side == 0 { own + 1 } else { own - 1 };
        steps.push(Step::swap(
            operation.absolute(counterpart),
            halves[side],
            halves[1 - side],
            Arrival::STORE,
        ));
    }
    steps
}

/// The root sends a segment of each half in turn.
fn send_halves(tree: &Tree, segments: &[Vec<DataPart>; 2], steps: &mut Vec<Step>) {
    for turn in 0..segments[0].len() {
        for (&child, of_half) in tree.children.iter().zip(segments) {
            if let Some(&segment) = of_half.get(turn) {
                steps.push(Step::send(child, segment));
            }
        }
    }
}

/// Ranks with children post the next segment's receive before they pass a segment on; the others just receive.
fn pass_on(parent: u32, tree: &Tree, segments: &[DataPart], steps: &mut Vec<Step>) {
    if tree.children.is_empty() {
        for &segment in segments {
            steps.push(Step::receive(parent, segment));
        }
        return;
    }
    steps.push(Step::StartReceive(0, Received::store(parent, segments[0])));
    for (number, &segment) in segments.iter().enumerate() {
        let slot = (number % 2) as u32;
        if let Some(&next) = segments.get(number + 1) {
            steps.push(Step::StartReceive(1 - slot, Received::store(parent, next)));
        }
        steps.push(Step::Wait(slot));
        for &child in &tree.children {
            steps.push(Step::send(child, segment));
        }
    }
}
