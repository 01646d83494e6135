//! Call path to the section: the calls on it that are active, where other calls reach the same
//! statements. Probes report them; the section is passed only at the end of its call path.

use std::sync::atomic::{AtomicI32, Ordering};

/// The calls of the way that the program is in.
#[derive(Debug, Default)]
pub struct SectionWay(AtomicI32);

impl SectionWay {
    /// At the beginning of the way.
    pub const fn new() -> Self {
        Self(AtomicI32::new(0))
    }

    /// Calls of the way are entered (1) or left (-1).
    pub fn step(&self, calls: i32) {
        self.0.fetch_add(calls, Ordering::Relaxed);
    }

    /// Whether so many calls have been entered, and not left.
    pub fn is_at(&self, calls: i32) -> bool {
        self.0.load(Ordering::Relaxed) == calls
    }
}
