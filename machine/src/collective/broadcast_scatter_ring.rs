//! Broadcast by a binomial scatter and a ring allgather: for long messages. Chunks without bytes are sent around the
//! ring, too.

use super::broadcast_scatter::{chunks, in_bytes, scatter};
use super::step::{Operation, Received, Sent, Step};

/// Steps of one rank, as MPICH cuts the operand.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    between_elements(&in_bytes(operation))
}

/// Steps of one rank, as Open MPI 4.1's `scatter_allgather_ring` (ompi/mca/coll/base/coll_base_bcast.c) cuts it.
pub fn between_elements(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    if operation.bytes == 0 {
        return steps;
    }
    scatter(operation, &mut steps);
    let (own, ranks) = (operation.relative(), operation.ranks);
    for round in 1..ranks {
        let passed = (own + ranks - (round - 1)) % ranks;
        let next = (own + ranks - round) % ranks;
        let sent = Sent {
            to: operation.above(1),
            part: chunks(operation, passed, 1),
        };
        let received = Received::store(operation.below(1), chunks(operation, next, 1));
        steps.push(Step::Exchange(sent, received));
    }
    steps
}
