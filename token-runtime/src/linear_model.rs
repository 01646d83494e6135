//! Linear model check: whether times are consistent with an offset and a rate for each work term, none of them
//! negative. The estimator fits the offset and the rates.

use crate::confidence;
use base_data::distribution::Distribution;

/// How far times may be off, as a share.
const RELATIVE_TOLERANCE: f64 = 0.1;

/// Share of the interval that is asked for, up to which it does not matter to the whole that a block's times do not
/// follow its terms: short blocks are measured with as much noise as contradictions have.
const MAX_IGNORED_SHARE: f64 = 0.25;

/// A variant that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantTime {
    /// Its work terms.
    pub terms: Vec<i64>,
    /// Its mean time, in any unit.
    pub time: f64,
    /// By how much that may be off.
    pub error: f64,
}

impl VariantTime {
    /// What was measured of a variant's warm executions.
    pub fn of(terms: &[i64], warm: &Distribution) -> Self {
        Self {
            terms: terms.to_vec(),
            time: warm.mean,
            error: confidence::half_width_of(warm),
        }
    }
}

/// Whether some variants of a block, which takes that share of all time, contradict each other by so much that all time
/// is not known to within `interval`.
pub fn is_violated(variants: &[VariantTime], share: f64, interval: f64) -> bool {
    largest_violation(variants) * share > MAX_IGNORED_SHARE * interval
}

/// By how much, as a share of its time, a variant contradicts another, beyond what their times may be off: 0 where none
/// does, at most 1.
fn largest_violation(variants: &[VariantTime]) -> f64 {
    let others = |a: &VariantTime| variants.iter().map(|b| excess(a, b)).fold(0.0, f64::max);
    variants.iter().map(others).fold(0.0, f64::max)
}

/// With all terms at least as large, a variant takes at least as long; and at most so many times as long as the term that
/// grows most. Gives by how much it does not, as a share of the longer time.
fn excess(small: &VariantTime, large: &VariantTime) -> f64 {
    let pairs = || small.terms.iter().zip(&large.terms);
    let is_larger = small.terms.len() == large.terms.len()
        && small.terms != large.terms
        && pairs().all(|(a, b)| 0 <= *a && a <= b);
    if !is_larger {
        return 0.0;
    }
    let growth = |(&a, &b): (&i64, &i64)| match (a, b) {
        (0, 0) => 1.0,
        (a, b) => b as f64 / a as f64,
    };
    let most = pairs().map(growth).fold(1.0, f64::max);
    // From nothing of a term to something, any time may come.
    let is_long = if most.is_infinite() {
        0.0
    } else {
        relative_excess(large, small, most)
    };
    relative_excess(small, large, 1.0).max(is_long)
}

/// By how much a time is more than so many times another, as a share of it.
fn relative_excess(long: &VariantTime, short: &VariantTime, times: f64) -> f64 {
    // Not `hypot`, which needs a newer C library than the MPI library may.
    let error = (long.error.powi(2) + (short.error * times).powi(2)).sqrt();
    let most = short.time * times * (1.0 + RELATIVE_TOLERANCE) + error;
    if long.time > most {
        1.0 - most / long.time
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_times_satisfy_the_model() {
        let check = |expected: bool, variants: &[(&[i64], f64)]| {
            let timed = |&(terms, time): &(&[i64], f64)| VariantTime {
                terms: terms.to_vec(),
                time,
                error: 0.0,
            };
            let variants: Vec<_> = variants.iter().map(timed).collect();
            assert_eq!(
                largest_violation(&variants) == 0.0,
                expected,
                "{variants:?}"
            );
        };
        check(true, &[(&[10], 100.0), (&[20], 150.0), (&[30], 200.0)]);
        check(true, &[(&[10], 100.0), (&[20], 215.0)]);
        check(false, &[(&[10], 100.0), (&[20], 400.0)]);
        check(false, &[(&[20], 80.0), (&[10], 100.0)]);
        // One term grows and the other falls: rates can give anything.
        check(true, &[(&[10, 5], 100.0), (&[20, 4], 900.0)]);
        check(false, &[(&[10, 5], 100.0), (&[20, 5], 900.0)]);
        check(true, &[(&[0, 5], 100.0), (&[20, 5], 900.0)]);
        check(true, &[(&[0], 100.0), (&[-4], 900.0), (&[], 7.0)]);
    }
    #[test]
    fn uncertain_times_do_not_violate_the_model() {
        let timed = |term: i64, time: f64, error: f64| VariantTime {
            terms: vec![term],
            time,
            error,
        };
        for (long, error, expected) in [
            (400.0, 0.0, false),
            (400.0, 100.0, false),
            (400.0, 150.0, true),
        ] {
            // At most 220 follow from the terms; the short one's error counts twice.
            let found = 0.0 == largest_violation(&[timed(10, 100.0, 50.0), timed(20, long, error)]);
            assert_eq!(found, expected, "{long} off by {error}");
        }
        assert!(largest_violation(&[timed(10, 100.0, 3.0), timed(11, 80.0, 4.0)]) > 0.0);
        assert_eq!(
            largest_violation(&[timed(10, 100.0, 9.0), timed(11, 80.0, 12.0)]),
            0.0
        );
    }

    #[test]
    fn violation_is_weighted_by_block_share() {
        let timed = |term: i64, time: f64| VariantTime {
            terms: vec![term],
            time,
            error: 0.0,
        };
        let variants = [timed(10, 100.0), timed(11, 200.0)];
        // 200 are 79 more than what follows from 100: 0.395 of it.
        for (share, interval, expected) in
            [(0.01, 0.02, false), (0.02, 0.02, true), (0.02, 0.05, false)]
        {
            assert_eq!(
                is_violated(&variants, share, interval),
                expected,
                "{share} {interval}"
            );
        }
        assert!(!is_violated(
            &[timed(10, 100.0), timed(11, 120.0)],
            1.0,
            0.02
        ));
    }
}
