//! Calls that were made before with the same arguments at the same place: what they were written
//! down as. Most calls of a program are such, and need no more than this. A table of fixed size in
//! which a new call takes the place of an old one; it is emptied when a handle may change meaning.

use crate::family::Special;
use crate::passed_arguments::PassedArguments;
use crate::rows::KeyArguments;
use base_data::ids::CallSiteId;

/// Words of a key: place and function, then the arguments that determine the recorded form.
const WORDS: usize = 12;
/// Places in the table; a power of two.
const SIZE: usize = 1 << LOG_SIZE;
const LOG_SIZE: u32 = 10;

/// Key of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallKey([u64; WORDS]);

/// What it was written down as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Number of the entry in the recorder.
    pub entry: u32,
    pub site: CallSiteId,
}

/// The table.
#[derive(Debug)]
pub struct CallCache {
    slots: Vec<Option<(CallKey, Known)>>,
}

impl CallKey {
    /// The key of a call without arguments.
    #[inline]
    pub fn bare(place: u64, row: u32) -> Self {
        let mut words = [0; WORDS];
        words[0] = place;
        words[1] = u64::from(row) << 32;
        Self(words)
    }

    /// The key of a call at a place. `request`: number of the request that it makes or completes.
    #[inline]
    pub fn of(
        place: u64,
        row: u32,
        request: u32,
        key_arguments: &KeyArguments,
        passed: &PassedArguments,
        special: &Special,
    ) -> Self {
        let mut words = [0; WORDS];
        words[0] = place;
        words[1] = u64::from(row) << 32 | u64::from(request);
        for (word, &at) in words[2..].iter_mut().zip(&key_arguments.arguments) {
            *word = passed.value(at);
        }
        for &buffer in &key_arguments.buffers {
            words[WORDS - 1] =
                words[WORDS - 1] << 1 | u64::from(passed.is_in_place(buffer, special));
        }
        Self(words)
    }

    #[inline]
    fn slot(&self) -> usize {
        /// Odd, without structure.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let add = |sum: u64, (at, word): (u32, &u64)| sum ^ word.rotate_left(at * 11);
        let sum = (0..).zip(&self.0).fold(0, add);
        (sum.wrapping_mul(SPREAD) >> (u64::BITS - LOG_SIZE)) as usize
    }

    /// Equality without a branch per word: the usual answer is yes.
    #[inline]
    fn is(&self, other: &CallKey) -> bool {
        self.0
            .iter()
            .zip(&other.0)
            .fold(0, |differs, (a, b)| differs | (a ^ b))
            == 0
    }
}

impl Default for CallCache {
    fn default() -> Self {
        Self {
            slots: vec![None; SIZE],
        }
    }
}

impl CallCache {
    /// What a call with this key was written down as.
    #[inline]
    pub fn get(&self, key: &CallKey) -> Option<Known> {
        match &self.slots[key.slot()] {
            Some((known, value)) if known.is(key) => Some(*value),
            Some(_) | None => None,
        }
    }

    /// Remembers a call.
    pub fn set(&mut self, key: CallKey, known: Known) {
        self.slots[key.slot()] = Some((key, known));
    }

    /// Forgets all: a handle may come to mean something else.
    pub fn clear(&mut self) {
        self.slots.fill(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_finds_only_its_own_call() {
        let mut call_cache = CallCache::default();
        let keys: Vec<CallKey> = (0..4 * SIZE as u64)
            .map(|i| {
                let mut words = [7; WORDS];
                words[2 + (i % 8) as usize] = i;
                CallKey(words)
            })
            .collect();
        for (key, entry) in keys.iter().zip(0..) {
            let known = Known {
                entry,
                site: CallSiteId(1),
            };
            call_cache.set(*key, known);
            assert_eq!(call_cache.get(key), Some(known));
        }
        for (key, entry) in keys.iter().zip(0..) {
            assert!(call_cache.get(key).is_none_or(|known| known.entry == entry));
        }
        let used = call_cache
            .slots
            .iter()
            .filter(|slot| slot.is_some())
            .count();
        assert!(used > SIZE * 9 / 10, "{used}");
        call_cache.clear();
        assert!(keys.iter().all(|key| call_cache.get(key).is_none()));
    }
}
