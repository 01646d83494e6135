//! The samples of one variant of one block: moments of all of them, a bounded reservoir for the
//! quantiles, and which ones were disturbed and are left out.
//!
//! On a machine with other work, a rank is interrupted now and then for thousands of times the
//! length of a short block. The processor-time clock excludes interruptions, but is too slow to be read around short
//! blocks. So a short block's sample that is as long as an interruption is left out, and the
//! executions after it are timed by the processor's clock as well, for blocks whose length really
//! varies that much.

use super::reservoir::Reservoir;
use crate::confidence;
use base_data::distribution::Distribution;

/// Number of warm samples at which the first ones are looked through for interruptions: while
/// there were fewer, nothing was known to compare them with.
const LOOK_BACK: u64 = 5;
/// A sample is suspicious from this many times the usual length on.
const SUSPICIOUS: f64 = 10.0;
/// Executions that are timed by the processor's clock, too, after a suspicious one.
const WATCHED: u32 = 64;
/// Variants of which many values are kept.
const MANY: u32 = 1024;
/// With the processor's time known, a sample is disturbed beyond this many times of it.
const DISTURBED: u64 = 2;

/// What is known of one variant of one block, in ticks.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) first: Option<u64>,
    pub(super) count: u64,
    /// A value among those kept; sums are of the differences from it, so that a few additions keep them
    /// exact enough.
    reference: u64,
    sum: i64,
    squares: f64,
    kept: Reservoir,
    pub(super) disturbed: u64,
    /// The interval between entries and ends of loops in which it was executed last.
    pub(super) phase: u64,
    watched: u32,
    is_watched: bool,
    /// Whether the times are kept in order, too: each is watched then.
    has_time_series: bool,
    /// Later executions that were watched, and pages that they found missing.
    faults: (u64, u64),
}

impl Samples {
    pub(super) fn new(number: u32) -> Self {
        // The seed is the variant's number, so that the same run keeps the same samples.
        let kept = Reservoir::new(crate::intern::mix(17, u64::from(number)), number >= MANY);
        let (first, watched, is_watched, has_time_series) = (None, 0, true, false);
        let (count, reference, sum, squares, disturbed, phase) = (0, 0, 0, 0.0, 0, 0);
        Self {
            first,
            count,
            reference,
            sum,
            squares,
            kept,
            disturbed,
            phase,
            watched,
            is_watched,
            has_time_series,
            faults: (0, 0),
        }
    }

    /// A watched execution found so many pages missing.
    pub(super) fn add_page_faults(&mut self, faults: u64) {
        self.faults.0 += 1;
        self.faults.1 += faults;
    }

    /// Pages that a watched execution found missing, on average.
    pub(super) fn page_faults(&self) -> f64 {
        self.faults.1 as f64 / self.faults.0.max(1) as f64
    }

    /// Whether the processor's clock should be read around the next execution: long blocks, first
    /// executions (nothing is known of their length), and those after a suspicion.
    #[inline(always)]
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// From now on each execution is watched.
    pub(super) fn keep_time_series(&mut self) {
        (self.is_watched, self.has_time_series) = (true, true);
    }

    /// Whether the times are kept in order.
    pub(super) fn has_time_series(&self) -> bool {
        self.has_time_series
    }

    /// One execution was no longer than usual ones of short blocks are. Whether that is all there is to
    /// say of it; [`Samples::add`] otherwise.
    #[inline(always)]
    pub(super) fn add_typical(&mut self, elapsed: u64) -> bool {
        // At LOOK_BACK samples the first ones are compared with the rest, which only `add` does.
        let is_typical = !self.is_watched && self.count > LOOK_BACK;
        if is_typical {
            self.keep(elapsed);
        }
        is_typical
    }

    /// One execution took `elapsed` ticks, of which the processor worked `processor` on this rank,
    /// where that is known; interruptions last `long` or more. The ticks that count; `None` where the execution was
    /// disturbed.
    pub(super) fn add(&mut self, elapsed: u64, processor: Option<u64>, long: u64) -> Option<u64> {
        self.watched = self.watched.saturating_sub(1);
        // The processor's clock includes the calls that read it, so it is never subtracted from.
        let ticks = processor.map_or(elapsed, |processor| processor.min(elapsed));
        let counts = match self.first {
            None => {
                self.first = Some(ticks);
                true
            }
            Some(_) => self.add_warm(elapsed, ticks, processor, long),
        };
        self.is_watched = self.has_time_series || self.watched > 0 || self.usual() >= long as f64;
        if counts { Some(ticks) } else { None }
    }

    /// Whether it was not disturbed.
    fn add_warm(&mut self, elapsed: u64, ticks: u64, processor: Option<u64>, long: u64) -> bool {
        let is_disturbed = match processor {
            Some(processor) => elapsed > processor.saturating_mul(DISTURBED) + long,
            None => self.count >= LOOK_BACK && is_suspicious(elapsed, self.mean(), long),
        };
        if is_disturbed {
            self.leave_out();
            return false;
        }
        self.keep(ticks);
        if self.count == LOOK_BACK {
            self.look_back(long);
        }
        true
    }

    fn leave_out(&mut self) {
        self.disturbed += 1;
        self.watched = WATCHED;
    }

    #[inline(always)]
    fn keep(&mut self, ticks: u64) {
        if self.count == 0 {
            self.reference = ticks;
        }
        self.count += 1;
        let difference = ticks.wrapping_sub(self.reference) as i64;
        // Differences of integers are exact, and small ones keep the sum of squares from cancelling in `spread`.
        self.sum += difference;
        self.squares += difference as f64 * difference as f64;
        self.kept.offer(ticks);
    }

    /// Takes interruptions out of the first samples.
    fn look_back(&mut self, long: u64) {
        let mut sorted = self.kept.values().to_vec();
        sorted.sort_unstable();
        // The median, because interruptions among the first samples would raise the mean.
        let median = sorted[sorted.len() / 2] as f64;
        (self.count, self.sum, self.squares) = (0, 0, 0.0);
        for ticks in self.kept.empty() {
            if is_suspicious(ticks, median, long) {
                self.leave_out()
            } else {
                self.keep(ticks)
            }
        }
    }

    /// What an execution usually takes: the mean of the warm ones, else the first; 0 before that.
    pub(super) fn usual(&self) -> f64 {
        if self.count == 0 {
            self.first.unwrap_or(0) as f64
        } else {
            self.mean()
        }
    }

    /// Mean of the warm executions; 0 if there are none.
    pub(super) fn mean(&self) -> f64 {
        self.reference as f64 + self.sum as f64 / self.count.max(1) as f64
    }

    /// Sum of the squares of the differences from the mean.
    fn spread(&self) -> f64 {
        (self.squares - self.sum as f64 * (self.sum as f64 / self.count.max(1) as f64)).max(0.0)
    }

    /// Ticks of all executions together.
    pub(super) fn sum(&self) -> f64 {
        self.first.unwrap_or(0) as f64 + self.mean() * self.count as f64
    }

    /// Half of the 95 % interval of the mean of the warm executions.
    pub(super) fn half_width(&self) -> f64 {
        confidence::half_width(self.count, self.spread())
    }

    /// The warm ones, scaled to the unit of the data.
    pub(super) fn warm(&self, scale: f64) -> Distribution {
        let kept = self
            .kept
            .values()
            .iter()
            .map(|&ticks| (ticks as f64 * scale).round() as i64)
            .collect();
        let variance = if self.count > 1 {
            self.spread() / (self.count - 1) as f64
        } else {
            0.0
        };
        Distribution {
            count: self.count,
            mean: self.mean() * scale,
            standard_deviation: variance.sqrt() * scale,
            ..Distribution::of(kept)
        }
    }
}

/// Whether a short block took as long as an interruption does, and far longer than usual.
fn is_suspicious(ticks: u64, usual: f64, long: u64) -> bool {
    ticks >= long && ticks as f64 > SUSPICIOUS * usual
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG_BLOCK: u64 = 1000;

    fn check(elapsed: &[u64], expect: (u64, f64, u64)) {
        let mut samples = Samples::new(0);
        samples.add(50, None, LONG_BLOCK);
        elapsed
            .iter()
            .for_each(|&ticks| _ = samples.add(ticks, None, LONG_BLOCK));
        assert_eq!(
            (samples.count, samples.mean(), samples.disturbed),
            expect,
            "{elapsed:?}"
        );
    }

    #[test]
    fn preempted_short_blocks_are_discarded() {
        check(&[10, 10, 10, 10, 10, 9000, 10], (6, 10.0, 1));
        check(&[10, 9000, 10, 10, 10, 10], (5, 10.0, 1));
        check(&[10, 90, 10, 10, 10], (5, 26.0, 0));
    }

    #[test]
    fn varying_block_keeps_its_samples() {
        let mut samples = Samples::new(0);
        for _ in 0..10 {
            samples.add(10, None, LONG_BLOCK);
        }
        samples.add(9000, None, LONG_BLOCK);
        assert!(
            samples.is_watched(),
            "the next ones are timed by the processor's clock"
        );
        samples.add(9000, Some(8900), LONG_BLOCK);
        assert_eq!((samples.count, samples.disturbed), (10, 1));
        samples.add(9000, Some(100), LONG_BLOCK);
        assert_eq!((samples.count, samples.disturbed), (10, 2));
    }
}
