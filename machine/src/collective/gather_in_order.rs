//! Gather without a tree whose root receives one block after the other, in the order of ranks.
//! Blocks without bytes are not sent; a rank needs to know its own count alone (`MPI_Gatherv`).

use super::step::{DataPart, Operation, Step};

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
    for from in 0..operation.ranks {
        if from != root && operation.received.of(from) > 0 {
            steps.push(Step::receive(from, DataPart::block(from)));
        }
    }
    steps
}
