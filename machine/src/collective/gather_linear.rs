//! Gather without a tree: every rank sends its block to the root, which receives them in the order of
//! ranks. The only way where a rank knows its own count alone (`MPI_Gatherv`).

use super::{Part, Step};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, root: u32) -> Vec<Step> {
    if rank != root {
        return vec![Step::Send {
            to: root,
            part: Part::Block(rank),
        }];
    }
    let others = (0..ranks).filter(|&from| from != root);
    others
        .map(|from| Step::Receive {
            from,
            part: Part::Block(from),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check;

    #[test]
    fn the_root_gets_every_block() {
        for ranks in 1..=12 {
            for root in 0..ranks {
                let expected = (0..ranks)
                    .filter(|&from| from != root)
                    .map(|from| (from, root, Part::Block(from)));
                assert_eq!(check::messages(schedule, ranks, root), expected.collect());
            }
        }
    }
}
