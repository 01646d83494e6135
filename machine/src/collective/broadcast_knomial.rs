//! Broadcast along a k-nomial tree.

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    tree::broadcast(
        operation,
        &Tree::knomial(operation, operation.parameters.radix),
    )
}
