//! Reduce-scatter of an operand by recursive halving among a power of two of ranks, as Rabenseifner's allreduce and
//! reduce begin (Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004): partners are 1, 2, 4, …
//! apart, and each exchange halves what a rank is responsible for.

use super::fold::Fold;
use super::step::{Arrival, DataPart, Operation, Step};

/// The chunks that a rank is responsible for: from `first` to before `last` of as many as ranks take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    pub first: u32,
    pub last: u32,
}

/// Chunks as the part of the operand that they are: the first ones have an element more where it does not divide.
pub(super) fn part(operation: &Operation<'_>, power: u32, chunks: Chunks) -> DataPart {
    let elements = operation.elements();
    let (each, longer) = (elements / u64::from(power), elements % u64::from(power));
    // The first `longer` chunks have one element more, so a chunk's begin is shifted by the number of longer
    // ones before.
    let begin = |chunk: u32| each * u64::from(chunk) + longer.min(chunk.into());
    let first = begin(chunks.first);
    operation.range(first, begin(chunks.last) - first)
}

/// The halves of `chunks` between two partners: what the one with the lower number is responsible for, and the other.
fn halves(chunks: Chunks) -> (Chunks, Chunks) {
    let middle = (chunks.first + chunks.last) / 2;
    let lower = Chunks {
        last: middle,
        ..chunks
    };
    let upper = Chunks {
        first: middle,
        ..chunks
    };
    (lower, upper)
}

/// Appends the exchanges of the rank with this number; returns the chunks at each level, all of them first.
pub(super) fn reduce_scatter(
    operation: &Operation<'_>,
    fold: &Fold,
    number: u32,
    steps: &mut Vec<Step>,
) -> Vec<Chunks> {
    let mut levels = vec![Chunks {
        first: 0,
        last: fold.power,
    }];
    let mut distance = 1;
    while distance < fold.power {
        let partner = number ^ distance;
        let (lower, upper) = halves(levels[levels.len() - 1]);
        let (kept, given) = if number < partner {
            (lower, upper)
        } else {
            (upper, lower)
        };
        steps.push(Step::swap(
            fold.rank(partner),
            part(operation, fold.power, given),
            part(operation, fold.power, kept),
            Arrival::COMBINE,
        ));
        levels.push(kept);
        distance *= 2;
    }
    levels
}

/// What the partner at a level is responsible for: the other half of the level above.
pub(super) fn other_half(above: Chunks, own: Chunks) -> Chunks {
    let (lower, upper) = halves(above);
    if lower == own { upper } else { lower }
}
