//! All-to-all with a limited number of messages under way: a rank posts so many receives, from the next rank upwards, and
//! so many sends, from the rank below downwards, and replaces each that completes by the next of its direction. Open MPI
//! 4.1's `linear_sync` (ompi/mca/coll/base/coll_base_alltoall.c) replaces whichever completes first; here they complete in
//! the order in which they were posted, a receive and a send in turns.

use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let others = operation.ranks - 1;
    let limit = operation.parameters.outstanding;
    if limit == 0 || limit >= others {
        return super::alltoall_linear::schedule(operation);
    }
    // Receives use the even slots, sends the odd ones.
    let receive = |number: u32| {
        let from = operation.above(number + 1);
        let received = Received::store(from, DataPart::block(from));
        Step::StartReceive(number % limit * 2, received)
    };
    let send = |number: u32| {
        let to = operation.below(number + 1);
        let part = DataPart::block(to);
        Step::StartSend(number % limit * 2 + 1, Sent { to, part })
    };
    let mut steps = Vec::new();
    for number in 0..limit {
        steps.push(receive(number));
    }
    for number in 0..limit {
        steps.push(send(number));
    }
    for number in 0..others {
        let slot = number % limit * 2;
        let next = number + limit;
        steps.push(Step::Wait(slot));
        if next < others {
            steps.push(receive(next));
        }
        steps.push(Step::Wait(slot + 1));
        if next < others {
            steps.push(send(next));
        }
    }
    steps
}
