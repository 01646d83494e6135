//! Allreduce by recursive halving of windows ([`super::windows`]) and recursive doubling the same way back. Open MPI
//! 4.1's `rabenseifner`.

use super::fold::Fold;
use super::step::{Arrival, Operation, Step};
use super::windows;

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let whole = operation.whole();
    let fold = Fold::new(operation.ranks, false);
    let mut steps = Vec::new();
    windows::fold_pairs(operation, &fold, &mut steps);
    if let Some(number) = fold.number(operation.rank) {
        let levels = windows::levels(operation, fold.power, number);
        windows::halve(operation, &fold, number, &levels, &mut steps);
        for (bit, level) in levels.iter().enumerate().rev() {
            steps.push(Step::swap(
                fold.rank(number ^ (1 << bit)),
                level.kept.part(operation),
                level.given.part(operation),
                Arrival::STORE,
            ));
        }
    }
    if let Some(partner) = fold.partner(operation.rank) {
        if operation.rank.is_multiple_of(2) {
            steps.push(Step::send(partner, whole));
        } else {
            steps.push(Step::receive(partner, whole));
        }
    }
    steps
}
