//! Broadcast without a tree: the root sends to all others at once.

use super::step::{Operation, Step};
use super::tree;

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if operation.rank != operation.root {
        return vec![Step::receive(operation.root, operation.whole())];
    }
    let mut others = Vec::new();
    for rank in 0..operation.ranks {
        if rank != operation.root {
            others.push(rank);
        }
    }
    let mut steps = Vec::new();
    tree::send_to_all(&others, operation.whole(), 0, &mut steps);
    steps
}
