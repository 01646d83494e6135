//! Hash maps with keys of few numbers: ids, and enums of ids. The standard hasher withstands chosen keys, which no key here is, and takes
//! longer than the look-up. Nothing iterates over such a map, so that no result depends on its order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from keys of few numbers.
pub(crate) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, 6.4): each number is mixed in by a rotation and a
/// multiplication with 2^64 divided by the golden ratio.
#[derive(Clone, Copy, Default)]
pub(crate) struct NumberHasher(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl NumberHasher {
    fn mix(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(GOLDEN);
    }
}

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        // The map takes the low bits, and the high ones of a product are mixed best.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.mix(u64::from(byte));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        // The discriminant of an enum.
        self.mix(number as u64);
    }
}
