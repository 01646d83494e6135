//! Queue for the token: tickets, served in the order in which they were taken, as a
//! few words that processes share. `token` sleeps and wakes.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

/// Words before those of the owners.
const HEADER: usize = 2;

/// The queue. The holder of the token is its first member.
#[derive(Clone, Copy)]
pub struct Queue<'a> {
    /// The ticket that is taken next.
    next: &'a AtomicU32,
    /// The ticket whose owner has the token.
    current: &'a AtomicU32,
    /// Who owns a ticket, by its last bits; 0 until that is known. There are as many places as
    /// members or more, so that two that are in the queue never share one.
    owners: &'a [AtomicU32],
}

/// A place in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(pub u32);

impl Ticket {
    fn successor(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

impl<'a> Queue<'a> {
    /// Words that a queue of so many members takes. All zeros is the empty queue.
    pub fn words(members: u32) -> usize {
        HEADER + places(members)
    }

    /// A queue in these words.
    pub fn new(words: &'a [AtomicU32], members: u32) -> Self {
        Self {
            next: &words[0],
            current: &words[1],
            owners: &words[HEADER..HEADER + places(members)],
        }
    }

    /// The word that changes whenever the token does.
    pub fn served_word(&self) -> &'a AtomicU32 {
        self.current
    }

    /// The ticket whose owner has the token, if anyone has taken it.
    pub fn current(&self) -> Ticket {
        Ticket(self.current.load(SeqCst))
    }

    /// Joins at the end, as a process that is not in the queue.
    pub fn join(&self, process: u32) -> Ticket {
        let ticket = Ticket(self.next.fetch_add(1, SeqCst));
        self.owner(ticket).store(process, SeqCst);
        ticket
    }

    /// Whether anyone is behind this ticket.
    pub fn has_successor(&self, ticket: Ticket) -> bool {
        Ticket(self.next.load(SeqCst)) != ticket.successor()
    }

    /// The owner of this ticket, which has the token, leaves the queue; returns the next ticket if
    /// a process waits with it.
    pub fn leave(&self, ticket: Ticket) -> Option<Ticket> {
        self.owner(ticket).store(0, SeqCst);
        self.advance(ticket)
    }

    /// Removes the process that has the token if it no longer exists; returns the next ticket if a process
    /// waits with it.
    pub fn remove_dead(&self, is_alive: impl Fn(u32) -> bool) -> Option<Ticket> {
        let current = self.current();
        let process = self.owner(current).load(SeqCst);
        if process == 0 || is_alive(process) {
            return None;
        }
        // Of several that notice, one advances the queue.
        self.owner(current)
            .compare_exchange(process, 0, SeqCst, SeqCst)
            .ok()?;
        self.advance(current)
    }

    fn advance(&self, from: Ticket) -> Option<Ticket> {
        self.current.store(from.successor().0, SeqCst);
        if self.has_successor(from) {
            Some(from.successor())
        } else {
            None
        }
    }

    fn owner(&self, ticket: Ticket) -> &'a AtomicU32 {
        &self.owners[ticket.0 as usize % self.owners.len()]
    }
}

/// A power of two, so that tickets stay apart when their numbers begin again.
fn places(members: u32) -> usize {
    members.next_power_of_two() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue for `members` whose tickets begin with `first`.
    fn words(members: u32, first: u32) -> Vec<AtomicU32> {
        let words: Vec<AtomicU32> = (0..Queue::words(members))
            .map(|_| AtomicU32::new(0))
            .collect();
        words[..HEADER]
            .iter()
            .for_each(|word| word.store(first, SeqCst));
        words
    }

    #[test]
    fn queue_is_fifo_across_ticket_wraparound() {
        for first in [0, u32::MAX - 3] {
            let words = words(3, first);
            let queue = Queue::new(&words, 3);
            let mut waiting: Vec<(u32, Ticket)> = [11, 12, 13]
                .map(|process| (process, queue.join(process)))
                .into();
            for _ in 0..20 {
                let (process, ticket) = waiting.remove(0);
                assert_eq!(queue.current(), ticket);
                assert_eq!(queue.leave(ticket), Some(waiting[0].1));
                waiting.push((process, queue.join(process)));
            }
        }
    }

    #[test]
    fn empty_queue_wakes_no_process() {
        let words = words(2, 0);
        let queue = Queue::new(&words, 2);
        for process in [11, 12, 11] {
            let ticket = queue.join(process);
            assert_eq!(
                (queue.current(), queue.has_successor(ticket)),
                (ticket, false)
            );
            assert_eq!(queue.leave(ticket), None);
        }
    }

    #[test]
    fn dead_owners_are_skipped_one_by_one() {
        let words = words(4, 0);
        let queue = Queue::new(&words, 4);
        let tickets = [11, 12, 13, 14].map(|process| queue.join(process));
        let is_alive = |process| process > 12;
        assert_eq!(queue.remove_dead(is_alive), Some(tickets[1]));
        assert_eq!(queue.remove_dead(is_alive), Some(tickets[2]));
        assert_eq!(
            (queue.remove_dead(is_alive), queue.current()),
            (None, tickets[2])
        );
        assert_eq!(queue.leave(tickets[2]), Some(tickets[3]));
    }

    #[test]
    fn ticket_without_owner_counts_as_alive() {
        let words = words(2, 0);
        let queue = Queue::new(&words, 2);
        let ticket = queue.join(11);
        words[HEADER].store(0, SeqCst);
        assert_eq!(
            (queue.remove_dead(|_| false), queue.current()),
            (None, ticket)
        );
    }

    #[test]
    fn only_one_process_removes_a_dead_owner() {
        let words = words(3, 0);
        let queue = Queue::new(&words, 3);
        let tickets = [11, 12, 13].map(|process| queue.join(process));
        let noticed_meanwhile = |process| {
            assert_eq!(
                queue.remove_dead(|other| other != process),
                Some(tickets[1])
            );
            false
        };
        assert_eq!(
            (queue.remove_dead(noticed_meanwhile), queue.current()),
            (None, tickets[1])
        );
    }
}
