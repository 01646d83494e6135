//! Allgather by neighbour exchange (Chen, Zhang, Zhang, Yuan 2005), for an even number of ranks, P / 2 rounds: a rank
//! exchanges its block with one neighbour, then passes the two blocks that it received last to the other neighbour and
//! receives two, in turns.

use super::step::{Arrival, DataPart, Operation, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (rank, ranks) = (operation.rank, operation.ranks);
    if ranks < 2 {
        return Vec::new();
    }
    let is_even = rank.is_multiple_of(2);
    // Even ranks begin with the neighbour above, odd ones with that below: pairs (0, 1), (2, 3), …
    let (first, second) = if is_even {
        (operation.above(1), operation.below(1))
    } else {
        (operation.below(1), operation.above(1))
    };
    let mut steps = vec![Step::swap(
        first,
        DataPart::block(rank),
        DataPart::block(first),
        Arrival::STORE,
    )];
    let pair = |first: u32| DataPart::Blocks { first, count: 2 };
    let mut held = rank & !1;
    for round in 1..ranks / 2 {
        let partner = if round % 2 == 1 { second } else { first };
        // Pairs come from alternating sides, two ranks further each time: an even rank's first from below.
        let away = 2 * round.div_ceil(2);
        let from_below = is_even == (round % 2 == 1);
        let pair_of_own = rank & !1;
        let next = if from_below {
            (pair_of_own + ranks - away) % ranks
        } else {
            (pair_of_own + away) % ranks
        };
        steps.push(Step::swap(partner, pair(held), pair(next), Arrival::STORE));
        held = next;
    }
    steps
}
