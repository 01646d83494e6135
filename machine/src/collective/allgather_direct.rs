//! Allgather without a tree: each rank sends its block to all others, with all messages under way at once. Open MPI's libnbc
//! posts them in the order of ranks, with counts per rank in the order of distance
//! (ompi/mca/coll/libnbc/nbc_iallgather.c and nbc_iallgatherv.c of 5.0.8).

use super::step::{Blocks, DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (rank, ranks) = (operation.rank, operation.ranks);
    let mut partners = Vec::new();
    match operation.received {
        Blocks::Same(_) => {
            let others = (0..ranks).filter(|&other| other != rank);
            partners.extend(others.map(|other| (other, other)));
        }
        Blocks::Each(_) => {
            for distance in 1..ranks {
                partners.push((operation.below(distance), operation.above(distance)));
            }
        }
    }
    let own = DataPart::block(rank);
    let mut steps = Vec::new();
    for (slot, (from, to)) in (0..).step_by(2).zip(partners) {
        let received = Received::store(from, DataPart::block(from));
        steps.push(Step::StartReceive(slot, received));
        steps.push(Step::StartSend(slot + 1, Sent { to, part: own }));
    }
    for slot in 0..steps.len() as u32 {
        steps.push(Step::Wait(slot));
    }
    steps
}
