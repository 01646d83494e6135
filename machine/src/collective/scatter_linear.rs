//! Scatter without a tree: the root sends every rank its block in the order of ranks. The only way
//! where a rank knows its own count alone (`MPI_Scatterv`).

use super::{Part, Step};

/// Steps of one rank.
pub fn schedule(rank: u32, ranks: u32, root: u32) -> Vec<Step> {
    if rank != root {
        return vec![Step::Receive {
            from: root,
            part: Part::Block(rank),
        }];
    }
    let others = (0..ranks).filter(|&to| to != root);
    others
        .map(|to| Step::Send {
            to,
            part: Part::Block(to),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::check;

    #[test]
    fn each_rank_receives_its_block() {
        for ranks in 1..=12 {
            for root in 0..ranks {
                let expected = (0..ranks)
                    .filter(|&to| to != root)
                    .map(|to| (root, to, Part::Block(to)));
                assert_eq!(check::messages(schedule, ranks, root), expected.collect());
            }
        }
    }
}
