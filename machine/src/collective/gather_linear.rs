//! Gather without a tree: every rank sends its block to the root, which receives all at once. A rank needs to
//! know its own count alone (`MPI_Gatherv`). Blocks without bytes are not sent.

use super::step::{DataPart, Operation, Received, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let root = operation.root;
    if operation.rank != root {
        if operation.sent.of(operation.rank) == 0 {
            return Vec::new();
        }
        return vec![Step::send(root, DataPart::block(operation.rank))];
    }
    let mut steps = Vec::new();
    let mut slots = 0;
    for from in 0..operation.ranks {
        if from != root && operation.received.of(from) > 0 {
            let received = Received::store(from, DataPart::block(from));
            steps.push(Step::StartReceive(slots, received));
            slots += 1;
        }
    }
    for slot in 0..slots {
        steps.push(Step::Wait(slot));
    }
    steps
}
