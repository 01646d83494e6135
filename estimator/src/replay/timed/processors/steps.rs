//! The steps of one rank: the processor time that they take, and the accounting of the rank's time.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::{End, Observer, Probed, Stretch};
use super::super::super::program::Step;
use super::super::super::protocol;
use super::super::super::workspace::RankOutcome;
use super::super::host::{Host, NextAction};
use super::messages::Post;
use super::{Run, Slot, UNDER_WAY};
use base_data::estimate_file::{Activity, Category};
use base_data::{BlockId, CallSiteId, Time};

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    /// The rank's next step begins at `at`.
    pub(super) fn step(&mut self, rank: u32, step: Step, at: Time) {
        self.outcome.events += 1;
        match step {
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
                    at,
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
                    at,
                );
            }
            Step::Combine { combine } => {
                self.account_until(rank, at, Category::ReceiveOverhead);
                let time = self.replay.machine.combine[combine as usize];
                self.occupy(rank, at, time, Category::ReceiveOverhead);
            }
            Step::Compute {
                block,
                variant,
                index,
            } => self.compute(rank, (block, variant, index), at),
            // `advance_rank` does not stop at these.
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
            | Step::Finish { .. }
            | Step::StartSchedule { .. }
            | Step::FinishSchedule { .. }
            | Step::Proceed => {}
        }
        self.advance_rank(rank);
    }

    pub(super) fn compute(
        &mut self,
        rank: u32,
        (block, variant, index): (u32, u32, u32),
        at: Time,
    ) {
        self.account_until(rank, at, Category::ReceiveOverhead);
        let first = self.is_first(rank, index);
        let time = self.replay.times.time(rank, variant, first);
        let observer = &mut self.replay.observer;
        let activity = Activity::Block(BlockId(block));
        observer.executed(rank, activity);
        observer.computed(rank, variant, time);
        let host = &mut self.work.hosts[rank as usize];
        let (from, to) = (at, at + time);
        observer.spent(Stretch {
            rank,
            activity,
            category: Category::Compute,
            from,
            to,
        });
        host.occupied(at, to);
    }

    /// Occupies the processor with the current call.
    pub(super) fn occupy(&mut self, rank: u32, at: Time, time: Time, category: Category) {
        let host = &mut self.work.hosts[rank as usize];
        let activity = Activity::Site(CallSiteId(host.site));
        let (from, to) = (at, at + time);
        self.replay.observer.spent(Stretch {
            rank,
            activity,
            category,
            from,
            to,
        });
        host.occupied(at, to);
    }

    /// Accounts for the rank's time until `to`: processor time of arriving messages as receive overhead, the remainder as
    /// `rest`.
    #[inline]
    pub(super) fn account_until(&mut self, rank: u32, to: Time, rest: Category) {
        let host = &mut self.work.hosts[rank as usize];
        if to <= host.booked {
            return;
        }
        // What messages took beyond `to` is accounted to the next part of the rank's time.
        let (from, taken) = (host.booked, host.taken.min(to - host.booked));
        let activity = Activity::Site(CallSiteId(host.site));
        let between = to - taken;
        (host.booked, host.taken) = (to, host.taken - taken);
        let observer = &mut self.replay.observer;
        observer.spent(Stretch {
            rank,
            activity,
            category: rest,
            from,
            to: between,
        });
        let category = Category::ReceiveOverhead;
        observer.spent(Stretch {
            rank,
            activity,
            category,
            from: between,
            to,
        });
    }

    /// Whether the rank executes the variant with this number in its list for the first time.
    fn is_first(&mut self, rank: u32, index: u32) -> bool {
        let first_variant = self.work.hosts[rank as usize].first_variant;
        self.work.executed.is_first(first_variant + index)
    }

    /// Ends a wait when the rank is ready.
    pub(super) fn finish(&mut self, rank: u32, slot: u32, blocking: bool, collective: bool) {
        self.outcome.events += 1;
        let host = &mut self.work.hosts[rank as usize];
        let Slot {
            completed_at: completed,
            sends,
            ..
        } = self.work.slots[(host.first_slot + slot) as usize];
        let (from, to, site, taken) = (host.booked, host.ready, host.site, host.taken);
        if !blocking {
            host.completed = true;
        }
        let (_, waiting) = protocol::wait_categories(sends, collective);
        self.account_until(rank, to, waiting);
        // Time that the processor took for other messages of the rank is no waiting.
        let waiting = (to - from - taken).max(Time::ZERO);
        let least = Time::ZERO;
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

    /// A call that completed transfers got the processor at `at` and returns.
    pub(super) fn complete(&mut self, rank: u32, at: Time) {
        let host = &mut self.work.hosts[rank as usize];
        (host.ready, host.cause.at, host.completed) = (at, at, false);
        self.advance_rank(rank);
    }

    /// Advances to the next step that takes the processor, or to a wait that is not over.
    pub(super) fn advance_rank(&mut self, rank: u32) {
        let steps = self.replay.steps.of(rank as usize);
        loop {
            let host = &mut self.work.hosts[rank as usize];
            let step = host.cursor.advance(steps);
            if host.must_complete(step) {
                // The call that completed transfers needs the processor before the next step; that step is
                // asked for again later.
                step.inspect(|_| host.cursor.step_back());
                host.next_action = NextAction::Completes;
                return;
            }
            let Some(step) = step else {
                return self.end(rank);
            };
            if !host.schedules.is_empty() && step.waits() && !self.wait_with_schedules(rank, step) {
                return;
            }
            let host = &mut self.work.hosts[rank as usize];
            match step {
                Step::Compute {
                    block,
                    variant,
                    index,
                } if host.before => {
                    self.compute_before(rank, block, variant, index);
                }
                Step::Compute { .. }
                | Step::Send { .. }
                | Step::Receive { .. }
                | Step::ReceiveAny { .. }
                | Step::Combine { .. } => {
                    host.next_action = NextAction::Next(step);
                    return;
                }
                Step::Finish {
                    slot,
                    blocking,
                    collective,
                } => {
                    let place = (host.first_slot + slot) as usize;
                    if self.work.slots[place].completed_at == UNDER_WAY {
                        host.next_action = NextAction::Waits {
                            slot,
                            blocking,
                            collective,
                        };
                        return;
                    }
                    self.finish(rank, slot, blocking, collective);
                    continue;
                }
                Step::Probe { channel } => {
                    let channel = self.replay.steps.channel(rank, channel);
                    if self.work.pairing.first(channel, true).is_none() {
                        host.next_action = NextAction::Probes { channel };
                        return;
                    }
                    self.probed(rank, channel);
                }
                // Refused beforehand.
                Step::ProbeAny { .. } => {}
                Step::End => return self.end(rank),
                Step::Enter { site } => {
                    host.site = site;
                    self.replay
                        .observer
                        .executed(rank, Activity::Site(CallSiteId(site)));
                }
                Step::NoTransfer { slot } => {
                    self.work.slots[(host.first_slot + slot) as usize].completed_at = host.ready;
                }
                Step::Collective { signature } => {
                    self.replay.observer.collective(rank, host.site, signature)
                }
                Step::Clock { clock } => {
                    let at = host.ready;
                    self.account_until(rank, at, Category::ReceiveOverhead);
                    self.replay.observer.clock(rank, clock, at);
                }
                Step::Section { begins } => self.section(rank, begins),
                Step::Begin => self.begin(rank),
                Step::Repeat { .. } => {}
                Step::StartSchedule { schedule } => {
                    self.start_schedule(rank, schedule);
                    continue;
                }
                Step::FinishSchedule { schedule, body } => {
                    self.finish_schedule(rank, schedule, body);
                    continue;
                }
                Step::Proceed => continue,
            }
            self.outcome.events += 1;
        }
    }

    /// A block before `MPI_Init`.
    pub(super) fn compute_before(&mut self, rank: u32, block: u32, variant: u32, index: u32) {
        let first = self.is_first(rank, index);
        let time = self.replay.times.time(rank, variant, first);
        self.replay
            .observer
            .executed(rank, Activity::Block(BlockId(block)));
        self.replay.observer.computed(rank, variant, time);
    }

    pub(super) fn begin(&mut self, rank: u32) {
        let host = &mut self.work.hosts[rank as usize];
        host.before = false;
        self.work.outcomes[rank as usize] = RankOutcome::default();
        self.replay.observer.began(rank);
    }

    pub(super) fn section(&mut self, rank: u32, begins: bool) {
        let at = self.work.hosts[rank as usize].ready;
        self.account_until(rank, at, Category::ReceiveOverhead);
        let outcome = &mut self.work.outcomes[rank as usize];
        if begins {
            (outcome.begins, outcome.begin) = (outcome.begins + 1, at);
        } else {
            (outcome.ends, outcome.end) = (outcome.ends + 1, at);
        }
        self.replay.observer.section(rank, begins);
    }

    pub(super) fn end(&mut self, rank: u32) {
        let at = self.work.hosts[rank as usize].ready;
        self.account_until(rank, at, Category::ReceiveOverhead);
        let host = &mut self.work.hosts[rank as usize];
        host.next_action = NextAction::Ended;
        self.work.outcomes[rank as usize].last = at;
    }

    /// A probe has found its message.
    pub(super) fn probed(&mut self, rank: u32, channel: u32) {
        let host = &self.work.hosts[rank as usize];
        let (from, to, site, taken) = (host.booked, host.ready, host.site, host.taken);
        self.account_until(rank, to, Category::ReceiveWait);
        let waiting = (to - from - taken).max(Time::ZERO);
        self.replay.observer.probed(&Probed {
            rank,
            site,
            channel,
            from,
            to,
            waiting,
        });
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
