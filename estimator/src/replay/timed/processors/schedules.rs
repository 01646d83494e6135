//! Started collectives, whose schedules proceed in each call that waits, tests or probes
//! ([`super::super::by_time`] does the same). Few programs have any, so the functions are kept out of the loops over steps.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::Observer;
use super::super::super::program::Step;
use super::super::host::{Host, NextAction};
use super::super::open_schedule::OpenSchedule;
use super::{Run, UNDER_WAY};
use base_data::Time;

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    #[cold]
    #[inline(never)]
    pub(super) fn start_schedule(&mut self, rank: u32, number: u32) {
        let schedules = &mut self.work.hosts[rank as usize].schedules;
        schedules.push(OpenSchedule::begun(number));
    }

    /// The schedules of a rank go as far as they can without the processor. Whether one needs it next.
    pub(super) fn proceed(&mut self, rank: u32) -> bool {
        for place in 0..self.work.hosts[rank as usize].schedules.len() {
            loop {
                let host = &mut self.work.hosts[rank as usize];
                let open = host.schedules[place];
                let Some(step) = open.next_step(self.replay.steps, rank) else {
                    break;
                };
                let host = &mut self.work.hosts[rank as usize];
                let next = match step {
                    Step::Finish { slot, .. } => {
                        let place = (host.first_slot + slot) as usize;
                        if self.work.slots[place].completed_at == UNDER_WAY {
                            break;
                        }
                        None
                    }
                    _ => Some(NextAction::Next(step)),
                };
                if host.must_complete(Some(step)) {
                    host.next_action = NextAction::Completes;
                    return true;
                }
                host.schedules[place].next += 1;
                if let Some(next) = next {
                    host.next_action = next;
                    return true;
                }
                if let Step::Finish {
                    slot,
                    blocking,
                    collective,
                } = step
                {
                    self.finish(rank, slot, blocking, collective);
                }
            }
        }
        false
    }

    /// A rank that waits with schedules continues, since something came at `at`. It is ready at `ready` if its processor is free.
    #[cold]
    #[inline(never)]
    pub(super) fn continue_with_schedules(&mut self, rank: u32, ready: Time, at: Time) {
        let host = &mut self.work.hosts[rank as usize];
        host.ready = host.ready.max(host.processor_free).max(ready);
        host.cause.at = at;
        self.advance_rank(rank);
    }

    /// Before a step that waits: false if a schedule needs the processor first, or what the step waits for is not there.
    #[cold]
    #[inline(never)]
    pub(super) fn wait_with_schedules(&mut self, rank: u32, step: Step) -> bool {
        let needs_processor = self.proceed(rank);
        if !needs_processor && self.is_over(rank, step) {
            return true;
        }
        let host = &mut self.work.hosts[rank as usize];
        host.cursor.step_back();
        if !needs_processor {
            host.next_action = NextAction::WaitsWithSchedules;
        }
        false
    }

    fn is_over(&self, rank: u32, step: Step) -> bool {
        let host = &self.work.hosts[rank as usize];
        match step {
            Step::Finish { slot, .. } => {
                self.work.slots[(host.first_slot + slot) as usize].completed_at != UNDER_WAY
            }
            Step::Probe { channel } => {
                let channel = self.replay.steps.channel(rank, channel);
                self.work.pairing.first(channel, true).is_some()
            }
            Step::FinishSchedule { schedule, .. } => {
                let open = host.schedules.iter().find(|open| open.number == schedule);
                open.is_none_or(|open| open.next_step(self.replay.steps, rank).is_none())
            }
            _ => true,
        }
    }

    /// Ends a schedule that is over; the next `body` steps are the same.
    #[cold]
    #[inline(never)]
    pub(super) fn finish_schedule(&mut self, rank: u32, number: u32, body: u32) {
        let host = &mut self.work.hosts[rank as usize];
        let is_wanted = |open: &OpenSchedule| open.number == number;
        if let Some(place) = host.schedules.iter().position(is_wanted) {
            host.schedules.remove(place);
            host.cursor.skip(body);
        }
    }

    /// Slot or channel that a rank waits for that waits with schedules.
    #[cold]
    #[inline(never)]
    pub(super) fn awaited_with_schedules(&self, rank: u32) -> Option<(u32, bool)> {
        let host = &self.work.hosts[rank as usize];
        let steps = self.replay.steps.of(rank as usize);
        let mut step = host.cursor.clone().advance(steps)?;
        if let Step::FinishSchedule { schedule, .. } = step {
            let is_wanted = |open: &&OpenSchedule| open.number == schedule;
            let open = host.schedules.iter().find(is_wanted)?;
            step = open.next_step(self.replay.steps, rank)?;
        }
        match step {
            Step::Finish { slot, .. } => {
                let slot = &self.work.slots[(host.first_slot + slot) as usize];
                Some((slot.channel, slot.sends))
            }
            Step::Probe { channel } => Some((self.replay.steps.channel(rank, channel), false)),
            _ => None,
        }
    }
}

impl Host {
    /// Whether the call that completed transfers needs the processor before this step.
    #[inline]
    pub(super) fn must_complete(&self, step: Option<Step>) -> bool {
        self.completed
            && !matches!(
                step,
                Some(Step::Finish {
                    blocking: false,
                    ..
                })
            )
    }
}
