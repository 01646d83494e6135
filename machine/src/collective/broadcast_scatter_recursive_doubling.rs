//! Broadcast by a binomial scatter and an allgather by recursive doubling, for a power of two of ranks: partners are 1,
//! 2, 4, … apart, and each exchange doubles what they have.

use super::broadcast_scatter::{chunks, scatter};
use super::step::{Arrival, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    if operation.bytes == 0 {
        return steps;
    }
    scatter(operation, &mut steps);
    let own = operation.relative();
    let mut bit = 1;
    while bit < operation.ranks {
        let partner = own ^ bit;
        // Both have the chunks of the subtree that begins where the bits below are 0.
        let sent = chunks(operation, own & !(bit - 1), bit);
        let received = chunks(operation, partner & !(bit - 1), bit);
        steps.push(Step::swap(
            operation.absolute(partner),
            sent,
            received,
            Arrival::STORE,
        ));
        bit *= 2;
    }
    steps
}
