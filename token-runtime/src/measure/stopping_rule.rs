//! When the blocks of a loop are known well enough: all of them together to the interval that is asked for, each that is
//! more than next to nothing of the loop's time to a few times that. `mod.rs` selects the blocks and knows the other
//! reasons to continue a loop.

use super::StoppingRule;
use super::samples::Samples;

/// Share of a loop's time from which on a block is reported separately.
const MIN_BLOCK_SHARE: f64 = 0.01;
/// Times the interval of the whole that the mean of such a block may have: the errors of several cancel.
const BLOCK_INTERVAL_FACTOR: f64 = 5.0;

/// Whether enough is known of a loop's time, which is `whole` so far, if it is known but for these.
pub(super) fn is_satisfied<'a>(
    rule: &StoppingRule,
    unknown: impl Iterator<Item = &'a Samples>,
    whole: f64,
) -> bool {
    let mut squares = 0.0;
    for samples in unknown {
        match interval_contribution(rule, samples, whole) {
            Some(interval_contribution) => squares += interval_contribution * interval_contribution,
            None => return false,
        }
    }
    squares.sqrt() <= rule.relative_interval * whole
}

/// By how much a variant's part of the whole may be off; `None` if it has to be known better.
fn interval_contribution(rule: &StoppingRule, samples: &Samples, whole: f64) -> Option<f64> {
    let minimum = u64::from(rule.minimum_samples.max(2));
    let is_large = samples.sum() > MIN_BLOCK_SHARE * whole;
    if samples.count < minimum {
        // A variant that is disturbed in most executions never reaches the minimum: waiting for it is useless.
        if samples.disturbed >= 4 * minimum {
            return Some(0.0);
        }
        // All of a small variant's time may be wrong without consequence.
        return if is_large { None } else { Some(samples.sum()) };
    }
    let half_width = samples.half_width();
    let is_close = half_width <= BLOCK_INTERVAL_FACTOR * rule.relative_interval * samples.mean();
    if is_close || !is_large {
        Some(half_width * samples.count as f64)
    } else {
        None
    }
}
