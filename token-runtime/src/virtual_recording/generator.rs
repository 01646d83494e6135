//! Numbers that look random and are the same in every run.

use crate::kernel::communicator::mix64;

/// SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Generator(u64);

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self(mix64(seed))
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((u128::from(mix64(self.0)) * limit as u128) >> 64) as usize
    }
}
