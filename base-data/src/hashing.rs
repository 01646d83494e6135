//! A quick hash for maps with keys of numbers that are only looked up, never walked: the same in every run,
//! so that no result depends on it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map that is only looked up.
pub type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Multiplies and rotates word by word.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberHasher(u64);

/// Odd, with bits all over: the fraction of the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl NumberHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for NumberHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.add(number.into());
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.add(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // Maps use the lowest and the highest bits; a product has its best ones on top.
        (self.0 ^ self.0 >> 32).wrapping_mul(FACTOR)
    }
}
