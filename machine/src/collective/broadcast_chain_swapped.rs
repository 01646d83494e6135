//! Broadcast along one chain in segments, by the numbers of [`super::swapped`]: a rank passes a segment on while it receives
//! the next (ompi/mca/coll/libnbc/nbc_ibcast.c of Open MPI 5.0.8, `bcast_sched_chain`).

use super::step::{Operation, Received, Sent, Step};
use super::swapped;

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let number = swapped::number(operation);
    let segments = swapped::segments(operation);
    let next = (number + 1 < operation.ranks).then(|| swapped::rank(operation, number + 1));
    let mut steps = Vec::new();
    if number == 0 {
        if let Some(to) = next {
            steps.extend(segments.iter().map(|&part| Step::send(to, part)));
        }
        return steps;
    }
    let from = swapped::rank(operation, number - 1);
    steps.push(Step::receive(from, segments[0]));
    for (place, &part) in segments.iter().enumerate() {
        let following = segments.get(place + 1).copied();
        match (next, following) {
            (Some(to), Some(following)) => {
                let sent = Sent { to, part };
                steps.push(Step::Exchange(sent, Received::store(from, following)));
            }
            (Some(to), None) => steps.push(Step::send(to, part)),
            (None, Some(following)) => steps.push(Step::receive(from, following)),
            (None, None) => {}
        }
    }
    steps
}
