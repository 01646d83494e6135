//! A distribution of measured values: moments and quantiles, small enough to keep per block.

use serde::{Deserialize, Serialize};

/// Number of kept quantiles: 0, 5, 10, …, 100 %.
pub const QUANTILES: usize = 21;

/// Summary of `count` measured values, in the unit of the data that hold it (picoseconds for
/// [`crate::compute_data::Unit::Time`], statements otherwise).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// How many values.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (n − 1); 0 for fewer than two values.
    pub standard_deviation: f64,
    /// Quantiles at 0, 5, …, 100 %, ascending; empty when `count` is 0.
    pub quantiles: Vec<i64>,
}

impl Distribution {
    /// Summarises `values`, in any order.
    pub fn of(mut values: Vec<i64>) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        values.sort_unstable();
        let count = values.len();
        let mean = values.iter().map(|&v| v as f64).sum::<f64>() / count as f64;
        // Around the mean, in a second pass: squares of picoseconds around 0 would lose digits.
        let squares: f64 = values.iter().map(|&v| (v as f64 - mean).powi(2)).sum();
        let standard_deviation = if count > 1 {
            (squares / (count - 1) as f64).sqrt()
        } else {
            0.0
        };
        // The value nearest to the quantile, rounded in integers so that every machine takes the same one.
        let at = |i: usize| values[((count - 1) * i + (QUANTILES - 1) / 2) / (QUANTILES - 1)];
        Self {
            count: count as u64,
            mean,
            standard_deviation,
            quantiles: (0..QUANTILES).map(at).collect(),
        }
    }

    /// The two distributions' values taken together. Moments are exact; quantiles are those of
    /// the mixture of the two step functions.
    pub fn merged(&self, other: &Self) -> Self {
        if self.count == 0 {
            return other.clone();
        }
        if other.count == 0 {
            return self.clone();
        }
        let (n, m) = (self.count as f64, other.count as f64);
        let mean = (self.mean * n + other.mean * m) / (n + m);
        // Sum of squares around the common mean: within the part, and of the part's mean (Chan, Golub and
        // LeVeque, 1979).
        let spread = |d: &Self| {
            d.standard_deviation.powi(2) * (d.count as f64 - 1.0)
                + d.count as f64 * (d.mean - mean).powi(2)
        };
        let variance = (spread(self) + spread(other)) / (n + m - 1.0);
        Self {
            count: self.count.saturating_add(other.count),
            mean,
            standard_deviation: variance.max(0.0).sqrt(),
            quantiles: mixture_quantiles(self, other),
        }
    }

    /// The distribution of all values times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        let quantile = |&value: &i64| (value as f64 * factor).round() as i64;
        Self {
            count: self.count,
            mean: self.mean * factor,
            standard_deviation: self.standard_deviation * factor.abs(),
            quantiles: self.quantiles.iter().map(quantile).collect(),
        }
    }

    /// Standard error of the mean; 0 for fewer than two values.
    pub fn standard_error(&self) -> f64 {
        if self.count > 1 {
            self.standard_deviation / (self.count as f64).sqrt()
        } else {
            0.0
        }
    }

    /// The value at a share `p` (0 to 1) of the distribution, linear between kept quantiles;
    /// the mean when no quantiles were kept.
    pub fn quantile(&self, p: f64) -> f64 {
        let Some(last) = self.quantiles.len().checked_sub(1) else {
            return self.mean;
        };
        let place = p.clamp(0.0, 1.0) * last as f64;
        let below = (place.floor() as usize).min(last);
        let above = (below + 1).min(last);
        let share = place - below as f64;
        self.quantiles[below] as f64 * (1.0 - share) + self.quantiles[above] as f64 * share
    }

    /// The middle value.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }
}

fn mixture_quantiles(a: &Distribution, b: &Distribution) -> Vec<i64> {
    // Each kept quantile stands for an equal share of its distribution's values.
    let weight = |d: &Distribution| d.count as f64 / d.quantiles.len().max(1) as f64;
    let mut steps: Vec<(i64, f64)> = Vec::with_capacity(a.quantiles.len() + b.quantiles.len());
    steps.extend(a.quantiles.iter().map(|&value| (value, weight(a))));
    steps.extend(b.quantiles.iter().map(|&value| (value, weight(b))));
    steps.sort_by_key(|&(value, _)| value);
    let total: f64 = steps.iter().map(|step| step.1).sum();
    let mut quantiles = Vec::with_capacity(QUANTILES);
    let (mut index, mut reached) = (0, steps.first().map_or(0.0, |step| step.1));
    for i in 0..QUANTILES {
        let wanted = total * i as f64 / (QUANTILES - 1) as f64;
        // The rounded sum may stay below the total, so the last step ends the search, too.
        while reached < wanted && index + 1 < steps.len() {
            index += 1;
            reached += steps[index].1;
        }
        quantiles.extend(steps.get(index).map(|step| step.0));
    }
    quantiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_mean_spread_and_quantiles() {
        let d = Distribution::of((1..=101).rev().collect());
        assert_eq!((d.count, d.mean), (101, 51.0));
        assert!((d.standard_deviation - 29.3).abs() < 0.01);
        assert_eq!(d.quantiles.len(), QUANTILES);
        assert_eq!(
            (d.quantile(0.0), d.median(), d.quantile(1.0)),
            (1.0, 51.0, 101.0)
        );
    }

    #[test]
    fn merging_equals_measuring_together() {
        let (a, b): (Vec<i64>, Vec<i64>) = ((0..500).collect(), (500..1000).collect());
        let together = Distribution::of(a.iter().chain(&b).copied().collect());
        let merged = Distribution::of(a).merged(&Distribution::of(b));
        assert_eq!(merged.count, together.count);
        assert!((merged.mean - together.mean).abs() < 1e-9);
        assert!((merged.standard_deviation - together.standard_deviation).abs() < 1e-6);
        for (m, t) in merged.quantiles.iter().zip(&together.quantiles) {
            assert!((m - t).abs() <= 60, "{m} against {t}");
        }
    }

    #[test]
    fn scaling_equals_measuring_what_is_scaled() {
        let scaled = Distribution::of(vec![10, 20, 60]).scaled(1.5);
        assert_eq!(scaled, Distribution::of(vec![15, 30, 90]));
    }

    #[test]
    fn empty_measurement_has_no_value() {
        let none = Distribution::of(vec![]);
        assert_eq!(
            (none.count, none.mean, none.standard_error()),
            (0, 0.0, 0.0)
        );
    }
}
