//! The steps of one rank, up to the next one that affects another rank.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::{End, Observer, Probed, Start, Stretch};
use super::super::super::program::Step;
use super::super::super::protocol::{self, Completion};
use super::super::super::workspace::RankOutcome;
use super::transfers::{Posted, Transfer};
use super::{Event, FREE, RankActivity, Run, Slot};
use base_data::estimate_file::{Activity, Category};
use base_data::{BlockId, CallSiteId, Time};

/// The start of a transfer.
#[derive(Clone, Copy)]
struct Post {
    channel: u32,
    size: u32,
    slot: u32,
    blocking: bool,
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    /// Executes steps of a rank until it waits, ends, or reaches a step that must be executed in the order of time.
    pub(super) fn run_rank(&mut self, rank: u32, now: Time) {
        self.continue_rank(rank, now);
        let steps = self.replay.steps.of(rank as usize);
        loop {
            let state = &mut self.work.ranks[rank as usize];
            let Some(step) = state.cursor.advance(steps) else {
                return self.finish_steps(rank, now);
            };
            // The rank has run ahead of the others. It continues when all earlier events are processed.
            if state.clock > now && self.is_noticed(rank, step) {
                let state = &mut self.work.ranks[rank as usize];
                state.cursor.step_back();
                let clock = state.clock;
                return self.schedule(clock, Event::Runs { rank });
            }
            let is_over = if self.work.ranks[rank as usize].schedules.is_empty() {
                self.step(rank, step, now)
            } else {
                self.step_with_schedules(rank, step, now)
            };
            if !is_over {
                return;
            }
            self.outcome.events += u64::from(step.is_event());
        }
    }

    /// Whether a step can affect other ranks, so that it must be executed in the order of time.
    pub(super) fn is_noticed(&self, rank: u32, step: Step) -> bool {
        let state = &self.work.ranks[rank as usize];
        match step {
            Step::Send { .. }
            | Step::Receive { .. }
            | Step::ReceiveAny { .. }
            | Step::Probe { .. }
            | Step::ProbeAny { .. } => true,
            Step::Compute { .. } => self.rules.in_call && !state.before,
            // What has arrived by then determines how far schedules proceed.
            Step::Finish { .. } | Step::FinishSchedule { .. } | Step::Proceed => {
                !state.schedules.is_empty()
                    || self.rules.in_call && self.shares_links && !state.before
            }
            Step::Repeat { .. }
            | Step::Begin
            | Step::End
            | Step::Clock { .. }
            | Step::Section { .. }
            | Step::Enter { .. }
            | Step::Collective { .. }
            | Step::NoTransfer { .. }
            | Step::Combine { .. }
            | Step::StartSchedule { .. } => false,
        }
    }

    /// Executes one step; false if the rank waits, ends or is outside MPI.
    pub(super) fn step(&mut self, rank: u32, step: Step, now: Time) -> bool {
        let state = &mut self.work.ranks[rank as usize];
        match step {
            Step::Compute {
                block,
                variant,
                index,
            } => return self.compute(rank, block, variant, index),
            Step::Send {
                channel,
                size,
                slot,
                blocking,
            } => {
                let channel = self.replay.steps.channel(rank, channel);
                self.send(
                    rank,
                    Post {
                        channel,
                        size,
                        slot,
                        blocking,
                    },
                    now,
                );
            }
            Step::Receive {
                channel,
                size,
                slot,
                blocking,
            } => {
                let channel = self.replay.steps.channel(rank, channel);
                self.receive(
                    rank,
                    Post {
                        channel,
                        size,
                        slot,
                        blocking,
                    },
                    None,
                    now,
                );
            }
            Step::ReceiveAny {
                pattern,
                size,
                slot,
                blocking,
            } => {
                // The channel is known when a message is found; until then any of the rank stands for it.
                let channel = self.work.mailboxes.some_channel(rank);
                self.receive(
                    rank,
                    Post {
                        channel,
                        size,
                        slot,
                        blocking,
                    },
                    Some(pattern),
                    now,
                );
            }
            Step::Probe { channel } => {
                let channel = self.replay.steps.channel(rank, channel);
                return self.probe(rank, channel, self.first_of(rank, channel));
            }
            Step::ProbeAny { pattern } => {
                let channel = self.work.mailboxes.some_channel(rank);
                return self.probe(rank, channel, self.first_matching(rank, pattern));
            }
            Step::Finish {
                slot,
                blocking,
                collective,
            } => {
                let place = (state.first_slot + slot) as usize;
                let clock = state.clock;
                let is_over = |completion: &Completion| completion.at <= clock;
                if !self.work.slots[place]
                    .completion
                    .as_ref()
                    .is_some_and(is_over)
                {
                    self.begin_wait(rank, now);
                }
                // A handshake that proceeds may complete it.
                match self.work.slots[place].completion {
                    Some(completion) => self.finish(rank, slot, blocking, collective, completion),
                    None => {
                        self.work.ranks[rank as usize].activity = RankActivity::Waits {
                            slot,
                            blocking,
                            collective,
                        };
                        return false;
                    }
                }
            }
            Step::NoTransfer { slot } => {
                let completion = Some(Completion {
                    at: state.clock,
                    overhead: Time::ZERO,
                });
                self.work.slots[(state.first_slot + slot) as usize] = Slot { completion, ..FREE };
            }
            Step::Combine { combine } => {
                let time = self.replay.machine.combine[combine as usize];
                self.spend(rank, Category::ReceiveOverhead, time);
            }
            Step::StartSchedule { schedule } => self.start_schedule(rank, schedule),
            Step::FinishSchedule { schedule, body } => self.finish_schedule(rank, schedule, body),
            Step::Proceed => {}
            Step::Enter { site } => {
                state.site = site;
                self.replay
                    .observer
                    .executed(rank, Activity::Site(CallSiteId(site)));
            }
            Step::Collective { signature } => {
                self.replay.observer.collective(rank, state.site, signature)
            }
            Step::Clock { clock } => self.replay.observer.clock(rank, clock, state.clock),
            Step::Section { begins } => self.section(rank, begins),
            Step::Begin => {
                (state.clock, state.before, state.outcome) =
                    (Time::ZERO, false, RankOutcome::default());
                self.replay.observer.began(rank);
            }
            Step::End => {
                state.activity = RankActivity::Ended;
                self.begin_wait(rank, now);
                return false;
            }
            Step::Repeat { .. } => {}
        }
        true
    }

    /// Executes a block; false if that is noticed, because the rank is then outside MPI.
    fn compute(&mut self, rank: u32, block: u32, variant: u32, index: u32) -> bool {
        let first_variant = self.work.ranks[rank as usize].first_variant;
        let first = self.work.executed.is_first(first_variant + index);
        let time = self.replay.times.time(rank, variant, first);
        let activity = Activity::Block(BlockId(block));
        let state = &mut self.work.ranks[rank as usize];
        let (from, to) = (state.clock, state.clock + time);
        state.clock = to;
        let noticed = self.rules.in_call && !state.before;
        let observer = &mut self.replay.observer;
        observer.executed(rank, activity);
        observer.computed(rank, variant, time);
        observer.spent(Stretch {
            rank,
            activity,
            category: Category::Compute,
            from,
            to,
        });
        if noticed {
            self.outcome.events += 1;
            // The block begins now ([`Self::is_noticed`]): until here, rendezvous of the rank have moved.
            self.leave_mpi(rank, from);
            self.schedule(to, Event::Runs { rank });
        }
        !noticed
    }

    /// Accounts for processor or waiting time of the current call.
    pub(super) fn spend(&mut self, rank: u32, category: Category, time: Time) {
        let state = &mut self.work.ranks[rank as usize];
        let (from, to) = (state.clock, state.clock + time);
        state.clock = to;
        let activity = Activity::Site(CallSiteId(state.site));
        self.replay.observer.spent(Stretch {
            rank,
            activity,
            category,
            from,
            to,
        });
    }

    fn section(&mut self, rank: u32, begins: bool) {
        let state = &mut self.work.ranks[rank as usize];
        let outcome = &mut state.outcome;
        if begins {
            (outcome.begins, outcome.begin) = (outcome.begins + 1, state.clock);
        } else {
            (outcome.ends, outcome.end) = (outcome.ends + 1, state.clock);
        }
        self.replay.observer.section(rank, begins);
    }

    fn started(&mut self, rank: u32, post: &Post, at: Time, sends: bool) {
        let site = self.work.ranks[rank as usize].site;
        let Post {
            channel,
            size,
            slot,
            blocking,
        } = *post;
        self.replay.observer.started(&Start {
            rank,
            site,
            channel,
            size,
            slot,
            at,
            sends,
            blocking,
        });
    }

    fn send(&mut self, rank: u32, post: Post, now: Time) {
        self.outcome.messages += 1;
        self.started(rank, &post, now, true);
        let costs = self.replay.machine.costs[post.size as usize];
        let state = &self.work.ranks[rank as usize];
        let (site, place) = (state.site, (state.first_slot + post.slot) as usize);
        self.work.slots[place] = Slot {
            completion: None,
            least: costs.complete,
            channel: post.channel,
            sends: true,
        };
        if !post.blocking {
            self.spend(rank, Category::SendOverhead, costs.start);
        }
        self.start(Transfer::called(
            post.channel,
            post.size,
            post.slot,
            site,
            now,
        ));
    }

    fn receive(&mut self, rank: u32, post: Post, pattern: Option<u32>, now: Time) {
        self.started(rank, &post, now, false);
        let costs = self.replay.machine.costs[post.size as usize];
        let state = &self.work.ranks[rank as usize];
        let (site, place) = (state.site, (state.first_slot + post.slot) as usize);
        self.work.slots[place] = Slot {
            completion: None,
            least: costs.complete,
            channel: post.channel,
            sends: false,
        };
        if !post.blocking {
            self.spend(rank, Category::ReceiveOverhead, costs.start);
        }
        let posted = Posted {
            slot: post.slot,
            site,
            size: post.size,
            at: now,
        };
        self.post(rank, post.channel, pattern, posted, now);
    }

    /// Ends the wait for a message that can be received; false if there is none yet.
    pub(super) fn probe(&mut self, rank: u32, channel: u32, found: Option<(u32, Time)>) -> bool {
        let state = &mut self.work.ranks[rank as usize];
        let Some((transfer, arrival)) = found else {
            state.cursor.step_back();
            state.activity = RankActivity::Probes { channel };
            let clock = state.clock;
            self.begin_wait(rank, clock);
            return false;
        };
        let (from, site) = (state.clock, state.site);
        let found = &self.work.transfers[transfer as usize];
        let (channel, costs) = (
            found.channel,
            &self.replay.machine.costs[found.size as usize],
        );
        let protocol::Waited { end, waiting } = protocol::noticed(costs, arrival, from);
        self.spend(rank, Category::ReceiveWait, waiting);
        self.spend(rank, Category::ReceiveOverhead, end - from - waiting);
        self.replay.observer.probed(&Probed {
            rank,
            site,
            channel,
            from,
            to: end,
            waiting,
        });
        true
    }

    /// Ends the wait for a slot whose transfer is over, or will be.
    pub(super) fn finish(
        &mut self,
        rank: u32,
        slot: u32,
        blocking: bool,
        collective: bool,
        completion: Completion,
    ) {
        let state = &self.work.ranks[rank as usize];
        let Slot { least, sends, .. } = self.work.slots[(state.first_slot + slot) as usize];
        let least = if blocking { Time::ZERO } else { least };
        let (from, site) = (state.clock, state.site);
        let protocol::Waited { end: to, waiting } = protocol::wait(completion, from, least);
        let (overhead, wait) = protocol::wait_categories(sends, collective);
        self.spend(rank, wait, waiting);
        self.spend(rank, overhead, to - from - waiting);
        let completed = completion.at;
        self.replay.observer.ended(&End {
            rank,
            site,
            slot,
            from,
            to,
            completed,
            waiting,
            least,
        });
    }
}
