//! Scatter without a tree whose root sends one block after the other, in the order of ranks. Blocks
//! without bytes are not sent; a rank needs to know its own count alone (`MPI_Scatterv`).

use super::step::{DataPart, Operation, Step};

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
    for to in 0..operation.ranks {
        if to != root && operation.sent.of(to) > 0 {
            steps.push(Step::send(to, DataPart::block(to)));
        }
    }
    steps
}
