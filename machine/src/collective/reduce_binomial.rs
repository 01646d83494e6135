//! Reduction along a binomial tree: a rank receives from those that differ in the bits below its lowest set bit
//! (counted from the root), lowest first, and sends to the one that differs in that bit.
//!
//! Operands that must be combined in order meet at rank 0, which passes the result to the root.

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if operation.commutes || operation.root == 0 {
        return tree::reduce(operation, &Tree::binomial(operation));
    }
    let at_zero = Operation {
        root: 0,
        ..*operation
    };
    let mut steps = tree::reduce(&at_zero, &Tree::binomial(&at_zero));
    if operation.rank == 0 {
        steps.push(Step::send(operation.root, operation.whole()));
    } else if operation.rank == operation.root {
        steps.push(Step::receive(0, operation.whole()));
    }
    steps
}
