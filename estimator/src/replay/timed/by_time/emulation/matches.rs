//! Which message each receive and each probe got.

use crate::replay::observer::{Observer, Probed};
use base_data::emulation::Matched;
use std::collections::{HashMap, VecDeque};

/// Which message each receive and each probe got.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// By channel: its ends and tag, and number and length of messages that no receive has got. `None` for collectives.
    pub(super) channels: Vec<Option<Sent>>,
    /// By receiver and slot.
    pub(super) received: HashMap<(u32, u32), Matched>,
    /// By rank.
    pub(super) found: HashMap<u32, Matched>,
}

/// The messages of a channel.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) source: u32,
    pub(super) destination: u32,
    pub(super) tag: i32,
    pub(super) messages: VecDeque<(u64, u64)>,
}

impl Observer for &mut Matches {
    fn matched(&mut self, channel: u32, _send_slot: u32, receive_slot: u32) {
        // Messages of a channel match in the order of sending.
        if let Some(sent) = &mut self.channels[channel as usize]
            && let Some((number, bytes)) = sent.messages.pop_front()
        {
            let (source, tag) = (sent.source, sent.tag);
            let matched = Matched {
                source,
                tag,
                bytes,
                number,
            };
            self.received
                .insert((sent.destination, receive_slot), matched);
        }
    }

    fn probed(&mut self, probed: &Probed) {
        if let Some(sent) = &self.channels[probed.channel as usize]
            && let Some(&(number, bytes)) = sent.messages.front()
        {
            let (source, tag) = (sent.source, sent.tag);
            self.found.insert(
                probed.rank,
                Matched {
                    source,
                    tag,
                    bytes,
                    number,
                },
            );
        }
    }
}
