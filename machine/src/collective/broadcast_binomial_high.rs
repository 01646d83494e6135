//! Broadcast along the binomial tree whose ranks (counted from the root) receive from the one that lacks their highest
//! set bit and send to those that have one more bit above it, lowest first. Open MPI's form.

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let own = operation.relative();
    let mut tree = Tree::default();
    let mut bit = 1;
    while bit <= own {
        bit *= 2;
    }
    if own != 0 {
        tree.parent = Some(operation.absolute(own - bit / 2));
    }
    while own + bit < operation.ranks {
        tree.children.push(operation.absolute(own + bit));
        bit *= 2;
    }
    tree::broadcast(operation, &tree)
}
