//! Arbitrary values from a list of numbers that proptest makes and shrinks: 0 and nothing once the
//! list is used up. What is drawn from it is made to fit, so that all of it passes the checks.

use base_data::{Digest, Time};
use proptest::prelude::*;

/// A list of numbers to draw from.
#[derive(Clone, Debug)]
pub struct Choices {
    numbers: Vec<u64>,
    next: usize,
}

/// Lists that give contents from empty to a few hundred entries.
pub fn choices() -> impl Strategy<Value = Choices> {
    let number = prop_oneof![3 => 0u64..8, 1 => any::<u64>()];
    prop::collection::vec(number, 0..600).prop_map(Choices::of)
}

/// Texts that are hard to write down.
const TEXTS: [&str; 14] = [
    "",
    "cg",
    "conj_grad",
    "a \"quoted\" one",
    "back\\slash",
    "two\nlines\r\n",
    "# no comment",
    "class",
    "loops",
    "digest",
    "cg.f:12",
    "@3:1",
    "naïve \u{2028} ü\u{0}",
    "peer=3",
];

impl Choices {
    pub fn of(numbers: Vec<u64>) -> Self {
        Self { numbers, next: 0 }
    }

    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.numbers.get(self.next - 1).copied().unwrap_or(0)
    }

    /// Below `limit`, which is at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit as u64) as usize
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    pub fn word(&mut self) -> u32 {
        self.number() as u32
    }

    pub fn signed(&mut self) -> i64 {
        self.number() as i64
    }

    pub fn time(&mut self) -> Time {
        Time::from_picoseconds(self.signed())
    }

    pub fn real(&mut self) -> f64 {
        self.signed() as f64 / 7.0
    }

    pub fn digest(&mut self) -> Digest {
        Digest(u128::from(self.number()) << 64 | u128::from(self.number()))
    }

    pub fn text(&mut self) -> String {
        let number = self.below(TEXTS.len());
        TEXTS[number].to_string()
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        let number = self.below(list.len());
        list[number].clone()
    }

    pub fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    /// Fewer than `limit` values.
    pub fn list<T>(&mut self, limit: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length = self.below(limit);
        (0..length).map(|_| make(self)).collect()
    }
}
