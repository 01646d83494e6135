//! Broadcast along chains below the root, as many as the radix; segments are pipelined through them.

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    tree::broadcast(
        operation,
        &Tree::chains(operation, operation.parameters.radix),
    )
}
