//! Random numbers for draws: a tiny generator that gives the same numbers for the same seed on every
//! machine, with independent streams by number so that no draw hangs on the order of ranks.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random {
    state: u64,
}

/// The golden ratio as an odd 64-bit number, the generator's step.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The stream that `numbers` name.
    pub(crate) fn stream(numbers: &[u64]) -> Self {
        let mut random = Self { state: 0 };
        for &number in numbers {
            random.state ^= number;
            random.state = random.next();
        }
        random
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Even between 0 (included) and 1 (not).
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        // 53 bits fill a double's mantissa.
        (self.next() >> 11) as i64 as f64 / (1u64 << 53) as f64
    }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let first = |numbers: &[u64]| Random::stream(numbers).unit();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        let all = [first(&[1, 2]), first(&[2, 1]), first(&[1, 3]), first(&[1]), first(&[0])];
        for (i, value) in all.iter().enumerate() {
            assert!((0.0..1.0).contains(value) && all[..i].iter().all(|other| other != value));
        }
    }

    #[test]
    fn normal_has_mean_0_and_deviation_1() {
        let mut random = Random::stream(&[7]);
        let values: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }
}
