//! Reduction along one chain in segments, by the numbers of [`super::swapped`]: the last rank begins, each combines a segment
//! and passes it on (ompi/mca/coll/libnbc/nbc_ireduce.c of Open MPI 5.0.8, `red_sched_chain`).

use super::step::{Operation, Step};
use super::swapped;

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let number = swapped::number(operation);
    let mut steps = Vec::new();
    for part in swapped::segments(operation) {
        if number + 1 < operation.ranks {
            steps.push(Step::reduce(swapped::rank(operation, number + 1), part));
        }
        if number > 0 {
            steps.push(Step::send(swapped::rank(operation, number - 1), part));
        }
    }
    steps
}
