//! Random numbers that depend on a seed alone.

use base_data::split_mix::{STEP, SplitMix64};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    numbers: SplitMix64,
    /// Numbers drawn so far.
    pub(crate) drawn: u64,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            numbers: SplitMix64 { state: seed },
            drawn: 0,
        }
    }

    /// A stream of its own for a part of the meta-program.
    pub(crate) fn for_part(seed: u64, part: u64) -> Self {
        // SplitMix64 adds STEP to its state for every number, so states that are multiples of STEP apart give the same
        // sequence, shifted. The state is therefore an output, not the sum itself.
        let mut parent = Self::new(seed ^ part.wrapping_mul(STEP));
        let state = parent.next();
        Self::new(state)
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        self.numbers.next_number()
    }

    /// Above 0 and below 1.
    pub(crate) fn share(&mut self) -> f64 {
        // 52 bits and a half, so that neither end is reached.
        ((self.next() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// Below `limit`, which is at least 1.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // The number as a fraction of 2^64, times the limit.
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// How many trials in a row succeed, each with this probability, before one fails.
    pub(crate) fn successes(&mut self, probability: f64) -> u64 {
        if probability >= 1.0 {
            return u64::MAX;
        }
        if probability <= 0.0 {
            return 0;
        }
        // Inverse of the geometric distribution; the conversion saturates.
        (self.share().ln() / probability.ln()).floor() as u64
    }

    /// The numbers below `count` in random order (Fisher and Yates).
    pub(crate) fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = self.below(last + 1);
            order.swap(last, other);
        }
        order
    }
}
