//! The rates of a program's blocks, made when a variant is asked for that was not measured, and which of
//! the blocks do not follow their work terms. How rates are found is in [`super::rate`].

use super::choose::{Measured, Values};
use super::rate::{Point, Predicted, Rates};
use base_data::compute_data::ComputeData;
use base_data::distribution::Distribution;
use base_data::ids::BlockId;
use std::collections::BTreeMap;

/// Cross-validated relative error above which a block's time is said not to follow its work terms.
const LARGE_ERROR: f64 = 0.1;

/// Rates by block, of first and of warm executions.
#[derive(Debug, Default)]
pub(super) struct BlockRates {
    /// By block and number of work terms.
    found: BTreeMap<(u32, usize), [Rates; 2]>,
}

impl BlockRates {
    /// The times of first and of warm executions of a variant.
    pub(super) fn predict(&mut self, block: u32, measured: &[Measured], terms: &[i64]) -> [Predicted; 2] {
        let rates = self.found.entry((block, terms.len())).or_insert_with(|| {
            let fit = |which| Rates::of(points(measured, terms.len(), which));
            [Values::first_or_warm, Values::warm_or_first].map(fit)
        });
        let numbers = numbers(terms);
        [rates[0].predict(&numbers), rates[1].predict(&numbers)]
    }

    /// Blocks whose warm times do not follow their terms, with the error.
    pub(super) fn unsteady(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let error = |(&(block, _), rates): (&(u32, usize), &[Rates; 2])| Some((block, rates[1].error()?));
        self.found.iter().filter_map(error).filter(|(_, error)| *error > LARGE_ERROR)
    }
}

/// The blocks of compute data whose warm times do not follow their work terms, with the relative error of computed
/// times. Blocks whose work hangs on data are not among them: no term says how much that is.
pub fn unsteady_blocks(data: &ComputeData) -> BTreeMap<BlockId, f64> {
    let hangs_on_data =
        |id: BlockId| data.table.blocks.get(id.index()).is_none_or(|block| block.data_dependent);
    let mut by_conditions: BTreeMap<(BlockId, u32, u32), Vec<Measured>> = BTreeMap::new();
    for entry in data.entries.iter().filter(|entry| !hangs_on_data(entry.block)) {
        let conditions = (entry.block, entry.ranks_per_node, entry.threads);
        let variants = by_conditions.entry(conditions).or_default();
        match variants.iter_mut().find(|variant| variant.terms == entry.terms) {
            Some(known) => known.values.add(entry),
            None => {
                let mut variant = Measured { terms: entry.terms.clone(), ..Measured::default() };
                variant.values.add(entry);
                variants.push(variant);
            }
        }
    }
    let mut found = BTreeMap::new();
    for ((block, ..), variants) in by_conditions {
        let terms = variants.first().map_or(0, |variant| variant.terms.len());
        let error = Rates::of(points(&variants, terms, Values::warm_or_first)).error().unwrap_or(0.0);
        if error > LARGE_ERROR {
            let worst: &mut f64 = found.entry(block).or_default();
            *worst = worst.max(error);
        }
    }
    found
}

/// The variants with so many terms; where there are none, all of them by the sum of theirs.
fn points(measured: &[Measured], terms: usize, which: fn(&Values) -> &Distribution) -> Vec<Point> {
    let point = |variant: &Measured| point(&variant.terms, which(&variant.values));
    let fitting = measured.iter().filter(|variant| variant.terms.len() == terms);
    let points: Vec<Point> = fitting.map(point).collect();
    if points.is_empty() { measured.iter().map(point).map(Point::by_size).collect() } else { points }
}

fn numbers(terms: &[i64]) -> Vec<f64> {
    terms.iter().map(|&term| term as f64).collect()
}

fn point(terms: &[i64], found: &Distribution) -> Point {
    let time = found.mean.max(0.0);
    let error = if time > 0.0 { found.standard_error() / time } else { 0.0 };
    Point { terms: numbers(terms), time, error, count: found.count as f64 }
}
