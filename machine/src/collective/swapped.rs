//! The numbers of ranks in trees and chains of Open MPI's component libnbc: rank 0 and the root swap theirs, all others keep
//! theirs (ompi/mca/coll/libnbc/nbc_ibcast.c and nbc_ireduce.c of 5.0.8, the same in 4.1.4).

use super::step::{DataPart, Operation};

/// The number of the operation's rank.
pub(super) fn number(operation: &Operation<'_>) -> u32 {
    rank(operation, operation.rank)
}

/// The rank with a number; swapping twice changes nothing, so this is also the number of a rank.
pub(super) fn rank(operation: &Operation<'_>, number: u32) -> u32 {
    if number == 0 {
        operation.root
    } else if number == operation.root {
        0
    } else {
        number
    }
}

/// The operand in as many parts as segments of [`super::Parameters::segment`] bytes cover it, all of equally many elements but
/// the last, which has the rest too.
pub(super) fn segments(operation: &Operation<'_>) -> Vec<DataPart> {
    let (elements, segment) = (operation.elements(), operation.parameters.segment);
    if segment == 0 || elements == 0 {
        return vec![operation.whole()];
    }
    let count = operation.bytes.div_ceil(segment).clamp(1, elements);
    let each = elements / count;
    let mut parts = Vec::new();
    for number in 0..count {
        let first = number * each;
        let is_last = number + 1 == count;
        let own = if is_last { elements - first } else { each };
        parts.push(operation.range(first, own));
    }
    parts
}
