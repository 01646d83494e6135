//! The rates of a program's blocks, made when a variant is asked for that was not measured, and which of
//! the blocks do not follow their work terms. How rates are found is in [`super::rate`].

use super::extrapolation_distance;
use super::measured::{Measured, Values};
use super::rate::{Point, Predicted, Rates};
use base_data::compute_data::ComputeData;
use base_data::distribution::Distribution;
use base_data::ids::BlockId;
use std::collections::{BTreeMap, HashMap};

/// Cross-validated relative error above which a block's time is said not to follow its work terms.
const LARGE_ERROR: f64 = 0.1;

/// Rates by block, of first and of warm executions.
#[derive(Debug, Default)]
pub(super) struct BlockRates {
    /// By block and number of work terms.
    found: BTreeMap<(u32, usize), [Rates; 2]>,
    /// By block: the sums of the terms of its measured variants, ascending, with their places.
    sizes: BTreeMap<u32, Vec<(f64, usize)>>,
}

impl BlockRates {
    /// The times of first and of warm executions of a variant.
    pub(super) fn predict(
        &mut self,
        block: u32,
        measured: &[Measured],
        terms: &[i64],
    ) -> [Predicted; 2] {
        let rates = self.found.entry((block, terms.len())).or_insert_with(|| {
            let fit = |which| Rates::of(points(measured, terms.len(), which));
            [Values::first_or_warm, Values::warm_or_first].map(fit)
        });
        let numbers = numbers(terms);
        [rates[0].predict(&numbers), rates[1].predict(&numbers)]
    }

    /// The measured variant of a block whose terms have the nearest sum; of several the first.
    pub(super) fn nearest<'m>(
        &mut self,
        block: u32,
        measured: &'m [Measured],
        terms: &[i64],
    ) -> Option<&'m Measured> {
        let sizes = self.sizes.entry(block).or_insert_with(|| {
            let size = |(place, variant): (usize, &Measured)| {
                (extrapolation_distance::size(&variant.terms), place)
            };
            let mut sizes: Vec<(f64, usize)> = measured.iter().enumerate().map(size).collect();
            sizes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            sizes
        });
        let wanted = extrapolation_distance::size(terms);
        let above = sizes.partition_point(|&(size, _)| size < wanted);
        // The first place of the size below, and of the one at or above.
        let below = above.checked_sub(1).map(|last| {
            let first = sizes.partition_point(|&(size, _)| size < sizes[last].0);
            sizes[first]
        });
        let beside = below.into_iter().chain(sizes.get(above).copied());
        let distance = |size: f64| (size - wanted).abs();
        let nearest =
            // Of two at the same distance the earlier variant, so that the choice does not depend on the
            // side.
            beside.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)).then(a.1.cmp(&b.1)));
        measured.get(nearest?.1)
    }

    /// Blocks whose warm times do not follow their terms, with the error.
    pub(super) fn unsteady(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let error =
            |(&(block, _), rates): (&(u32, usize), &[Rates; 2])| Some((block, rates[1].error()?));
        self.found
            .iter()
            .filter_map(error)
            .filter(|(_, error)| *error > LARGE_ERROR)
    }
}

/// The blocks of compute data whose warm times do not follow their work terms, with the relative error of computed
/// times. Blocks whose work depends on data are not among them: no term says how much that is.
pub fn unsteady_blocks(data: &ComputeData) -> BTreeMap<BlockId, f64> {
    let is_data_dependent = |id: BlockId| {
        data.table
            .blocks
            .get(id.index())
            .is_none_or(|block| block.data_dependent)
    };
    let mut by_conditions: BTreeMap<(BlockId, u32, u32), Variants<'_>> = BTreeMap::new();
    for entry in data
        .entries
        .iter()
        .filter(|entry| !is_data_dependent(entry.block))
    {
        let conditions = (entry.block, entry.ranks_per_node, entry.threads);
        let (variants, places) = by_conditions.entry(conditions).or_default();
        let place = *places.entry(&entry.terms).or_insert(variants.len());
        // Variants keep the order of their first entries: the order of a hash map would change sums from run
        // to run.
        if place == variants.len() {
            variants.push(Measured {
                terms: entry.terms.clone(),
                ..Measured::default()
            });
        }
        variants[place].values.add(entry);
    }
    let mut found = BTreeMap::new();
    for ((block, ..), (variants, _)) in by_conditions {
        let terms = variants.first().map_or(0, |variant| variant.terms.len());
        let error = Rates::of(points(&variants, terms, Values::warm_or_first))
            .error()
            .unwrap_or(0.0);
        if error > LARGE_ERROR {
            let worst: &mut f64 = found.entry(block).or_default();
            *worst = worst.max(error);
        }
    }
    found
}

/// Variants in the order of their first entries, and the places of their terms.
type Variants<'a> = (Vec<Measured>, HashMap<&'a [i64], usize>);

/// The variants with so many terms; where there are none, all of them by the sum of theirs.
fn points(measured: &[Measured], terms: usize, which: fn(&Values) -> &Distribution) -> Vec<Point> {
    let point = |variant: &Measured| point(&variant.terms, which(&variant.values));
    let fitting = measured
        .iter()
        .filter(|variant| variant.terms.len() == terms);
    let points: Vec<Point> = fitting.map(point).collect();
    if points.is_empty() {
        measured.iter().map(point).map(Point::by_size).collect()
    } else {
        points
    }
}

fn numbers(terms: &[i64]) -> Vec<f64> {
    terms.iter().map(|&term| term as f64).collect()
}

fn point(terms: &[i64], found: &Distribution) -> Point {
    let time = found.mean.max(0.0);
    let error = if time > 0.0 {
        found.standard_error() / time
    } else {
        0.0
    };
    Point {
        terms: numbers(terms),
        time,
        error,
        count: found.count as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_size_is_the_first_of_equals() {
        let variant = |terms: &[i64]| Measured {
            terms: terms.to_vec(),
            ..Measured::default()
        };
        let measured: Vec<Measured> = [&[1, 9][..], &[2, 2], &[3, 1], &[4, 6], &[20]]
            .iter()
            .map(|terms| variant(terms))
            .collect();
        let size = |terms: &[i64]| extrapolation_distance::size(terms);
        let mut rates = BlockRates::default();
        for wanted in 0..30 {
            let distance = |variant: &&Measured| (size(&variant.terms) - wanted as f64).abs();
            let expected = measured
                .iter()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)));
            assert_eq!(
                rates
                    .nearest(0, &measured, &[wanted])
                    .map(|found| &found.terms),
                expected.map(|found| &found.terms),
                "{wanted}"
            );
        }
        assert!(rates.nearest(1, &[], &[3]).is_none());
    }
}
