//! Scatter along a binomial tree: a rank receives the blocks of its whole subtree and sends those of its children's
//! subtrees on, the largest first.

use super::gather_binomial::subtree;
use super::step::{Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (own, ranks) = (operation.relative(), operation.ranks);
    let mut steps = Vec::new();
    let mut bit = 1;
    while bit < ranks && own & bit == 0 {
        bit *= 2;
    }
    if own != 0 {
        let part = subtree(operation, own, bit);
        steps.push(Step::receive(operation.absolute(own - bit), part));
    }
    bit /= 2;
    while bit > 0 {
        let child = own + bit;
        if child < ranks {
            let part = subtree(operation, child, bit);
            steps.push(Step::send(operation.absolute(child), part));
        }
        bit /= 2;
    }
    steps
}
