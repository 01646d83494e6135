//! The replay without a global clock: each rank advances on its own time until it waits for a
//! transfer whose other side was not reached yet; the rank that reaches it wakes it. For network
//! models in which no message delays another, the order of ranks changes nothing.
//!
//! So the order is chosen for speed: a rank runs on until it waits or has sent a good many messages,
//! then the one that is ready for longest has its turn. Nothing is looked up or allocated on the way
//! once the queues have grown; a workspace is used again by the next draw.
//!
//! Starts and ends of transfers are in [`transfers`], loops that are cut short in
//! [`super::closed_form`].

mod prices;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod transfers;

use super::closed_form::ClosedForm;
use super::code::{LocalStep, Op};
use super::observer::{Observer, Stretch};
use super::program::{MachineSide, Steps};
use super::protocol::Completion;
use super::workspace::{Outcome, RankOutcome, RankState, Workspace};
use base_data::comm_data::LinkClass;
use base_data::estimate_file::{Activity, Category};
use base_data::{BlockId, CallSiteId, Time};
use prices::Price;

/// Times of compute blocks, and how far those of messages are off.
pub(crate) trait BlockTimes {
    /// Time of the next execution of `variant` on `rank`; `first` if it is the rank's first of it.
    fn time(&mut self, rank: u32, variant: u32, first: bool) -> Time;

    /// What else than `first` the next times of a rank depend on; equal where the same executions will
    /// take the same times again, `None` where they never do.
    fn state(&self, rank: u32) -> Option<u64>;

    /// Factor on the network time of the next message of a rank, whose relative standard deviation is
    /// [`CallCosts::noise`](machine::network::CallCosts::noise), which is more than 0. Without draws, messages take their mean time.
    fn message_factor(&mut self, _rank: u32, _noise: f64) -> f64 {
        1.0
    }
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
    pub(crate) const ONE: LinkScales = LinkScales {
        to_self: 1.0,
        inside_node: 1.0,
        between_nodes: 1.0,
    };

    pub(super) fn of(&self, link: LinkClass) -> f64 {
        match link {
            LinkClass::ToSelf => self.to_self,
            LinkClass::InsideNode => self.inside_node,
            LinkClass::BetweenNodes | LinkClass::Switches(_) => self.between_nodes,
        }
    }
}

/// Everything that a replay reads, and its observer.
pub(crate) struct Replay<'a, T, O> {
    pub(crate) steps: &'a Steps,
    pub(crate) machine: &'a MachineSide,
    pub(crate) scales: LinkScales,
    pub(crate) times: T,
    pub(crate) observer: O,
}

/// Messages that a rank may send before others have a turn: few enough that its messages are
/// still in the cache when their receivers run, enough that changing ranks costs little.
const TURN: u32 = 24;

/// Most events that are replayed one by one, which takes about a day; LU, class E, on 16,384 ranks has a twentieth of them. A
/// program of more events is replayed as long as its iterations may still begin to repeat each other, see [`Patience`].
pub(crate) const MOST_REPLAYED_EVENTS: u64 = 1 << 40;

/// How long a replay of too many events waits for iterations that repeat: some seconds on a thousand ranks, and some thousand
/// iterations of each rank. In longer replays messages pile up at ranks that are slower than their senders.
struct Patience {
    events: u64,
    /// Whether the program has too many events; `None` until it matters.
    is_too_long: Option<bool>,
}

const PATIENT_EVENTS: u64 = 1 << 22;
const PATIENT_EVENTS_OF_RANK: u64 = 1 << 16;

impl Patience {
    fn of(steps: &Steps) -> Self {
        let of_ranks = steps.ranks.len() as u64 * PATIENT_EVENTS_OF_RANK;
        Self {
            events: PATIENT_EVENTS.max(of_ranks),
            is_too_long: None,
        }
    }

    /// Whether the replay is given up after so many events.
    fn ends(&mut self, events: u64, steps: &Steps) -> bool {
        if events <= self.events {
            return false;
        }
        let is_too_long = || steps.counts().1 > MOST_REPLAYED_EVENTS;
        *self.is_too_long.get_or_insert_with(is_too_long)
    }
}

impl<T: BlockTimes, O: Observer> Replay<'_, T, O> {
    /// Replays the program from start to end.
    pub(crate) fn run(&mut self, work: &mut Workspace) -> Outcome {
        // Every rank must have a state: repetition is found for all ranks together.
        // Without a state, block times are random, and no iteration repeats another one.
        let repeats = !O::EVERY_EVENT
            && (0..self.steps.ranks.len()).all(|rank| self.times.state(rank as u32).is_some());
        if repeats {
            self.run_in::<true>(work)
        } else {
            self.run_in::<false>(work)
        }
    }

    /// Replays the program without adding iterations at once, whatever repeats.
    #[cfg(test)]
    pub(crate) fn run_plainly(&mut self, work: &mut Workspace) -> Outcome {
        self.run_in::<false>(work)
    }

    /// `WATCHES`: whether loops are watched for iterations that repeat.
    fn run_in<const WATCHES: bool>(&mut self, work: &mut Workspace) -> Outcome {
        work.reset(self.steps);
        let prices = prices::prices(self.steps, self.machine, self.scales);
        let mut closed_form = ClosedForm::default();
        let mut patience = Patience::of(self.steps);
        let mut endless = None;
        // Events since iterations were last added at once.
        let mut executed = 0;
        loop {
            let before = work.events;
            while let Some(rank) = work.ready.pop_front() {
                self.advance::<WATCHES>(work, &prices, rank);
            }
            let events = work.events;
            if !WATCHES || !closed_form.resume(self.steps, work, &self.times, &mut self.observer) {
                break;
            }
            if work.events == events {
                executed += events - before;
            } else {
                executed = 0;
            }
            if patience.ends(executed, self.steps) {
                let rank = work.ready.front().copied().unwrap_or(0);
                endless = Some(CallSiteId(work.ranks[rank as usize].site));
                break;
            }
        }
        Outcome {
            stuck: work.stuck(),
            ranks: (0..work.ranks.len())
                .map(|rank| self.rank_outcome(work, rank))
                .collect(),
            messages: work.messages,
            events: work.events,
            endless,
        }
    }

    fn rank_outcome(&self, work: &Workspace, rank: usize) -> RankOutcome {
        let last = work.ranks[rank].clock;
        if self.steps.has_section {
            RankOutcome {
                last,
                ..work.outcomes[rank]
            }
        } else {
            RankOutcome {
                begins: 1,
                ends: 1,
                begin: Time::ZERO,
                end: last,
                last,
            }
        }
    }

    /// Follows one rank until it waits, pauses or ends, or others shall have a turn.
    fn advance<const WATCHES: bool>(&mut self, work: &mut Workspace, prices: &[Price], rank: u32) {
        let (steps, ops) = (self.steps, self.steps.code().ops.as_slice());
        let channels = &steps.rank_channels[work.ranks[rank as usize].first_channel as usize..];
        let mut running = Running {
            rank,
            state: work.ranks[rank as usize],
            sent: 0,
            events: 0,
        };
        let goes_on = loop {
            let state = &mut running.state;
            if state.next == state.open.end {
                match next_iteration::<WATCHES>(state, work, ops, rank) {
                    LoopEnd::Continues => continue,
                    LoopEnd::Stops => break false,
                }
            }
            let op = ops[state.next as usize];
            state.next += 1;
            if !self.execute(work, prices, channels, &mut running, op) {
                break false;
            }
            // With no other rank ready, a change of ranks would cost time and gain nothing.
            if running.sent >= TURN && !work.ready.is_empty() {
                break true;
            }
        };
        // The state was a copy: `execute` may change other ranks in `work`, never this one, which does not
        // wait yet.
        work.ranks[rank as usize] = running.state;
        work.messages += u64::from(running.sent);
        work.events += running.events;
        if goes_on {
            work.ready.push_back(rank);
        }
    }

    /// Executes one operation; false if the rank cannot go on.
    #[inline(always)]
    fn execute(
        &mut self,
        work: &mut Workspace,
        prices: &[Price],
        channels: &[u32],
        running: &mut Running,
        op: Op,
    ) -> bool {
        let Running {
            rank,
            state,
            sent,
            events,
        } = running;
        let rank = *rank;
        let start = |channel: u32, post: u32| Start {
            rank,
            channel: channels[channel as usize],
            post,
        };
        *events += 1;
        match op {
            Op::SendNow {
                channel,
                post,
                steps,
            } => {
                // A fused operation counts as the steps that it replaces, so that event counts do not depend on fusion.
                (*sent, *events) = (*sent + 1, *events + u64::from(steps) - 1);
                return self.send_now(work, prices, state, start(channel, post));
            }
            Op::ReceiveNow {
                channel,
                post,
                steps,
            } => {
                *events += u64::from(steps) - 1;
                return self.receive_now(work, prices, state, start(channel, post));
            }
            Op::Compute {
                block,
                variant,
                index,
            } => {
                let first = work.executed.is_first(state.first_variant + index);
                self.compute(state, rank, (block, variant), first);
            }
            Op::Send { channel, post } => {
                *sent += 1;
                self.send(work, prices, state, start(channel, post));
            }
            Op::Receive { channel, post } => {
                self.receive(work, prices, state, start(channel, post))
            }
            Op::Finish {
                slot,
                blocking,
                collective,
            } => {
                return self.finish(work, state, rank, slot, blocking, collective);
            }
            Op::Probe { channel } => {
                let found = self.probe(work, prices, state, rank, channels[channel as usize]);
                // A probe without a message is executed again, and counts when it finds one.
                *events -= u64::from(!found);
                return found;
            }
            Op::Enter { site } => self.enter(state, rank, site),
            Op::Repeat { count, body, .. } => {
                *events -= 1;
                state.enter(&mut work.frames, count.get(), body);
            }
            Op::LocalStep(LocalStep::End) => {
                *events -= 1;
                return false;
            }
            Op::LocalStep(alone) => self.alone(work, state, rank, alone),
        }
        true
    }

    /// Steps that come rarely and concern no other rank.
    fn alone(&mut self, work: &mut Workspace, state: &mut RankState, rank: u32, step: LocalStep) {
        match step {
            LocalStep::NoTransfer { slot } => {
                let slot = work.slot(state, slot);
                slot.completion = Some(Completion {
                    at: state.clock,
                    overhead: Time::ZERO,
                });
                // A new serial, as for any transfer: a snapshot must see that the slot was used again.
                (slot.least, slot.serial) = (Time::ZERO, slot.serial.wrapping_add(1));
            }
            LocalStep::Combine { combine } => {
                let time = self.machine.combine[combine as usize];
                self.spend(state, rank, Category::ReceiveOverhead, time);
            }
            LocalStep::Collective { signature } => {
                self.observer.collective(rank, state.site, signature)
            }
            LocalStep::Clock { clock } => self.observer.clock(rank, clock, state.clock),
            LocalStep::Section { begins } => {
                let outcome = &mut work.outcomes[rank as usize];
                if begins {
                    (outcome.begins, outcome.begin) = (outcome.begins + 1, state.clock);
                } else {
                    (outcome.ends, outcome.end) = (outcome.ends + 1, state.clock);
                }
                self.observer.section(rank, begins);
            }
            LocalStep::Begin => {
                state.clock = Time::ZERO;
                // What ranks do before MPI_Init takes no time that counts, so the section begins anew as
                // well.
                work.outcomes[rank as usize] = RankOutcome::default();
                self.observer.began(rank);
            }
            LocalStep::End => {}
        }
    }

    #[inline]
    fn enter(&mut self, state: &mut RankState, rank: u32, site: u32) {
        state.site = site;
        self.observer
            .executed(rank, Activity::Site(CallSiteId(site)));
    }

    #[inline(always)]
    fn compute(
        &mut self,
        state: &mut RankState,
        rank: u32,
        (block, variant): (u32, u32),
        first: bool,
    ) {
        // Counted for snapshots: an iteration with a first execution is not like the next one.
        state.firsts += u32::from(first);
        let time = self.times.time(rank, variant, first);
        let activity = Activity::Block(BlockId(block));
        let from = state.clock;
        state.clock += time;
        self.observer.executed(rank, activity);
        self.observer.computed(rank, variant, time);
        self.observer.spent(Stretch {
            rank,
            activity,
            category: Category::Compute,
            from,
            to: state.clock,
        });
    }

    /// Accounts processor or waiting time to the present call.
    #[inline]
    fn spend(&mut self, state: &mut RankState, rank: u32, category: Category, time: Time) {
        let from = state.clock;
        state.clock += time;
        let activity = Activity::Site(CallSiteId(state.site));
        self.observer.spent(Stretch {
            rank,
            activity,
            category,
            from,
            to: state.clock,
        });
    }
}

/// A rank that has its turn: its state is here meanwhile.
struct Running {
    rank: u32,
    state: RankState,
    /// Messages sent and steps done in this turn.
    sent: u32,
    events: u64,
}

/// The start of a transfer.
#[derive(Clone, Copy)]
struct Start {
    rank: u32,
    channel: u32,
    post: u32,
}

/// What comes at the end of a loop's body.
enum LoopEnd {
    Continues,
    Stops,
}

/// Begins the next iteration, or leaves the loop; watched loops pause when their permits are used up.
#[inline]
fn next_iteration<const WATCHES: bool>(
    state: &mut RankState,
    work: &mut Workspace,
    ops: &[Op],
    rank: u32,
) -> LoopEnd {
    let open = &mut state.open;
    if open.remaining == 0 {
        return if state.leave(&work.frames) {
            LoopEnd::Continues
        } else {
            LoopEnd::Stops
        };
    }
    if WATCHES {
        if open.permits == 0 {
            let (level, _) = RankState::loop_of(open, ops);
            if level > 0 {
                work.paused[usize::from(level)].push(rank);
                return LoopEnd::Stops;
            }
        } else {
            open.permits -= 1;
        }
    }
    open.remaining -= 1;
    state.next = open.start;
    LoopEnd::Continues
}
