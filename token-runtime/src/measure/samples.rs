//! The samples of one variant of one block: moments of all of them, a bounded reservoir for the
//! quantiles, and which ones were disturbed and are left out.
//!
//! On a machine with other work, a rank is interrupted now and then for thousands of times the
//! length of a short block. The processor's clock tells, but is too slow to be read around short
//! blocks. So a short block's sample that is as long as an interruption is left out, and the
//! executions after it are timed by the processor's clock as well, for blocks whose length really
//! varies that much.

use super::Rule;
use base_data::distribution::Distribution;

/// Samples kept per variant for the quantiles; moments use all.
const RESERVOIR: usize = 2048;
/// Number of warm samples at which the first ones are looked through for interruptions: while
/// there were fewer, nothing was known to compare them with.
const LOOK_BACK: u64 = 5;
/// A sample is suspicious from this many times the usual length on.
const SUSPICIOUS: f64 = 10.0;
/// Executions that are timed by the processor's clock, too, after a suspicious one.
const WATCHED: u32 = 64;
/// With the processor's time known, a sample is disturbed beyond this many times of it.
const DISTURBED: u64 = 2;

/// What is known of one variant of one block, in ticks.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) first: Option<u64>,
    pub(super) count: u64,
    pub(super) mean: f64,
    squares: f64,
    kept: Vec<u64>,
    pub(super) disturbed: u64,
    watched: u32,
    random: u64,
}

impl Samples {
    pub(super) fn new(number: u32) -> Self {
        let random = crate::intern::mix(17, u64::from(number)) | 1;
        let (first, kept) = (None, Vec::new());
        Self { first, count: 0, mean: 0.0, squares: 0.0, kept, disturbed: 0, watched: 0, random }
    }

    /// Whether the processor's clock should be read around the next execution: blocks of at least
    /// `long` ticks, first ones (nothing is known of their length), and those after a suspicion.
    pub(super) fn is_watched(&self, long: u64) -> bool {
        let usual = if self.count == 0 { self.first.unwrap_or(0) as f64 } else { self.mean };
        self.first.is_none() || self.watched > 0 || usual >= long as f64
    }

    /// One execution took `elapsed` ticks, of which the processor worked `processor` on this rank,
    /// where that is known; interruptions last `long` or more.
    pub(super) fn add(&mut self, elapsed: u64, processor: Option<u64>, long: u64) {
        self.watched = self.watched.saturating_sub(1);
        // The processor's clock includes the calls that read it, so it is never subtracted from.
        let ticks = processor.map_or(elapsed, |processor| processor.min(elapsed));
        if self.first.is_none() {
            self.first = Some(ticks);
            return;
        }
        let is_disturbed = match processor {
            Some(processor) => elapsed > processor.saturating_mul(DISTURBED) + long,
            None => self.is_suspicious(elapsed, self.mean, long) && self.count >= LOOK_BACK,
        };
        if is_disturbed {
            self.disturbed += 1;
            self.watched = WATCHED;
        } else {
            self.keep(ticks);
        }
        if !is_disturbed && self.count == LOOK_BACK {
            self.look_back(long);
        }
    }

    fn is_suspicious(&self, ticks: u64, usual: f64, long: u64) -> bool {
        ticks >= long && ticks as f64 > SUSPICIOUS * usual
    }

    /// Welford's update, and a place in the reservoir with the right probability.
    fn keep(&mut self, ticks: u64) {
        self.count += 1;
        let difference = ticks as f64 - self.mean;
        self.mean += difference / self.count as f64;
        self.squares += difference * (ticks as f64 - self.mean);
        if self.kept.len() < RESERVOIR {
            self.kept.push(ticks);
        } else {
            let place = (self.next_random() % self.count) as usize;
            if let Some(kept) = self.kept.get_mut(place) {
                *kept = ticks;
            }
        }
    }

    /// Takes interruptions out of the first samples.
    fn look_back(&mut self, long: u64) {
        let mut sorted = self.kept.clone();
        sorted.sort_unstable();
        let median = sorted[sorted.len() / 2] as f64;
        let samples = std::mem::take(&mut self.kept);
        (self.count, self.mean, self.squares) = (0, 0.0, 0.0);
        for ticks in samples {
            if self.is_suspicious(ticks, median, long) {
                self.disturbed += 1;
                self.watched = WATCHED;
            } else {
                self.keep(ticks);
            }
        }
    }

    /// Xorshift, seeded by the variant's number: the same run keeps the same samples.
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Whether the mean is known as well as the rule asks.
    pub(super) fn are_enough(&self, rule: &Rule) -> bool {
        let minimum = u64::from(rule.minimum_samples.max(2));
        if self.count < minimum {
            return self.disturbed >= 4 * minimum;
        }
        let degrees = (self.count - 1) as f64;
        let error = (self.squares / degrees / self.count as f64).sqrt();
        quantile_95(degrees) * error <= rule.relative_interval * self.mean || self.mean == 0.0
    }

    /// The warm ones, scaled to the unit of the data.
    pub(super) fn warm(&self, scale: f64) -> Distribution {
        let kept = self.kept.iter().map(|&ticks| (ticks as f64 * scale).round() as i64).collect();
        let variance = if self.count > 1 { self.squares / (self.count - 1) as f64 } else { 0.0 };
        Distribution {
            count: self.count,
            mean: self.mean * scale,
            standard_deviation: variance.sqrt() * scale,
            ..Distribution::of(kept)
        }
    }
}

/// Two-sided 95 % quantile of Student's distribution; within 3 % from 4 degrees of freedom on.
fn quantile_95(degrees: f64) -> f64 {
    const NORMAL: f64 = 1.96;
    NORMAL + 3.2 / degrees
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: u64 = 1000;

    fn check(elapsed: &[u64], expect: (u64, f64, u64)) {
        let mut samples = Samples::new(0);
        samples.add(50, None, LONG);
        elapsed.iter().for_each(|&ticks| samples.add(ticks, None, LONG));
        assert_eq!((samples.count, samples.mean, samples.disturbed), expect, "{elapsed:?}");
    }

    #[test]
    fn interruptions_of_short_blocks_are_left_out() {
        check(&[10, 10, 10, 10, 10, 9000, 10], (6, 10.0, 1));
        check(&[10, 9000, 10, 10, 10, 10], (5, 10.0, 1));
        check(&[10, 90, 10, 10, 10], (5, 26.0, 0));
    }

    #[test]
    fn a_block_that_really_varies_keeps_its_samples() {
        let mut samples = Samples::new(0);
        for _ in 0..10 {
            samples.add(10, None, LONG);
        }
        samples.add(9000, None, LONG);
        assert!(samples.is_watched(LONG), "the next ones are timed by the processor's clock");
        samples.add(9000, Some(8900), LONG);
        assert_eq!((samples.count, samples.disturbed), (10, 1));
        samples.add(9000, Some(100), LONG);
        assert_eq!((samples.count, samples.disturbed), (10, 2));
    }
}
