//! Reduce-scatter by recursive doubling: ranks whose numbers differ in one bit exchange all that the other's group needs,
//! everything but the blocks of their own group. Open MPI 4.1's `recursive_doubling` of `MPI_Reduce_scatter_block`
//! (ompi/mca/coll/base/coll_base_reduce_scatter_block.c).
//!
//! Where the number of ranks is no power of two, some ranks of a group have no partner: those that have one pass on what
//! they received, by recursive halving inside the group.

use super::step::{Arrival, Operation, Part, Sent, Step};

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
        let lacks_partners = other_group + distance > ranks;
        // A group beyond the last rank has nothing to pass on.
        if lacks_partners && other_group < ranks {
            let with_partner = ranks - other_group;
            pass_on(rank, distance, with_partner, arriving, &mut steps);
        }
        distance *= 2;
    }
    steps
}

/// Appends the messages inside a group of `distance` ranks of which the first `with_partner` have received.
fn pass_on(rank: u32, distance: u32, with_partner: u32, part: Part, steps: &mut Vec<Step>) {
    let mut bit = distance / 2;
    while bit > 0 {
        let other = rank ^ bit;
        // The ranks of this half-group of 2 `bit` that have received so far.
        let known = (rank & !(2 * bit - 1)) + with_partner;
        if other > rank && rank < known && other >= known {
            steps.push(Step::Forward(Sent { to: other, part }));
        } else if other < rank && other < known && rank >= known {
            steps.push(Step::reduce(other, part));
        }
        bit /= 2;
    }
}

/// All blocks but those of a group, around the end.
fn outside(group: u32, size: u32, ranks: u32) -> Part {
    if group + size > ranks {
        return Part::Blocks {
            first: 0,
            count: group,
        };
    }
    Part::Blocks {
        first: (group + size) % ranks,
        count: ranks - size,
    }
}
