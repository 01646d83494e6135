//! Allgather by recursive doubling, for a power of two of ranks: partners are 1, 2, 4, … apart, and each exchange
//! doubles the blocks that both have.

use super::step::{Arrival, DataPart, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut count = 1;
    while count < operation.ranks {
        let partner = operation.rank ^ count;
        let blocks_of = |rank: u32| DataPart::Blocks {
            first: rank & !(count - 1),
            count,
        };
        steps.push(Step::swap(
            partner,
            blocks_of(operation.rank),
            blocks_of(partner),
            Arrival::STORE,
        ));
        count *= 2;
    }
    steps
}
