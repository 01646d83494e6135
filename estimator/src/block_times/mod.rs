//! Times of compute blocks (or their statements, where those were counted): looked up by (block, work terms) in the compute data where they were
//! measured, computed from the block's rate where they were not, and how sure each is.
//!
//! The first execution of a variant on a rank takes the mean of first executions, later ones that of
//! warm executions. Where only one of the two was measured it serves for both.

mod choose;
mod rate;
mod shape;

use crate::EstimateError;
use crate::replay::program::{Step, Steps};
use base_data::compute_data::{ComputeData, Unit};
use base_data::distribution::Distribution;
use base_data::program_data::ProgramData;
use choose::{Measured, MeasuredBlocks, Values};
pub(crate) use shape::Shape;
use std::collections::BTreeMap;

/// How well a variant's time is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coverage {
    /// It was measured.
    Measured,
    /// It was computed from other variants of the block, whose times are this far (relative standard
    /// deviation) from the rate.
    Extrapolated {
        /// Relative standard deviation.
        spread: f64,
    },
    /// Nothing of its block was measured: it counts as 0.
    Missing,
}

/// Time of one kind of execution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Typical {
    /// Picoseconds, or statements.
    pub(crate) mean: f64,
    /// Standard error of the mean, relative to it.
    pub(crate) relative_error: f64,
    /// How single executions lie around the mean: index into [`BlockTimesTable::shapes`].
    pub(crate) shape: u32,
}

/// Times of one variant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariantTime {
    pub(crate) block: u32,
    pub(crate) first: Typical,
    pub(crate) warm: Typical,
    pub(crate) coverage: Coverage,
}

/// Times of all variants of a program.
#[derive(Debug, Default)]
pub(crate) struct BlockTimesTable {
    /// What the times count.
    pub(crate) unit: Unit,
    /// By variant; behind them those that are of one rank, rank by rank.
    pub(crate) variants: Vec<VariantTime>,
    /// By variant: where its ranks' own begin in the list, 0 where it has none.
    pub(crate) own: Vec<u32>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) warnings: Vec<String>,
}

/// Which conditions of measurement the platform wants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// What the values count.
    pub(crate) unit: Unit,
    pub(crate) ranks_per_node: u32,
    pub(crate) threads: u32,
}

/// Finds the times of all variants that `steps` execute.
///
/// # Errors
/// Compute data of another unit, and compute data that cover no executed block.
pub(crate) fn block_times(
    program: &ProgramData,
    steps: &Steps,
    compute: &[ComputeData],
    wanted: Conditions,
) -> Result<BlockTimesTable, EstimateError> {
    let (measured, warnings) = choose::measured(program, compute, wanted)?;
    let executed = executed_variants(steps);
    let covered = |variant: usize| measured.block(program.variants[variant].block.index()).is_some();
    let any_executed = executed.iter().any(|&executed| executed);
    if any_executed && !(0..executed.len()).any(|variant| executed[variant] && covered(variant)) {
        return Err(nothing_measured(program, compute));
    }
    let shapes = vec![Shape::CONSTANT];
    let (variants, own) = (Vec::new(), vec![0; program.variants.len()]);
    let mut table = BlockTimesTable { unit: wanted.unit, variants, own, shapes, warnings };
    for variant in &program.variants {
        let time = table.variant_time(&measured, variant.block.0, &variant.terms);
        table.variants.push(time);
    }
    for (index, variant) in program.variants.iter().enumerate() {
        let own = measured.variant(variant.block.index(), &variant.terms).map(|found| &found.own);
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            table.add_own(index, own, program.ranks);
        }
    }
    Ok(table)
}

fn nothing_measured(program: &ProgramData, compute: &[ComputeData]) -> EstimateError {
    let names: Vec<&str> = compute.iter().map(|data| data.provenance.program.as_str()).collect();
    EstimateError::NothingMeasured {
        program: program.provenance.program.clone(),
        compute: if names.is_empty() { "no file given".into() } else { names.join("', '") },
    }
}

fn executed_variants(steps: &Steps) -> Vec<bool> {
    let mut executed = vec![false; steps.variants];
    for step in steps.lists.iter().flat_map(|list| &list.steps) {
        if let Step::Compute { variant, .. } = step {
            executed[*variant as usize] = true;
        }
    }
    executed
}

impl BlockTimesTable {
    fn variant_time(&mut self, measured: &MeasuredBlocks, block: u32, terms: &[i64]) -> VariantTime {
        let none = Typical::default();
        let Some(variants) = measured.block(block as usize) else {
            return VariantTime { block, first: none, warm: none, coverage: Coverage::Missing };
        };
        if let Some(found) = measured.variant(block as usize, terms) {
            return self.measured_time(block, &found.values);
        }
        let (first, _) = self.extrapolated(variants, terms, Values::first_or_warm);
        let (warm, spread) = self.extrapolated(variants, terms, Values::warm_or_first);
        VariantTime { block, first, warm, coverage: Coverage::Extrapolated { spread } }
    }

    fn measured_time(&mut self, block: u32, values: &Values) -> VariantTime {
        let first = self.typical(values.first_or_warm());
        let warm = self.typical(values.warm_or_first());
        VariantTime { block, first, warm, coverage: Coverage::Measured }
    }

    /// Adds the times of a variant rank by rank: a rank's own, or those of all.
    fn add_own(&mut self, variant: usize, own: &BTreeMap<u32, Values>, ranks: u32) {
        self.own[variant] = self.variants.len() as u32;
        let of_all = self.variants[variant];
        for rank in 0..ranks {
            let time = match own.get(&rank) {
                Some(values) => self.measured_time(of_all.block, values),
                None => of_all,
            };
            self.variants.push(time);
        }
    }

    /// Where the times of a variant are for a rank.
    #[inline]
    pub(crate) fn place(&self, rank: u32, variant: u32) -> usize {
        match self.own[variant as usize] {
            0 => variant as usize,
            begin => (begin + rank) as usize,
        }
    }

    fn typical(&mut self, distribution: &Distribution) -> Typical {
        let mean = distribution.mean.max(0.0);
        let relative_error = if mean > 0.0 { distribution.standard_error() / mean } else { 0.0 };
        Typical { mean, relative_error, shape: self.shape(distribution) }
    }

    fn shape(&mut self, distribution: &Distribution) -> u32 {
        let shape = Shape::of(distribution);
        if shape.is_constant() {
            return 0;
        }
        self.shapes.push(shape);
        (self.shapes.len() - 1) as u32
    }

    /// From the block's rate, with the shape of the measured variant of the nearest size.
    fn extrapolated(
        &mut self,
        variants: &[Measured],
        terms: &[i64],
        which: fn(&Values) -> &Distribution,
    ) -> (Typical, f64) {
        let total = rate::total(terms);
        let points: Vec<rate::Point> = variants
            .iter()
            .map(|variant| rate::Point {
                total: rate::total(&variant.terms),
                time: which(&variant.values).mean.max(0.0),
            })
            .collect();
        let predicted = rate::predict(&points, total);
        let distance = |variant: &&Measured| (rate::total(&variant.terms) - total).abs();
        let nearest = variants.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let shape = nearest.map_or(0, |variant| self.shape(which(&variant.values)));
        (Typical { mean: predicted.time, relative_error: 0.0, shape }, predicted.spread)
    }
}

#[cfg(test)]
mod tests;
