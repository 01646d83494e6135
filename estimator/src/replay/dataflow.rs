//! The replay without a global clock: each rank advances on its own time until it waits for a
//! transfer whose other side was not reached yet; the rank that reaches it wakes it. For network
//! models in which no message delays another, the order of ranks changes nothing.
//!
//! Nothing is looked up or allocated on the way once the queues have grown; a workspace is used again
//! by the next draw.

use super::observer::{End, Observer, Probed, Side, Start, Stretch};
use super::program::{MachineSide, Step, Steps};
use super::protocol;
use super::workspace::{Outcome, RankOutcome, RankState, Slot, Waiting, Workspace};
use base_data::comm_data::LinkClass;
use base_data::estimate_file::{Activity, Category};
use base_data::{BlockId, CallSiteId, Time};

/// Times of compute blocks.
pub(crate) trait BlockTimes {
    /// Time of the next execution of `variant` on `rank`; `first` if it is the rank's first of it.
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time;
}

/// Factors on the network times of each kind of link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkScales {
    pub(crate) to_self: f64,
    pub(crate) inside_node: f64,
    pub(crate) between_nodes: f64,
}

impl LinkScales {
    /// As calibrated.
    pub(crate) const ONE: LinkScales = LinkScales { to_self: 1.0, inside_node: 1.0, between_nodes: 1.0 };

    pub(super) fn of(&self, link: LinkClass) -> f64 {
        match link {
            LinkClass::ToSelf => self.to_self,
            LinkClass::InsideNode => self.inside_node,
            LinkClass::BetweenNodes | LinkClass::Switches(_) => self.between_nodes,
        }
    }
}

/// Everything a replay reads and whom it tells.
pub(crate) struct Replay<'a, T, O> {
    pub(crate) steps: &'a Steps,
    pub(crate) machine: &'a MachineSide,
    pub(crate) scales: LinkScales,
    pub(crate) times: T,
    pub(crate) observer: O,
}

impl<T: BlockTimes, O: Observer> Replay<'_, T, O> {
    /// Replays the program from start to end.
    pub(crate) fn run(&mut self, work: &mut Workspace) -> Outcome {
        work.reset(self.steps);
        let mut outcome = Outcome::default();
        while let Some(rank) = work.ready.pop_front() {
            self.advance(work, rank, &mut outcome);
        }
        outcome.stuck = work.stuck();
        outcome.ranks = work.ranks.iter().map(|state| self.rank_outcome(state)).collect();
        outcome
    }

    fn rank_outcome(&self, state: &RankState) -> RankOutcome {
        if self.steps.has_section {
            RankOutcome { last: state.clock, ..state.outcome }
        } else {
            RankOutcome { begins: 1, ends: 1, begin: Time::ZERO, end: state.clock, last: state.clock }
        }
    }

    /// Follows one rank until it waits or ends.
    fn advance(&mut self, work: &mut Workspace, rank: u32, outcome: &mut Outcome) {
        let steps = self.steps.of(rank as usize);
        while let Some(step) = work.ranks[rank as usize].cursor.advance(steps) {
            match step {
                Step::Send { channel, size, slot, blocking } => {
                    let channel = self.steps.channel(rank, channel);
                    self.send(work, rank, Post { channel, size, slot, blocking });
                    outcome.messages += 1;
                }
                Step::Receive { channel, size, slot, blocking } => {
                    let channel = self.steps.channel(rank, channel);
                    self.receive(work, rank, Post { channel, size, slot, blocking });
                }
                Step::Probe { channel } => {
                    let channel = self.steps.channel(rank, channel);
                    if !self.probe(work, rank, channel) {
                        return;
                    }
                }
                Step::Finish { slot, blocking, collective } => {
                    let state = &mut work.ranks[rank as usize];
                    if !self.finish(state, rank, slot, blocking, collective) {
                        return;
                    }
                }
                Step::End => return,
                alone => self.step_alone(&mut work.ranks[rank as usize], rank, alone),
            }
            outcome.events += 1;
        }
    }

    /// A step that concerns no other rank.
    fn step_alone(&mut self, state: &mut RankState, rank: u32, step: Step) {
        match step {
            Step::Compute { block, variant } => self.compute(state, rank, block, variant),
            Step::Enter { site } => {
                state.site = site;
                self.observer.executed(rank, Activity::Site(CallSiteId(site)));
            }
            Step::NoTransfer { slot } => state.no_transfer(slot),
            Step::Combine { combine } => {
                let time = self.machine.combine[combine as usize];
                self.spend(state, rank, Category::ReceiveOverhead, time);
            }
            Step::Collective { signature } => self.observer.collective(rank, state.site, signature),
            Step::Clock { clock } => self.observer.clock(rank, clock, state.clock),
            Step::Section { begins } => self.section(state, rank, begins),
            Step::Begin => self.begin(state, rank),
            Step::Repeat { .. }
            | Step::Send { .. }
            | Step::Receive { .. }
            | Step::Probe { .. }
            | Step::Finish { .. }
            | Step::End => {}
            // Refused beforehand: the order of arrivals is not known here.
            Step::ReceiveAny { .. } | Step::ProbeAny { .. } => {}
        }
    }

    fn begin(&mut self, state: &mut RankState, rank: u32) {
        state.clock = Time::ZERO;
        state.outcome = RankOutcome::default();
        self.observer.began(rank);
    }

    fn section(&mut self, state: &mut RankState, rank: u32, begins: bool) {
        let outcome = &mut state.outcome;
        if begins {
            (outcome.begins, outcome.begin) = (outcome.begins + 1, state.clock);
        } else {
            (outcome.ends, outcome.end) = (outcome.ends + 1, state.clock);
        }
        self.observer.section(rank, begins);
    }

    fn compute(&mut self, state: &mut RankState, rank: u32, block: u32, variant: u32) {
        let first = state.sees_first(variant);
        let time = self.times.time(rank, variant, first);
        let activity = Activity::Block(BlockId(block));
        let from = state.clock;
        state.clock += time;
        self.observer.executed(rank, activity);
        self.observer.computed(rank, variant, time);
        self.observer.spent(Stretch { rank, activity, category: Category::Compute, from, to: state.clock });
    }

    /// Books processor or waiting time of the present call.
    fn spend(&mut self, state: &mut RankState, rank: u32, category: Category, time: Time) {
        let from = state.clock;
        state.clock += time;
        let activity = Activity::Site(CallSiteId(state.site));
        self.observer.spent(Stretch { rank, activity, category, from, to: state.clock });
    }

    fn scale(&self, size: u32) -> f64 {
        self.scales.of(self.steps.sizes[size as usize].link)
    }

    fn send(&mut self, work: &mut Workspace, rank: u32, post: Post) {
        let costs = self.machine.costs[post.size as usize];
        let state = &mut work.ranks[rank as usize];
        self.observer.started(&post.start(rank, state, true));
        let sending = protocol::start_send(&costs, self.scale(post.size), state.clock);
        let completion = sending.completion;
        state.slots[post.slot as usize] =
            Slot { completion, least: costs.complete, channel: post.channel, sends: true };
        let side = Waiting { time: sending.time, size: post.size, slot: post.slot, site: state.site };
        if !post.blocking {
            self.spend(state, rank, Category::SendOverhead, costs.start);
        }
        let queues = &mut work.channels[post.channel as usize];
        match queues.posted.pop_front() {
            Some(posted) => self.meet(work, post.channel, side, posted),
            None => {
                queues.sent.push_back(side);
                if let Some(probing) = queues.probed_by.take() {
                    work.ready.push_back(probing);
                }
            }
        }
    }

    /// Ends the wait for a message that can be received; false if none was sent yet.
    fn probe(&mut self, work: &mut Workspace, rank: u32, channel: u32) -> bool {
        let state = &mut work.ranks[rank as usize];
        let queues = &mut work.channels[channel as usize];
        let Some(sent) = queues.sent.front() else {
            state.cursor.step_back();
            queues.probed_by = Some(rank);
            return false;
        };
        let costs = &self.machine.costs[sent.size as usize];
        let found = protocol::noticed(costs, sent.time, state.clock);
        let from = state.clock;
        self.spend(state, rank, Category::ReceiveWait, found.waiting);
        let rest = found.end - state.clock;
        self.spend(state, rank, Category::ReceiveOverhead, rest);
        let (site, to, waiting) = (state.site, found.end, found.waiting);
        self.observer.probed(&Probed { rank, site, channel, from, to, waiting });
        true
    }

    fn receive(&mut self, work: &mut Workspace, rank: u32, post: Post) {
        let costs = self.machine.costs[post.size as usize];
        let state = &mut work.ranks[rank as usize];
        self.observer.started(&post.start(rank, state, false));
        state.slots[post.slot as usize] =
            Slot { completion: None, least: costs.complete, channel: post.channel, sends: false };
        let side = Waiting { time: state.clock, size: post.size, slot: post.slot, site: state.site };
        if !post.blocking {
            self.spend(state, rank, Category::ReceiveOverhead, costs.start);
        }
        let queues = &mut work.channels[post.channel as usize];
        match queues.sent.pop_front() {
            Some(sent) => self.meet(work, post.channel, sent, side),
            None => queues.posted.push_back(side),
        }
    }

    /// Both sides of a message are there: each learns its end, and runs again if it waited for it.
    fn meet(&mut self, work: &mut Workspace, channel: u32, sent: Waiting, posted: Waiting) {
        let ends = &self.steps.channels[channel as usize];
        let costs = &self.machine.costs[sent.size as usize];
        let met = protocol::meet(costs, self.scale(sent.size), sent.time, posted.time);
        let (send, receive) =
            (Side { site: sent.site, size: sent.size }, Side { site: posted.site, size: posted.size });
        self.observer.met(ends, send, receive);
        self.observer.matched(channel, sent.slot, posted.slot);
        if let Some(completion) = met.send {
            work.complete(ends.source, sent.slot, completion);
        }
        work.complete(ends.destination, posted.slot, met.receive);
    }

    /// Ends the wait for a slot; false if its transfer is not over yet.
    fn finish(
        &mut self,
        state: &mut RankState,
        rank: u32,
        slot: u32,
        blocking: bool,
        collective: bool,
    ) -> bool {
        let Slot { completion, least, sends, .. } = state.slots[slot as usize];
        let Some(completion) = completion else {
            state.cursor.step_back();
            state.waits_for = Some(slot);
            return false;
        };
        let least = if blocking { Time::ZERO } else { least };
        let waited = protocol::wait(completion, state.clock, least);
        let (overhead, waiting) = match (sends, collective) {
            (true, false) => (Category::SendOverhead, Category::SendWait),
            (false, false) => (Category::ReceiveOverhead, Category::ReceiveWait),
            (true, true) => (Category::SendOverhead, Category::CollectiveWait),
            (false, true) => (Category::ReceiveOverhead, Category::CollectiveWait),
        };
        let from = state.clock;
        self.spend(state, rank, waiting, waited.waiting);
        let rest = waited.end - state.clock;
        self.spend(state, rank, overhead, rest);
        let (to, completed, waiting) = (waited.end, completion.at, waited.waiting);
        self.observer.ended(&End { rank, site: state.site, slot, from, to, completed, waiting, least });
        true
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

impl Post {
    fn start(&self, rank: u32, state: &RankState, sends: bool) -> Start {
        let Self { channel, size, slot, blocking } = *self;
        Start { rank, site: state.site, channel, size, slot, at: state.clock, sends, blocking }
    }
}
