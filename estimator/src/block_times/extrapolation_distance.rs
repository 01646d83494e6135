//! Blocks that are computed from executions with much more or much less work: rates reach so far only where nothing of a block
//! stays the same. [`super::rate`] computes the rates.

use super::BlockTimesTable;
use super::executions::Executions;
use super::measured::Measured;
use std::collections::BTreeMap;

/// How many times as much work, or as little, as in any execution that was measured is far: four times the ranks have a quarter
/// of it each.
const FAR_RATIO: f64 = 4.0;
/// Share of a block's time from which on it is most of it.
const LARGEST_UNNAMED_SHARE: f64 = 0.5;

/// How much work the measured variants of a block have, by the sums of their terms.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Ascending.
    known: Vec<f64>,
}

impl Sizes {
    pub(super) fn of(measured: &[Measured]) -> Self {
        let mut known: Vec<f64> = measured
            .iter()
            .map(|variant| size(&variant.terms))
            .collect();
        known.sort_by(f64::total_cmp);
        Self { known }
    }

    /// How many times as much work, or as little, terms are as those of the nearest variant; at least 1.
    pub(super) fn distance(&self, terms: &[i64]) -> f64 {
        let wanted = size(terms);
        let above = self.known.partition_point(|&known| known < wanted);
        let beside = [above.checked_sub(1), Some(above)].into_iter().flatten();
        let distance = |&known: &f64| {
            let ratio = wanted / known;
            // Work of 0 has no ratio to anything.
            if ratio > 0.0 && ratio.is_finite() {
                ratio.max(1.0 / ratio)
            } else {
                1.0
            }
        };
        beside
            .filter_map(|place| self.known.get(place))
            .map(distance)
            .min_by(f64::total_cmp)
            .unwrap_or(1.0)
    }
}

/// The sum of work terms.
pub(super) fn size(terms: &[i64]) -> f64 {
    terms.iter().map(|&term| term as f64).sum()
}

/// The blocks that far variants take most of, with the largest distance. `distances` are by place in the table.
pub(super) fn find(
    executions: &Executions,
    table: &BlockTimesTable,
    distances: &BTreeMap<usize, f64>,
) -> BTreeMap<u32, f64> {
    let mut distances = distances
        .iter()
        .filter(|(_, distance)| **distance > FAR_RATIO)
        .peekable();
    if distances.peek().is_none() {
        return BTreeMap::new();
    }
    let distances: BTreeMap<usize, f64> = distances
        .map(|(&place, &distance)| (place, distance))
        .collect();
    let mut blocks: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
    for (rank, executed) in executions.by_rank() {
        for (&variant, &count) in executed.iter().filter(|(_, count)| **count > 0) {
            let place = table.place(rank, variant);
            let time = &table.variants[place];
            // One first execution per rank and variant; the others are warm.
            let took = time.first.mean + time.warm.mean * (count - 1) as f64;
            let [all, far, distance] = blocks.entry(time.block).or_default();
            *all += took;
            if let Some(found) = distances.get(&place) {
                *far += took;
                *distance = distance.max(*found);
            }
        }
    }
    let is_most = |[all, far, _]: &[f64; 3]| *far > 0.0 && *far >= LARGEST_UNNAMED_SHARE * all;
    blocks
        .into_iter()
        .filter(|(_, found)| is_most(found))
        .map(|(block, [.., far])| (block, far))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_variant_counts() {
        let sizes = |terms: &[i64]| {
            let measured = terms.iter().map(|&term| Measured {
                terms: vec![term, 0],
                ..Measured::default()
            });
            Sizes::of(&measured.collect::<Vec<_>>())
        };
        let distances = [1, 5, 30, 100, 2000, 0].map(|term| sizes(&[100, 10]).distance(&[term, 0]));
        assert_eq!(distances, [10.0, 2.0, 3.0, 1.0, 20.0, 1.0]);
        assert_eq!(sizes(&[0]).distance(&[7]), 1.0, "nothing to compare with");
    }
}
