//! Inclusive and exclusive scan by recursive doubling: in round `i` a rank gives what it has combined so
//! far to the one 2^i above it and combines what the one 2^i below it has; there is no ring.

use super::{Part, Step};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, _root: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < ranks {
        let (above, below) = (rank + distance < ranks, rank >= distance);
        match (above, below) {
            (true, true) => steps.push(Step::exchange(rank + distance, rank - distance)),
            (true, false) => steps.push(Step::send(rank + distance)),
            (false, true) => steps.push(Step::receive(rank - distance)),
            (false, false) => {}
        }
        if below {
            steps.push(Step::Combine(Part::Whole));
        }
        distance *= 2;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check::{self, Contributions};

    #[test]
    fn each_rank_combines_lower_ranks_once() {
        for ranks in 1..=40 {
            let held = check::run(schedule, ranks, 0, Contributions::Combine);
            for (rank, held) in held.into_iter().enumerate() {
                assert_eq!(held, (2 << rank) - 1, "{ranks} ranks, rank {rank}");
            }
        }
    }
}
