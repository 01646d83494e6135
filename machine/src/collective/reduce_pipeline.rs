//! Reduction along a single chain; segments are pipelined through it.

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    tree::reduce(operation, &Tree::chains(operation, 1))
}
