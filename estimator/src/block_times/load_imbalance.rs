//! Load imbalance of data-dependent blocks on numbers of ranks that were not measured. Which rank has much is unknown
//! there, so each draw assigns the shares anew. Ranks of a larger number divide the share of a measured one, and their
//! parts differ as measured ranks do, or less; ranks of a smaller one have the shares of several, neighbours or any.
//! The sum over all ranks stays that of the mean. If only one number of ranks was measured, the sum is unknown, too: it
//! lies between an unchanged sum and an unchanged mean over ranks.
//!
//! [`super::data_regression`] models a rank's share, [`super::data_distribution`] the error of the mean by these models.

use super::measured::Values;
use crate::random::Random;
use base_data::compute_data::ComputeEntry;
use base_data::distribution::Distribution;
use std::collections::BTreeMap;

/// How far a time may be off at least that is taken from half or twice as many ranks, if those alone were measured.
const DOUBLED: f64 = 0.25;
/// How much more unlike than ranks the parts of a rank may be: ranks are means over their parts.
const LARGEST_SPREAD: f64 = 1.5;
/// Shares that the parts of a rank are as unlike as; of more, these evenly.
const MOST_PARTS: usize = 64;

/// What the measured ranks have of a block's work, relative to what their work terms let expect.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LoadImbalance {
    /// In the order of ranks; 1 on average.
    shares: Vec<f64>,
    /// Measured number of ranks over that of the program, where that alone was measured.
    ratio: Option<f64>,
    /// By how much work terms differ from measured ones, where that number of ranks alone was measured: the least and the
    /// largest ratio.
    sizes: [f64; 2],
    /// How much less and how much more all may have together, as logarithms.
    together: [f64; 2],
}

impl LoadImbalance {
    /// By samples of one number of ranks and what each was expected to take; `None` of fewer than two ranks.
    pub(super) fn of(
        entries: &[&ComputeEntry],
        expected: impl Fn(&ComputeEntry) -> f64,
    ) -> Option<Self> {
        let mut by_rank: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
        for entry in entries {
            let [place] = entry.coordinates.as_slice() else {
                return None;
            };
            let values =
                [&entry.first, &entry.warm].map(|values| values.mean * values.count as f64);
            let count = (entry.first.count + entry.warm.count) as f64;
            let [took, should] = by_rank.entry(place.rank).or_default();
            *took += values[0] + values[1];
            *should += count * expected(entry);
        }
        let ratios: Vec<f64> = by_rank
            .values()
            .map(|[took, should]| took / should)
            .collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        // The share of a single rank is 1 by definition and says nothing about the others.
        let are_known = ratios.len() > 1 && mean.is_finite() && mean > 0.0;
        if !are_known {
            return None;
        }
        Some(Self {
            shares: ratios.iter().map(|ratio| ratio / mean).collect(),
            ..Self::equal()
        })
    }

    /// Ranks of which nothing is known.
    pub(super) fn equal() -> Self {
        Self {
            shares: vec![1.0],
            ratio: None,
            sizes: [1.0; 2],
            together: [0.0; 2],
        }
    }

    /// The same where the times of one number of ranks are taken for those of another.
    pub(super) fn from(self, measured: u32, wanted: u32) -> Self {
        let ratio = f64::from(measured) / f64::from(wanted);
        let off = (1.0 + DOUBLED * ratio.log2().abs().clamp(1.0, 4.0)).ln();
        Self {
            ratio: Some(ratio),
            together: [-off, off],
            ..self
        }
    }

    /// The same where the program has other work terms than `entries`: it is not known which of them the data follow.
    pub(super) fn of_terms(self, entries: &[&ComputeEntry], terms: &[&[i64]]) -> Self {
        let mean = |all: &[&[i64]], term: usize| {
            all.iter().map(|one| one[term] as f64).sum::<f64>() / all.len() as f64
        };
        let measured: Vec<&[i64]> = entries.iter().map(|entry| &entry.terms[..]).collect();
        let count = measured.first().map_or(0, |one| one.len());
        let is_alike = measured.iter().chain(terms).all(|one| one.len() == count);
        if !is_alike || terms.is_empty() {
            return self;
        }
        let mut sizes = self.sizes;
        for term in 0..count {
            let ratio = mean(terms, term) / mean(&measured, term);
            if ratio.is_finite() && ratio > 0.0 {
                sizes = [sizes[0].min(ratio), sizes[1].max(ratio)];
            }
        }
        Self { sizes, ..self }
    }

    /// The same where an execution took so long on average, and is said to take so long: what all ranks have together may
    /// be what it was, or what each has; and it may be as that work term which differs most.
    pub(super) fn by_means(self, measured: f64, said: f64) -> Self {
        let Some(ratio) = self.ratio.filter(|_| measured > 0.0 && said > 0.0) else {
            return self;
        };
        let [less, more] = self.together;
        let [smallest, largest] = self.sizes;
        let least = measured * ratio.min(1.0).min(smallest) / said;
        let most = measured * ratio.max(1.0).max(largest) / said;
        Self {
            together: [less.min(least.ln()), more.max(most.ln())],
            ..self
        }
    }

    /// Factors on the mean of so many ranks, as they may be, if all together have what `place` says: 1 on average at 0, as
    /// much as they may have at 1, as little at −1.
    pub(crate) fn factors_off(&self, ranks: usize, random: &mut Random, place: f64) -> Vec<f64> {
        let [less, more] = self.together;
        let together = if place < 0.0 {
            -place * less
        } else {
            place * more
        }
        .exp();
        self.factors(ranks, random)
            .into_iter()
            .map(|factor| factor * together)
            .collect()
    }

    /// The same if all have together what the mean says.
    fn factors(&self, ranks: usize, random: &mut Random) -> Vec<f64> {
        let (mut shares, measured) = (self.shares.clone(), self.shares.len());
        // Half of the draws keep the measured order of ranks, the others take any.
        if random.unit() < 0.5 {
            shuffle(&mut shares, random);
        }
        let mut factors: Vec<f64> = (0..ranks)
            .map(|rank| mean_between(&shares, part(rank, ranks)))
            .collect();
        if ranks > measured {
            // How unlike the parts of a rank are: as ranks, or less, or a little more.
            let unlike = LARGEST_SPREAD * (1.0 - random.unit().powi(2));
            let mut inside: Vec<f64> = shares
                .iter()
                .step_by(measured.div_ceil(MOST_PARTS))
                .copied()
                .collect();
            let mut of = usize::MAX;
            for (rank, factor) in factors.iter_mut().enumerate() {
                let [from, to] = part(rank, ranks).map(|end| end * measured as f64);
                let whole = ((from + to) / 2.0) as usize;
                if whole != of {
                    of = whole;
                    shuffle(&mut inside, random);
                }
                let ends = [from, to].map(|end| (end - whole as f64).clamp(0.0, 1.0));
                *factor *= (1.0 + unlike * (mean_between(&inside, ends) - 1.0)).max(0.0);
            }
        }
        // Only the division among ranks varies here: all of them together have what the mean says.
        let mean = factors.iter().sum::<f64>() / ranks as f64;
        if mean > 0.0 {
            factors.into_iter().map(|factor| factor / mean).collect()
        } else {
            factors
        }
    }
}

/// In any order (Fisher and Yates).
fn shuffle(values: &mut [f64], random: &mut Random) {
    for last in (1..values.len()).rev() {
        values.swap(last, (random.unit() * (last + 1) as f64) as usize);
    }
}

/// Where one of so many ranks begins and ends between 0 and 1.
fn part(rank: usize, ranks: usize) -> [f64; 2] {
    [rank as f64 / ranks as f64, (rank + 1) as f64 / ranks as f64]
}

/// Mean of values that stand side by side between 0 and 1.
fn mean_between(values: &[f64], [from, to]: [f64; 2]) -> f64 {
    let count = values.len() as f64;
    let (first, last) = (
        (from * count) as usize,
        ((to * count).ceil() as usize).min(values.len()),
    );
    let width =
        |place: usize| ((place + 1) as f64).min(to * count) - (place as f64).max(from * count);
    let sum: f64 = (first..last)
        .map(|place| values[place] * width(place).max(0.0))
        .sum();
    sum / ((to - from) * count)
}

/// What an execution is expected to take, in any unit: the sum of its work terms.
pub(super) fn by_size(entry: &ComputeEntry) -> f64 {
    entry
        .terms
        .iter()
        .map(|&term| term.max(0) as f64)
        .sum::<f64>()
        .max(1.0)
}

/// Values of samples of several ranks together, as if all had the same mean: how ranks differ is no noise.
pub(super) fn as_one_rank(entries: &[&ComputeEntry]) -> Values {
    let mut mixed = Values::default();
    entries.iter().for_each(|entry| mixed.add(entry));
    let alike = |which: fn(&ComputeEntry) -> &Distribution, all: &Distribution| {
        let have_work = entries
            .iter()
            .map(|entry| which(entry))
            .filter(|found| found.mean > 0.0);
        let one = have_work.map(|found| found.scaled(all.mean / found.mean));
        let joined = one.reduce(|sum, one| sum.merged(&one)).unwrap_or_default();
        if joined.mean > 0.0 {
            Distribution {
                count: all.count,
                ..joined
            }
        } else {
            all.clone()
        }
    };
    let [first, warm] = [
        alike(|entry| &entry.first, &mixed.first),
        alike(|entry| &entry.warm, &mixed.warm),
    ];
    Values { first, warm }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(shares: &[f64], ranks: usize) -> impl Iterator<Item = Vec<f64>> {
        let unequal = LoadImbalance {
            shares: shares.to_vec(),
            ..LoadImbalance::equal()
        };
        (0..100).map(move |draw| unequal.factors(ranks, &mut Random::stream(&[draw])))
    }

    #[test]
    fn total_over_ranks_is_preserved() {
        for ranks in [1, 2, 3, 4, 7, 8, 16] {
            for drawn in factors(&[3.6, 0.2, 0.1, 0.1], ranks) {
                let mean = drawn.iter().sum::<f64>() / ranks as f64;
                assert!(
                    (mean - 1.0).abs() < 1e-9 && drawn.iter().all(|&one| one >= 0.0),
                    "{drawn:?}"
                );
            }
        }
    }

    #[test]
    fn equal_ranks_stay_equal() {
        assert!(
            factors(&[1.0; 4], 16)
                .flatten()
                .all(|factor| (factor - 1.0).abs() < 1e-9)
        );
    }

    #[test]
    fn more_ranks_increase_spread_and_fewer_reduce_it() {
        let most = |ranks| {
            factors(&[3.6, 0.2, 0.1, 0.1], ranks)
                .flatten()
                .fold(0.0, f64::max)
        };
        assert!(most(16) > 5.0 && most(2) < 2.0, "{} {}", most(16), most(2));
        assert_eq!(
            mean_between(&[1.0, 2.0, 6.0], [0.25, 0.75]),
            (0.25 + 2.0 + 1.5) / 1.5
        );
    }

    /// An execution took 8 with 4 ranks and is said to take as much with 16, or a quarter of it, or something else.
    #[test]
    fn total_or_per_rank_work_is_preserved() {
        for (said, least, most) in [(8.0, 2.0, 12.0), (2.0, 4.0 / 3.0, 8.0), (32.0, 2.0, 48.0)] {
            let unequal = LoadImbalance::equal().from(4, 16).by_means(8.0, said);
            let factor =
                |place| said * unequal.factors_off(16, &mut Random::stream(&[1]), place)[3];
            let found = [-1.0, 0.0, 1.0].map(factor);
            let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
            assert!(
                near(found[0], least) && near(found[1], said) && near(found[2], most),
                "{found:?}"
            );
        }
    }
}
