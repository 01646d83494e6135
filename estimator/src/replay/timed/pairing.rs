//! Messages and receives of each channel that wait for their other side: at most one kind at a time,
//! in the order of sending or of calling. All channels share one store, so that a channel which nobody
//! waits on costs a few bytes.

/// No further side.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Queue {
    first: u32,
    last: u32,
    /// Whether it holds sends rather than receives.
    sends: bool,
}

const EMPTY: Queue = Queue { first: NONE, last: NONE, sends: false };

/// The waiting sides of all channels.
#[derive(Debug, Default)]
pub(super) struct Pairing<S> {
    queues: Vec<Queue>,
    /// Sides, each with the next of its queue, or the next free place.
    sides: Vec<(S, u32)>,
    free: u32,
}

impl<S: Copy> Pairing<S> {
    /// Nobody waits, on so many channels.
    pub(super) fn reset(&mut self, channels: usize) {
        self.queues.clear();
        self.queues.resize(channels, EMPTY);
        self.sides.clear();
        self.free = NONE;
    }

    /// The other side for one that comes; it is kept if there is none yet.
    #[inline]
    pub(super) fn pair(&mut self, channel: u32, sends: bool, side: S) -> Option<S> {
        let queue = &mut self.queues[channel as usize];
        if queue.first == NONE || queue.sends == sends {
            self.keep(channel, sends, side);
            return None;
        }
        let place = queue.first;
        let (other, next) = self.sides[place as usize];
        queue.first = next;
        self.sides[place as usize].1 = self.free;
        self.free = place;
        Some(other)
    }

    /// The side of a channel that has waited longest.
    pub(super) fn first(&self, channel: u32) -> Option<S> {
        let place = self.queues[channel as usize].first;
        (place != NONE).then(|| self.sides[place as usize].0)
    }

    #[inline]
    fn keep(&mut self, channel: u32, sends: bool, side: S) {
        let place = match self.free {
            NONE => {
                self.sides.push((side, NONE));
                self.sides.len() as u32 - 1
            }
            place => {
                self.free = std::mem::replace(&mut self.sides[place as usize], (side, NONE)).1;
                place
            }
        };
        let queue = &mut self.queues[channel as usize];
        if queue.first == NONE {
            *queue = Queue { first: place, last: place, sends };
        } else {
            self.sides[queue.last as usize].1 = place;
            queue.last = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_meet_in_order() {
        let mut pairing = Pairing::default();
        pairing.reset(2);
        let mut pair = |channel, sends, side: u32| pairing.pair(channel, sends, side);
        assert_eq!([pair(0, true, 1), pair(0, true, 2), pair(1, false, 3)], [None; 3]);
        assert_eq!([pair(0, false, 4), pair(1, true, 5), pair(0, false, 6)], [Some(1), Some(3), Some(2)]);
        assert_eq!([pair(0, false, 7), pair(0, false, 8)], [None; 2]);
        assert_eq!([pair(0, true, 9), pair(0, true, 10)], [Some(7), Some(8)]);
    }
}
