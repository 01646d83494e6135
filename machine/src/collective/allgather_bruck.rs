//! Allgather by Bruck's algorithm (Bruck et al. 1997), ⌈log2 P⌉ rounds for any number of ranks: in round `i` a rank
//! sends its first 2^i blocks, counted from its own, to the one 2^i below and receives as many from the one 2^i above;
//! in the last round only those that are missing.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < operation.ranks {
        let count = distance.min(operation.ranks - distance);
        let sent = Sent {
            to: operation.below(distance),
            part: DataPart::Blocks {
                first: operation.rank,
                count,
            },
        };
        let source = operation.above(distance);
        let received = Received::store(
            source,
            DataPart::Blocks {
                first: source,
                count,
            },
        );
        steps.push(Step::Exchange(sent, received));
        distance *= 2;
    }
    steps
}
