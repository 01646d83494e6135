//! Times of compute blocks (or their statements, where those were counted): looked up by (block, work terms) in the compute data where they were
//! measured, computed from the block's rate where they were not, and how sure each is.
//!
//! The first execution of a variant on a rank takes the mean of first executions, later ones that of
//! warm executions. Where only one of the two was measured it serves for both.

mod choose;
mod compute_sets;
mod data_distribution;
mod data_regression;
mod distribution_shape;
mod entries;
mod executions;
mod extrapolated;
mod extrapolation_distance;
mod least_squares;
mod load_imbalance;
mod local_distribution;
mod measured;
mod node_occupancy;
mod rank_distribution;
mod rate;
mod run_variation;
mod sample;
mod time_series;
mod trailing_executions;
mod variant_interpolation;

use crate::EstimateError;
use crate::replay::program::{Step, Steps};
use base_data::compute_data::{ComputeData, Unit};
use base_data::distribution::Distribution;
use base_data::program_data::ProgramData;
use choose::MeasuredBlocks;
pub(crate) use choose::is_in_part;
pub(crate) use compute_sets::ComputeSets;
pub(crate) use distribution_shape::Shape;
pub(crate) use entries::has_other_input;
use executions::Executions;
use extrapolated::BlockRates;
pub use extrapolated::unsteady_blocks;
use extrapolation_distance::Sizes;
pub(crate) use least_squares::Normal;
pub(crate) use load_imbalance::LoadImbalance;
use measured::{Measured, Values};
use rate::Predicted;
use run_variation::Runs;
use std::collections::BTreeMap;
use std::ops::Range;
pub(crate) use time_series::{Progress, TimeSeries};

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
    /// How much slower it may be on a node as full as the platform's, as a share.
    pub(crate) slowdown: f64,
    /// How its later executions change, see [`BlockTimesTable::time_series`].
    pub(crate) time_series: u32,
    /// How unequal ranks may be in it, see [`BlockTimesTable::unequal`].
    pub(crate) unequal: u32,
}

impl VariantTime {
    /// The same of a rank's own time, of which so many of all later executions of a run were measured: what was seen of
    /// all of them has no sampling error (a finite population: Cochran, Sampling Techniques, 1977, equation 2.14).
    fn of_a_run(self, measured: u64, executed: u64) -> Self {
        let seen = measured as f64 / executed.max(1) as f64;
        let relative_error = self.warm.relative_error * (1.0 - seen).max(0.0).sqrt();
        Self {
            warm: Typical {
                relative_error,
                ..self.warm
            },
            ..self
        }
    }

    /// The same; statement counts that change from one execution to the next are in the time series and have no spread
    /// besides.
    fn without_order(self, unit: Unit) -> Self {
        match (unit, self.time_series) {
            (Unit::Time, _) | (Unit::Statements, 0) => self,
            (Unit::Statements, _) => Self {
                warm: Typical {
                    shape: 0,
                    ..self.warm
                },
                ..self
            },
        }
    }

    /// The same for ranks with the load imbalance of this number.
    fn of_unequal(self, number: u32) -> Self {
        let coverage = match self.coverage {
            // Measured on another number of ranks, whose data lay elsewhere: it counts as extrapolated, its
            // spread comes from the draws of the distribution.
            Coverage::Measured => Coverage::Extrapolated { spread: 0.0 },
            Coverage::Missing => return self,
            Coverage::Extrapolated { .. } => self.coverage,
        };
        Self {
            unequal: number,
            coverage,
            ..self
        }
    }

    /// The same with a spread that comes from other variants; its own was not measured.
    fn with_spread(self, spread: Option<f64>) -> Self {
        Self {
            coverage: spread.map_or(self.coverage, |spread| Coverage::Extrapolated { spread }),
            ..self
        }
    }
}

/// Times of all variants of a program.
#[derive(Debug, Default)]
pub(crate) struct BlockTimesTable {
    /// What the times count.
    pub(crate) unit: Unit,
    /// By variant, for all ranks; behind them those of other compute data, and those of single ranks.
    pub(crate) variants: Vec<VariantTime>,
    /// By rank: where the times of its set of compute data begin in `variants`; empty where all ranks have
    /// the first set.
    pub(crate) set_starts: Vec<u32>,
    /// By variant: which of `places` are its; none where all ranks with the same set have the same time.
    pub(crate) own: Vec<Range<u32>>,
    /// Ranks with a time of their own in ascending order, and where in `variants` that is.
    pub(crate) places: Vec<(u32, u32)>,
    pub(crate) shapes: Vec<Shape>,
    /// Time series of variants whose time changes from one execution to the next.
    pub(crate) time_series_table: Vec<TimeSeries>,
    /// How unequal ranks may be in blocks whose work depends on data and that were measured on other numbers of ranks; the
    /// number of a time is 1 for the first, 0 where it is for none.
    pub(crate) unequal: Vec<LoadImbalance>,
    /// Share of the computation that is behind the last execution that was measured, of times that count as measured.
    pub(crate) trailing_share: f64,
    pub(crate) warnings: Vec<String>,
    /// How far data-dependent blocks were measured in part only, one clause for each set: `on 2 of 3 ranks`.
    pub(crate) partial_measurements: Vec<String>,
    /// Blocks with computed times whose measured ones do not follow the work terms, with the relative error.
    pub(crate) unsteady: BTreeMap<u32, f64>,
    /// Blocks that are computed from executions with much more or much less work, with how many times as much or as little.
    pub(crate) distant_blocks: BTreeMap<u32, f64>,
    /// How measuring runs differ.
    pub(crate) runs: Runs,
}

/// Which conditions of measurement the platform wants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// What the values count.
    pub(crate) unit: Unit,
    pub(crate) ranks_per_node: u32,
    pub(crate) threads: u32,
}

/// The times that one set of compute data gives: where in the table the variants' begin, and by variant the places of
/// ranks that have their own.
struct SetTimes {
    begin: u32,
    own: BTreeMap<usize, BTreeMap<u32, u32>>,
    /// How far computed times are from measured ones, by place in the table.
    distances: BTreeMap<usize, f64>,
}

impl SetTimes {
    /// The place of a rank's own time of a variant, if it has one.
    fn own_place(&self, variant: usize, rank: u32) -> Option<u32> {
        self.own.get(&variant)?.get(&rank).copied()
    }
}

/// Finds the times of all variants that `steps` execute.
///
/// # Errors
/// Compute data of another unit or of different PUs, and compute data that some rank has and that cover no executed block.
pub(crate) fn block_times(
    program: &ProgramData,
    steps: &Steps,
    compute: &ComputeSets<'_>,
    wanted: Conditions,
) -> Result<BlockTimesTable, EstimateError> {
    let executed = executed_variants(steps);
    let executions = Executions::of(steps);
    let executing = executions.executing(program);
    let shapes = vec![Shape::constant()];
    let mut table = BlockTimesTable {
        unit: wanted.unit,
        shapes,
        ..BlockTimesTable::default()
    };
    check_one_program(compute)?;
    let mut sets = Vec::new();
    for (set, data) in compute.all().iter().enumerate() {
        check_one_pu(data, wanted.unit)?;
        let (measured, remarks) = choose::measured(program, data, wanted, &executing)?;
        // A set that no rank uses is placed all the same: the numbers of sets are those of the files.
        if compute.is_used(set) {
            check_coverage(program, &executed, &measured, data)?;
            table.warnings.extend(remarks.warnings);
            table.partial_measurements.extend(remarks.partial);
            table.runs = table.runs.and(measured.runs);
        }
        sets.push(table.add_set(program, &measured, &executions));
    }
    table.place_ranks(program, compute, &sets);
    let distances = sets.iter().flat_map(|set| set.distances.clone()).collect();
    table.distant_blocks = extrapolation_distance::find(&executions, &table, &distances);
    trailing_executions::count(&executions, &mut table);
    let trailing = trailing_executions::find(program, &executions, &table);
    table.trailing_share = trailing.share;
    table.warnings.extend(trailing.remark);
    Ok(table)
}

/// Mean time of an execution of each variant in the section on each rank, in the unit of the compute data. Without a section, all
/// executions count.
pub(crate) fn mean_costs(steps: &Steps, table: &BlockTimesTable) -> BTreeMap<(u32, u32), f64> {
    let before = Executions::before_section(steps);
    let until = Executions::until_section_end(steps);
    let mut costs = BTreeMap::new();
    for (rank, executed) in until.by_rank() {
        for (&variant, &end) in executed {
            let begin = before.count(rank, variant);
            if begin == end {
                continue;
            }
            let time = table.of(rank, variant);
            // The time of the first so many executions.
            let sum = |count: u64| {
                let Some(later) = count.checked_sub(1) else {
                    return 0.0;
                };
                let factors = match table.time_series(time.time_series) {
                    None => later as f64,
                    Some(time_series) => time_series.sum(later),
                };
                time.first.mean + time.warm.mean * factors
            };
            let mean = (sum(end) - sum(begin)) / (end - begin) as f64;
            costs.insert((rank, variant), mean);
        }
    }
    costs
}

/// Times of one set are averaged, which means nothing across PUs. A file that names none (of another tool) fits all.
fn check_one_pu(data: &[ComputeData], unit: Unit) -> Result<(), EstimateError> {
    let mut models = data
        .iter()
        .map(|data| &data.pu.model)
        .filter(|model| !model.is_empty());
    let Some(first) = models.next() else {
        return Ok(());
    };
    match models.find(|model| *model != first) {
        Some(second) if unit == Unit::Time => Err(EstimateError::UnequalPus {
            first: first.clone(),
            second: second.clone(),
        }),
        Some(_) | None => Ok(()),
    }
}

/// A program on unequal PUs has data of one program on each.
fn check_one_program(compute: &ComputeSets<'_>) -> Result<(), EstimateError> {
    let mut used = compute.used();
    let Some(first) = used.next() else {
        return Ok(());
    };
    match used.find(|data| compute.is_by_rank() && !first.is_of_one_program_with(data)) {
        None => Ok(()),
        Some(second) => Err(EstimateError::OtherProgram {
            first: first.provenance.program.clone(),
            second: second.provenance.program.clone(),
        }),
    }
}

fn check_coverage(
    program: &ProgramData,
    executed: &[bool],
    measured: &MeasuredBlocks,
    compute: &[ComputeData],
) -> Result<(), EstimateError> {
    let covered = |variant: usize| {
        measured
            .block(program.variants[variant].block.index())
            .is_some()
    };
    let mut executed = (0..executed.len())
        .filter(|&variant| executed[variant])
        .peekable();
    // Some blocks without times are a warning; none with a time means a file of another program.
    if executed.peek().is_none() || executed.any(covered) {
        return Ok(());
    }
    let names: Vec<&str> = compute
        .iter()
        .map(|data| data.provenance.program.as_str())
        .collect();
    Err(EstimateError::NothingMeasured {
        program: program.provenance.program.clone(),
        compute: if names.is_empty() {
            "no file given".into()
        } else {
            format!("made from program '{}'", names.join("', '"))
        },
    })
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
    /// All warnings for where no shares of the compute time are known.
    pub(crate) fn warnings_without_shares(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        for partial in &self.partial_measurements {
            warnings.push(format!(
                "times of data-dependent blocks are extrapolated: they were measured {partial}; measure with --all-ranks"
            ));
        }
        warnings
    }

    /// Whether any block's executions vary around their mean.
    pub(crate) fn varies(&self) -> bool {
        self.shapes.iter().any(|shape| !shape.is_constant())
    }

    fn variant_time(
        &mut self,
        measured: &MeasuredBlocks,
        found: Option<&Measured>,
        rates: &mut BlockRates,
        block: u32,
        terms: &[i64],
    ) -> VariantTime {
        let none = Typical::default();
        let Some(variants) = measured.block(block as usize) else {
            return VariantTime {
                block,
                first: none,
                warm: none,
                coverage: Coverage::Missing,
                slowdown: 0.0,
                time_series: 0,
                unequal: 0,
            };
        };
        if let Some(found) = found {
            let slowdown = measured.slowdown(block as usize);
            let time = self.measured_time(block, &found.values, &found.time_series, slowdown);
            return time.with_spread(found.spread);
        }
        // Not measured with these terms: the block's rate stands in, with the noise of the nearest variant.
        let [first, warm] = rates.predict(block, variants, terms);
        let spread = warm.spread;
        let nearest = rates.nearest(block, variants, terms);
        let first = self.extrapolated(first, nearest.map(|found| found.values.first_or_warm()));
        let warm = self.extrapolated(warm, nearest.map(|found| found.values.warm_or_first()));
        VariantTime {
            block,
            first,
            warm,
            coverage: Coverage::Extrapolated { spread },
            slowdown: measured.slowdown(block as usize),
            time_series: 0,
            unequal: 0,
        }
    }

    fn measured_time(
        &mut self,
        block: u32,
        values: &Values,
        time_series: &Option<TimeSeries>,
        slowdown: f64,
    ) -> VariantTime {
        let first = self.typical(values.first_or_warm());
        let warm = self.typical(values.warm_or_first());
        self.time_series_table.extend(time_series.clone());
        let time_series = time_series
            .as_ref()
            .map_or(0, |_| self.time_series_table.len() as u32);
        VariantTime {
            block,
            first,
            warm,
            coverage: Coverage::Measured,
            slowdown,
            time_series,
            unequal: 0,
        }
    }

    /// How the time of a variant changes from one execution to the next, by [`VariantTime::time_series`]; where it does not,
    /// that is 0.
    #[inline]
    pub(crate) fn time_series(&self, number: u32) -> Option<&TimeSeries> {
        self.time_series_table
            .get((number as usize).checked_sub(1)?)
    }

    /// Adds the times of all variants by one set of compute data.
    fn add_set(
        &mut self,
        program: &ProgramData,
        measured: &MeasuredBlocks,
        executions: &Executions,
    ) -> SetTimes {
        let begin = self.variants.len() as u32;
        let mut rates = BlockRates::default();
        let (mut sizes, mut distances) = (BTreeMap::new(), BTreeMap::new());
        let mut of_ranks: BTreeMap<usize, &Measured> = BTreeMap::new();
        for (number, variant) in program.variants.iter().enumerate() {
            let found = measured.variant(variant.block.index(), &variant.terms);
            of_ranks.extend(
                found
                    .filter(|found| !found.own.is_empty())
                    .map(|found| (number, found)),
            );
            let time =
                self.variant_time(measured, found, &mut rates, variant.block.0, &variant.terms);
            // How far a variant lies from the measured ones widens its interval, so it is kept by number.
            if let (Coverage::Extrapolated { .. }, Some(known)) =
                (time.coverage, measured.block(variant.block.index()))
            {
                let sizes = sizes.entry(time.block).or_insert_with(|| Sizes::of(known));
                distances.insert(self.variants.len(), sizes.distance(&variant.terms));
            }
            self.variants.push(time);
        }
        self.unsteady.extend(rates.unsteady());
        // A rank that was measured itself keeps its own times; they follow the times that all ranks share.
        let mut own = BTreeMap::new();
        for (number, found) in of_ranks {
            let variant = &program.variants[number];
            let slowdown = measured.slowdown(variant.block.index());
            let mut places = BTreeMap::new();
            for (&rank, own) in &found.own {
                places.insert(rank, self.variants.len() as u32);
                let time =
                    self.measured_time(variant.block.0, &own.values, &own.time_series, slowdown);
                // The first execution has a time of its own, which the others do not share.
                let later = executions.count(rank, number as u32).saturating_sub(1);
                let of_a_run = time.of_a_run(own.values.warm.count, later);
                self.variants
                    .push(of_a_run.without_order(self.unit).with_spread(own.spread));
            }
            own.insert(number, places);
        }
        // Blocks whose ranks differ though their terms are equal: the variants point to how much.
        let mut unequal = measured.unequal().peekable();
        let said = match unequal.peek() {
            Some(_) => executions.means(&self.variants[begin as usize..][..program.variants.len()]),
            None => BTreeMap::new(),
        };
        for (block, unequal) in unequal {
            let mean = measured.mean_execution(block as usize);
            let said = said.get(&block).copied().unwrap_or(0.0);
            self.unequal.push(unequal.clone().by_means(mean, said));
            let number = self.unequal.len() as u32;
            let of_block = self.variants[begin as usize..]
                .iter_mut()
                .filter(|time| time.block == block);
            of_block.for_each(|time| *time = time.of_unequal(number));
        }
        SetTimes {
            begin,
            own,
            distances,
        }
    }

    /// Enters where each rank finds the times of each variant.
    fn place_ranks(&mut self, program: &ProgramData, compute: &ComputeSets<'_>, sets: &[SetTimes]) {
        if compute.is_by_rank() {
            self.set_starts = (0..program.ranks)
                .map(|rank| sets[compute.of(rank)].begin)
                .collect();
        }
        self.own = Vec::with_capacity(program.variants.len());
        for variant in 0..program.variants.len() {
            let start = self.places.len();
            for (number, set) in sets.iter().enumerate() {
                let of_set = set.own.get(&variant).into_iter().flat_map(BTreeMap::keys);
                let of_set = of_set.filter(|&&rank| compute.of(rank) == number);
                let of_set = of_set.filter_map(|&rank| Some((rank, set.own_place(variant, rank)?)));
                self.places
                    .extend(of_set.filter(|(rank, _)| *rank < program.ranks));
            }
            self.places[start..].sort_unstable();
            self.own.push(start as u32..self.places.len() as u32);
        }
    }

    /// Where the times of a variant are for a rank.
    #[inline]
    pub(crate) fn place(&self, rank: u32, variant: u32) -> usize {
        let own = &self.own[variant as usize];
        if own.start < own.end
            && let Some(place) = self.own_place(own, rank)
        {
            return place;
        }
        let start = self.set_starts.get(rank as usize).copied().unwrap_or(0);
        (start + variant) as usize
    }

    fn own_place(&self, own: &Range<u32>, rank: u32) -> Option<usize> {
        let places = &self.places[own.start as usize..own.end as usize];
        // Mostly all ranks have times of their own: then the rank is the index.
        if let Some(&(found, place)) = places.get(rank as usize)
            && found == rank
        {
            return Some(place as usize);
        }
        let found = places.binary_search_by_key(&rank, |&(rank, _)| rank).ok()?;
        Some(places[found].1 as usize)
    }

    /// Whether ranks differ in the times of any variant.
    pub(crate) fn is_by_rank(&self) -> bool {
        !self.set_starts.is_empty() || !self.places.is_empty()
    }

    /// The times of a variant for a rank.
    pub(crate) fn of(&self, rank: u32, variant: u32) -> &VariantTime {
        &self.variants[self.place(rank, variant)]
    }

    fn typical(&mut self, distribution: &Distribution) -> Typical {
        let mean = distribution.mean.max(0.0);
        let relative_error = if mean > 0.0 {
            distribution.standard_error() / mean
        } else {
            0.0
        };
        Typical {
            mean,
            relative_error,
            shape: self.shape(distribution),
        }
    }

    fn shape(&mut self, distribution: &Distribution) -> u32 {
        let shape = Shape::of(distribution);
        if shape.is_constant() {
            return 0;
        }
        self.shapes.push(shape);
        (self.shapes.len() - 1) as u32
    }

    /// From the block's rates, with the shape of the measured variant of the nearest size.
    fn extrapolated(&mut self, predicted: Predicted, nearest: Option<&Distribution>) -> Typical {
        let shape = nearest.map_or(0, |values| self.shape(values));
        Typical {
            mean: predicted.time,
            // The spread of the coverage contains the whole error; a sampling error would count it twice.
            relative_error: 0.0,
            shape,
        }
    }
}

#[cfg(test)]
mod tests;
