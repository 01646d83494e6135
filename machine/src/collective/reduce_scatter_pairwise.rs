//! Reduce-scatter by pairwise exchange: in round `i` of P - 1 a rank sends the block of the one `i`
//! above it there, receives its own block from the one `i` below it, and combines.

use super::{Part, Step};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, _root: u32) -> Vec<Step> {
    let own = Part::Block(rank);
    let round = |distance: u32| {
        let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
        [
            Step::Exchange {
                to,
                sent: Part::Block(to),
                from,
                received: own,
            },
            Step::Combine(own),
        ]
    };
    (1..ranks).flat_map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check;

    #[test]
    fn each_rank_reduces_its_block_of_all_ranks() {
        for ranks in 1..=20u32 {
            let pairs =
                (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to, Part::Block(to))));
            let expected = pairs.filter(|(from, to, _)| from != to).collect();
            assert_eq!(check::messages(schedule, ranks, 0), expected);
        }
    }
}
