//! Gather without a tree whose root receives one block after the other, in the order of ranks.

use super::step::{Operation, Part, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let root = operation.root;
    if operation.rank != root {
        return vec![Step::send(root, Part::block(operation.rank))];
    }
    let mut steps = Vec::new();
    for from in 0..operation.ranks {
        if from != root {
            steps.push(Step::receive(from, Part::block(from)));
        }
    }
    steps
}
