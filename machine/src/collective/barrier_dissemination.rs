//! Barrier by dissemination (Hensgen, Finkel, Manber 1988): in round `i` every rank tells the rank
//! 2^i above it and hears from the one 2^i below it, around the ring; ⌈log2 P⌉ rounds.

use super::Step;

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, _root: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < ranks {
        let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
        steps.push(Step::exchange(to, from));
        distance *= 2;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check::{self, Contributions};

    #[test]
    fn each_rank_synchronises_with_each_other() {
        for ranks in 1..=40 {
            let held = check::run(schedule, ranks, 0, Contributions::Union);
            assert!(
                held.iter().all(|held| held.count_ones() == ranks),
                "{ranks} ranks"
            );
        }
    }

    #[test]
    fn takes_rounds_by_the_logarithm() {
        for (ranks, rounds) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (16, 4), (17, 5)] {
            assert_eq!(schedule(0, ranks, 0).len(), rounds, "{ranks} ranks");
        }
    }
}
