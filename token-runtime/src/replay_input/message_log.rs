//! Message log: outputs of a rank's calls, by call site and number of earlier calls there, and the loops that it left
//! early.
//!
//! Calls are counted where they begin and bring something where they are completed, so a call takes a
//! ticket first. A rank that runs alone later takes its tickets in the same order.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A call: its place in the program, and how often that had been called before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInstance {
    /// The call site.
    pub site: u32,
    /// From 0.
    pub number: usize,
}

/// Who counts calls.
#[derive(Clone, Debug, Default)]
pub struct CallCounters {
    next: BTreeMap<u32, usize>,
}

impl CallCounters {
    /// A call begins at a site.
    pub fn take(&mut self, site: u32) -> CallInstance {
        let next = self.next.entry(site).or_default();
        *next += 1;
        CallInstance {
            site,
            number: *next - 1,
        }
    }
}

/// Logged output of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallOutput {
    /// Packed data: of a receive the payload of its message, if it is live; of a collective the content of each
    /// output buffer segment, in the collective's order.
    pub pieces: Vec<Vec<u8>>,
    /// Source, tag and bytes of a message.
    pub envelope: Option<(i32, i32, u64)>,
    /// Of a constructor of communicators, the words of all members.
    pub words: Vec<Vec<i64>>,
}

/// What calls brought to one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageLog {
    calls: BTreeMap<u32, Vec<CallOutput>>,
    /// Loops that were left early: id and which of its instances; at which iteration.
    loop_exits: BTreeMap<(u32, u64), u64>,
    /// Bytes that it takes, about.
    bytes: u64,
}

impl MessageLog {
    /// A call is completed.
    pub fn record(&mut self, call_instance: CallInstance, output: CallOutput) {
        let room = |bytes: usize| {
            (bytes + std::mem::size_of::<Vec<u8>>() + 2 * std::mem::size_of::<usize>()) as u64
        };
        // As a list grows, half of it may be room for more.
        self.bytes += 2 * std::mem::size_of::<CallOutput>() as u64;
        self.bytes += output
            .pieces
            .iter()
            .map(|piece| room(piece.len()))
            .sum::<u64>();
        let calls = self.calls.entry(call_instance.site).or_default();
        if calls.len() <= call_instance.number {
            calls.resize(call_instance.number + 1, CallOutput::default());
        }
        calls[call_instance.number] = output;
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An instance of a loop is left where an iteration would begin.
    pub fn record_loop_exit(&mut self, instance: (u32, u64), iteration: u64) {
        self.loop_exits.insert(instance, iteration);
    }

    /// Whether an instance of a loop was left before this iteration.
    pub fn has_loop_exit(&self, instance: (u32, u64), iteration: u64) -> bool {
        self.loop_exits
            .get(&instance)
            .is_some_and(|&loop_exits| loop_exits <= iteration)
    }

    /// What this very call brought.
    pub fn get(&self, call_instance: CallInstance) -> Option<&CallOutput> {
        self.calls
            .get(&call_instance.site)?
            .get(call_instance.number)
    }

    /// What the call brought, or the last one at its place if there were fewer.
    pub fn get_or_last(&self, call_instance: CallInstance) -> Option<&CallOutput> {
        self.get(call_instance)
            .or_else(|| self.calls.get(&call_instance.site)?.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(byte: u8) -> CallOutput {
        CallOutput {
            pieces: vec![vec![byte]],
            ..CallOutput::default()
        }
    }

    #[test]
    fn calls_are_identified_by_site_and_number() {
        let (mut call_counters, mut log) = (CallCounters::default(), MessageLog::default());
        let [first, other, second] = [7, 3, 7].map(|site| call_counters.take(site));
        for (call_instance, byte) in [(second, 2), (other, 9), (first, 1)] {
            log.record(call_instance, output(byte));
        }
        let mut again = CallCounters::default();
        let taken = [7, 7, 3].map(|site| log.get(again.take(site)).cloned());
        assert_eq!(taken, [1, 2, 9].map(|byte| Some(output(byte))));
    }

    #[test]
    fn loop_exits_are_stored_per_instance() {
        let mut log = MessageLog::default();
        log.record_loop_exit((3, 1), 5);
        assert_eq!(
            [4, 5].map(|iteration| log.has_loop_exit((3, 1), iteration)),
            [false, true]
        );
        assert!(!log.has_loop_exit((3, 0), 5) && !log.has_loop_exit((4, 1), 5));
    }

    #[test]
    fn excess_call_returns_the_last_output() {
        let (mut call_counters, mut log) = (CallCounters::default(), MessageLog::default());
        log.record(call_counters.take(7), output(1));
        let more = call_counters.take(7);
        assert_eq!(
            (log.get(more), log.get_or_last(more)),
            (None, Some(&output(1)))
        );
        assert_eq!(log.get_or_last(call_counters.take(8)), None);
    }
}
