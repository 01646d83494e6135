//! Numbers that look random and are the same in every run.

use base_data::split_mix::{SplitMix64, mixed};

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(super) struct Generator(SplitMix64);

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64 { state: mixed(seed) })
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.0.next_number()) * limit as u128) >> 64) as usize
    }
}
