//! Barrier by dissemination (Hensgen, Finkel, Manber 1988): in round `i` every rank sends to the one 2^i above it and
//! receives from the one 2^i below it, around the ring; ⌈log2 P⌉ rounds.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < operation.ranks {
        let sent = Sent {
            to: operation.above(distance),
            part: DataPart::Nothing,
        };
        let received = Received::store(operation.below(distance), DataPart::Nothing);
        steps.push(Step::Exchange(sent, received));
        distance *= 2;
    }
    steps
}
