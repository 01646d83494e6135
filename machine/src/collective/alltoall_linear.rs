//! All-to-all with all messages at once: a rank posts all receives, from the next rank upwards, then all sends, from the
//! rank below downwards, and waits for all. Blocks without bytes are not sent where lengths differ.

use super::step::{Blocks, DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut slots = 0;
    for distance in 1..operation.ranks {
        let from = operation.above(distance);
        if takes_part(operation.received, from) {
            let received = Received::store(from, DataPart::block(from));
            steps.push(Step::StartReceive(slots, received));
            slots += 1;
        }
    }
    for distance in 1..operation.ranks {
        let to = operation.below(distance);
        if takes_part(operation.sent, to) {
            let part = DataPart::block(to);
            steps.push(Step::StartSend(slots, Sent { to, part }));
            slots += 1;
        }
    }
    for slot in 0..slots {
        steps.push(Step::Wait(slot));
    }
    steps
}

fn takes_part(blocks: Blocks<'_>, rank: u32) -> bool {
    match blocks {
        Blocks::Same(_) => true,
        Blocks::Each(_) => blocks.of(rank) > 0,
    }
}
