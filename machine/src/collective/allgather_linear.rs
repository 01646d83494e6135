//! Allgather without a tree: rank 0 gathers all blocks, then sends all of them to everyone.

use super::step::{DataPart, Operation, Step};
use super::tree;

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let at_zero = Operation {
        root: 0,
        ..*operation
    };
    let all = DataPart::Blocks {
        first: 0,
        count: operation.ranks,
    };
    let mut steps = super::gather_linear::schedule(&at_zero);
    if operation.rank != 0 {
        steps.push(Step::receive(0, all));
        return steps;
    }
    let others: Vec<u32> = (1..operation.ranks).collect();
    tree::send_to_all(&others, all, 0, &mut steps);
    steps
}
