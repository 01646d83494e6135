//! The pseudo-random number generator SplitMix64 (Steele, Lea and Flood, 2014): the same numbers for the same seed on
//! every machine.

/// What the state grows by: 2^64 divided by the golden ratio, as an odd number.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The generator's output for a state; different states have different outputs.
#[inline]
pub const fn mixed(state: u64) -> u64 {
    let mut mixed = state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A stream of numbers that look random.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64 {
    /// The seed, or what it has become.
    pub state: u64,
}

impl SplitMix64 {
    /// The next number.
    #[inline]
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mixed(self.state)
    }
}
