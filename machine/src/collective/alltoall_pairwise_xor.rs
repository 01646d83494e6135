//! All-to-all by pairwise exchange between ranks whose numbers differ in the bits of the round's, for a power of two of
//! ranks; for others around the ring ([`super::alltoall_pairwise`]).

use super::step::{Arrival, DataPart, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if !operation.ranks.is_power_of_two() {
        return super::alltoall_pairwise::schedule(operation);
    }
    let mut steps = Vec::new();
    for round in 1..operation.ranks {
        let partner = operation.rank ^ round;
        let block = DataPart::block(partner);
        steps.push(Step::swap(partner, block, block, Arrival::STORE));
    }
    steps
}
