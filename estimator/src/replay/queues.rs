//! Sends or receives that wait in channels for their other side, in the order of arrival: small rings in one array. At
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
    /// Places of the ring, a power of two, minus one.
    mask: u32,
    /// Whether sends wait; otherwise receives do.
    sent: bool,
    /// Whether a probe looks for a message.
    probed: bool,
    /// How often anything was put or taken.
    uses: u64,
}

impl Queue {
    #[inline]
    fn place(&self, index: u32) -> usize {
        (self.offset + (self.head.wrapping_add(index) & self.mask)) as usize
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

/// What becomes of a side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    /// It takes this other side with it.
    Met(Waiting),
    /// It waits.
    Waits,
    /// It waits, and a probe looked for it.
    WaitsForProbe,
}

/// Places of a ring to begin with: an exchange needs one.
const FIRST_CAPACITY: u32 = 2;

impl Queues {
    /// Empties all channels; rings that have grown stay.
    pub(crate) fn reset(&mut self, channels: usize) {
        if self.queues.len() != channels {
            let ring = |channel: usize| Queue {
                offset: channel as u32 * FIRST_CAPACITY,
                mask: FIRST_CAPACITY - 1,
                ..Queue::default()
            };
            self.queues = (0..channels).map(ring).collect();
            self.entries = vec![Waiting::default(); channels * FIRST_CAPACITY as usize];
            self.free.clear();
        }
        for queue in &mut self.queues {
            (queue.head, queue.length, queue.uses, queue.probed) = (0, 0, 0, false);
        }
    }

    /// Matches a send (or receive) of a channel with the oldest waiting receive (or send), or enqueues it.
    #[inline(always)]
    pub(crate) fn match_or_enqueue(
        &mut self,
        channel: u32,
        sent: bool,
        entry: Waiting,
    ) -> Delivered {
        let queue = &mut self.queues[channel as usize];
        queue.uses += 1;
        if queue.length > 0 && queue.sent != sent {
            let found = self.entries[queue.place(0)];
            queue.head = queue.head.wrapping_add(1);
            queue.length -= 1;
            return Delivered::Met(found);
        }
        // Full: a ring has `mask` + 1 places.
        if queue.length > queue.mask {
            self.grow(channel);
        }
        let queue = &mut self.queues[channel as usize];
        queue.sent = sent;
        let place = queue.place(queue.length);
        queue.length += 1;
        self.entries[place] = entry;
        // One wake-up for each probe that failed; the woken probe asks again.
        if sent && queue.probed {
            queue.probed = false;
            return Delivered::WaitsForProbe;
        }
        Delivered::Waits
    }

    /// Looks for the oldest waiting send of a channel and leaves it there; where there is none, the
    /// next one to be put is awaited.
    pub(crate) fn probe(&mut self, channel: u32) -> Option<Waiting> {
        let queue = &mut self.queues[channel as usize];
        // A probe observes the time of a message, as a receive does, so it counts as a use.
        queue.uses += 1;
        if queue.length == 0 || !queue.sent {
            queue.probed = true;
            return None;
        }
        Some(self.entries[queue.place(0)])
    }

    #[cold]
    fn grow(&mut self, channel: u32) {
        let old = self.queues[channel as usize];
        let mask = 2 * old.mask + 1;
        let offset = self.ring(mask);
        // The new ring begins with the oldest entry, so its head is 0.
        for index in 0..old.length {
            self.entries[(offset + index) as usize] = self.entries[old.place(index)];
        }
        self.queues[channel as usize] = Queue {
            offset,
            head: 0,
            mask,
            ..old
        };
        self.free_of(old.mask).push(old.offset);
    }

    fn free_of(&mut self, mask: u32) -> &mut Vec<u32> {
        let size = mask.count_ones() as usize;
        if self.free.len() <= size {
            self.free.resize_with(size + 1, Vec::new);
        }
        &mut self.free[size]
    }

    /// A ring that is unused.
    fn ring(&mut self, mask: u32) -> u32 {
        if let Some(offset) = self.free_of(mask).pop() {
            return offset;
        }
        let offset = self.entries.len();
        self.entries
            .resize(offset + mask as usize + 1, Waiting::default());
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
    pub(crate) fn waiting(
        &self,
        channel: usize,
    ) -> (bool, impl ExactSizeIterator<Item = &Waiting>) {
        let queue = &self.queues[channel];
        (
            queue.sent,
            (0..queue.length).map(|index| &self.entries[queue.place(index)]),
        )
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
                let expected_found = if *side != sent { expected.pop_front() } else { None };
                let found = queues.match_or_enqueue(channel, sent, entry);
                match expected_found {
                    Some(found_) => prop_assert_eq!(found, Delivered::Met(found_)),
                    None => {
                        prop_assert_eq!(found, Delivered::Waits);
                        *side = sent;
                        expected.push_back(entry);
                    }
                }
                let (_, waiting) = queues.waiting(channel as usize);
                prop_assert_eq!(waiting.copied().collect::<Vec<_>>(), Vec::from(expected.clone()));
            }
        }
    }
}
