//! Calls that were made before: one whose messages no rank needs, at the same place with the same
//! arguments, is the entry of the stream that it was then. That is one look in a small table, and nothing is
//! checked or planned anew.

use crate::failure::Outcome;
use crate::process::{Announced, Current, Level, Process};

/// The most words that identify a call.
const WORDS: usize = 9;
/// A call in the table: place and function, age of the table, words, entry.
const LENGTH: usize = WORDS + 3;
/// Calls in the table.
const SLOTS: usize = 512;

/// The table.
#[derive(Default)]
pub struct CallCache {
    /// One call after the other; nothing until the first is kept.
    slots: Vec<u64>,
    /// Handles mean something else than before it was raised.
    generation: u64,
}

/// Identity of a call.
pub struct CallKey([u64; LENGTH - 1]);

impl CallCache {
    /// Handles were freed: they may come to mean something else.
    pub fn invalidate(&mut self) {
        self.generation += 1;
    }

    fn key<const N: usize>(&self, current: Current, words: [u64; N]) -> Option<CallKey> {
        const { assert!(N <= WORDS) };
        let Some(Announced {
            site,
            level: Level::Recorded,
        }) = current.announced
        else {
            return None;
        };
        let mut key = [0; LENGTH - 1];
        key[0] = 1 << 63 | u64::from(current.row) << 32 | u64::from(site);
        key[1] = self.generation;
        key[2..2 + N].copy_from_slice(&words);
        Some(CallKey(key))
    }

    #[inline]
    fn entry(&self, key: &CallKey) -> Option<u32> {
        let known = self.slots.get(key.slot()..)?.get(..LENGTH)?;
        if known[..LENGTH - 1] == key.0 {
            Some(known[LENGTH - 1] as u32)
        } else {
            None
        }
    }

    #[cold]
    fn keep(&mut self, key: &CallKey, entry: u32) {
        if self.slots.is_empty() {
            self.slots = vec![0; SLOTS * LENGTH];
        }
        let known = &mut self.slots[key.slot()..][..LENGTH];
        known[..LENGTH - 1].copy_from_slice(&key.0);
        known[LENGTH - 1] = entry.into();
    }
}

impl CallKey {
    /// Where its call would be in the table.
    #[inline]
    fn slot(&self) -> usize {
        let folded = self
            .0
            .iter()
            .fold(0u64, |folded, &word| folded.rotate_left(5) ^ word);
        let spread = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        spread as usize % SLOTS * LENGTH
    }
}

impl Process {
    /// Handles were freed: calls with them are looked at anew.
    pub fn invalidate_call_cache(&mut self) {
        self.stream
            .iter_mut()
            .for_each(|stream| stream.call_cache.invalidate());
    }

    /// Identity of the current call; `None` if more than being recorded is to be done for it.
    #[inline]
    pub fn call_key<const N: usize>(&self, words: [u64; N]) -> Option<CallKey> {
        if self.emulated.is_some() {
            // The engine gets each call.
            return None;
        }
        self.stream.as_ref()?.call_cache.key(self.current, words)
    }

    /// Records the call as it was before, if it was made before.
    #[inline]
    pub fn record_cached(&mut self, key: &CallKey) -> bool {
        let Some(stream) = &mut self.stream else {
            return false;
        };
        let Some(entry) = stream.call_cache.entry(key) else {
            return false;
        };
        stream.recorder.push_known(entry);
        true
    }

    /// Carries out a call and keeps its entry, if it leaves a single one.
    pub fn cached(&mut self, key: &CallKey, body: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let before = self.stream.as_ref().map_or(0, |stream| stream.recorded);
        body(self)?;
        if let Some(stream) = self
            .stream
            .as_mut()
            .filter(|stream| stream.recorded == before + 1)
        {
            stream.call_cache.keep(key, stream.last_entry);
        }
        Ok(())
    }

    /// Carries out a call that does nothing but be recorded, or records it as before.
    #[inline]
    pub fn execute_cached<const N: usize>(
        &mut self,
        words: Option<[u64; N]>,
        body: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        let Some(key) = words.and_then(|words| self.call_key(words)) else {
            return body(self);
        };
        if self.record_cached(&key) {
            return Ok(());
        }
        self.cached(&key, body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn current(row: u32, site: u32, level: Level) -> Current {
        Current {
            row,
            address: 0,
            announced: Some(Announced { site, level }),
            level,
        }
    }

    #[test]
    fn only_recorded_calls_have_a_cache_key() {
        let call_cache = CallCache::default();
        assert!(
            call_cache
                .key(current(1, 2, Level::Recorded), [3])
                .is_some()
        );
        assert!(
            call_cache
                .key(current(1, 2, Level::Envelope), [3])
                .is_none()
        );
        assert!(
            call_cache
                .key(
                    Current {
                        announced: None,
                        ..current(1, 2, Level::Recorded)
                    },
                    [3]
                )
                .is_none()
        );
    }

    /// The table forgets calls, but never takes one for another.
    #[test]
    fn cache_returns_the_entry_of_an_equal_call() {
        let (mut call_cache, mut cached, mut state) = (CallCache::default(), HashMap::new(), 17u64);
        let mut any = |below: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) % below
        };
        let (mut found, mut lost) = (0, 0);
        for step in 0..20_000u32 {
            let call = (any(4) as u32, any(60) as u32, any(4), any(4));
            let key = call_cache
                .key(current(call.0, call.1, Level::Recorded), [call.2, call.3])
                .unwrap();
            match call_cache.entry(&key) {
                Some(entry) => {
                    assert_eq!(cached.get(&call), Some(&entry));
                    found += 1;
                }
                None => {
                    lost += u32::from(cached.insert(call, step).is_some());
                    call_cache.keep(&key, step);
                    assert_eq!(call_cache.entry(&key), Some(step));
                }
            }
            if any(5000) == 0 {
                call_cache.invalidate();
                cached.clear();
            }
        }
        assert!(found > 100 && lost > 100, "{found} found, {lost} lost");
    }
}
