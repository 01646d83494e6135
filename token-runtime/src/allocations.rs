//! Peak of the memory that a program allocates, from the probes at its ALLOCATE and DEALLOCATE statements. The MPI library
//! measures the resident memory of the process.

use std::collections::BTreeMap;

/// What is allocated now, and the most there was.
#[derive(Debug, Default)]
pub struct Ledger {
    /// By object: an element or something pointed at may be allocated several times.
    live: BTreeMap<i32, Vec<u64>>,
    now: u64,
    peak: u64,
}

impl Ledger {
    /// Nothing is allocated.
    pub const fn new() -> Self {
        Self {
            live: BTreeMap::new(),
            now: 0,
            peak: 0,
        }
    }

    /// An object is allocated. Where it `replaces` what it was before, that was freed without a word: at the end of
    /// the procedure it is local to.
    pub fn allocate(&mut self, object: i32, replaces: bool, bytes: u64) {
        let live = self.live.entry(object).or_default();
        if replaces {
            self.now -= live.drain(..).sum::<u64>();
        }
        live.push(bytes);
        self.now = self.now.saturating_add(bytes);
        self.peak = self.peak.max(self.now);
    }

    /// An object is freed: what was allocated last of it. What was not allocated under this name is not known here.
    pub fn free(&mut self, object: i32) {
        let freed = self.live.get_mut(&object).and_then(Vec::pop).unwrap_or(0);
        self.now = self.now.saturating_sub(freed);
    }

    /// The most that was allocated at once, in bytes.
    pub fn peak(&self) -> u64 {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_counts_live_allocations() {
        let mut ledger = Ledger::new();
        ledger.allocate(1, true, 100);
        ledger.allocate(2, false, 10);
        ledger.allocate(2, false, 20);
        ledger.free(2);
        ledger.allocate(1, true, 110);
        assert_eq!(ledger.peak(), 130);
        ledger.allocate(3, true, 11);
        assert_eq!(ledger.peak(), 131);
        ledger.free(7);
        ledger.free(7);
        ledger.free(1);
        ledger.allocate(1, true, 111);
        assert_eq!(ledger.peak(), 132);
    }
}
