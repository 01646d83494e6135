//! Reduce-scatter by recursive halving: partners are P / 2, P / 4, … apart, and each exchange halves the blocks that a
//! rank combines. Where the number of ranks is no power of two, the even ranks of the first pairs give their operands to
//! the odd ones, which combine the blocks of both and return one. Exchanges without bytes are left out.

use super::fold::Fold;
use super::step::{DataPart, Operation, Received, Sent, Step};

/// Steps of one rank.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    let (rank, ranks) = (operation.rank, operation.ranks);
    let all = DataPart::Blocks {
        first: 0,
        count: ranks,
    };
    let fold = Fold::new(ranks, true);
    let partner = fold.partner(rank);
    let mut steps = Vec::new();
    let Some(number) = fold.number(rank) else {
        if let Some(partner) = partner {
            steps.push(Step::send(partner, all));
            if operation.received.of(rank) > 0 {
                steps.push(Step::receive(partner, DataPart::block(rank)));
            }
        }
        return steps;
    };
    if let Some(partner) = partner {
        steps.push(Step::reduce(partner, all));
    }
    let (mut first, mut last) = (0, fold.power);
    let mut distance = fold.power / 2;
    while distance > 0 {
        let other = number ^ distance;
        let middle = first + distance;
        let (lower, upper) = ((first, middle), (middle, last));
        let (kept, given) = if number < other {
            (lower, upper)
        } else {
            (upper, lower)
        };
        exchange(operation, &fold, other, [given, kept], &mut steps);
        (first, last) = kept;
        distance /= 2;
    }
    // Of a pair, the halving leaves the blocks of both ranks on this one.
    if let Some(partner) = partner
        && operation.received.of(partner) > 0
    {
        steps.push(Step::send(partner, DataPart::block(partner)));
    }
    steps
}

/// Appends an exchange of what the numbers in two ranges are responsible for: the first is sent, the second combined.
fn exchange(
    operation: &Operation<'_>,
    fold: &Fold,
    other: u32,
    [given, kept]: [(u32, u32); 2],
    steps: &mut Vec<Step>,
) {
    let partner = fold.rank(other);
    let [given, kept] = [given, kept].map(|(first, last)| blocks(fold, first, last));
    let sent = Sent {
        to: partner,
        part: given,
    };
    let received = Received::combine(partner, kept);
    let bytes = |part| operation.received.bytes(part, operation.ranks);
    match (bytes(given) > 0, bytes(kept) > 0) {
        (true, true) => steps.push(Step::Exchange(sent, received)),
        (true, false) => steps.push(Step::Send(sent)),
        (false, true) => steps.push(Step::Receive(received)),
        (false, false) => {}
    }
}

/// The blocks that the numbers from one to before another are responsible for.
pub(super) fn blocks(fold: &Fold, first: u32, end: u32) -> DataPart {
    let begin = first_block(fold, first);
    DataPart::Blocks {
        first: begin,
        count: first_block(fold, end) - begin,
    }
}

/// The first block that a number is responsible for: of a pair, that of the even rank.
fn first_block(fold: &Fold, number: u32) -> u32 {
    if number < fold.extra {
        2 * number
    } else {
        number + fold.extra
    }
}
