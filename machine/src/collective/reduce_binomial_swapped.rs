//! Reduction along the binomial tree of [`super::swapped`] numbers: a rank receives from those that differ in the bits below its
//! lowest set bit, lowest first, and sends to the one that differs in that bit. Operands that must be combined in order meet
//! at rank 0, which passes the result to the root (ompi/mca/coll/libnbc/nbc_ireduce.c of Open MPI 5.0.8,
//! `red_sched_binomial`).

use super::step::{Operation, Step};
use super::swapped;

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let whole = operation.whole();
    let mut tree = *operation;
    if !operation.commutes {
        tree.root = 0;
    }
    let number = swapped::number(&tree);
    let mut steps = Vec::new();
    let mut bit = 1;
    while bit < operation.ranks {
        if number & bit != 0 {
            steps.push(Step::send(swapped::rank(&tree, number - bit), whole));
            break;
        }
        if number + bit < operation.ranks {
            steps.push(Step::reduce(swapped::rank(&tree, number + bit), whole));
        }
        bit *= 2;
    }
    if tree.root != operation.root {
        if operation.rank == 0 {
            steps.push(Step::send(operation.root, whole));
        } else if operation.rank == operation.root {
            steps.push(Step::receive(0, whole));
        }
    }
    steps
}
