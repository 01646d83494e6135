//! Reduce-scatter by recursive doubling: ranks whose numbers differ in one bit exchange all that the other's group needs,
//! everything but the blocks of their own group. Open MPI 4.1's `recursive_doubling` of `MPI_Reduce_scatter_block`
//! (ompi/mca/coll/base/coll_base_reduce_scatter_block.c).
//!
//! Where the number of ranks is no power of two, see [`super::passing_on`].

use super::passing_on::{Role, roles};
use super::step::{Arrival, DataPart, Operation, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (rank, ranks) = (operation.rank, operation.ranks);
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < ranks {
        let partner = rank ^ distance;
        let (own_group, other_group) = (rank & !(distance - 1), partner & !(distance - 1));
        let arriving = outside(other_group, distance, ranks);
        if partner < ranks {
            let sent = outside(own_group, distance, ranks);
            steps.push(Step::swap(partner, sent, arriving, Arrival::COMBINE));
        }
        for role in roles(rank, distance, ranks) {
            steps.push(match role {
                Role::Send(to) => Step::Forward(Sent { to, part: arriving }),
                Role::Receive(from) => Step::reduce(from, arriving),
            });
        }
        distance *= 2;
    }
    steps
}

/// All blocks but those of a group, around the end.
fn outside(group: u32, size: u32, ranks: u32) -> DataPart {
    if group + size > ranks {
        return DataPart::Blocks {
            first: 0,
            count: group,
        };
    }
    DataPart::Blocks {
        first: (group + size) % ranks,
        count: ranks - size,
    }
}
