//! Reduction without a tree: the root receives from all, the last rank first, so that operands meet in order.

use super::step::{Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if operation.rank != operation.root {
        return vec![Step::send(operation.root, operation.whole())];
    }
    let mut steps = Vec::new();
    for from in (0..operation.ranks).rev() {
        if from != operation.root {
            steps.push(Step::reduce(from, operation.whole()));
        }
    }
    steps
}
