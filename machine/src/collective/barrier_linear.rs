//! Barrier at rank 0: all report to it, then it releases all.

use super::step::{Operation, Part, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if operation.rank != 0 {
        return vec![
            Step::send(0, Part::Nothing),
            Step::receive(0, Part::Nothing),
        ];
    }
    let mut steps = Vec::new();
    for from in 1..operation.ranks {
        steps.push(Step::StartReceive(
            from - 1,
            Received::store(from, Part::Nothing),
        ));
    }
    for slot in 0..operation.ranks - 1 {
        steps.push(Step::Wait(slot));
    }
    for to in 1..operation.ranks {
        let sent = Sent {
            to,
            part: Part::Nothing,
        };
        steps.push(Step::StartSend(to - 1, sent));
    }
    for slot in 0..operation.ranks - 1 {
        steps.push(Step::Wait(slot));
    }
    steps
}
