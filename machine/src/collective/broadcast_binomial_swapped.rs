//! Broadcast along the binomial tree of Open MPI's libnbc: a rank receives from the one that lacks its highest set bit, by the
//! numbers of [`super::swapped`], then sends to all that have one more bit above it at once
//! (ompi/mca/coll/libnbc/nbc_ibcast.c of 5.0.8, `bcast_sched_binomial`).

use super::step::{Operation, Step};
use super::{swapped, tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (whole, number) = (operation.whole(), swapped::number(operation));
    let mut bit = 1;
    while bit <= number {
        bit *= 2;
    }
    let mut steps = Vec::new();
    if number != 0 {
        let parent = swapped::rank(operation, number - bit / 2);
        steps.push(Step::receive(parent, whole));
    }
    let mut children = Vec::new();
    while number + bit < operation.ranks {
        children.push(swapped::rank(operation, number + bit));
        bit *= 2;
    }
    tree::send_to_all(&children, whole, 0, &mut steps);
    steps
}
