//! Barrier by a message that passes all ranks twice, from each to the next: after the first round rank 0 knows that all
//! have come, after the second all know.

use super::step::{DataPart, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    if operation.ranks == 1 {
        return Vec::new();
    }
    let (left, right) = (operation.below(1), operation.above(1));
    let mut steps = Vec::new();
    for _ in 0..2 {
        let pass = Step::send(right, DataPart::Nothing);
        let take = Step::receive(left, DataPart::Nothing);
        if operation.rank == 0 {
            steps.extend([pass, take]);
        } else {
            steps.extend([take, pass]);
        }
    }
    steps
}
