//! Reduction by reduce-scatter and gather (Rabenseifner): recursive halving among a power of two of ranks, then a gather
//! of the chunks along a binomial tree whose root is the reduction's.
//!
//! Where the number of ranks is no power of two, the odd ranks of the first pairs give their operands to the even ones.
//! If the root is one of those, it receives the first chunk from rank 0 and gathers in its place.

use super::fold::Fold;
use super::halving::{Chunks, other_half, part, reduce_scatter};
use super::step::{Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let fold = Fold::new(operation.ranks, false);
    let mut steps = Vec::new();
    if let Some(partner) = fold.partner(operation.rank) {
        if fold.number(operation.rank).is_none() {
            steps.push(Step::send(partner, operation.whole()));
        } else {
            steps.push(Step::reduce(partner, operation.whole()));
        }
    }
    let mut number = fold.number(operation.rank);
    let mut levels = match number {
        Some(number) => reduce_scatter(operation, &fold, number, &mut steps),
        None => Vec::new(),
    };

    let root_number = fold.number(operation.root);
    let first_chunk = Chunks { first: 0, last: 1 };
    if root_number.is_none() {
        let chunk = part(operation, fold.power, first_chunk);
        if operation.rank == operation.root {
            steps.push(Step::receive(0, chunk));
            number = Some(0);
            levels = levels_of_zero(fold.power);
        } else if number == Some(0) {
            steps.push(Step::send(operation.root, chunk));
            number = None;
        }
    }
    let Some(number) = number else {
        return steps;
    };
    gather(operation, &fold, number, &levels, &mut steps);
    steps
}

/// The levels of the rank with number 0, which keeps the lower half each time.
fn levels_of_zero(power: u32) -> Vec<Chunks> {
    let mut levels = Vec::new();
    let mut last = power;
    while last > 0 {
        levels.push(Chunks { first: 0, last });
        last /= 2;
    }
    levels
}

/// Appends the gather: partners are …, 4, 2, 1 apart, and the one on the root's side receives.
fn gather(
    operation: &Operation<'_>,
    fold: &Fold,
    number: u32,
    levels: &[Chunks],
    steps: &mut Vec<Step>,
) {
    let root_number = fold.number(operation.root).unwrap_or(0);
    for level in (1..levels.len()).rev() {
        let distance = 1 << (level - 1);
        let partner = number ^ distance;
        let partner_rank = if partner == 0 && fold.number(operation.root).is_none() {
            operation.root
        } else {
            fold.rank(partner)
        };
        let own = part(operation, fold.power, levels[level]);
        let others = other_half(levels[level - 1], levels[level]);
        // The ranks that still take part below this distance are those that agree with the root in the bits from it on.
        if partner & distance == root_number & distance {
            steps.push(Step::send(partner_rank, own));
            return;
        }
        steps.push(Step::receive(
            partner_rank,
            part(operation, fold.power, others),
        ));
    }
}
