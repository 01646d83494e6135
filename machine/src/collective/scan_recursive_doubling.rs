//! Inclusive and exclusive scan by recursive doubling: ranks that differ in one bit exchange what they have combined so
//! far, bit by bit. A rank combines everything that arrives with what it sends on, and what comes from ranks below with
//! its result, too.

use super::step::{Arrival, Effect, Operation, Received, Sent, Step};

/// Steps of one rank of an inclusive scan.
pub fn inclusive(operation: &Operation<'_>) -> Vec<Step> {
    steps(operation, Effect::Combine)
}

/// Steps of one rank of an exclusive scan: the first operand from below is the result so far.
pub fn exclusive(operation: &Operation<'_>) -> Vec<Step> {
    steps(operation, Effect::Store)
}

fn steps(operation: &Operation<'_>, first_from_below: Effect) -> Vec<Step> {
    let whole = operation.whole();
    let mut from_below = first_from_below;
    let mut steps = Vec::new();
    let mut bit = 1;
    while bit < operation.ranks {
        let partner = operation.rank ^ bit;
        if partner < operation.ranks {
            let mut arrival = Arrival::COMBINE;
            if partner < operation.rank {
                arrival.result = from_below;
                from_below = Effect::Combine;
            }
            let sent = Sent {
                to: partner,
                part: whole,
            };
            let received = Received {
                from: partner,
                part: whole,
                arrival,
            };
            steps.push(Step::Exchange(sent, received));
        }
        bit *= 2;
    }
    steps
}
