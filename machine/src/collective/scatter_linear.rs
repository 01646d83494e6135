//! Scatter without a tree: the root sends all blocks at once. A rank needs to know its own count alone
//! (`MPI_Scatterv`). Blocks without bytes are not sent.

use super::step::{DataPart, Operation, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let root = operation.root;
    if operation.rank != root {
        if operation.received.of(operation.rank) == 0 {
            return Vec::new();
        }
        return vec![Step::receive(root, DataPart::block(operation.rank))];
    }
    let mut steps = Vec::new();
    let mut slots = 0;
    for to in 0..operation.ranks {
        if to != root && operation.sent.of(to) > 0 {
            let part = DataPart::block(to);
            steps.push(Step::StartSend(slots, Sent { to, part }));
            slots += 1;
        }
    }
    for slot in 0..slots {
        steps.push(Step::Wait(slot));
    }
    steps
}
