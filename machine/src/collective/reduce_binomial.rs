//! Reduction along a binomial tree: the broadcast's tree upwards; a rank receives from its children,
//! lowest bit first, combines each, and sends the result to its parent.

use super::{Part, Step, absolute, relative};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, root: u32) -> Vec<Step> {
    let own = relative(rank, root, ranks);
    let mut steps = Vec::new();
    let mut bit = 1;
    while bit < ranks {
        if own & bit != 0 {
            steps.push(Step::send(absolute(own - bit, root, ranks)));
            break;
        }
        if own + bit < ranks {
            steps.push(Step::receive(absolute(own + bit, root, ranks)));
            steps.push(Step::Combine(Part::Whole));
        }
        bit *= 2;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check::{self, Contributions};

    #[test]
    fn the_root_has_each_contribution_once() {
        for ranks in 1..=40 {
            for root in 0..ranks {
                let held = check::run(schedule, ranks, root, Contributions::Combine);
                assert_eq!(
                    held[root as usize].count_ones(),
                    ranks,
                    "{ranks} ranks, root {root}"
                );
            }
        }
    }

    #[test]
    fn one_tree_written_out() {
        let root = [
            Step::receive(1),
            Step::Combine(Part::Whole),
            Step::receive(2),
            Step::Combine(Part::Whole),
        ];
        assert_eq!(schedule(0, 3, 0), root);
        assert_eq!(schedule(2, 3, 0), [Step::send(0)]);
    }
}
