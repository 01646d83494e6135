//! Allreduce by reduce-scatter and allgather (Rabenseifner): recursive halving among a power of two of ranks, then
//! recursive doubling the same way back. Where the number of ranks is no power of two, the even ranks of the first pairs
//! give their operands to the odd ones, which return the result.

use super::fold::Fold;
use super::halving::{other_half, part, reduce_scatter};
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
    let levels = reduce_scatter(operation, &fold, number, &mut steps);
    // The way back: the partner of a level has the half that this rank gave away there.
    for level in (1..levels.len()).rev() {
        let other = number ^ (1 << (level - 1));
        let others = other_half(levels[level - 1], levels[level]);
        steps.push(Step::swap(
            fold.rank(other),
            part(operation, fold.power, levels[level]),
            part(operation, fold.power, others),
            Arrival::STORE,
        ));
    }
    if let Some(partner) = partner {
        steps.push(Step::send(partner, whole));
    }
    steps
}
