//! Regression model of data-dependent work: a rate for each work term of a block, whose values are exact for each rank,
//! and an amount for each way in which data are divided among ranks ([`super::rank_distribution`]). Least squares of
//! relative errors over all samples determine rates and amounts; none is negative. An even division of the data is
//! assumed; another one is used if it predicts held-out samples much better.

use super::least_squares::Normal;
use super::local_distribution::LocalDistribution;
use super::rank_distribution::{Division, UNEVEN};
use super::sample::Sample;
use std::collections::BTreeMap;

/// A regression model of a block's time.
#[derive(Clone, Debug)]
pub(super) struct Regression {
    divisions: Vec<Division>,
    /// Of the terms, then of the divisions.
    rates: Vec<f64>,
    /// Relative error of a held-out sample.
    pub(super) error: f64,
    /// What lies where beside that.
    local: Option<LocalDistribution>,
}

/// Relative error that no sample falls below: those that are known better count alike.
const LEAST_ERROR: f64 = 0.005;
/// At this error of held-out samples, no further division is tried.
const SUFFICIENT_ERROR: f64 = 0.002;
/// A further division must lower the error to this share of what it was.
const REQUIRED_IMPROVEMENT: f64 = 0.75;
/// Fewest samples that show how ranks differ.
const FEWEST_SAMPLES: usize = 5;
/// Divisions beside the even one.
const MOST_UNEVEN: usize = 2;
/// Weight of the prior that a rate is 0, as a share of the samples' weight: it determines what the samples leave open.
const NOTHING: f64 = 1e-9;
/// Most samples that a model is fitted to; more are thinned evenly.
const MOST_SAMPLES: usize = 64;
/// Error from which on single samples do not follow a model,
const LOOSE_ERROR: f64 = 0.03;
/// and least error of a regression of their sums.
const UNCERTAIN_ERROR: f64 = 0.1;
/// Largest relative error of the time of all ranks of a run.
const LARGEST_MISS: f64 = 0.02;

impl Regression {
    /// The model that `samples` follow, which all have the same number of terms; `None` if they follow none: over their
    /// numbers of ranks, their time goes another way.
    pub(super) fn of(samples: &[Sample]) -> Option<Self> {
        let used = thinned(samples);
        let mut model = Self::with(&used, vec![Division::Even])?;
        let most = if used.len() < FEWEST_SAMPLES {
            0
        } else {
            MOST_UNEVEN
        };
        // Forward selection: the division that lowers the error most, one at a time.
        while model.error > SUFFICIENT_ERROR && model.divisions.len() <= most {
            let more = |division| [&model.divisions[..], &[division]].concat();
            let tried = UNEVEN
                .into_iter()
                .filter(|division| !model.divisions.contains(division));
            let tried = tried.filter_map(|division| Self::with(&used, more(division)));
            let best = tried.min_by(|a, b| a.error.total_cmp(&b.error));
            match best.filter(|best| best.error <= REQUIRED_IMPROVEMENT * model.error) {
                Some(best) => model = best,
                None => break,
            }
        }
        if model.error > LOOSE_ERROR {
            model.remove_unused_rates(samples);
        }
        if !model.fits_samples(samples) {
            return None;
        }
        let beside = |one: &Sample| one.time - model.time(&one.terms, one.rank, one.ranks);
        model.local = LocalDistribution::of(
            &samples
                .iter()
                .map(|one| (one, beside(one)))
                .collect::<Vec<_>>(),
        );
        Some(model)
    }

    /// The time of a rank.
    pub(super) fn time(&self, terms: &[f64], rank: u32, ranks: u32) -> f64 {
        let divided = dot(&self.rates, &row(&self.divisions, terms, rank, ranks));
        (divided
            + self
                .local
                .as_ref()
                .map_or(0.0, |local| local.time(rank, ranks)))
        .max(0.0)
    }

    /// Whether ranks with the same work differ.
    pub(super) fn is_by_rank(&self) -> bool {
        self.divisions.len() > 1 || self.local.is_some()
    }

    fn with(samples: &[Sample], divisions: Vec<Division>) -> Option<Self> {
        let rows: Vec<Vec<f64>> = samples
            .iter()
            .map(|one| row(&divisions, &one.terms, one.rank, one.ranks))
            .collect();
        let unknowns = rows.first()?.len();
        let mut sums = Normal::new(unknowns);
        for (sample, row) in samples.iter().zip(&rows) {
            sums.add(row, sample.time, weight(sample));
        }
        for unknown in 0..unknowns {
            let mut row = vec![0.0; unknowns];
            row[unknown] = 1.0;
            // A weak pull to 0 makes unknowns that the samples leave open defined.
            sums.add(&row, 0.0, NOTHING * sums.square(unknown));
        }
        let unreported = |(sample, row): (&Sample, &Vec<f64>)| {
            let mut others = sums.clone();
            // Leave-one-out: the sample is taken out of the sums instead of summing all others again.
            others.add(row, sample.time, -weight(sample));
            (dot(&others.solve(), row) / sample.time - 1.0).powi(2)
        };
        let squares: f64 = samples.iter().zip(&rows).map(unreported).sum();
        let error = (squares / samples.len() as f64).sqrt();
        Some(Self {
            rates: sums.solve(),
            divisions,
            error,
            local: None,
        })
    }

    /// Where single samples do not follow the model, all of them together do, and ranks by their sums: relative errors draw
    /// it to samples that take least, of which there may be many.
    fn remove_unused_rates(&mut self, samples: &[Sample]) {
        let ranks = self.sums(samples, |one| (one.ranks, one.rank));
        let [said, found] = [0, 1].map(|which| ranks.values().map(|rank| rank[which]).sum::<f64>());
        let factor = found / said;
        if factor.is_finite() && factor > 0.0 {
            self.rates.iter_mut().for_each(|rate| *rate *= factor);
            let square = |[said, found]: &[f64; 2]| (factor * said / found - 1.0).powi(2);
            let squares: f64 = ranks
                .values()
                .filter(|rank| rank[1] > 0.0)
                .map(square)
                .sum();
            self.error = (squares / ranks.len() as f64).sqrt().max(UNCERTAIN_ERROR);
        }
    }

    /// Whether the time of all ranks of each run is that of the model.
    fn fits_samples(&self, samples: &[Sample]) -> bool {
        let runs = self.sums(samples, |one| one.ranks);
        runs.values()
            // Sums over all ranks of a run have little noise; a model that misses them has the wrong form.
            .all(|[said, found]| (said / found - 1.0).abs() <= LARGEST_MISS)
    }

    /// Time of all executions with samples of one kind: that of the model, and that of the samples.
    fn sums<K: Ord>(
        &self,
        samples: &[Sample],
        kind: impl Fn(&Sample) -> K,
    ) -> BTreeMap<K, [f64; 2]> {
        let mut sums: BTreeMap<K, [f64; 2]> = BTreeMap::new();
        for one in samples {
            let [said, found] = sums.entry(kind(one)).or_default();
            *said += one.count * self.time(&one.terms, one.rank, one.ranks);
            *found += one.count * one.time;
        }
        sums
    }
}

fn row(divisions: &[Division], terms: &[f64], rank: u32, ranks: u32) -> Vec<f64> {
    terms
        .iter()
        .copied()
        .chain(divisions.iter().map(|division| division.share(rank, ranks)))
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One over the square of a sample's error.
fn weight(sample: &Sample) -> f64 {
    let error = sample.time * sample.error.hypot(LEAST_ERROR);
    1.0 / (error * error)
}

fn thinned(samples: &[Sample]) -> Vec<Sample> {
    let timed: Vec<&Sample> = samples.iter().filter(|sample| sample.time > 0.0).collect();
    let kept = timed.len().min(MOST_SAMPLES);
    (0..kept)
        .map(|i| timed[i * timed.len() / kept].clone())
        .collect()
}

#[cfg(test)]
mod tests;
