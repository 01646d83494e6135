//! The first half of a broadcast by scatter and allgather (van de Geijn): the operand is cut into one chunk per rank and
//! scattered along a binomial tree. Chunks are ⌈elements / P⌉ elements long, so the last ranks may have none. MPICH cuts
//! between any bytes, Open MPI between elements: see [`in_bytes`].

use super::step::{DataPart, Operation, Step};

/// Some chunks, counted from the root.
pub(super) fn chunks(operation: &Operation<'_>, first: u32, count: u32) -> DataPart {
    let each = operation.elements().div_ceil(operation.ranks.into());
    operation.range(each * u64::from(first), each * u64::from(count))
}

/// The operation with an operand that may be cut between any two bytes.
pub(super) fn in_bytes<'a>(operation: &Operation<'a>) -> Operation<'a> {
    Operation {
        element: 1,
        ..*operation
    }
}

/// Appends the steps of the scatter. Subtrees without data get no message.
pub(super) fn scatter(operation: &Operation<'_>, steps: &mut Vec<Step>) {
    let (own, ranks) = (operation.relative(), operation.ranks);
    // The lowest set bit of a number is the size of its subtree; the root's subtree is all ranks.
    let mut bit = 1;
    while bit < ranks && own & bit == 0 {
        bit *= 2;
    }
    if own != 0 {
        let part = chunks(operation, own, bit.min(ranks - own));
        if !is_empty(part) {
            steps.push(Step::receive(operation.absolute(own - bit), part));
        }
    }
    bit /= 2;
    while bit > 0 {
        let child = own + bit;
        if child < ranks {
            let part = chunks(operation, child, bit.min(ranks - child));
            if !is_empty(part) {
                steps.push(Step::send(operation.absolute(child), part));
            }
        }
        bit /= 2;
    }
}

/// Whether a range has no bytes.
pub(super) fn is_empty(part: DataPart) -> bool {
    matches!(part, DataPart::Range { bytes: 0, .. })
}
