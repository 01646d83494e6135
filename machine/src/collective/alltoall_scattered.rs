//! All-to-all with many messages under way at once: a rank posts the receives of as many blocks as may be outstanding,
//! from itself upwards, then their sends, from itself downwards, waits for all of them, and goes on with the next. Its
//! own block is a message to itself. Blocks without bytes are not sent where lengths differ.

use super::step::{Blocks, DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let ranks = operation.ranks;
    let batch = match operation.parameters.outstanding {
        0 => ranks,
        some => some,
    };
    let mut steps = Vec::new();
    let mut first = 0;
    while first < ranks {
        let mut slots = 0;
        let last = ranks.min(first + batch);
        for distance in first..last {
            let from = operation.above(distance);
            if takes_part(operation.received, from) {
                let received = Received::store(from, DataPart::block(from));
                steps.push(Step::StartReceive(slots, received));
                slots += 1;
            }
        }
        for distance in first..last {
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
        first = last;
    }
    steps
}

fn takes_part(blocks: Blocks<'_>, rank: u32) -> bool {
    match blocks {
        Blocks::Same(_) => true,
        Blocks::Each(_) => blocks.of(rank) > 0,
    }
}
