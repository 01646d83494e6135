//! What calls brought to a rank, by place of the call and how often it had been called before, and where it left loops
//! early.
//!
//! Calls are counted where they begin and bring something where they are completed, so a call takes a
//! ticket first. A rank that runs alone later takes its tickets in the same order.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A call: its place in the program, and how often that had been called before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The call site.
    pub site: u32,
    /// From 0.
    pub number: usize,
}

/// Who counts calls.
#[derive(Clone, Debug, Default)]
pub struct Tickets {
    next: BTreeMap<u32, usize>,
}

impl Tickets {
    /// A call begins at a site.
    pub fn take(&mut self, site: u32) -> Ticket {
        let next = self.next.entry(site).or_default();
        *next += 1;
        Ticket { site, number: *next - 1 }
    }
}

/// What a call brought.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brought {
    /// Packed data: of a receive its message's, if anybody needed it; of a collective what it put into each
    /// of its areas, in its own order.
    pub pieces: Vec<Vec<u8>>,
    /// Source, tag and bytes of a message.
    pub envelope: Option<(i32, i32, u64)>,
    /// Of a constructor of communicators, the words of all members.
    pub words: Vec<Vec<i64>>,
}

/// What calls brought to one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    calls: BTreeMap<u32, Vec<Brought>>,
    /// Loops that were left early: id and which of its instances; at which iteration.
    left: BTreeMap<(u32, u64), u64>,
    /// Bytes that it takes, about.
    bytes: u64,
}

impl Log {
    /// A call is completed.
    pub fn bring(&mut self, ticket: Ticket, brought: Brought) {
        let room =
            |bytes: usize| (bytes + std::mem::size_of::<Vec<u8>>() + 2 * std::mem::size_of::<usize>()) as u64;
        // As a list grows, half of it may be room for more.
        self.bytes += 2 * std::mem::size_of::<Brought>() as u64;
        self.bytes += brought.pieces.iter().map(|piece| room(piece.len())).sum::<u64>();
        let calls = self.calls.entry(ticket.site).or_default();
        if calls.len() <= ticket.number {
            calls.resize(ticket.number + 1, Brought::default());
        }
        calls[ticket.number] = brought;
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An instance of a loop is left where an iteration would begin.
    pub fn leave(&mut self, instance: (u32, u64), iteration: u64) {
        self.left.insert(instance, iteration);
    }

    /// Whether an instance of a loop was left before this iteration.
    pub fn leaves(&self, instance: (u32, u64), iteration: u64) -> bool {
        self.left.get(&instance).is_some_and(|&left| left <= iteration)
    }

    /// What this very call brought.
    pub fn exactly(&self, ticket: Ticket) -> Option<&Brought> {
        self.calls.get(&ticket.site)?.get(ticket.number)
    }

    /// What the call brought, or the last one at its place if there were fewer.
    pub fn about(&self, ticket: Ticket) -> Option<&Brought> {
        self.exactly(ticket).or_else(|| self.calls.get(&ticket.site)?.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(byte: u8) -> Brought {
        Brought { pieces: vec![vec![byte]], ..Brought::default() }
    }

    #[test]
    fn calls_are_told_by_place_and_number_whatever_order_they_are_completed_in() {
        let (mut tickets, mut log) = (Tickets::default(), Log::default());
        let [first, other, second] = [7, 3, 7].map(|site| tickets.take(site));
        for (ticket, byte) in [(second, 2), (other, 9), (first, 1)] {
            log.bring(ticket, brought(byte));
        }
        let mut again = Tickets::default();
        let taken = [7, 7, 3].map(|site| log.exactly(again.take(site)).cloned());
        assert_eq!(taken, [1, 2, 9].map(|byte| Some(brought(byte))));
    }

    #[test]
    fn each_instance_of_a_loop_is_left_where_it_was() {
        let mut log = Log::default();
        log.leave((3, 1), 5);
        assert_eq!([4, 5].map(|iteration| log.leaves((3, 1), iteration)), [false, true]);
        assert!(!log.leaves((3, 0), 5) && !log.leaves((4, 1), 5));
    }

    #[test]
    fn a_call_too_many_brings_what_the_last_one_brought_but_not_exactly() {
        let (mut tickets, mut log) = (Tickets::default(), Log::default());
        log.bring(tickets.take(7), brought(1));
        let more = tickets.take(7);
        assert_eq!((log.exactly(more), log.about(more)), (None, Some(&brought(1))));
        assert_eq!(log.about(tickets.take(8)), None);
    }
}
