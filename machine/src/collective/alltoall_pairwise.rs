//! All-to-all by pairwise exchange: in round `i` of P − 1 a rank sends to the one `i` above it and receives from the one
//! `i` below it, around the ring.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for distance in 1..operation.ranks {
        let (to, from) = (operation.above(distance), operation.below(distance));
        let sent = Sent {
            to,
            part: DataPart::block(to),
        };
        let received = Received::store(from, DataPart::block(from));
        steps.push(Step::Exchange(sent, received));
    }
    steps
}
