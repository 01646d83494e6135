//! Reduction by recursive halving of windows ([`super::windows`]) and a gather along a binomial tree. Open MPI 4.1's
//! `rabenseifner`. If the root is an odd rank of a pair, which takes no part in the halving, it receives rank 0's window
//! and gathers in its place.

use super::fold::Fold;
use super::step::{Operation, Step};
use super::windows::{self, Level};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let fold = Fold::new(operation.ranks, false);
    let mut steps = Vec::new();
    windows::fold_pairs(operation, &fold, &mut steps);
    let mut number = fold.number(operation.rank);
    let mut levels = Vec::new();
    if let Some(number) = number {
        levels = windows::levels(operation, fold.power, number);
        windows::halve(operation, &fold, number, &levels, &mut steps);
    }
    let stands_in_for_zero = fold.number(operation.root).is_none();
    if stands_in_for_zero {
        let of_zero = windows::levels(operation, fold.power, 0);
        let window = of_zero[of_zero.len() - 1].kept.part(operation);
        if operation.rank == operation.root {
            steps.push(Step::receive(0, window));
            number = Some(0);
            levels = of_zero;
        } else if number == Some(0) {
            steps.push(Step::send(operation.root, window));
            number = None;
        }
    }
    if let Some(number) = number {
        gather(operation, &fold, number, &levels, &mut steps);
    }
    steps
}

/// Appends the gather: partners are …, 4, 2, 1 apart, and the one on the root's side receives.
fn gather(
    operation: &Operation<'_>,
    fold: &Fold,
    number: u32,
    levels: &[Level],
    steps: &mut Vec<Step>,
) {
    let root_number = fold.number(operation.root);
    for (bit, level) in levels.iter().enumerate().rev() {
        let partner = number ^ (1 << bit);
        let partner_rank = match (partner, root_number) {
            (0, None) => operation.root,
            _ => fold.rank(partner),
        };
        // Ranks that agree with the root in the bits from this one on are on its side.
        if partner >> bit == root_number.unwrap_or(0) >> bit {
            steps.push(Step::send(partner_rank, level.kept.part(operation)));
            return;
        }
        steps.push(Step::receive(partner_rank, level.given.part(operation)));
    }
}
