//! Barrier by recursive doubling: ranks that differ in one bit exchange, bit by bit. Where the number of ranks is no
//! power of two, each of the last ranks reports to the one a power of two below it first and is released by it last.

use super::step::{Arrival, Operation, Part, Step, power_below};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let power = power_below(operation.ranks);
    let rank = operation.rank;
    if rank >= power {
        let partner = rank - power;
        return vec![
            Step::send(partner, Part::Nothing),
            Step::receive(partner, Part::Nothing),
        ];
    }
    let mut steps = Vec::new();
    let extra = rank + power;
    if extra < operation.ranks {
        steps.push(Step::receive(extra, Part::Nothing));
    }
    let mut bit = 1;
    while bit < power {
        steps.push(Step::swap(
            rank ^ bit,
            Part::Nothing,
            Part::Nothing,
            Arrival::STORE,
        ));
        bit *= 2;
    }
    if extra < operation.ranks {
        steps.push(Step::send(extra, Part::Nothing));
    }
    steps
}
