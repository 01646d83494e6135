//! Ranks with wildcards: a receive takes the first message that is visible and matches, so unmatched messages and receives
//! are in lists in the order of time. Messages that one rank sends to another keep their order, whatever their tags, even where a
//! short one overtakes a long one on the way: a receive with any tag may match both.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::Observer;
use super::super::super::program::{Channel, ChannelTag, Pattern, Step, Steps};
use super::transfers::Posted;
use super::{Event, Run, Waiting};
use base_data::Time;
use std::collections::{BTreeMap, VecDeque};

/// The mailboxes of ranks with wildcards.
#[derive(Debug, Default)]
pub(super) struct Mailboxes {
    /// By rank.
    boxes: Vec<Option<Mailbox>>,
    /// Messages under way, as they were sent: whether they have come to notice.
    expected: BTreeMap<Connection, VecDeque<(u32, bool)>>,
}

/// What keeps messages in order: communicator, source and destination of a program's messages; the channel of others, which
/// nothing but their own receives match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Connection {
    Program(u32, u32, u32),
    Other(u32),
}

#[derive(Debug, Default)]
struct Mailbox {
    /// Any channel to this rank: stands for the unknown channel of a wildcard receive.
    some_channel: u32,
    /// Transfers without receive, as they came.
    messages: Vec<u32>,
    /// Receives without message, as they were called.
    receives: Vec<(ReceivePattern, Posted)>,
}

#[derive(Clone, Copy, Debug)]
enum ReceivePattern {
    Channel(u32),
    Pattern(u32),
}

impl Mailboxes {
    pub(super) fn reset(&mut self, steps: &Steps) {
        let has_wildcards = |rank: usize| {
            let is_open =
                |step: &Step| matches!(step, Step::ReceiveAny { .. } | Step::ProbeAny { .. });
            !steps.open_wildcards.is_empty() && steps.of(rank).iter().any(is_open)
        };
        self.boxes.clear();
        self.boxes
            .extend((0..steps.ranks.len()).map(|rank| has_wildcards(rank).then(Mailbox::default)));
        if !steps.open_wildcards.is_empty() {
            for (number, channel) in (0..).zip(&steps.channels) {
                if let Some(mailbox) = &mut self.boxes[channel.destination as usize] {
                    mailbox.some_channel = number;
                }
            }
        }
        self.expected.clear();
    }

    /// Makes one mailbox for each rank: the receives of their processes are not known in advance.
    pub(super) fn reset_for_all(&mut self, ranks: usize) {
        self.boxes.clear();
        self.boxes.resize_with(ranks, || Some(Mailbox::default()));
        self.expected.clear();
    }

    /// Any channel to a rank with a mailbox.
    pub(super) fn some_channel(&self, rank: u32) -> u32 {
        self.boxes[rank as usize]
            .as_ref()
            .map_or(0, |mailbox| mailbox.some_channel)
    }

    /// Whether a rank has a mailbox.
    #[inline]
    pub(super) fn has_mailbox(&self, rank: u32) -> bool {
        self.boxes[rank as usize].is_some()
    }
}

/// Whether a message of a channel matches a pattern.
fn fits(pattern: &Pattern, channel: &Channel) -> bool {
    let tag_fits = match channel.tag {
        ChannelTag::Value(tag) => pattern.tag.is_none_or(|wanted| wanted == tag),
        ChannelTag::Collective | ChannelTag::Started(_) => false,
    };
    tag_fits
        && pattern.communicator == channel.communicator
        && pattern.source.is_none_or(|source| source == channel.source)
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    fn accepts(&self, wanted: ReceivePattern, channel: u32) -> bool {
        match wanted {
            ReceivePattern::Channel(wanted) => wanted == channel,
            ReceivePattern::Pattern(pattern) => {
                let steps = self.replay.steps;
                fits(
                    &steps.patterns[pattern as usize],
                    &steps.channels[channel as usize],
                )
            }
        }
    }

    fn mailbox(&mut self, rank: u32) -> Option<&mut Mailbox> {
        self.work.mailboxes.boxes[rank as usize].as_mut()
    }

    /// Registers a message in flight to a mailbox.
    pub(super) fn expect_message(&mut self, transfer: u32, now: Time) {
        let connection = self.connection(transfer);
        self.work
            .mailboxes
            .expected
            .entry(connection)
            .or_default()
            .push_back((transfer, false));
        if let Some(at) = self.notice_at(transfer) {
            self.schedule(at.max(now), Event::Noticed { transfer });
        }
    }

    fn connection(&self, transfer: u32) -> Connection {
        let number = self.work.transfers[transfer as usize].channel;
        let channel = &self.replay.steps.channels[number as usize];
        match channel.tag {
            ChannelTag::Value(_) => {
                Connection::Program(channel.communicator.0, channel.source, channel.destination)
            }
            ChannelTag::Collective | ChannelTag::Started(_) => Connection::Other(number),
        }
    }

    /// A message comes to notice; behind all that its sender sent before it to the same rank.
    pub(super) fn noticed(&mut self, transfer: u32, now: Time) {
        self.work.transfers[transfer as usize].noticed = true;
        let connection = self.connection(transfer);
        let Some(expected) = self.work.mailboxes.expected.get_mut(&connection) else {
            return;
        };
        if let Some(activity) = expected
            .iter_mut()
            .find(|(expected, _)| *expected == transfer)
        {
            activity.1 = true;
        }
        let mut here = Vec::new();
        // MPI's order: messages that one receive may match do so in the order of sending, so one that came early
        // waits for those before.
        while let Some(&(first, true)) = expected.front() {
            expected.pop_front();
            here.push(first);
        }
        for transfer in here {
            self.deliver(transfer, now);
        }
    }

    fn deliver(&mut self, transfer: u32, now: Time) {
        let (rank, channel) = (
            self.receiver(transfer),
            self.work.transfers[transfer as usize].channel,
        );
        match self.first_receive(rank, channel) {
            Some(place) => {
                let taken = self
                    .mailbox(rank)
                    .map(|mailbox| mailbox.receives.remove(place));
                if let Some((_, posted)) = taken {
                    self.match_transfer(transfer, posted, now);
                }
            }
            None => {
                if let Some(mailbox) = self.mailbox(rank) {
                    mailbox.messages.push(transfer);
                }
                self.retry_probe(rank, now);
            }
        }
    }

    fn first_receive(&self, rank: u32, channel: u32) -> Option<usize> {
        let mailbox = self.work.mailboxes.boxes[rank as usize].as_ref()?;
        mailbox
            .receives
            .iter()
            .position(|(wanted, _)| self.accepts(*wanted, channel))
    }

    /// Whether a receive in the mailbox waits for a message of a channel.
    pub(super) fn mailbox_awaits(&self, rank: u32, channel: u32) -> bool {
        self.first_receive(rank, channel).is_some()
    }

    /// A receive is called on a rank with a mailbox.
    pub(super) fn post_in_mailbox(
        &mut self,
        rank: u32,
        channel: u32,
        pattern: Option<u32>,
        posted: Posted,
        now: Time,
    ) {
        let wanted = pattern.map_or(ReceivePattern::Channel(channel), ReceivePattern::Pattern);
        let place = self.first_message(rank, wanted);
        let Some(mailbox) = self.mailbox(rank) else {
            return;
        };
        match place {
            Some(place) => {
                let transfer = mailbox.messages.remove(place);
                self.match_transfer(transfer, posted, now);
            }
            None => mailbox.receives.push((wanted, posted)),
        }
    }

    fn first_message(&self, rank: u32, wanted: ReceivePattern) -> Option<usize> {
        let mailbox = self.work.mailboxes.boxes[rank as usize].as_ref()?;
        let channel_of = |transfer: u32| self.work.transfers[transfer as usize].channel;
        mailbox
            .messages
            .iter()
            .position(|&transfer| self.accepts(wanted, channel_of(transfer)))
    }

    fn probe_mailbox(&self, rank: u32, wanted: ReceivePattern) -> Option<(u32, Time)> {
        let place = self.first_message(rank, wanted)?;
        let transfer = self.work.mailboxes.boxes[rank as usize].as_ref()?.messages[place];
        self.seen_by_probe(transfer)
    }

    /// The first message of a channel that a probe on it can see.
    pub(super) fn first_of(&self, rank: u32, channel: u32) -> Option<(u32, Time)> {
        if self.work.mailboxes.has_mailbox(rank) {
            return self.probe_mailbox(rank, ReceivePattern::Channel(channel));
        }
        match self.work.pairing.first(channel, true)? {
            Waiting::Send(transfer) => self.seen_by_probe(transfer),
            Waiting::Receive(_) => None,
        }
    }

    /// The first message that matches a pattern and that a probe can see.
    pub(super) fn first_matching(&self, rank: u32, pattern: u32) -> Option<(u32, Time)> {
        self.probe_mailbox(rank, ReceivePattern::Pattern(pattern))
    }
}
