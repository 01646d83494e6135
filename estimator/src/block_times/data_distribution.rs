//! Times of data-dependent blocks on ranks that were not measured. Where they follow a regression on their work terms
//! and on the division of data ([`super::data_regression`]), that gives the time of each rank. Where they do not, the
//! time of all ranks, relative to the work term that it follows best, is a power of their number, through the two nearest that
//! were measured.

use super::data_regression::Regression;
use super::load_imbalance::{self, LoadImbalance};
use super::measured::{Measured, Own, Values};
use super::sample::Sample;
use base_data::compute_data::ComputeEntry;
use base_data::distribution::Distribution;
use std::collections::BTreeMap;

/// Least relative standard deviation of a time that comes from other numbers of ranks, where no error was estimated.
const SPREAD: f64 = 0.1;
/// Exponents that differ by less are alike.
const LEAST_GAIN: f64 = 0.01;
/// Samples of which a model's error says something.
const ENOUGH_SAMPLES: usize = 6;

/// Returns the times of one kind of executions.
type TimesAccessor = fn(&Values) -> &Distribution;
/// The first of a rank, and later ones.
const KINDS: [TimesAccessor; 2] = [Values::first_or_warm, Values::warm_or_first];

/// The block's variants with `terms` on `ranks`; `None` if that was measured, if fewer than two numbers of ranks were,
/// or if nothing can be said of one of them. Ranks have a time of their own of what they are `executing`. Beside them, how unequal ranks may be besides.
pub(super) fn extrapolated_to_ranks(
    entries: &[&ComputeEntry],
    ranks: u32,
    terms: &[&[i64]],
    executing: &dyn Fn(&[i64]) -> Vec<u32>,
) -> Option<(Vec<Measured>, Option<LoadImbalance>)> {
    let by_ranks = by_ranks(entries)?;
    let conditions = |entry: &&ComputeEntry| (entry.threads, entry.ranks_per_node);
    // Other threads or fuller nodes would look like an effect of the number of ranks.
    let is_mixed = entries
        .windows(2)
        .any(|pair| conditions(&pair[0]) != conditions(&pair[1]));
    if is_mixed || by_ranks.contains_key(&ranks) {
        return None;
    }
    let (low, high) = nearest_two(&by_ranks.keys().copied().collect::<Vec<_>>(), ranks)?;
    let carrier = DistributionModel {
        ranks,
        executing,
        regressions: regressions(entries),
        low: (low, &by_ranks[&low]),
        high: (high, &by_ranks[&high]),
    };
    let variants = terms
        .iter()
        .map(|terms| carrier.variant(terms))
        .collect::<Option<Vec<_>>>()?;
    Some((variants, carrier.unequal()))
}

/// What ranks have that are `executing` a measured variant and were not sampled, by the model of the block's samples on that number of ranks;
/// nothing if these show no difference between ranks.
pub(super) fn for_unmeasured_ranks(
    samples: &[&ComputeEntry],
    variant: &Measured,
    ranks: u32,
    executing: &[u32],
) -> BTreeMap<u32, Own> {
    let regressions = regressions(samples);
    let [Some(first), Some(warm)] = &regressions else {
        return BTreeMap::new();
    };
    // The variant has been measured, so only what depends on the rank is missing.
    if !warm.is_by_rank() {
        return BTreeMap::new();
    }
    let numbers = numbers(&variant.terms);
    let measured_ranks = |rank| {
        let of = |kind: TimesAccessor, model: &Regression| {
            scaled_to(kind(&variant.values), model.time(&numbers, rank, ranks))
        };
        let values = Values {
            first: of(KINDS[0], first),
            warm: of(KINDS[1], warm),
        };
        (
            rank,
            Own {
                values,
                spread: Some(warm.error),
                time_series: variant.time_series.clone(),
            },
        )
    };
    let others = executing
        .iter()
        .copied()
        .filter(|rank| !variant.own.contains_key(rank));
    others.map(measured_ranks).collect()
}

/// How far ranks lie from their mean, as a relative standard deviation; that of a time that is carried if there is one
/// rank only.
pub(super) fn between_ranks(own: &BTreeMap<u32, Own>) -> f64 {
    let means: Vec<f64> = own
        .values()
        .map(|own| own.values.warm_or_first().mean)
        .collect();
    let count = means.len() as f64;
    let mean = means.iter().sum::<f64>() / count;
    let squares: f64 = means.iter().map(|one| (one - mean).powi(2)).sum();
    match means.len() {
        0 | 1 => SPREAD,
        _ if mean > 0.0 => (squares / (count - 1.0)).sqrt() / mean,
        _ => 0.0,
    }
}

/// The measurements that determine a block's time on a number of ranks.
struct DistributionModel<'a> {
    ranks: u32,
    /// The ranks that execute the block with given work terms.
    executing: &'a dyn Fn(&[i64]) -> Vec<u32>,
    /// Of first executions and of later ones.
    regressions: [Option<Regression>; 2],
    low: (u32, &'a [&'a ComputeEntry]),
    high: (u32, &'a [&'a ComputeEntry]),
}

impl DistributionModel<'_> {
    fn variant(&self, terms: &[i64]) -> Option<Measured> {
        let fits = |entry: &&ComputeEntry| entry.terms.len() == terms.len();
        match &self.regressions {
            [Some(first), Some(warm)] if self.low.1.iter().all(fits) => {
                Some(self.by_regression(terms, [first, warm]))
            }
            _ => self.by_power(terms),
        }
    }

    /// How ranks of the nearest number differ from what is said of them.
    fn unequal(&self) -> Option<LoadImbalance> {
        let (ranks, entries) = self.nearest();
        match &self.regressions {
            [Some(_), Some(model)] => LoadImbalance::of(entries, |entry| {
                let rank = entry.coordinates.first().map_or(0, |place| place.rank);
                model.time(&numbers(&entry.terms), rank, ranks)
            }),
            _ => LoadImbalance::of(entries, load_imbalance::by_size),
        }
    }

    fn by_regression(&self, terms: &[i64], regressions: [&Regression; 2]) -> Measured {
        let (numbers, nearest) = (numbers(terms), gathered(self.nearest().1));
        let own = |rank| {
            let [first, warm] = [0, 1].map(|i| {
                scaled_to(
                    KINDS[i](&nearest),
                    regressions[i].time(&numbers, rank, self.ranks),
                )
            });
            let spread = Some(self.spread(regressions[1]));
            Own {
                values: Values { first, warm },
                spread,
                time_series: None,
            }
        };
        // With a part that depends on the rank, every rank that executes the variant has a time of its own.
        let mut measured_ranks = if regressions[1].is_by_rank() {
            (self.executing)(terms)
        } else {
            Vec::new()
        };
        let is_by_rank = !measured_ranks.is_empty();
        // Without one, all ranks have the same time: any rank number gives it.
        if !is_by_rank {
            measured_ranks.push(0);
        }
        let own: BTreeMap<u32, Own> = measured_ranks
            .into_iter()
            .map(|rank| (rank, own(rank)))
            .collect();
        let mean = |which: TimesAccessor| {
            let sum: f64 = own.values().map(|own| which(&own.values).mean).sum();
            scaled_to(which(&nearest), sum / own.len() as f64)
        };
        let values = Values {
            first: mean(KINDS[0]),
            warm: mean(KINDS[1]),
        };
        let own = if is_by_rank { own } else { BTreeMap::new() };
        let spread = Some(self.spread(regressions[1]));
        Measured {
            terms: terms.to_vec(),
            values,
            own,
            spread,
            time_series: None,
        }
    }

    /// Relative error of a rank's time: the model's error on a held-out sample, and more the further the number of ranks is
    /// from those measured. Shares of irregular data vary more the smaller they are, as counts do.
    fn spread(&self, model: &Regression) -> f64 {
        let samples = self.low.1.len() + self.high.1.len();
        let known = if samples < ENOUGH_SAMPLES {
            SPREAD
        } else {
            model.error
        };
        let nearest = f64::from(self.nearest().0);
        known
            * (f64::from(self.ranks) / nearest)
                .max(nearest / f64::from(self.ranks))
                .sqrt()
    }

    fn nearest(&self) -> (u32, &[&ComputeEntry]) {
        let is_low = self.ranks.abs_diff(self.low.0) < self.ranks.abs_diff(self.high.0);
        if is_low { self.low } else { self.high }
    }

    /// Time per size is a power of the number of ranks, through the two measured ones. The size is that work term, or the sum of
    /// all, which leaves the least to the power: what follows from a term is known. `None` if there is no size because the
    /// variants have other numbers of terms.
    fn by_power(&self, terms: &[i64]) -> Option<Measured> {
        let entries = || self.low.1.iter().chain(self.high.1);
        if entries().any(|entry| entry.terms.len() != terms.len()) {
            return None;
        }
        let [low, high] = [self.low, self.high].map(|(ranks, _)| f64::from(ranks));
        let exponent = |size: &Size| {
            let [few, many] = [self.low.1, self.high.1].map(|entries| size.time_per_size(entries));
            (many / few).ln() / (high / low).ln()
        };
        // Of equal exponents the first: where the terms do not vary, the number of ranks alone.
        let mut best = (Size::One, exponent(&Size::One).abs());
        let of_terms = (0..terms.len()).map(Size::Term).chain([Size::Sum]);
        for size in of_terms {
            let is_size = size.of(terms) > 0.0 && entries().all(|one| size.of(&one.terms) > 0.0);
            let found = exponent(&size).abs();
            if is_size && found < best.1 - LEAST_GAIN {
                best = (size, found);
            }
        }
        let (size, exponent) = best;
        let sizes = [self.low.1, self.high.1].map(|entries| size.mean(entries));
        let [few, many] = [self.low, self.high].map(|(_, entries)| gathered(entries));
        let wanted = (f64::from(self.ranks), size.of(terms));
        let [first, warm] = KINDS.map(|which| {
            power(
                wanted,
                (low, sizes[0], which(&few)),
                (high, sizes[1], which(&many)),
            )
        });
        // A size that explains only a part of the growth shows that the block does not follow its terms: half of what is left to
        // the power may be otherwise.
        let nearest = f64::from(self.nearest().0);
        let left = exponent * (f64::from(self.ranks) / nearest).ln().abs() / 2.0;
        let spread = match size {
            Size::One => SPREAD,
            Size::Term(_) | Size::Sum => SPREAD.max(left).min(1.0),
        };
        Some(Measured {
            terms: terms.to_vec(),
            values: Values { first, warm },
            own: BTreeMap::new(),
            spread: Some(spread),
            time_series: None,
        })
    }
}

/// What the time of a variant is a multiple of.
#[derive(Clone, Copy, Debug)]
enum Size {
    /// All variants are alike.
    One,
    /// A work term.
    Term(usize),
    /// All work terms together.
    Sum,
}

impl Size {
    fn of(self, terms: &[i64]) -> f64 {
        match self {
            Size::One => 1.0,
            Size::Term(term) => terms[term] as f64,
            Size::Sum => terms.iter().sum::<i64>() as f64,
        }
    }

    /// Of the executions of some entries.
    fn mean(self, entries: &[&ComputeEntry]) -> f64 {
        let (mut sum, mut executions) = (0.0, 0.0);
        for entry in entries {
            let count = (entry.first.count + entry.warm.count) as f64;
            sum += count * self.of(&entry.terms);
            executions += count;
        }
        sum / executions
    }

    fn time_per_size(self, entries: &[&ComputeEntry]) -> f64 {
        let (mut time, mut size) = (0.0, 0.0);
        for entry in entries {
            for values in [&entry.first, &entry.warm] {
                time += values.count as f64 * values.mean;
                size += values.count as f64 * self.of(&entry.terms);
            }
        }
        time / size
    }
}

/// By the number of ranks they were measured with; `None` if that is not said of one.
fn by_ranks<'a>(entries: &[&'a ComputeEntry]) -> Option<BTreeMap<u32, Vec<&'a ComputeEntry>>> {
    let mut found: BTreeMap<u32, Vec<&ComputeEntry>> = BTreeMap::new();
    for entry in entries {
        found
            .entry(entry.coordinates.first()?.ranks)
            .or_default()
            .push(entry);
    }
    Some(found)
}

/// The models of first executions and of later ones, as far as there are any.
fn regressions(entries: &[&ComputeEntry]) -> [Option<Regression>; 2] {
    let count = entries.first().map_or(0, |entry| entry.terms.len());
    if entries.iter().any(|entry| entry.terms.len() != count) {
        return [None, None];
    }
    let several = by_ranks(entries).is_some_and(|found| found.len() > 1);
    if several && count == 0 {
        // With an even share as the only regressor, the number of ranks alone would determine the block's time.
        return [None, None];
    }
    KINDS.map(|which| {
        Regression::of(
            &entries
                .iter()
                .filter_map(|entry| sample(entry, which))
                .collect::<Vec<_>>(),
        )
    })
}

/// An entry of one rank.
fn sample(entry: &ComputeEntry, which: TimesAccessor) -> Option<Sample> {
    let [place] = entry.coordinates.as_slice() else {
        return None;
    };
    let values = gathered(&[entry]);
    let found = which(&values);
    let error = if found.mean > 0.0 {
        found.standard_error() / found.mean
    } else {
        0.0
    };
    Some(Sample {
        rank: place.rank,
        ranks: place.ranks,
        terms: numbers(&entry.terms),
        time: found.mean,
        error,
        count: found.count as f64,
    })
}

fn numbers(terms: &[i64]) -> Vec<f64> {
    terms.iter().map(|&term| term as f64).collect()
}

/// A distribution of that shape with another mean.
fn scaled_to(shape: &Distribution, mean: f64) -> Distribution {
    if shape.mean > 0.0 {
        shape.scaled(mean / shape.mean)
    } else {
        shape.clone()
    }
}

/// The measured numbers on both sides, or the last two on the one side where there are some.
fn nearest_two(measured: &[u32], wanted: u32) -> Option<(u32, u32)> {
    let last = measured.len().checked_sub(2)?;
    let below = measured
        .partition_point(|&ranks| ranks < wanted)
        // The pair that encloses the wanted number, or the first or last pair.
        .saturating_sub(1)
        .min(last);
    Some((measured[below], measured[below + 1]))
}

fn gathered(entries: &[&ComputeEntry]) -> Values {
    load_imbalance::as_one_rank(entries)
}

/// The distribution of the first number of ranks, scaled to where a power of the number of ranks says, through the means per size of
/// both.
fn power(
    (ranks, size): (f64, f64),
    (few_ranks, few_size, few): (f64, f64, &Distribution),
    (many_ranks, many_size, many): (f64, f64, &Distribution),
) -> Distribution {
    let ratio = (many.mean / many_size) / (few.mean / few_size);
    if !(ratio.is_finite() && ratio > 0.0) {
        return few.clone();
    }
    // time per size = c · ranks^exponent through both means.
    let exponent = ratio.ln() / (many_ranks / few_ranks).ln();
    few.scaled(size / few_size * (ranks / few_ranks).powf(exponent))
}
