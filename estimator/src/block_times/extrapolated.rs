//! The rates of a program's blocks, made when a variant is asked for that was not measured, and which of
//! the blocks do not follow their work terms. How rates are found is in [`super::rate`].

use super::choose::{Measured, Values};
use super::rate::{Point, Predicted, Rates};
use base_data::distribution::Distribution;
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
    Point { terms: numbers(terms), time, error }
}
