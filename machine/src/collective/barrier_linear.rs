//! Barrier at rank 0: all report to it, then it releases all.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if operation.rank != 0 {
        return vec![
            Step::send(0, DataPart::Nothing),
            Step::receive(0, DataPart::Nothing),
        ];
    }
    let mut steps = Vec::new();
    for from in 1..operation.ranks {
        steps.push(Step::StartReceive(
            from - 1,
            Received::store(from, DataPart::Nothing),
        ));
    }
    for slot in 0..operation.ranks - 1 {
        steps.push(Step::Wait(slot));
    }
    for to in 1..operation.ranks {
        let sent = Sent {
            to,
            part: DataPart::Nothing,
        };
        steps.push(Step::StartSend(to - 1, sent));
    }
    for slot in 0..operation.ranks - 1 {
        steps.push(Step::Wait(slot));
    }
    steps
}
