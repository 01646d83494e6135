//! Gather along a binomial tree: a rank receives the blocks of its subtrees, the smallest first, and sends them with its
//! own to its parent.

use super::step::{DataPart, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (own, ranks) = (operation.relative(), operation.ranks);
    let mut steps = Vec::new();
    let mut bit = 1;
    while bit < ranks {
        if own & bit != 0 {
            let part = subtree(operation, own, bit);
            steps.push(Step::send(operation.absolute(own - bit), part));
            break;
        }
        let child = own + bit;
        if child < ranks {
            let part = subtree(operation, child, bit);
            steps.push(Step::receive(operation.absolute(child), part));
        }
        bit *= 2;
    }
    steps
}

/// The blocks of the subtree below a rank, counted from the root, that has `size` ranks if it is complete.
pub(super) fn subtree(operation: &Operation<'_>, relative: u32, size: u32) -> DataPart {
    DataPart::Blocks {
        first: operation.absolute(relative),
        count: size.min(operation.ranks - relative),
    }
}
