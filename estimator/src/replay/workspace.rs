//! The state of a dataflow replay: where each rank is, its transfers under way, and the sides of messages
//! that wait for their other side. Flat arrays, kept between replays, so that a draw allocates nothing.

use super::code::{Code, Op};
use super::program::Steps;
use super::protocol::Completion;
use super::queues::Queues;
use super::timed::by_time::ByTime;
use super::timed::processors::Processors;
use base_data::{CallSiteId, Time};
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
pub(crate) struct BlockedRank {
    pub(crate) rank: u32,
    /// Where it waits.
    pub(crate) site: u32,
    /// The channel whose other side never comes.
    pub(crate) channel: u32,
    /// Whether it waits for a receiver.
    pub(crate) sends: bool,
}

/// A message without a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmatched {
    pub(crate) channel: u32,
    pub(crate) site: u32,
    pub(crate) size: u32,
    /// Whether the send is there and the receive is missing.
    pub(crate) sent: bool,
}

/// What a replay leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) ranks: Vec<RankOutcome>,
    pub(crate) stuck: Vec<BlockedRank>,
    pub(crate) messages: u64,
    pub(crate) events: u64,
    /// A call in a loop whose replay was given up, see [`MOST_REPLAYED_EVENTS`](super::dataflow::MOST_REPLAYED_EVENTS).
    pub(crate) endless: Option<CallSiteId>,
}

/// The state of a replay, kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(super) ranks: Vec<RankState>,
    pub(super) outcomes: Vec<RankOutcome>,
    /// Loops around the innermost one, rank by rank.
    pub(super) frames: Vec<OpenLoop>,
    pub(super) slots: Vec<Slot>,
    pub(super) executed: Executed,
    pub(super) queues: Queues,
    pub(super) ready: VecDeque<u32>,
    /// Ranks that wait for a message without receiving it, with its channel.
    pub(super) probing: Vec<(u32, u32)>,
    /// Ranks that pause at a watched loop, by level.
    pub(super) paused: Vec<Vec<u32>>,
    /// Messages sent, and operations executed.
    pub(super) messages: u64,
    pub(super) events: u64,
    pub(crate) processors: Processors,
    pub(crate) by_time: ByTime,
}

/// What changes most of a rank; a cache line and a bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RankState {
    pub(super) clock: Time,
    /// The innermost open loop.
    pub(super) open: OpenLoop,
    /// The next operation.
    pub(super) next: u32,
    pub(super) depth: u32,
    pub(super) site: u32,
    pub(super) waits: Waits,
    /// First executions so far.
    pub(super) firsts: u32,
    pub(super) first_channel: u32,
    pub(super) first_slot: u32,
    pub(super) first_frame: u32,
    /// Where its variants begin in [`Executed`].
    pub(super) first_variant: u32,
}

/// Which variants each rank has executed: one bit for each that occurs in the rank's list.
#[derive(Clone, Debug, Default)]
pub(super) struct Executed {
    bits: Vec<u64>,
}

impl Executed {
    /// Nothing has been executed; `variants` is the sum over the ranks' lists.
    pub(super) fn reset(&mut self, variants: u32) {
        refill(&mut self.bits, (variants as usize).div_ceil(64), 0);
    }

    /// Whether this is the first execution of a variant, which it counts.
    #[inline(always)]
    pub(super) fn is_first(&mut self, variant: u32) -> bool {
        let word = &mut self.bits[variant as usize / 64];
        let bit = 1u64 << (variant % 64);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }
}

/// A loop that a rank is in; outermost, its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenLoop {
    /// Further iterations.
    pub(super) remaining: u64,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Iterations until the rank pauses, where it does.
    pub(super) permits: u32,
}

/// What a rank waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Waits {
    /// Nothing: it runs, is ready, pauses or has ended.
    #[default]
    No,
    /// The end of the transfer of a slot that a call before started.
    Slot {
        slot: u32,
        blocking: bool,
        collective: bool,
    },
    /// The end of the blocking call's own transfer.
    Now {
        post: u32,
        channel: u32,
        sends: bool,
    },
    /// A message that it then leaves where it is.
    Probe { channel: u32 },
}

/// A transfer under way, or over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) completion: Option<Completion>,
    /// Least time of a call that completes it.
    pub(super) least: Time,
    pub(super) channel: u32,
    /// How many transfers the slot has had.
    pub(super) serial: u32,
    pub(super) sends: bool,
}

pub(super) const FREE_SLOT: Slot = Slot {
    completion: None,
    least: Time::ZERO,
    channel: 0,
    serial: 0,
    sends: false,
};

impl Workspace {
    /// Back to the start of a program.
    pub(super) fn reset(&mut self, steps: &Steps) {
        self.ranks.clear();
        let (mut first_slot, mut first_frame, mut first_variant) = (0, 0, 0);
        for rank in &steps.ranks {
            let list = &steps.code().lists[rank.list as usize];
            let open = OpenLoop {
                start: list.start,
                end: list.end,
                ..OpenLoop::default()
            };
            let first_channel = rank.first_channel;
            self.ranks.push(RankState {
                open,
                next: list.start,
                first_channel,
                first_slot,
                first_frame,
                first_variant,
                ..RankState::default()
            });
            first_slot += list.slots;
            first_frame += list.depth;
            first_variant += list.variants;
        }
        refill(
            &mut self.outcomes,
            steps.ranks.len(),
            RankOutcome::default(),
        );
        refill(&mut self.frames, first_frame as usize, OpenLoop::default());
        refill(&mut self.slots, first_slot as usize, FREE_SLOT);
        self.executed.reset(first_variant);
        self.queues.reset(steps.channels.len());
        self.probing.clear();
        self.ready.clear();
        self.ready.extend(0..steps.ranks.len() as u32);
        refill(
            &mut self.paused,
            usize::from(steps.code().levels) + 1,
            Vec::new(),
        );
        (self.messages, self.events) = (0, 0);
    }

    /// The slot of a rank.
    #[inline]
    pub(super) fn slot(&mut self, state: &RankState, slot: u32) -> &mut Slot {
        &mut self.slots[(state.first_slot + slot) as usize]
    }

    /// The sides of messages whose other side never came, by channel.
    pub(super) fn unmatched(&self, code: &Code) -> Vec<Unmatched> {
        let of_channel = |channel: usize| {
            let (sent, waiting) = self.queues.waiting(channel);
            waiting.map(move |side| {
                let post = &code.posts[side.post as usize];
                Unmatched {
                    channel: channel as u32,
                    site: post.site,
                    size: post.size,
                    sent,
                }
            })
        };
        (0..self.queues.len()).flat_map(of_channel).collect()
    }

    /// The ranks that wait, once no rank is ready.
    pub(super) fn stuck(&self) -> Vec<BlockedRank> {
        let of_rank = |(rank, state): (usize, &RankState)| {
            let (channel, sends) = match state.waits {
                Waits::No => return None,
                Waits::Slot { slot, .. } => {
                    let slot = &self.slots[(state.first_slot + slot) as usize];
                    (slot.channel, slot.sends)
                }
                Waits::Now { channel, sends, .. } => (channel, sends),
                Waits::Probe { channel } => (channel, false),
            };
            Some(BlockedRank {
                rank: rank as u32,
                site: state.site,
                channel,
                sends,
            })
        };
        self.ranks.iter().enumerate().filter_map(of_rank).collect()
    }
}

fn refill<T: Clone>(list: &mut Vec<T>, length: usize, value: T) {
    list.clear();
    list.resize(length, value);
}

impl RankState {
    /// Enters a loop whose operations begin at `next`.
    #[inline]
    pub(super) fn enter(&mut self, frames: &mut [OpenLoop], count: u64, body: u32) {
        frames[(self.first_frame + self.depth) as usize] = self.open;
        self.depth += 1;
        self.open = OpenLoop {
            remaining: count - 1,
            start: self.next,
            end: self.next + body,
            permits: 0,
        };
    }

    /// Leaves the innermost loop; false if the list is at its end.
    #[inline]
    pub(super) fn leave(&mut self, frames: &[OpenLoop]) -> bool {
        if self.depth == 0 {
            return false;
        }
        self.depth -= 1;
        self.open = frames[(self.first_frame + self.depth) as usize];
        true
    }

    /// The loop's own operation.
    #[inline]
    pub(super) fn loop_of(open: &OpenLoop, ops: &[Op]) -> (u8, bool) {
        // A loop's operation precedes its body. The outermost "loop" is a list, before which the last operation of
        // another list may stand: that is no `Repeat`, since no body is empty.
        match open
            .start
            .checked_sub(1)
            .and_then(|place| ops.get(place as usize))
        {
            Some(Op::Repeat { level, plain, .. }) => (*level, *plain),
            _ => (0, false),
        }
    }
}
