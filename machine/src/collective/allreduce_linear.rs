//! Allreduce at rank 0: it receives all operands, the last rank's first, and sends the result to all at once. Open MPI
//! 4.1's `basic_linear` (ompi/mca/coll/base/coll_base_allreduce.c), to which its Rabenseifner falls back, too.

use super::step::{Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let at_zero = Operation {
        root: 0,
        ..*operation
    };
    let mut steps = super::reduce_linear::schedule(&at_zero);
    steps.extend(super::broadcast_linear::schedule(&at_zero));
    steps
}
