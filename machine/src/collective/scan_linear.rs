//! Inclusive and exclusive scan from rank to rank: each receives what those below have combined, combines its own and
//! passes that on.

use super::step::{Arrival, Effect, Operation, Received, Step};

/// Steps of one rank of an inclusive scan.
pub fn inclusive(operation: &Operation<'_>) -> Vec<Step> {
    // What is passed on is the result.
    steps(operation, Arrival::COMBINE, Arrival::COMBINE)
}

/// Steps of one rank of an exclusive scan: the result is what arrives.
pub fn exclusive(operation: &Operation<'_>) -> Vec<Step> {
    let last = Arrival {
        data: Effect::None,
        result: Effect::Store,
    };
    let passed = Arrival {
        data: Effect::Combine,
        ..last
    };
    steps(operation, last, passed)
}

fn steps(operation: &Operation<'_>, of_last: Arrival, of_others: Arrival) -> Vec<Step> {
    let (rank, whole) = (operation.rank, operation.whole());
    let is_last = rank + 1 == operation.ranks;
    let mut steps = Vec::new();
    if rank > 0 {
        let arrival = if is_last { of_last } else { of_others };
        steps.push(Step::Receive(Received {
            from: rank - 1,
            part: whole,
            arrival,
        }));
    }
    if !is_last {
        steps.push(Step::send(rank + 1, whole));
    }
    steps
}
