//! Allreduce by recursive doubling: ranks that differ in one bit exchange and combine, bit by bit.
//! Where the number of ranks is no power of two, the first ranks pair up before: of each pair the
//! even one gives its part to the odd one, which takes part for both and returns the result after.

use super::{Part, Step};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, _root: u32) -> Vec<Step> {
    let power = if ranks.is_power_of_two() {
        ranks
    } else {
        ranks.next_power_of_two() / 2
    };
    let extra = ranks - power;
    let paired = rank < 2 * extra;
    if paired && rank.is_multiple_of(2) {
        return vec![Step::send(rank + 1), Step::receive(rank + 1)];
    }
    let mut steps = Vec::new();
    if paired {
        steps.extend([Step::receive(rank - 1), Step::Combine(Part::Whole)]);
    }
    let own = if paired { rank / 2 } else { rank - extra };
    let mut bit = 1;
    while bit < power {
        let partner = among_all(own ^ bit, extra);
        steps.extend([Step::exchange(partner, partner), Step::Combine(Part::Whole)]);
        bit *= 2;
    }
    if paired {
        steps.push(Step::send(rank - 1));
    }
    steps
}

/// The rank of the communicator that is `own`-th of the power of two that take part.
fn among_all(own: u32, extra: u32) -> u32 {
    if own < extra {
        2 * own + 1
    } else {
        own + extra
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check::{self, Contributions};

    #[test]
    fn each_rank_combines_each_contribution_once() {
        for ranks in 1..=40 {
            let held = check::run(schedule, ranks, 0, Contributions::Combine);
            assert!(
                held.iter().all(|held| held.count_ones() == ranks),
                "{ranks} ranks"
            );
        }
    }

    #[test]
    fn three_ranks_written_out() {
        assert_eq!(schedule(0, 3, 0), [Step::send(1), Step::receive(1)]);
        let middle = [
            Step::receive(0),
            Step::Combine(Part::Whole),
            Step::exchange(2, 2),
            Step::Combine(Part::Whole),
            Step::send(0),
        ];
        assert_eq!(schedule(1, 3, 0), middle);
        assert_eq!(
            schedule(2, 3, 0),
            [Step::exchange(1, 1), Step::Combine(Part::Whole)]
        );
    }
}
