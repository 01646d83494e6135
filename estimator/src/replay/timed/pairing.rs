//! Matching of sends and receives by channel. Each channel has a queue of unmatched sends or of unmatched receives, in
//! the order of their calls. All channels share one store, so that a channel without waiting entries costs a few bytes.

/// No further side.
const NONE: u32 = u32::MAX;

/// Kind of the entries of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum QueuedSide {
    #[default]
    Nothing,
    Sends,
    Receives,
}

/// The first side stands in the queue itself: mostly it is the only one.
#[derive(Clone, Copy, Debug)]
struct Queue<S> {
    first: S,
    holds: QueuedSide,
    /// The second and the last, if there are more.
    second: u32,
    last: u32,
}

/// The waiting sides of all channels.
#[derive(Debug, Default)]
pub(super) struct Pairing<S> {
    queues: Vec<Queue<S>>,
    /// Sides behind the first of a queue, each with the next of its queue, or the next free place.
    further: Vec<(S, u32)>,
    free: u32,
}

impl<S: Copy + Default> Pairing<S> {
    /// No rank waits, on so many channels.
    pub(super) fn reset(&mut self, channels: usize) {
        let empty = Queue {
            first: S::default(),
            holds: QueuedSide::Nothing,
            second: NONE,
            last: NONE,
        };
        self.queues.clear();
        self.queues.resize(channels, empty);
        self.further.clear();
        self.free = NONE;
    }

    /// Matches a send or receive with the oldest unmatched entry of the other kind; enqueues it if there is none.
    #[inline]
    pub(super) fn match_or_enqueue(&mut self, channel: u32, sends: bool, side: S) -> Option<S> {
        let queue = &mut self.queues[channel as usize];
        let own = if sends {
            QueuedSide::Sends
        } else {
            QueuedSide::Receives
        };
        if queue.holds == QueuedSide::Nothing {
            (queue.first, queue.holds) = (side, own);
            return None;
        }
        if queue.holds == own {
            self.enqueue(channel, side);
            return None;
        }
        let other = queue.first;
        if queue.second == NONE {
            queue.holds = QueuedSide::Nothing;
        } else {
            self.dequeue(channel);
        }
        Some(other)
    }

    /// The oldest unmatched send, or receive, of a channel.
    pub(super) fn first(&self, channel: u32, sends: bool) -> Option<S> {
        let queue = &self.queues[channel as usize];
        let wanted = if sends {
            QueuedSide::Sends
        } else {
            QueuedSide::Receives
        };
        (queue.holds == wanted).then_some(queue.first)
    }

    /// The unmatched sends or receives of a channel, in the order of their calls.
    pub(super) fn waiting(&self, channel: u32) -> Vec<S> {
        let queue = &self.queues[channel as usize];
        let mut waiting = Vec::new();
        if queue.holds == QueuedSide::Nothing {
            return waiting;
        }
        waiting.push(queue.first);
        let mut place = queue.second;
        while place != NONE {
            let (side, next) = self.further[place as usize];
            waiting.push(side);
            place = next;
        }
        waiting
    }

    /// Appends an entry to a queue that is not empty.
    fn enqueue(&mut self, channel: u32, side: S) {
        let place = match self.free {
            NONE => {
                self.further.push((side, NONE));
                self.further.len() as u32 - 1
            }
            place => {
                self.free = std::mem::replace(&mut self.further[place as usize], (side, NONE)).1;
                place
            }
        };
        let queue = &mut self.queues[channel as usize];
        if queue.second == NONE {
            queue.second = place;
        } else {
            self.further[queue.last as usize].1 = place;
        }
        queue.last = place;
    }

    /// Removes the first entry of a queue; the second becomes the first.
    fn dequeue(&mut self, channel: u32) {
        let queue = &mut self.queues[channel as usize];
        let place = queue.second;
        // The place becomes the head of the list of free ones.
        let free = std::mem::replace(&mut self.free, place);
        (queue.first, queue.second) = self.further[place as usize];
        self.further[place as usize].1 = free;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_meet_in_order() {
        let mut pairing = Pairing::default();
        pairing.reset(2);
        let mut pair = |channel, sends, side: u32| pairing.match_or_enqueue(channel, sends, side);
        assert_eq!(
            [pair(0, true, 1), pair(0, true, 2), pair(1, false, 3)],
            [None; 3]
        );
        assert_eq!(
            [pair(0, false, 4), pair(1, true, 5), pair(0, false, 6)],
            [Some(1), Some(3), Some(2)]
        );
        assert_eq!([pair(0, false, 7), pair(0, false, 8)], [None; 2]);
        assert_eq!([pair(0, true, 9), pair(0, true, 10)], [Some(7), Some(8)]);
    }
}
