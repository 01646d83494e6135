//! Barrier along a binomial tree, up to rank 0 and down again. Open MPI 4.1's `tree`
//! (ompi/mca/coll/base/coll_base_barrier.c, `ompi_coll_base_barrier_intra_tree`).

use super::step::{DataPart, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (rank, ranks) = (operation.rank, operation.ranks);
    let mut steps = Vec::new();
    let mut distance = 1;
    // Up the tree: a rank reports to its parent once its subtrees have reported.
    while distance < ranks {
        match partner(rank, distance, ranks) {
            Some(partner) if partner > rank => {
                steps.push(Step::receive(partner, DataPart::Nothing))
            }
            Some(partner) => steps.push(Step::send(partner, DataPart::Nothing)),
            None => {}
        }
        distance *= 2;
    }
    // Down again: the last subtree to report is the first to be released.
    while distance > 1 {
        distance /= 2;
        match partner(rank, distance, ranks) {
            Some(partner) if partner > rank => steps.push(Step::send(partner, DataPart::Nothing)),
            Some(partner) => steps.push(Step::receive(partner, DataPart::Nothing)),
            None => {}
        }
    }
    steps
}

/// The other end of a rank's edge of this length; ranks that are no multiple of it have none.
fn partner(rank: u32, distance: u32, ranks: u32) -> Option<u32> {
    let partner = rank ^ distance;
    if rank.is_multiple_of(distance) && partner < ranks {
        Some(partner)
    } else {
        None
    }
}
