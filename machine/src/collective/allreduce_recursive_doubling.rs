//! Allreduce by recursive doubling: ranks that differ in one bit exchange and combine, bit by bit. Where the number of
//! ranks is no power of two, the even ranks of the first pairs give their operands to the odd ones, which return the
//! result.

use super::fold::Fold;
use super::step::{Arrival, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let whole = operation.whole();
    let fold = Fold::new(operation.ranks, true);
    let partner = fold.partner(operation.rank);
    let mut steps = Vec::new();
    let Some(number) = fold.number(operation.rank) else {
        if let Some(partner) = partner {
            steps.extend([Step::send(partner, whole), Step::receive(partner, whole)]);
        }
        return steps;
    };
    if let Some(partner) = partner {
        steps.push(Step::reduce(partner, whole));
    }
    let mut bit = 1;
    while bit < fold.power {
        let other = fold.rank(number ^ bit);
        steps.push(Step::swap(other, whole, whole, Arrival::COMBINE));
        bit *= 2;
    }
    if let Some(partner) = partner {
        steps.push(Step::send(partner, whole));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::proof::operation;

    #[test]
    fn three_ranks_written_out() {
        let mut case = operation(3, 8);
        let whole = case.whole();
        assert_eq!(
            schedule(&case),
            [Step::send(1, whole), Step::receive(1, whole)]
        );
        case.rank = 1;
        let middle = [
            Step::reduce(0, whole),
            Step::swap(2, whole, whole, Arrival::COMBINE),
            Step::send(0, whole),
        ];
        assert_eq!(schedule(&case), middle);
        case.rank = 2;
        assert_eq!(
            schedule(&case),
            [Step::swap(1, whole, whole, Arrival::COMBINE)]
        );
    }
}
