//! Scatter without a tree whose root sends one block after the other, in the order of ranks.

use super::step::{Operation, Part, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let root = operation.root;
    if operation.rank != root {
        return vec![Step::receive(root, Part::block(operation.rank))];
    }
    let mut steps = Vec::new();
    for to in 0..operation.ranks {
        if to != root {
            steps.push(Step::send(to, Part::block(to)));
        }
    }
    steps
}
