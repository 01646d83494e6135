//! Reduce-scatter around a ring: in each of P − 1 rounds a rank passes a block with what has been combined of it so far
//! to the next one and combines the one that arrives. A block arrives at its rank last.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for round in 1..operation.ranks {
        let sent = Sent {
            to: operation.above(1),
            part: DataPart::block(operation.below(round)),
        };
        let received = Received::combine(
            operation.below(1),
            DataPart::block(operation.below(round + 1)),
        );
        steps.push(Step::Exchange(sent, received));
    }
    steps
}
