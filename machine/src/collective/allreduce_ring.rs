//! Allreduce around a ring: the operand is cut into one chunk per rank, the first ones an element longer. In P − 1
//! rounds a chunk passes all ranks and is combined, in P − 1 more it passes all of them again.

use super::step::{Arrival, DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    ring(operation, 0)
}

/// The next rank's chunk sets out first, and each rank completes its own. libnbc's `ring` of Open MPI 4.1 to 5.0
/// (ompi/mca/coll/libnbc/nbc_iallreduce.c).
pub fn next_first(operation: &Operation<'_>) -> Vec<Step> {
    ring(operation, 1)
}

/// The chunk that sets out first is so many ranks above the rank's own.
fn ring(operation: &Operation<'_>, ahead: u32) -> Vec<Step> {
    let ranks = operation.ranks;
    let mut steps = Vec::new();
    for round in 0..2 * (ranks - 1) {
        // The chunk that a rank completes, the one above its first, begins the second turn.
        let sent = Sent {
            to: operation.above(1),
            part: chunk(operation, (operation.below(round) + ahead) % ranks),
        };
        let arrival = if round < ranks - 1 {
            Arrival::COMBINE
        } else {
            Arrival::STORE
        };
        let received = Received {
            from: operation.below(1),
            part: chunk(operation, (operation.below(round + 1) + ahead) % ranks),
            arrival,
        };
        steps.push(Step::Exchange(sent, received));
    }
    steps
}

/// The chunk of a number.
pub(super) fn chunk(operation: &Operation<'_>, number: u32) -> DataPart {
    let (first, elements) = chunk_elements(operation, number);
    operation.range(first, elements)
}

/// The first element of a chunk, and how many it has.
pub(super) fn chunk_elements(operation: &Operation<'_>, number: u32) -> (u64, u64) {
    let ranks = u64::from(operation.ranks);
    let (each, longer) = (operation.elements() / ranks, operation.elements() % ranks);
    let number = u64::from(number);
    let first = each * number + longer.min(number);
    (first, each + u64::from(number < longer))
}
