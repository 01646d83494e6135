//! The replay for models in which arriving messages take the receiver's processor, whatever the rank
//! does: LogGOPS.
//!
//! A rank does one step after the other; each waits for the processor, a send also for the sending
//! interface. A message waits for the processor and the receiving interface. Who can begin first goes
//! first; of several at one time the one with the earlier [`Cause`].
//!
//! An event of one rank affects another rank a message latency later at the earliest. The shortest latency between ranks
//! is the lookahead of a conservative simulation (Chandy and Misra, IEEE Transactions on Software Engineering SE-5, 1979):
//! events are taken in buckets of this width ([`CalendarQueue`]), and within a bucket each rank is simulated on its own. A
//! rendezvous send has no lookahead, as its receive lets the sender continue at the same instant. Programs with such
//! messages between ranks are simulated in strict order of time.
//!
//! A bucket has only ranks that may send in it: those whose next step begins, and those for which the awaited message
//! arrives. Other messages stay in flight until their receiver is simulated for one of these reasons. They only delay it, so
//! what they change is known early enough.

mod messages;
mod schedules;
mod steps;

use super::super::dataflow::{BlockTimes, Replay};
use super::super::observer::Observer;
use super::super::program::{Size, Steps};
use super::super::workspace::{BlockedRank, Executed, Outcome, RankOutcome};
use super::calendar_queue::CalendarQueue;
use super::host::{Cause, Host, NextAction};
use super::pairing::Pairing;
use base_data::Time;
use base_data::comm_data::LinkClass;
use machine::network::{CallCosts, Protocol};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The state of a replay, kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct Processors {
    hosts: Vec<Host>,
    outcomes: Vec<RankOutcome>,
    slots: Vec<Slot>,
    pairing: Pairing<QueuedEndpoint>,
    calendar: CalendarQueue,
    /// By rank: the channel whose messages let it continue; [`NO_CHANNEL`] if none does.
    awaited: Vec<u32>,
    /// The next event of each rank in strict order: time, cause, rank.
    ordered_events: BinaryHeap<Reverse<(Time, Cause, u32)>>,
    executed: Executed,
    /// Ranks of the current bucket.
    current_bucket: Vec<u32>,
    /// By size: latency from the start of a send to the arrival of its first byte.
    latencies: Vec<Time>,
    /// By channel: the receiving rank.
    receivers: Vec<u32>,
}

/// A send or receive that waits for its partner.
#[derive(Clone, Copy, Debug, Default)]
struct QueuedEndpoint {
    /// Slot of the transfer on its rank.
    slot: u32,
    site: u32,
    size: u32,
}

/// The transfer of a slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// When it is complete; [`UNDER_WAY`] before.
    completed_at: Time,
    channel: u32,
    sends: bool,
}

const FREE: Slot = Slot {
    completed_at: UNDER_WAY,
    channel: 0,
    sends: false,
};

/// Completion time of a transfer that is not complete.
const UNDER_WAY: Time = Time::MAX;

const NO_CHANNEL: u32 = u32::MAX;
/// Any channel: the rank waits with schedules.
const ANY_CHANNEL: u32 = u32::MAX - 1;

/// How many messages in flight to a rank are searched for one of its awaited channel. With more, the rank is simulated when
/// it takes the next message, whichever that is.
const MOST_SEARCHED: usize = 32;

/// One replay under way.
struct Run<'r, 'a, T, O> {
    replay: &'r mut Replay<'a, T, O>,
    work: &'r mut Processors,
    outcome: Outcome,
    strict: bool,
    /// Difference between the longest and the shortest latency.
    spread: Time,
}

/// Replays a program from start to end.
pub(crate) fn run<T: BlockTimes, O: Observer>(
    replay: &mut Replay<'_, T, O>,
    work: &mut Processors,
) -> Outcome {
    work.reset(replay.steps);
    let latency =
        |(size, costs): (&Size, &CallCosts)| costs.network.scaled(replay.scales.of(size.link));
    work.latencies.extend(
        replay
            .steps
            .sizes
            .iter()
            .zip(&replay.machine.costs)
            .map(latency),
    );
    let shortest = work.latencies.iter().copied().min().unwrap_or(Time::MAX);
    let longest = work.latencies.iter().copied().max().unwrap_or(Time::MAX);
    let (mut lookahead, mut waits) = (Time::MAX, false);
    for (place, size) in replay.steps.sizes.iter().enumerate() {
        // A message of a rank to itself affects no other rank.
        if size.link != LinkClass::ToSelf {
            let protocol = replay.machine.costs[place].protocol;
            lookahead = lookahead.min(work.latencies[place]);
            waits |= matches!(protocol, Protocol::Rendezvous { .. });
        }
    }
    // Buckets need a positive width: with a message that takes no time, or a send that ends with its receive,
    // an event of one rank can affect another rank at the same instant.
    let strict = lookahead <= Time::ZERO || waits;
    let spread = longest - shortest;
    let mut run = Run {
        replay,
        work,
        outcome: Outcome::default(),
        strict,
        spread,
    };
    for rank in 0..run.work.hosts.len() as u32 {
        run.advance_rank(rank);
    }
    if strict {
        run.process_in_time_order();
    } else {
        run.process_by_bucket(lookahead);
    }
    run.into_outcome()
}

impl Processors {
    fn reset(&mut self, steps: &Steps) {
        let ranks = steps.ranks.len();
        self.hosts.resize_with(ranks, Host::default);
        let (mut slots, mut variants) = (0, 0);
        for (rank, (host, next_action)) in self.hosts.iter_mut().zip(&steps.ranks).enumerate() {
            let list = &steps.lists[next_action.list as usize];
            host.reset(rank as u32, &list.steps, slots, variants);
            slots += list.slots;
            variants += list.variants;
        }
        self.outcomes.clear();
        self.outcomes.resize(ranks, RankOutcome::default());
        self.slots.clear();
        self.slots.resize(slots as usize, FREE);
        self.awaited.clear();
        self.awaited.resize(ranks, NO_CHANNEL);
        self.receivers.clear();
        self.receivers
            .extend(steps.channels.iter().map(|channel| channel.destination));
        self.pairing.reset(steps.channels.len());
        self.ordered_events.clear();
        self.executed.reset(variants);
        self.latencies.clear();
    }
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    fn process_by_bucket(&mut self, bucket_width: Time) {
        self.work
            .calendar
            .reset(self.work.hosts.len(), bucket_width);
        for rank in 0..self.work.hosts.len() as u32 {
            self.suspend(rank);
        }
        let mut current_bucket = std::mem::take(&mut self.work.current_bucket);
        while self.work.calendar.next_bucket(&mut current_bucket) {
            let end = self.work.calendar.end_of_bucket();
            for &rank in &current_bucket {
                self.simulate_until(rank, end);
            }
        }
        self.work.current_bucket = current_bucket;
        // No rank can send any more. What has arrived at ranks that have ended, or wait for ever, may match a receive.
        for rank in 0..self.work.hosts.len() as u32 {
            self.simulate_until(rank, Time::MAX);
        }
    }

    /// Simulates one rank to the end of the bucket.
    fn simulate_until(&mut self, rank: u32, end: Time) {
        self.work.awaited[rank as usize] = NO_CHANNEL;
        loop {
            let host = &self.work.hosts[rank as usize];
            let (next_action, message) = (host.next_action_at(), host.next_message_at());
            if next_action.min(message) >= end {
                return self.suspend(rank);
            }
            self.process_next_event(rank, next_action, message);
        }
    }

    /// Enters a rank for when it may send next; if that depends on a message which was not sent yet, its sender does so.
    fn suspend(&mut self, rank: u32) {
        let host = &self.work.hosts[rank as usize];
        let channel = match host.next_action {
            NextAction::Next(_) | NextAction::Completes => {
                return self.work.calendar.enter(rank, host.next_action_at());
            }
            NextAction::Ended => return,
            NextAction::Waits { slot, .. } => {
                self.work.slots[(host.first_slot + slot) as usize].channel
            }
            NextAction::Probes { channel } => channel,
            NextAction::WaitsWithSchedules => ANY_CHANNEL,
        };
        self.work.awaited[rank as usize] = channel;
        // Not always the awaited message: another receive of the channel may take it. Then the rank waits on.
        let arrival = match host.arrivals.len() {
            _ if channel == ANY_CHANNEL => host.arrivals.front(),
            0..=MOST_SEARCHED => host
                .arrivals
                .iter()
                .find(|arrival| arrival.channel == channel),
            _ => host.arrivals.front(),
        };
        if let Some(arrival) = arrival {
            let at = arrival.at.max(host.next_message_at());
            self.work.calendar.enter(rank, at);
        }
    }

    fn process_in_time_order(&mut self) {
        for rank in 0..self.work.hosts.len() as u32 {
            self.schedule_ordered(rank);
        }
        while let Some(Reverse(entry)) = self.work.ordered_events.pop() {
            let rank = entry.2;
            // The rank's next event may have changed since: then there is another entry for it.
            if self.next_key(rank) == Some(entry) {
                let host = &self.work.hosts[rank as usize];
                self.process_next_event(rank, host.next_action_at(), host.next_message_at());
                self.schedule_ordered(rank);
            }
        }
    }

    fn next_key(&self, rank: u32) -> Option<(Time, Cause, u32)> {
        let host = &self.work.hosts[rank as usize];
        let (next_action, message) = (host.next_action_at(), host.next_message_at());
        // Without a message its time is never, and any cause does.
        let cause = match message {
            Time::MAX => host.cause,
            at => host.arrivals[host.next_message(at, self.spread)].cause,
        };
        let first = (message, cause).min((next_action, host.cause));
        (first.0 < Time::MAX).then_some((first.0, first.1, rank))
    }

    fn schedule_ordered(&mut self, rank: u32) {
        self.work
            .ordered_events
            .extend(self.next_key(rank).map(Reverse));
    }

    /// Processes the next event of a rank. Its next step can begin at `next_action`, and the next message can be taken at
    /// `message`.
    #[inline]
    fn process_next_event(&mut self, rank: u32, next_action: Time, message: Time) {
        let host = &mut self.work.hosts[rank as usize];
        // At equal times the earlier cause goes first, as in the strict order of `next_key`.
        if message <= next_action {
            let place = host.next_message(message, self.spread);
            if message < next_action || host.arrivals[place].cause < host.cause {
                let arrival = if place == 0 {
                    host.arrivals.pop_front()
                } else {
                    host.arrivals.remove(place)
                };
                if let Some(arrival) = arrival {
                    self.take_message(rank, arrival, message);
                }
                return;
            }
        }
        match host.next_action {
            NextAction::Next(step) => self.step(rank, step, next_action),
            NextAction::Completes => self.complete(rank, next_action),
            // No event of their own: `next_action` is `Time::MAX`.
            NextAction::Waits { .. }
            | NextAction::WaitsWithSchedules
            | NextAction::Probes { .. }
            | NextAction::Ended => {}
        }
    }

    fn into_outcome(mut self) -> Outcome {
        let stuck = |(rank, host): (usize, &Host)| match host.next_action {
            NextAction::Waits { slot, .. } => {
                let Slot { channel, sends, .. } =
                    self.work.slots[(host.first_slot + slot) as usize];
                Some(BlockedRank {
                    rank: rank as u32,
                    site: host.site,
                    channel,
                    sends,
                })
            }
            NextAction::Probes { channel } => Some(BlockedRank {
                rank: rank as u32,
                site: host.site,
                channel,
                sends: false,
            }),
            NextAction::WaitsWithSchedules => {
                let (channel, sends) = self.awaited_with_schedules(rank as u32)?;
                Some(BlockedRank {
                    rank: rank as u32,
                    site: host.site,
                    channel,
                    sends,
                })
            }
            NextAction::Next(_) | NextAction::Completes | NextAction::Ended => None,
        };
        self.outcome.stuck = self
            .work
            .hosts
            .iter()
            .enumerate()
            .filter_map(stuck)
            .collect();
        let has_section = self.replay.steps.has_section;
        let of_rank = |outcome: &RankOutcome| match has_section {
            true => *outcome,
            false => RankOutcome {
                begins: 1,
                ends: 1,
                begin: Time::ZERO,
                end: outcome.last,
                ..*outcome
            },
        };
        self.outcome.ranks = self.work.outcomes.iter().map(of_rank).collect();
        self.outcome
    }
}
