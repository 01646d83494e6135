//! Shared memory as words. An offset is the index of a word; 0 means "none", since the first
//! words are the header.

use std::sync::atomic::{AtomicU64, Ordering};

/// The words all ranks share.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    words: &'a [AtomicU64],
}

impl<'a> Memory<'a> {
    /// Over these words.
    pub fn new(words: &'a [AtomicU64]) -> Self {
        Self { words }
    }

    /// Number of words.
    pub fn len(self) -> u64 {
        self.words.len() as u64
    }

    /// Whether there is no word at all.
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// The word at an offset, for those that need more than loads and stores.
    pub fn word(self, at: u64) -> &'a AtomicU64 {
        &self.words[at as usize]
    }

    /// Reads a word.
    pub fn get(self, at: u64) -> u64 {
        // Relaxed: one rank at a time holds the token and accesses these words. Its hand-over is a release
        // store and an acquire load, which order all accesses before it.
        self.word(at).load(Ordering::Relaxed)
    }

    /// Writes a word.
    pub fn set(self, at: u64, value: u64) {
        self.word(at).store(value, Ordering::Relaxed);
    }

    /// Reads a word that holds a signed number.
    pub fn get_signed(self, at: u64) -> i64 {
        self.get(at) as i64
    }

    /// Writes a signed number.
    pub fn set_signed(self, at: u64, value: i64) {
        self.set(at, value as u64);
    }

    /// Adds to a word, for its only writer.
    pub fn add(self, at: u64, value: u64) -> u64 {
        // No atomic addition is needed: the token makes this rank the only writer.
        let sum = self.get(at).wrapping_add(value);
        self.set(at, sum);
        sum
    }

    /// Sets `count` words from `at` to 0.
    pub fn clear(self, at: u64, count: u64) {
        for word in at..at + count {
            self.set(word, 0);
        }
    }
}
