//! Gather without a tree in which the root invites the ranks in order: it posts the receive of a rank's first segment,
//! sends it an empty message, posts the receive of the rest and waits for the first segment before it goes on. So no
//! more than one first segment is under way, however many ranks there are.
//! Open MPI 4.1's `linear_sync` (ompi/mca/coll/base/coll_base_gather.c); without a segment size the first segment is the
//! whole block, and an empty message follows it.

use super::step::{DataPart, Operation, Received, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let root = operation.root;
    let mut steps = Vec::new();
    if operation.rank != root {
        let bytes = operation.sent.of(operation.rank);
        let [begin, rest] = pieces(operation, operation.rank, bytes);
        steps.push(Step::receive(root, DataPart::Nothing));
        steps.push(Step::send(root, begin));
        steps.push(Step::send(root, rest));
        return steps;
    }
    // The other slots are the numbers of ranks.
    let first_segment = operation.ranks;
    for from in 0..operation.ranks {
        if from == root {
            continue;
        }
        let [begin, rest] = pieces(operation, from, operation.received.of(from));
        steps.push(Step::StartReceive(
            first_segment,
            Received::store(from, begin),
        ));
        steps.push(Step::send(from, DataPart::Nothing));
        steps.push(Step::StartReceive(from, Received::store(from, rest)));
        steps.push(Step::Wait(first_segment));
    }
    for from in 0..operation.ranks {
        if from != root {
            steps.push(Step::Wait(from));
        }
    }
    steps
}

/// The first segment of a rank's block and the rest of it.
fn pieces(operation: &Operation<'_>, block: u32, bytes: u64) -> [DataPart; 2] {
    // No element is cut.
    let segment = operation.parameters.segment / operation.element * operation.element;
    let begin = if segment == 0 {
        bytes
    } else {
        segment.min(bytes)
    };
    let part = |first, bytes| DataPart::Segment {
        block,
        first,
        bytes,
    };
    [part(0, begin), part(begin, bytes - begin)]
}
