//! How single executions of a block lie around their mean: the kept quantiles, scaled so that the
//! mean of the draws is the measured mean.

use base_data::distribution::{Distribution, QUANTILES};

/// Quantiles relative to the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    quantiles: [f64; QUANTILES],
}

impl Shape {
    /// Every execution takes the mean.
    pub(crate) const CONSTANT: Shape = Shape {
        quantiles: [1.0; QUANTILES],
    };

    /// The shape of a distribution; constant if it has no proper quantiles.
    pub(crate) fn of(distribution: &Distribution) -> Self {
        let Ok(kept) = <[i64; QUANTILES]>::try_from(distribution.quantiles.as_slice()) else {
            return Self::CONSTANT;
        };
        let quantiles = kept.map(|value| value.max(0) as f64);
        // Mean of the values that `at` gives for even shares: trapezoids between the quantiles.
        let ends = (quantiles[0] + quantiles[QUANTILES - 1]) / 2.0;
        let mean = (quantiles.iter().sum::<f64>() - ends) / (QUANTILES - 1) as f64;
        if distribution.count < 2 || mean <= 0.0 {
            return Self::CONSTANT;
        }
        Self {
            quantiles: quantiles.map(|value| value / mean),
        }
    }

    /// Whether every execution takes the mean.
    pub(crate) fn is_constant(&self) -> bool {
        *self == Self::CONSTANT
    }

    /// The factor on the mean at a share from 0 to 1, linear between the quantiles.
    #[inline]
    pub(crate) fn at(&self, share: f64) -> f64 {
        let place = share * (QUANTILES - 1) as f64;
        let below = (place as usize).min(QUANTILES - 2);
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
    fn single_values_do_not_vary() {
        for values in [vec![], vec![7], vec![7, 7, 7], vec![0, 0]] {
            assert!(Shape::of(&Distribution::of(values)).is_constant());
        }
    }
}
