//! A sample of bounded size of any number of values, each as likely to be in it as any other. How many
//! values to pass over until the next that gets a place is drawn beforehand, evenly around what makes that
//! likely, so that most values cost a comparison.

/// Values kept for the quantiles of a variant, and of each where there are very many.
const SIZE: usize = 2048;
const SMALL: usize = 256;

/// The values kept of those offered.
#[derive(Debug)]
pub(super) struct Reservoir {
    kept: Vec<u64>,
    size: usize,
    /// Values to pass over before the next is kept, once the reservoir is full.
    skips: u64,
    /// Values offered up to the next that is kept.
    offered: u64,
    random: u64,
}

impl Reservoir {
    /// An empty one; the same seed keeps the same of the same values.
    pub(super) fn new(seed: u64, is_one_of_many: bool) -> Self {
        let size = if is_one_of_many { SMALL } else { SIZE };
        Self {
            kept: Vec::new(),
            size,
            skips: 0,
            offered: 0,
            random: seed | 1,
        }
    }

    /// Offers a value.
    #[inline(always)]
    pub(super) fn offer(&mut self, value: u64) {
        if self.skips > 0 {
            self.skips -= 1;
        } else {
            self.keep(value);
        }
    }

    #[inline(never)]
    fn keep(&mut self, value: u64) {
        self.offered += 1;
        if self.kept.len() < self.size {
            self.kept.push(value);
            return;
        }
        let place = (self.share() * self.size as f64) as usize;
        self.kept[place.min(self.size - 1)] = value;
        // On average one of so many values gets a place now.
        let one_of = self.offered as f64 / self.size as f64;
        self.skips = (self.share() * (2.0 * one_of - 1.0)) as u64;
        self.offered += self.skips;
    }

    /// Takes all values out.
    pub(super) fn empty(&mut self) -> Vec<u64> {
        (self.skips, self.offered) = (0, 0);
        std::mem::take(&mut self.kept)
    }

    /// The values kept.
    pub(super) fn values(&self) -> &[u64] {
        &self.kept
    }

    /// Between 0 and 1, neither of them (xorshift).
    fn share(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((self.random >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservoir_sampling_is_uniform() {
        let mut reservoir = Reservoir::new(5, false);
        (0..40 * SIZE as u64).for_each(|value| reservoir.offer(value));
        assert_eq!(reservoir.values().len(), SIZE);
        let mut tenths = [0.0; 10];
        reservoir
            .values()
            .iter()
            .for_each(|value| tenths[*value as usize / (4 * SIZE)] += 1.0);
        // Each tenth has 205 ± 14 of them.
        assert!(
            tenths.iter().all(|&count| (count - 204.8f64).abs() < 50.0),
            "{tenths:?}"
        );
    }
}
