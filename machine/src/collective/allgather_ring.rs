//! Allgather around a ring: in each of P - 1 rounds a rank passes the block that it got last to the
//! next one, its own at first.

use super::{Part, Step};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, _root: u32) -> Vec<Step> {
    let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    let block = |behind: u32| Part::Block((rank + ranks - behind) % ranks);
    (1..ranks)
        .map(|round| Step::Exchange {
            to,
            sent: block(round - 1),
            from,
            received: block(round),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check;

    #[test]
    fn each_rank_receives_each_block_once_from_an_owner() {
        for ranks in 1..=20u32 {
            let messages = check::messages(schedule, ranks, 0);
            assert_eq!(messages.len(), (ranks * (ranks - 1)) as usize);
            for to in 0..ranks {
                let mut blocks: Vec<u32> = messages
                    .iter()
                    .filter(|message| message.1 == to)
                    .map(block)
                    .collect();
                blocks.sort_unstable();
                assert!(
                    blocks
                        .iter()
                        .copied()
                        .eq((0..ranks).filter(|&other| other != to)),
                    "{ranks} ranks"
                );
            }
            for (round, steps) in (0..ranks).map(|rank| (rank, schedule(rank, ranks, 0))) {
                let mut has = vec![Part::Block(round)];
                for step in steps {
                    let Step::Exchange { sent, received, .. } = step else {
                        panic!("{step:?}")
                    };
                    assert!(has.contains(&sent));
                    has.push(received);
                }
            }
        }
    }

    fn block(message: &(u32, u32, Part)) -> u32 {
        match message.2 {
            Part::Block(block) => block,
            Part::Whole => panic!("{message:?}"),
        }
    }
}
