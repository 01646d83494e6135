//! Reduction along a complete binary tree; segments are pipelined through it.

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    tree::reduce(operation, &Tree::level_order(operation, 2))
}
