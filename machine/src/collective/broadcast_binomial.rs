//! Broadcast along a binomial tree: a rank receives from the one that differs in its lowest set bit (counted from the
//! root), then sends to those that differ in the bits below, highest first; segment by segment where there are several.

use super::step::{Operation, Step};
use super::tree::{self, Tree};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if operation.bytes == 0 {
        return Vec::new();
    }
    tree::broadcast(operation, &Tree::binomial(operation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::proof::operation;

    #[test]
    fn one_tree_written_out() {
        let mut case = operation(6, 24);
        let whole = case.whole();
        let sends = [4, 2, 1].map(|to| Step::send(to, whole));
        assert_eq!(schedule(&case), sends);
        case.rank = 4;
        assert_eq!(
            schedule(&case),
            [Step::receive(0, whole), Step::send(5, whole)]
        );
        case.rank = 5;
        assert_eq!(schedule(&case), [Step::receive(4, whole)]);
    }
}
