//! Random numbers that depend on a seed alone.

/// SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    state: u64,
    /// Numbers drawn so far.
    pub(crate) drawn: u64,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            state: seed,
            drawn: 0,
        }
    }

    /// A stream of its own for a part of the meta-program.
    pub(crate) fn for_part(seed: u64, part: u64) -> Self {
        let mut parent = Self::new(seed ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let state = parent.next();
        Self::new(state)
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Above 0 and below 1.
    pub(crate) fn share(&mut self) -> f64 {
        // 52 bits and a half, so that neither end is reached.
        ((self.next() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// Below `limit`, which is at least 1.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
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
