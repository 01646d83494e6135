//! How single executions of a block lie around their mean: the kept quantiles, scaled so that the
//! mean of the draws is the measured mean.

use base_data::distribution::Distribution;

/// Quantiles relative to the mean, at even shares from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    quantiles: Box<[f64]>,
}

impl Shape {
    /// Every execution takes the mean.
    pub(crate) fn constant() -> Self {
        Self {
            quantiles: Box::new([1.0; 2]),
        }
    }

    /// The shape of a distribution; constant if it has no proper quantiles.
    pub(crate) fn of(distribution: &Distribution) -> Self {
        let quantiles = distribution.quantiles.iter();
        let quantiles: Box<[f64]> = quantiles.map(|&value| value.max(0) as f64).collect();
        let [first, .., last] = quantiles[..] else {
            return Self::constant();
        };
        // Mean of the values that `at` gives for even shares: trapezoids between the quantiles.
        let ends = (first + last) / 2.0;
        let mean = (quantiles.iter().sum::<f64>() - ends) / (quantiles.len() - 1) as f64;
        if distribution.count < 2 || mean <= 0.0 || first == last {
            return Self::constant();
        }
        Self {
            quantiles: quantiles.iter().map(|value| value / mean).collect(),
        }
    }

    /// Whether every execution takes the mean.
    pub(crate) fn is_constant(&self) -> bool {
        self.quantiles.iter().all(|&value| value == 1.0)
    }

    /// The factor on the mean at a share from 0 to 1, linear between the quantiles.
    #[inline]
    pub(crate) fn at(&self, share: f64) -> f64 {
        let last = self.quantiles.len() - 1;
        let place = share * last as f64;
        let below = (place as usize).min(last - 1);
        let part = place - below as f64;
        self.quantiles[below] * (1.0 - part) + self.quantiles[below + 1] * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_measured_mean() {
        let values: Vec<i64> = (0..1000).map(|i| 100 + i * i / 1000).collect();
        let shape = Shape::of(&Distribution::of(values));
        let draws = 10_000;
        let sum: f64 = (0..draws)
            .map(|i| shape.at((f64::from(i) + 0.5) / f64::from(draws)))
            .sum();
        assert!((sum / f64::from(draws) - 1.0).abs() < 1e-6);
        assert!(shape.at(0.0) < 0.3 && shape.at(1.0) > 2.0);
    }

    #[test]
    fn many_quantiles_give_steps() {
        let quantiles: Vec<i64> = (0..1024).map(|i| if i < 512 { 0 } else { 1000 }).collect();
        let shape = Shape::of(&Distribution {
            count: 1024,
            mean: 500.0,
            standard_deviation: 500.0,
            quantiles,
        });
        assert!(shape.at(0.499) < 1e-9);
        assert!((shape.at(0.501) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn single_values_do_not_vary() {
        for values in [vec![], vec![7], vec![7, 7, 7], vec![0, 0]] {
            assert!(Shape::of(&Distribution::of(values)).is_constant());
        }
    }
}
