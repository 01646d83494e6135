//! What waits in channels for its other side, in the order of coming: small rings in one array. At
//! most one side of a channel waits at any time.

use base_data::Time;

/// One side of a transfer that the other side has not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// When it was there: arrival of an eager message, call of others.
    pub(crate) time: Time,
    /// Which start of a transfer.
    pub(crate) post: u32,
    /// Whose.
    pub(crate) rank: u32,
}

/// One channel.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    /// Where its ring begins.
    offset: u32,
    /// Place of the oldest entry within the ring.
    head: u32,
    length: u32,
    /// The ring has two to this many places.
    log_capacity: u8,
    /// Whether sends wait; otherwise receives do.
    sent: bool,
    /// Whether somebody looks for a message.
    probed: bool,
    /// How often anything was put or taken.
    uses: u64,
}

impl Queue {
    #[inline]
    fn place(&self, index: u32) -> usize {
        let mask = (1u32 << self.log_capacity) - 1;
        (self.offset + ((self.head + index) & mask)) as usize
    }
}

/// All channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    queues: Vec<Queue>,
    entries: Vec<Waiting>,
    /// Rings that were outgrown, by logarithm of their size.
    free: Vec<Vec<u32>>,
}

/// Places of a ring to begin with: an exchange needs one.
const FIRST_LOG_CAPACITY: u8 = 1;

impl Queues {
    /// Empties all channels; rings that have grown stay.
    pub(crate) fn reset(&mut self, channels: usize) {
        if self.queues.len() != channels {
            let ring = |channel: usize| Queue {
                offset: (channel as u32) << FIRST_LOG_CAPACITY,
                log_capacity: FIRST_LOG_CAPACITY,
                ..Queue::default()
            };
            self.queues = (0..channels).map(ring).collect();
            self.entries = vec![Waiting::default(); channels << FIRST_LOG_CAPACITY];
            self.free.clear();
        }
        for queue in &mut self.queues {
            (queue.head, queue.length, queue.uses, queue.probed) = (0, 0, 0, false);
        }
    }

    /// Takes the oldest waiting send (or receive) of a channel.
    #[inline]
    pub(crate) fn take(&mut self, channel: u32, sent: bool) -> Option<Waiting> {
        let queue = &mut self.queues[channel as usize];
        if queue.length == 0 || queue.sent != sent {
            return None;
        }
        let entry = self.entries[queue.place(0)];
        queue.head = queue.head.wrapping_add(1);
        queue.length -= 1;
        queue.uses += 1;
        Some(entry)
    }

    /// Looks for the oldest waiting send of a channel and leaves it there; where there is none, the
    /// next one to be put is awaited.
    pub(crate) fn probe(&mut self, channel: u32) -> Option<Waiting> {
        let queue = &mut self.queues[channel as usize];
        // Who looks learns a time, as who takes does.
        queue.uses += 1;
        if queue.length == 0 || !queue.sent {
            queue.probed = true;
            return None;
        }
        Some(self.entries[queue.place(0)])
    }

    /// Puts a send (or receive) behind those that wait; whether a probe awaited it.
    #[inline]
    pub(crate) fn put(&mut self, channel: u32, sent: bool, entry: Waiting) -> bool {
        let queue = &mut self.queues[channel as usize];
        if queue.length >> queue.log_capacity != 0 {
            self.grow(channel);
        }
        let queue = &mut self.queues[channel as usize];
        queue.sent = sent;
        queue.uses += 1;
        let place = queue.place(queue.length);
        queue.length += 1;
        self.entries[place] = entry;
        sent && std::mem::take(&mut queue.probed)
    }

    #[cold]
    fn grow(&mut self, channel: u32) {
        let old = self.queues[channel as usize];
        let log_capacity = old.log_capacity + 1;
        let offset = self.ring(log_capacity);
        for index in 0..old.length {
            self.entries[(offset + index) as usize] = self.entries[old.place(index)];
        }
        self.queues[channel as usize] = Queue { offset, head: 0, log_capacity, ..old };
        self.free_of(old.log_capacity).push(old.offset);
    }

    fn free_of(&mut self, log_capacity: u8) -> &mut Vec<u32> {
        let size = usize::from(log_capacity);
        if self.free.len() <= size {
            self.free.resize_with(size + 1, Vec::new);
        }
        &mut self.free[size]
    }

    /// A ring that nobody uses.
    fn ring(&mut self, log_capacity: u8) -> u32 {
        if let Some(offset) = self.free_of(log_capacity).pop() {
            return offset;
        }
        let offset = self.entries.len();
        self.entries.resize(offset + (1 << log_capacity), Waiting::default());
        offset as u32
    }

    /// Number of channels.
    pub(crate) fn len(&self) -> usize {
        self.queues.len()
    }

    /// How often a channel was used.
    pub(crate) fn uses(&self, channel: usize) -> u64 {
        self.queues[channel].uses
    }

    /// What waits in a channel, oldest first, and whether it was sent.
    pub(crate) fn waiting(&self, channel: usize) -> (bool, impl ExactSizeIterator<Item = &Waiting>) {
        let queue = &self.queues[channel];
        (queue.sent, (0..queue.length).map(|index| &self.entries[queue.place(index)]))
    }

    /// Moves all that waits in a channel to a later time.
    pub(crate) fn shift(&mut self, channel: usize, by: Time) {
        let queue = self.queues[channel];
        for index in 0..queue.length {
            self.entries[queue.place(index)].time += by;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn rings_are_queues(moves in prop::collection::vec((0u32..3, any::<bool>(), 0u32..9), 0..200)) {
            let mut queues = Queues::default();
            queues.reset(3);
            let mut plain = vec![(true, VecDeque::new()); 3];
            for (index, (channel, sent, post)) in moves.into_iter().enumerate() {
                let entry = Waiting { time: Time::from_picoseconds(index as i64), post, rank: channel };
                let (side, expected) = &mut plain[channel as usize];
                // As in a replay: what finds its other side takes it, otherwise it waits.
                if *side != sent && post < 6 {
                    prop_assert_eq!(queues.take(channel, !sent), expected.pop_front());
                } else if *side == sent || expected.is_empty() {
                    *side = sent;
                    queues.put(channel, sent, entry);
                    expected.push_back(entry);
                }
                let (_, waiting) = queues.waiting(channel as usize);
                prop_assert_eq!(waiting.copied().collect::<Vec<_>>(), Vec::from(expected.clone()));
            }
        }
    }
}
