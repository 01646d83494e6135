//! Broadcast along a binomial tree: a rank receives from the one that differs in its lowest set bit
//! (counted from the root), then sends to those that differ in the bits below, highest first.

use super::{Step, absolute, relative};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, root: u32) -> Vec<Step> {
    let own = relative(rank, root, ranks);
    let mut steps = Vec::new();
    let mut bit = 1;
    while bit < ranks && own & bit == 0 {
        bit *= 2;
    }
    if own != 0 {
        steps.push(Step::receive(absolute(own - bit, root, ranks)));
    }
    bit /= 2;
    while bit > 0 {
        if own + bit < ranks {
            steps.push(Step::send(absolute(own + bit, root, ranks)));
        }
        bit /= 2;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check::{self, Contributions};

    #[test]
    fn each_rank_receives_the_data_of_the_root() {
        for ranks in 1..=40 {
            for root in 0..ranks {
                let held = check::run(schedule, ranks, root, Contributions::Replace);
                assert!(
                    held.iter().all(|&held| held == 1 << root),
                    "{ranks} ranks, root {root}"
                );
            }
        }
    }

    #[test]
    fn one_tree_written_out() {
        assert_eq!(
            schedule(0, 6, 0),
            [Step::send(4), Step::send(2), Step::send(1)]
        );
        assert_eq!(schedule(4, 6, 0), [Step::receive(0), Step::send(5)]);
        assert_eq!(schedule(5, 6, 0), [Step::receive(4)]);
        assert_eq!(schedule(0, 2, 1), [Step::receive(1)]);
    }
}
