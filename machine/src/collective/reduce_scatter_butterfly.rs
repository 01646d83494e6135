//! Reduce-scatter by a butterfly (Träff, An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application,
//! EuroPVM/MPI 2005): partners are 1, 2, 4, … apart, so that operands are combined in the order of ranks, and each exchange
//! halves the blocks that a rank combines. A rank ends with the blocks of the rank whose number has its bits in reverse,
//! and gives them to it. Open MPI 4.1's `butterfly`
//! (ompi/mca/coll/base/coll_base_reduce_scatter.c and coll_base_reduce_scatter_block.c).

use super::fold::Fold;
use super::reduce_scatter_recursive_halving::blocks;
use super::step::{Arrival, DataPart, Operation, Received, Sent, Step};

/// Steps of one rank. Where the number of ranks is no power of two, the even ranks of the first pairs give their operands
/// to the odd ones and receive their block at the end.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (rank, ranks) = (operation.rank, operation.ranks);
    let all = DataPart::Blocks {
        first: 0,
        count: ranks,
    };
    let fold = Fold::new(ranks, true);
    let bits = fold.power.ilog2();
    let mut steps = Vec::new();
    let Some(number) = fold.number(rank) else {
        let owner = fold.rank(reversed(rank / 2, bits));
        steps.push(Step::send(rank + 1, all));
        steps.push(Step::receive(owner, DataPart::block(rank)));
        return steps;
    };
    if let Some(partner) = fold.partner(rank) {
        steps.push(Step::reduce(partner, all));
    }
    // Of the blocks of all numbers the rank combines those of `count` numbers from `first` on.
    let (mut first, mut count) = (0, fold.power);
    let mut distance = 1;
    while distance < fold.power {
        count /= 2;
        let (mut given, mut kept) = (first, first + count);
        if number & distance == 0 {
            (given, kept) = (kept, given);
        }
        let partner = fold.rank(number ^ distance);
        steps.push(Step::swap(
            partner,
            blocks(&fold, given, given + count),
            blocks(&fold, kept, kept + count),
            Arrival::COMBINE,
        ));
        first = kept;
        distance *= 2;
    }
    let owner = reversed(number, bits);
    let owner_rank = fold.rank(owner);
    if owner < fold.extra {
        steps.push(Step::send(owner_rank - 1, DataPart::block(owner_rank - 1)));
    }
    if owner != number {
        let sent = Sent {
            to: owner_rank,
            part: DataPart::block(owner_rank),
        };
        let received = Received::store(owner_rank, DataPart::block(rank));
        steps.push(Step::Exchange(sent, received));
    }
    steps
}

/// The form of `MPI_Reduce_scatter_block`: for a power of two of ranks the blocks are sorted by their reversed numbers in
/// advance, so that each rank ends with its own.
pub fn of_equal_blocks(operation: &Operation<'_>) -> Vec<Step> {
    let (rank, ranks) = (operation.rank, operation.ranks);
    if !ranks.is_power_of_two() {
        return schedule(operation);
    }
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < ranks {
        // What is left are the blocks whose numbers agree with the rank's in the bits so far.
        let stride = 2 * distance;
        let of = |rank: u32| DataPart::Every {
            first: rank % stride,
            stride,
        };
        let partner = rank ^ distance;
        steps.push(Step::swap(partner, of(partner), of(rank), Arrival::COMBINE));
        distance *= 2;
    }
    steps
}

/// The lowest `bits` bits of a number in reverse.
fn reversed(number: u32, bits: u32) -> u32 {
    if bits == 0 {
        return 0;
    }
    number.reverse_bits() >> (u32::BITS - bits)
}
