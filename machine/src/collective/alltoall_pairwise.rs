//! All-to-all by pairwise exchange: in round `i` of P - 1 a rank sends to the one `i` above it and
//! receives from the one `i` below it, around the ring.

use super::{Part, Step};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, _root: u32) -> Vec<Step> {
    let round = |distance: u32| {
        let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
        Step::Exchange {
            to,
            sent: Part::Block(to),
            from,
            received: Part::Block(from),
        }
    };
    (1..ranks).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pair_once_and_rounds_meet() {
        for ranks in 1..=20u32 {
            let all: Vec<Vec<Step>> = (0..ranks).map(|rank| schedule(rank, ranks, 0)).collect();
            let mut pairs = BTreeSet::new();
            for (rank, round) in
                (0..ranks).flat_map(|rank| (0..ranks as usize - 1).map(move |round| (rank, round)))
            {
                let Step::Exchange { to, sent, .. } = all[rank as usize][round] else {
                    panic!("an exchange")
                };
                let Step::Exchange { from, .. } = all[to as usize][round] else {
                    panic!("an exchange")
                };
                assert_eq!((from, sent), (rank, Part::Block(to)));
                assert!(pairs.insert((rank, to)) && rank != to);
            }
            assert_eq!(pairs.len(), (ranks * (ranks - 1)) as usize);
        }
    }
}
