//! Confidence interval of the mean of a few values.

use base_data::distribution::Distribution;

/// Two-sided 95 % quantile of Student's distribution; within 3 % from 4 degrees of freedom on.
fn quantile_95(degrees: f64) -> f64 {
    const NORMAL: f64 = 1.96;
    NORMAL + 3.2 / degrees
}

/// Half of the 95 % interval of the mean of so many values, of which the sum of the squares of the differences from
/// their mean is given. The variance of fewer than two values is undefined: the result is 0.
pub(crate) fn half_width(count: u64, squares: f64) -> f64 {
    if count < 2 {
        return 0.0;
    }
    let degrees = (count - 1) as f64;
    quantile_95(degrees) * (squares / degrees / count as f64).sqrt()
}

/// The same of what was measured.
pub fn half_width_of(found: &Distribution) -> f64 {
    let degrees = found.count.saturating_sub(1) as f64;
    half_width(found.count, found.standard_deviation.powi(2) * degrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_use_student_quantiles() {
        // From tables: 2.776 for four degrees of freedom, 2.045 for 29.
        for (count, quantile) in [(5, 2.776), (30, 2.045)] {
            let squares = (count - 1) as f64;
            let expected = quantile / (count as f64).sqrt();
            let found = half_width(count, squares);
            assert!(
                (found - expected).abs() < 0.03 * expected,
                "{found} for {expected}"
            );
        }
        assert_eq!([0, 1].map(|count| half_width(count, 0.0)), [0.0; 2]);
        let measured = Distribution::of(vec![8, 10, 12]);
        assert!((half_width_of(&measured) - half_width(3, 8.0)).abs() < 1e-9);
    }
}
