//! Reduce-scatter by pairwise exchange: in round `i` of P − 1 a rank sends its contribution to the block of the one `i`
//! above it and combines what comes from the one `i` below it with its own block.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for distance in 1..operation.ranks {
        let to = operation.above(distance);
        let sent = Sent {
            to,
            part: DataPart::block(to),
        };
        let received =
            Received::combine(operation.below(distance), DataPart::block(operation.rank));
        steps.push(Step::Exchange(sent, received));
    }
    steps
}
