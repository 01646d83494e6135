//! Barrier by recursive doubling: ranks that differ in one bit exchange, bit by bit. Where the number of ranks is no
//! power of two, each of the last ranks reports to the one a power of two below it first and is released by it last.

use super::step::{Arrival, DataPart, Operation, Step, power_below};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let power = power_below(operation.ranks);
    let rank = operation.rank;
    if rank >= power {
        let partner = rank - power;
        return vec![
            Step::send(partner, DataPart::Nothing),
            Step::receive(partner, DataPart::Nothing),
        ];
    }
    let mut steps = Vec::new();
    let extra = rank + power;
    if extra < operation.ranks {
        steps.push(Step::receive(extra, DataPart::Nothing));
    }
    let mut bit = 1;
    while bit < power {
        steps.push(Step::swap(
            rank ^ bit,
            DataPart::Nothing,
            DataPart::Nothing,
            Arrival::STORE,
        ));
        bit *= 2;
    }
    if extra < operation.ranks {
        steps.push(Step::send(extra, DataPart::Nothing));
    }
    steps
}
