//! Receivers whose bandwidth messages divide: while `p` messages of one kind of link are on their way
//! to one processing unit, the shared stage of each advances at `1/p` of its speed.
//!
//! Each receiver keeps how far a message that was there all the time would have come (its *progress*);
//! a message that enters at progress `v` with `w` to do leaves at `v + w`, whatever comes or goes. So
//! only the earliest leaver of each receiver is an event. Progress is an integer with a binary
//! fraction: a message that is alone takes its time to the picosecond.
//!
//! The model determines which stage is shared and which part of it is divided.

use super::{Message, Pu, TransferId};
use base_data::Time;
use base_data::comm_data::LinkClass;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// What a message has to do in its shared stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Divided by the number of messages at the receiver.
    pub(super) divided: Time,
    /// Added afterwards.
    pub(super) fixed: Time,
}

/// Fraction bits of progress.
const FRACTION: u32 = 32;

// 63 bits of picoseconds and the fraction are 95 bits; the product with the number of messages (32 bits)
// still fits.
/// Picoseconds of undivided progress, times 2^[`FRACTION`].
type Progress = u128;

/// All receivers with messages on their way.
#[derive(Clone, Debug, Default)]
pub(super) struct Receivers {
    places: BTreeMap<(Pu, LinkClass), u32>,
    receivers: Vec<Receiver>,
    /// When the earliest leaver of a receiver leaves if nothing changes; of a past version if it did.
    ends: BinaryHeap<Reverse<(Time, u32, u64)>>,
}

#[derive(Clone, Debug, Default)]
struct Receiver {
    /// When the progress was brought up to date.
    now: Time,
    progress: Progress,
    /// By progress at which they leave, then by number.
    messages: BinaryHeap<Reverse<(Progress, TransferId, Time)>>,
    /// Counts the changes.
    version: u64,
}

impl Receiver {
    fn advance(&mut self, to: Time) {
        let passed = (to - self.now).picoseconds().max(0) as u128;
        // An idle receiver makes no progress; its messages begin where the last ones ended.
        self.progress += (passed << FRACTION)
            .checked_div(self.messages.len() as u128)
            .unwrap_or(0);
        self.now = self.now.max(to);
    }

    /// When the earliest leaver leaves, to the nearest picosecond.
    fn end(&self) -> Option<Time> {
        let Reverse((leaves, _, _)) = self.messages.peek()?;
        // Progress runs at 1/p of time, so what is missing takes p times as long.
        let missing = leaves.saturating_sub(self.progress) * self.messages.len() as u128;
        let picoseconds = (missing + (1 << (FRACTION - 1))) >> FRACTION;
        Some(self.now + Time::from_picoseconds(i64::try_from(picoseconds).unwrap_or(i64::MAX)))
    }
}

impl Receivers {
    /// A message enters the shared stage; all that leave until `at` must have left.
    pub(super) fn enter(&mut self, message: &Message, work: Work, transfer: TransferId, at: Time) {
        let next = self.receivers.len() as u32;
        let place = *self
            .places
            // Messages over another kind of link reach the receiver by other hardware and do not divide its
            // bandwidth.
            .entry((message.to, message.link))
            .or_insert(next);
        if place == next {
            self.receivers.push(Receiver::default());
        }
        let receiver = &mut self.receivers[place as usize];
        receiver.advance(at);
        let divided = (work.divided.picoseconds().max(0) as u128) << FRACTION;
        receiver
            .messages
            .push(Reverse((receiver.progress + divided, transfer, work.fixed)));
        self.changed(place);
    }

    /// The next message to leave its shared stage, if it does so until `until`, and the end of what
    /// is not divided.
    pub(super) fn next_end(&mut self, until: Time) -> Option<(TransferId, Time)> {
        while let Some(&Reverse((at, place, version))) = self.ends.peek() {
            if at > until {
                return None;
            }
            self.ends.pop();
            let receiver = &mut self.receivers[place as usize];
            // The end was computed for other messages at this receiver. The valid one is further back in the
            // heap.
            if receiver.version != version {
                continue;
            }
            receiver.advance(at);
            let left = receiver.messages.pop();
            if let Some(Reverse((leaves, transfer, fixed))) = left {
                // Rounding must not let the next one start behind.
                receiver.progress = receiver.progress.max(leaves);
                self.changed(place);
                return Some((transfer, at + fixed));
            }
        }
        None
    }

    fn changed(&mut self, place: u32) {
        let receiver = &mut self.receivers[place as usize];
        receiver.version += 1;
        if let Some(end) = receiver.end() {
            self.ends.push(Reverse((end, place, receiver.version)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends of messages given as (receiver, enters, work), in picoseconds, by number.
    fn ends(messages: &[(u32, i64, i64)]) -> Vec<i64> {
        let (mut receivers, mut ends) = (Receivers::default(), vec![0; messages.len()]);
        let mut note = |receivers: &mut Receivers, until| {
            while let Some((transfer, at)) = receivers.next_end(until) {
                ends[transfer.0 as usize] = at.picoseconds();
            }
        };
        for (number, &(to, at, work)) in messages.iter().enumerate() {
            let at = Time::from_picoseconds(at);
            note(&mut receivers, at);
            let link = LinkClass::BetweenNodes;
            let message = Message {
                from: Pu(9),
                to: Pu(to),
                bytes: 1,
                link,
                scale: 1.0,
            };
            let work = Work {
                divided: Time::from_picoseconds(work),
                fixed: Time::from_picoseconds(7),
            };
            receivers.enter(&message, work, TransferId(number as u64), at);
        }
        note(&mut receivers, Time::MAX);
        ends
    }

    #[test]
    fn messages_at_one_receiver_divide_it() {
        // Alone; two receivers; two at once; one joins halfway; three of different work.
        assert_eq!(ends(&[(0, 5, 100)]), [112]);
        assert_eq!(ends(&[(0, 0, 100), (1, 0, 100)]), [107, 107]);
        assert_eq!(ends(&[(0, 0, 100), (0, 0, 100)]), [207, 207]);
        assert_eq!(ends(&[(0, 0, 100), (0, 50, 100)]), [157, 207]);
        assert_eq!(ends(&[(0, 0, 10), (0, 0, 20), (0, 0, 40)]), [37, 57, 77]);
        // One leaves just as the next comes.
        assert_eq!(ends(&[(0, 0, 100), (0, 100, 100)]), [107, 207]);
        assert_eq!(ends(&[(0, 3, 0)]), [10]);
    }
}
