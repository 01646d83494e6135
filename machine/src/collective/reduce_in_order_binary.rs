//! Reduction along a binary tree whose subtrees are intervals of ranks, for operations that do not commute: the operands
//! meet in the order of ranks. The root of the tree is the last rank, which passes the result to the reduction's root.
//! Open MPI 4.1's `in-order_binary` (ompi/mca/coll/base/coll_base_topo.c, `…_topo_build_in_order_bintree`).

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let last = operation.ranks - 1;
    let mut steps = tree::reduce(operation, &in_order(operation.rank, operation.ranks));
    if operation.root == last {
        return steps;
    }
    if operation.rank == last {
        steps.push(Step::send(operation.root, operation.whole()));
    } else if operation.rank == operation.root {
        steps.push(Step::receive(last, operation.whole()));
    }
    steps
}

/// The neighbours of a rank. The last rank of an interval is the root of its tree; of the others, the lower ranks (half
/// of the interval with its root) make up the right subtree, the rest the left one.
fn in_order(rank: u32, ranks: u32) -> Tree {
    let mut tree = Tree::default();
    let (mut first, mut size) = (0, ranks);
    loop {
        let root = first + size - 1;
        // An interval of two has a left child alone.
        let right_size = if size > 2 { size / 2 } else { 0 };
        let left_size = size - 1 - right_size;
        let right = first + right_size;
        if rank == root {
            if right_size > 0 {
                tree.children.push(right - 1);
            }
            if left_size > 0 {
                tree.children.push(root - 1);
            }
            return tree;
        }
        tree.parent = Some(root);
        if rank < right {
            size = right_size;
        } else {
            first = right;
            size = left_size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples in the comment of Open MPI's source; the left child is combined first, so it is listed last.
    #[test]
    fn trees_of_the_source_comment() {
        assert_eq!(in_order(1, 2).children, [0]);
        assert_eq!(in_order(3, 4).children, [1, 2]);
        assert_eq!(in_order(1, 4).children, [0]);
        assert_eq!(in_order(8, 9).children, [3, 7]);
        assert_eq!(in_order(7, 9).children, [5, 6]);
        assert_eq!(in_order(0, 9).parent, Some(1));
    }
}
