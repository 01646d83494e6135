//! The state of a replay: where each rank is, its transfers under way, and the sides of messages that
//! wait for their other side. Kept between replays, so that a draw allocates nothing.

use super::cursor::Cursor;
use super::program::Steps;
use super::protocol::Completion;
use base_data::Time;
use std::collections::VecDeque;

/// What a replay leaves of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RankOutcome {
    /// How often the section began and ended.
    pub(crate) begins: u64,
    pub(crate) ends: u64,
    /// When it did last; start and end of the run where there is no section.
    pub(crate) begin: Time,
    pub(crate) end: Time,
    /// When the run ended, whatever the section.
    pub(crate) last: Time,
}

/// A rank that waits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stuck {
    pub(crate) rank: u32,
    /// Where it waits.
    pub(crate) site: u32,
    /// The channel whose other side never comes.
    pub(crate) channel: u32,
    /// Whether it waits for a receiver.
    pub(crate) sends: bool,
}

/// A message that nobody received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmatched {
    pub(crate) channel: u32,
    pub(crate) site: u32,
    /// Whether the send is there and the receive is missing.
    pub(crate) sent: bool,
}

/// What a replay leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) ranks: Vec<RankOutcome>,
    pub(crate) stuck: Vec<Stuck>,
    pub(crate) messages: u64,
    pub(crate) events: u64,
}

/// The state of a replay, kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(super) ranks: Vec<RankState>,
    pub(super) channels: Vec<Queues>,
    pub(super) ready: VecDeque<u32>,
}

#[derive(Debug, Default)]
pub(super) struct RankState {
    pub(super) cursor: Cursor,
    pub(super) clock: Time,
    pub(super) site: u32,
    pub(super) slots: Vec<Slot>,
    /// One bit per variant: whether the rank has executed it.
    pub(super) seen: Vec<u64>,
    pub(super) outcome: RankOutcome,
    pub(super) waits_for: Option<u32>,
}

/// A transfer under way, or over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) completion: Option<Completion>,
    /// Least time of a call that completes it.
    pub(super) least: Time,
    pub(super) channel: u32,
    pub(super) sends: bool,
}

pub(super) const FREE_SLOT: Slot = Slot { completion: None, least: Time::ZERO, channel: 0, sends: false };

/// One side of transfers that the other side has not reached; at most one queue holds any.
#[derive(Debug, Default)]
pub(super) struct Queues {
    pub(super) sent: VecDeque<Waiting>,
    pub(super) posted: VecDeque<Waiting>,
    /// The rank that waits for a message without receiving it.
    pub(super) probed_by: Option<u32>,
}

/// One side of a transfer: when it was there, and who is to be told of its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) time: Time,
    pub(super) size: u32,
    pub(super) slot: u32,
    pub(super) site: u32,
}

impl Workspace {
    /// Back to the start of a program.
    pub(super) fn reset(&mut self, steps: &Steps) {
        self.ranks.resize_with(steps.ranks.len(), RankState::default);
        self.channels.resize_with(steps.channels.len(), Queues::default);
        for (state, rank) in self.ranks.iter_mut().zip(&steps.ranks) {
            let list = &steps.lists[rank.list as usize];
            state.reset(list.steps.len(), list.slots as usize, steps.variants);
        }
        for queues in &mut self.channels {
            queues.sent.clear();
            queues.posted.clear();
            queues.probed_by = None;
        }
        self.ready.clear();
        self.ready.extend(0..steps.ranks.len() as u32);
    }

    /// The sides of messages whose other side never came, by channel.
    pub(crate) fn unmatched(&self) -> impl Iterator<Item = Unmatched> + '_ {
        self.channels.iter().enumerate().flat_map(|(channel, queues)| {
            let sides = queues.sent.iter().map(|side| (side, true));
            let sides = sides.chain(queues.posted.iter().map(|side| (side, false)));
            sides.map(move |(side, sent)| Unmatched { channel: channel as u32, site: side.site, sent })
        })
    }
}

impl RankState {
    fn reset(&mut self, steps: usize, slots: usize, variants: usize) {
        self.cursor.rewind(steps);
        self.slots.clear();
        self.slots.resize(slots, FREE_SLOT);
        self.seen.clear();
        self.seen.resize(variants.div_ceil(64), 0);
        (self.clock, self.site, self.waits_for) = (Time::ZERO, 0, None);
        self.outcome = RankOutcome::default();
    }

    /// Whether `variant` is executed for the first time.
    pub(super) fn sees_first(&mut self, variant: u32) -> bool {
        let (word, bit) = (variant as usize / 64, 1u64 << (variant % 64));
        let first = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        first
    }
}

impl RankState {
    /// A transfer with nobody is over at once.
    pub(super) fn no_transfer(&mut self, slot: u32) {
        let completion = Some(Completion { at: self.clock, overhead: Time::ZERO });
        self.slots[slot as usize] = Slot { completion, ..FREE_SLOT };
    }
}

impl Workspace {
    /// The transfer of a slot is over: who waits for it is ready again.
    pub(super) fn complete(&mut self, rank: u32, slot: u32, completion: Completion) {
        let state = &mut self.ranks[rank as usize];
        state.slots[slot as usize].completion = Some(completion);
        if state.waits_for == Some(slot) {
            state.waits_for = None;
            self.ready.push_back(rank);
        }
    }

    /// The ranks that wait, once nobody is ready.
    pub(super) fn stuck(&self) -> Vec<Stuck> {
        let in_wait = self.ranks.iter().zip(0u32..).filter_map(|(state, rank)| {
            let slot = state.slots[state.waits_for? as usize];
            Some(Stuck { rank, site: state.site, channel: slot.channel, sends: slot.sends })
        });
        let in_probe = self.channels.iter().zip(0u32..).filter_map(|(queues, channel)| {
            let rank = queues.probed_by?;
            Some(Stuck { rank, site: self.ranks[rank as usize].site, channel, sends: false })
        });
        let mut stuck: Vec<Stuck> = in_wait.chain(in_probe).collect();
        stuck.sort_unstable_by_key(|stuck| stuck.rank);
        stuck
    }
}
