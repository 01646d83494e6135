//! The replay for models in which arriving messages take the receiver's processor, whatever the rank
//! does: LogGOPS.
//!
//! A rank does one step after the other; each waits for the processor, a send also for the sending
//! interface. A message waits for the processor and the receiving interface. Who can begin first goes
//! first; of several at one time the one with the earlier [`Cause`].
//!
//! What one rank does touches another only a message's way later. So ranks are followed day by day
//! ([`Calendar`]), a day being the shortest such way, and within the day each on its own. Only where the
//! completion of a send waits for its receive is there no such way: a rank that receives then lets the
//! sender go on at the same instant. Programs with such messages are followed strictly in order.

use super::super::dataflow::{BlockTimes, Replay};
use super::super::observer::{End, Observer, Side as MessageSide, Start, Stretch};
use super::super::program::{Size, Step, Steps};
use super::super::workspace::{Outcome, RankOutcome, Stuck};
use super::calendar::Calendar;
use super::host::{Arrival, Cause, Host, Own};
use super::pairing::Pairing;
use base_data::estimate_file::{Activity, Category};
use base_data::{BlockId, CallSiteId, Time};
use machine::network::{CallCosts, Protocol};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The state of a replay, kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct Processors {
    hosts: Vec<Host>,
    slots: Vec<Slot>,
    pairing: Pairing<Side>,
    calendar: Calendar,
    /// In strict order: when, by which cause, at which rank something happens next.
    strictly: BinaryHeap<Reverse<(Time, Cause, u32)>>,
    /// One bit per rank and variant: whether the rank has executed it.
    seen: Vec<u64>,
    /// Ranks of the present day.
    today: Vec<u32>,
    /// By size: from the start of a send to the arrival of its first byte.
    ways: Vec<Time>,
}

/// One side of a message that has not met its other side.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// Where its rank keeps the transfer.
    slot: u32,
    site: u32,
    size: u32,
}

/// A transfer of a rank.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// When it was over, and its message was taken or its send done; `None` before.
    over: Option<Time>,
    channel: u32,
    sends: bool,
}

const FREE: Slot = Slot { over: None, channel: 0, sends: false };

/// One replay under way.
struct Run<'r, 'a, T, O> {
    replay: &'r mut Replay<'a, T, O>,
    work: &'r mut Processors,
    outcome: Outcome,
    strict: bool,
    /// Words of [`Processors::seen`] per rank.
    words: usize,
}

/// Replays a program from start to end.
pub(crate) fn run<T: BlockTimes, O: Observer>(
    replay: &mut Replay<'_, T, O>,
    work: &mut Processors,
) -> Outcome {
    work.reset(replay.steps);
    let way = |(size, costs): (&Size, &CallCosts)| costs.network.scaled(replay.scales.of(size.link));
    work.ways.extend(replay.steps.sizes.iter().zip(&replay.machine.costs).map(way));
    let shortest = work.ways.iter().copied().min().unwrap_or(Time::MAX);
    let waits = |costs: &CallCosts| matches!(costs.protocol, Protocol::Rendezvous { .. });
    let strict = shortest <= Time::ZERO || replay.machine.costs.iter().any(waits);
    let words = replay.steps.variants.div_ceil(64);
    let mut run = Run { replay, work, outcome: Outcome::default(), strict, words };
    for rank in 0..run.work.hosts.len() as u32 {
        run.walk(rank);
    }
    if strict {
        run.in_order();
    } else {
        run.day_by_day(shortest);
    }
    run.finished()
}

impl Processors {
    fn reset(&mut self, steps: &Steps) {
        let ranks = steps.ranks.len();
        self.hosts.resize_with(ranks, Host::default);
        let mut slots = 0;
        for (rank, (host, own)) in self.hosts.iter_mut().zip(&steps.ranks).enumerate() {
            host.reset(rank as u32, steps.of(rank), slots);
            slots += steps.lists[own.list as usize].slots;
        }
        self.slots.clear();
        self.slots.resize(slots as usize, FREE);
        self.pairing.reset(steps.channels.len());
        self.strictly.clear();
        self.seen.clear();
        self.seen.resize(ranks * steps.variants.div_ceil(64), 0);
        self.ways.clear();
    }
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    fn day_by_day(&mut self, day_length: Time) {
        self.work.calendar.reset(self.work.hosts.len(), day_length);
        for (rank, host) in self.work.hosts.iter().enumerate() {
            self.work.calendar.enter(rank as u32, host.next_at());
        }
        let mut today = std::mem::take(&mut self.work.today);
        while self.work.calendar.next_day(&mut today) {
            let end = self.work.calendar.end_of_day();
            for &rank in &today {
                self.follow(rank, end);
            }
        }
        self.work.today = today;
    }

    /// Follows one rank to the end of the day.
    fn follow(&mut self, rank: u32, end: Time) {
        loop {
            let next = self.work.hosts[rank as usize].next_at();
            if next >= end {
                if next < Time::MAX {
                    self.work.calendar.enter(rank, next);
                }
                return;
            }
            self.happen(rank);
        }
    }

    fn in_order(&mut self) {
        for rank in 0..self.work.hosts.len() as u32 {
            self.enter_strictly(rank);
        }
        while let Some(Reverse(entry)) = self.work.strictly.pop() {
            let rank = entry.2;
            // Something else may have come in between: then the rank is entered for that, too.
            if self.next_key(rank) == Some(entry) {
                self.happen(rank);
                self.enter_strictly(rank);
            }
        }
    }

    fn next_key(&self, rank: u32) -> Option<(Time, Cause, u32)> {
        let host = &self.work.hosts[rank as usize];
        let (own, message) = (host.own_at(), host.message_at());
        let cause = if message < Time::MAX { host.arrivals[host.next_message()].cause } else { host.cause };
        let first = (message, cause).min((own, host.cause));
        (first.0 < Time::MAX).then_some((first.0, first.1, rank))
    }

    fn enter_strictly(&mut self, rank: u32) {
        self.work.strictly.extend(self.next_key(rank).map(Reverse));
    }

    /// What happens next at a rank.
    #[inline]
    fn happen(&mut self, rank: u32) {
        let host = &mut self.work.hosts[rank as usize];
        let (own, message) = (host.own_at(), host.message_at());
        if message <= own {
            let place = host.next_message();
            if message < own || host.arrivals[place].cause < host.cause {
                if let Some(arrival) = host.arrivals.remove(place) {
                    self.take_message(rank, arrival, message);
                }
                return;
            }
        }
        if let Own::Next(step) = host.own {
            self.step(rank, step, own);
        }
    }

    /// The rank's next step begins at `at`.
    fn step(&mut self, rank: u32, step: Step, at: Time) {
        self.outcome.events += 1;
        self.work.hosts[rank as usize].completed = false;
        match step {
            Step::Send { channel, size, slot, blocking } => {
                let channel = self.replay.steps.channel(rank, channel);
                self.send(rank, Post { channel, size, slot, blocking }, at);
            }
            Step::Receive { channel, size, slot, blocking } => {
                let channel = self.replay.steps.channel(rank, channel);
                self.receive(rank, Post { channel, size, slot, blocking }, at);
            }
            Step::Combine { combine } => {
                self.book_until(rank, at, Category::ReceiveOverhead);
                let time = self.replay.machine.combine[combine as usize];
                self.occupy(rank, at, time, Category::ReceiveOverhead);
            }
            Step::Compute { block, variant } => self.compute(rank, block, variant, at),
            // A walk does not stop at these.
            Step::Repeat { .. }
            | Step::Begin
            | Step::End
            | Step::Clock { .. }
            | Step::Section { .. }
            | Step::Enter { .. }
            | Step::Collective { .. }
            | Step::ReceiveAny { .. }
            | Step::Probe { .. }
            | Step::ProbeAny { .. }
            | Step::NoTransfer { .. }
            | Step::Finish { .. } => {}
        }
        self.walk(rank);
    }

    fn compute(&mut self, rank: u32, block: u32, variant: u32, at: Time) {
        self.book_until(rank, at, Category::ReceiveOverhead);
        let first = self.sees_first(rank, variant);
        let time = self.replay.times.time(rank, variant, first);
        let observer = &mut self.replay.observer;
        let activity = Activity::Block(BlockId(block));
        observer.executed(rank, activity);
        observer.computed(rank, variant, time);
        let host = &mut self.work.hosts[rank as usize];
        let (from, to) = (at, at + time);
        observer.spent(Stretch { rank, activity, category: Category::Compute, from, to });
        host.occupied(at, to);
    }

    /// Keeps the processor busy with the present call.
    fn occupy(&mut self, rank: u32, at: Time, time: Time, category: Category) {
        let host = &mut self.work.hosts[rank as usize];
        let activity = Activity::Site(CallSiteId(host.site));
        let (from, to) = (at, at + time);
        self.replay.observer.spent(Stretch { rank, activity, category, from, to });
        host.occupied(at, to);
    }

    /// Books the rank's time until `to`: what arriving messages took as receive overhead, the rest on
    /// `rest`.
    #[inline]
    fn book_until(&mut self, rank: u32, to: Time, rest: Category) {
        let host = &mut self.work.hosts[rank as usize];
        if to <= host.booked {
            return;
        }
        let (from, taken) = (host.booked, host.taken.min(to - host.booked));
        let activity = Activity::Site(CallSiteId(host.site));
        let between = to - taken;
        (host.booked, host.taken) = (to, host.taken - taken);
        let observer = &mut self.replay.observer;
        observer.spent(Stretch { rank, activity, category: rest, from, to: between });
        let category = Category::ReceiveOverhead;
        observer.spent(Stretch { rank, activity, category, from: between, to });
    }

    fn sees_first(&mut self, rank: u32, variant: u32) -> bool {
        let word = &mut self.work.seen[rank as usize * self.words + variant as usize / 64];
        let bit = 1u64 << (variant % 64);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }

    fn started(&mut self, rank: u32, post: &Post, at: Time, sends: bool) {
        let site = self.work.hosts[rank as usize].site;
        let Post { channel, size, slot, blocking } = *post;
        self.replay.observer.started(&Start { rank, site, channel, size, slot, at, sends, blocking });
    }

    fn send(&mut self, rank: u32, post: Post, at: Time) {
        self.outcome.messages += 1;
        // What is left of the gap between two sends counts as overhead of the second.
        self.book_until(rank, at, Category::SendOverhead);
        self.started(rank, &post, at, true);
        let costs = &self.replay.machine.costs[post.size as usize];
        let over = match costs.protocol {
            Protocol::Eager | Protocol::Paired => Some(at),
            Protocol::Rendezvous { .. } => None,
        };
        let (processor, interface) = (costs.send, costs.send_interface);
        self.occupy(rank, at, processor, Category::SendOverhead);
        let host = &mut self.work.hosts[rank as usize];
        host.sending_free = at + interface;
        let (site, slot) = (host.site, post.slot);
        self.work.slots[(host.first_slot + slot) as usize] =
            Slot { over, channel: post.channel, sends: true };
        let arrival = Arrival {
            at: at + self.work.ways[post.size as usize],
            cause: Cause { at, rank, own: false },
            channel: post.channel,
            size: post.size,
            slot,
            site,
        };
        let receiver = self.replay.steps.channels[post.channel as usize].destination;
        self.work.hosts[receiver as usize].add(arrival);
        if self.strict {
            self.enter_strictly(receiver);
        } else {
            let at = self.work.hosts[receiver as usize].message_at().max(arrival.at);
            self.work.calendar.enter(receiver, at);
        }
    }

    fn receive(&mut self, rank: u32, post: Post, at: Time) {
        self.started(rank, &post, at, false);
        let host = &mut self.work.hosts[rank as usize];
        host.cause = Cause { at, rank, own: true };
        host.ready = host.processor_free.max(at);
        let side = Side { slot: post.slot, site: host.site, size: post.size };
        self.work.slots[(host.first_slot + post.slot) as usize] =
            Slot { over: None, channel: post.channel, sends: false };
        if let Some(sent) = self.work.pairing.pair(post.channel, false, side) {
            self.meet(post.channel, sent, side, at);
        }
    }

    /// The processor begins to take a message at `at`.
    fn take_message(&mut self, rank: u32, arrival: Arrival, at: Time) {
        let costs = &self.replay.machine.costs[arrival.size as usize];
        let host = &mut self.work.hosts[rank as usize];
        host.processor_free = at + costs.receive;
        host.receiving_free = at + costs.receive_interface;
        host.taken += costs.receive;
        let sent = Side { slot: arrival.slot, site: arrival.site, size: arrival.size };
        if let Some(posted) = self.work.pairing.pair(arrival.channel, true, sent) {
            self.meet(arrival.channel, sent, posted, at);
        }
    }

    /// A message meets its receive at `at`.
    fn meet(&mut self, channel: u32, sent: Side, posted: Side, at: Time) {
        let ends = &self.replay.steps.channels[channel as usize];
        let side = |side: Side| MessageSide { site: side.site, size: side.size };
        self.replay.observer.met(ends, side(sent), side(posted));
        self.replay.observer.matched(channel, sent.slot, posted.slot);
        let (source, destination) = (ends.source, ends.destination);
        self.over(destination, posted.slot, at);
        match self.replay.machine.costs[sent.size as usize].protocol {
            Protocol::Eager | Protocol::Paired => {}
            Protocol::Rendezvous { .. } => {
                self.over(source, sent.slot, at);
                self.enter_strictly(source);
            }
        }
    }

    /// The transfer of a slot is over at `at`.
    fn over(&mut self, rank: u32, slot: u32, at: Time) {
        let host = &mut self.work.hosts[rank as usize];
        self.work.slots[(host.first_slot + slot) as usize].over = Some(at);
        if let Own::Waits { slot: waited, blocking, collective } = host.own
            && waited == slot
        {
            host.ready = host.ready.max(host.processor_free).max(at);
            host.cause.at = at;
            self.finish(rank, slot, blocking, collective);
            self.walk(rank);
        }
    }

    /// A wait is over when the rank is ready.
    fn finish(&mut self, rank: u32, slot: u32, blocking: bool, collective: bool) {
        self.outcome.events += 1;
        let host = &mut self.work.hosts[rank as usize];
        let found = self.work.slots[(host.first_slot + slot) as usize];
        let (from, to, site, taken) = (host.booked, host.ready, host.site, host.taken);
        if !blocking {
            // The completing call is a step of its own, which takes no time.
            host.cause.at = to;
            host.completed = true;
        }
        let waiting = match (found.sends, collective) {
            (true, false) => Category::SendWait,
            (false, false) => Category::ReceiveWait,
            (_, true) => Category::CollectiveWait,
        };
        self.book_until(rank, to, waiting);
        let waiting = (to - from - taken).max(Time::ZERO);
        let (completed, least) = (found.over.unwrap_or(to), Time::ZERO);
        self.replay.observer.ended(&End { rank, site, slot, from, to, completed, waiting, least });
    }

    /// Goes on to the next step that takes the processor, or to a wait that is not over.
    fn walk(&mut self, rank: u32) {
        let steps = self.replay.steps.of(rank as usize);
        loop {
            let host = &mut self.work.hosts[rank as usize];
            let Some(step) = host.cursor.advance(steps) else {
                return self.end(rank);
            };
            match step {
                Step::Compute { block, variant } if host.before => self.compute_before(rank, block, variant),
                Step::Compute { .. }
                | Step::Send { .. }
                | Step::Receive { .. }
                | Step::ReceiveAny { .. }
                | Step::Combine { .. } => {
                    host.own = Own::Next(step);
                    return;
                }
                Step::Finish { slot, blocking, collective } => {
                    if self.work.slots[(host.first_slot + slot) as usize].over.is_none() {
                        host.own = Own::Waits { slot, blocking, collective };
                        return;
                    }
                    self.finish(rank, slot, blocking, collective);
                    continue;
                }
                Step::Probe { .. } | Step::ProbeAny { .. } => {
                    host.own = Own::Probes { step };
                    return;
                }
                Step::End => return self.end(rank),
                Step::Enter { site } => {
                    host.site = site;
                    self.replay.observer.executed(rank, Activity::Site(CallSiteId(site)));
                }
                Step::NoTransfer { slot } => {
                    let over = Some(host.ready);
                    self.work.slots[(host.first_slot + slot) as usize] = Slot { over, ..FREE };
                }
                Step::Collective { signature } => self.replay.observer.collective(rank, host.site, signature),
                Step::Clock { clock } => {
                    let at = host.ready;
                    self.book_until(rank, at, Category::ReceiveOverhead);
                    self.replay.observer.clock(rank, clock, at);
                }
                Step::Section { begins } => self.section(rank, begins),
                Step::Begin => self.begin(rank),
                Step::Repeat { .. } => {}
            }
            self.outcome.events += 1;
        }
    }

    /// A block before `MPI_Init`.
    fn compute_before(&mut self, rank: u32, block: u32, variant: u32) {
        let first = self.sees_first(rank, variant);
        let time = self.replay.times.time(rank, variant, first);
        self.replay.observer.executed(rank, Activity::Block(BlockId(block)));
        self.replay.observer.computed(rank, variant, time);
    }

    fn begin(&mut self, rank: u32) {
        let host = &mut self.work.hosts[rank as usize];
        host.before = false;
        host.outcome = RankOutcome::default();
        self.replay.observer.began(rank);
    }

    fn section(&mut self, rank: u32, begins: bool) {
        let at = self.work.hosts[rank as usize].ready;
        self.book_until(rank, at, Category::ReceiveOverhead);
        let outcome = &mut self.work.hosts[rank as usize].outcome;
        if begins {
            (outcome.begins, outcome.begin) = (outcome.begins + 1, at);
        } else {
            (outcome.ends, outcome.end) = (outcome.ends + 1, at);
        }
        self.replay.observer.section(rank, begins);
    }

    fn end(&mut self, rank: u32) {
        let at = self.work.hosts[rank as usize].ready;
        self.book_until(rank, at, Category::ReceiveOverhead);
        let host = &mut self.work.hosts[rank as usize];
        host.own = Own::Ended;
        host.outcome.last = at;
    }

    fn finished(mut self) -> Outcome {
        let stuck = |(rank, host): (usize, &Host)| match host.own {
            Own::Waits { slot, .. } => {
                let slot = &self.work.slots[(host.first_slot + slot) as usize];
                Some(Stuck { rank: rank as u32, site: host.site, channel: slot.channel, sends: slot.sends })
            }
            Own::Next(_) | Own::Probes { .. } | Own::Ended => None,
        };
        self.outcome.stuck = self.work.hosts.iter().enumerate().filter_map(stuck).collect();
        let has_section = self.replay.steps.has_section;
        let of_host = |host: &Host| match has_section {
            true => host.outcome,
            false => {
                RankOutcome { begins: 1, ends: 1, begin: Time::ZERO, end: host.outcome.last, ..host.outcome }
            }
        };
        self.outcome.ranks = self.work.hosts.iter().map(of_host).collect();
        self.outcome
    }
}

impl Host {
    /// The processor was busy with the rank's own step from `from` to `to`.
    #[inline]
    fn occupied(&mut self, from: Time, to: Time) {
        self.cause.at = from;
        (self.ready, self.booked, self.processor_free) = (to, to, to);
    }
}

/// The start of a transfer.
#[derive(Clone, Copy)]
struct Post {
    channel: u32,
    size: u32,
    slot: u32,
    blocking: bool,
}
