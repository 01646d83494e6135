//! All-to-all with all messages at once, posted in the order of ranks, the receive from a rank before the send to it. Blocks
//! without bytes are not sent where lengths differ. Open MPI's libnbc (ompi/mca/coll/libnbc/nbc_ialltoall.c of 5.0.8; its
//! nbc_ialltoallv.c posts the send first, which sends the same messages).

use super::step::{Blocks, DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for other in 0..operation.ranks {
        if other == operation.rank {
            continue;
        }
        let (slot, part) = (steps.len() as u32, DataPart::block(other));
        if takes_part(operation.received, other) {
            steps.push(Step::StartReceive(slot, Received::store(other, part)));
        }
        let slot = steps.len() as u32;
        if takes_part(operation.sent, other) {
            steps.push(Step::StartSend(slot, Sent { to: other, part }));
        }
    }
    for slot in 0..steps.len() as u32 {
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
