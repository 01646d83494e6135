//! Started collectives: their remaining steps, the *schedule*, proceed in each call that waits, tests or probes, whatever it
//! is for. MPI guarantees this progress (MPI 4.1, section 3.7.4), and libraries without a thread of their own make it there and
//! nowhere else.
//!
//! A call looks at schedules when it begins, and when a transfer is complete that it or a schedule waits for. What a schedule does
//! delays the call, since one processor executes both.

use super::super::super::dataflow::BlockTimes;
use super::super::super::observer::Observer;
use super::super::super::program::Step;
use super::super::super::protocol::Completion;
use super::super::super::workspace::BlockedRank;
use super::super::open_schedule::OpenSchedule;
use super::{Event, RankActivity, Run};
use base_data::Time;

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    pub(super) fn start_schedule(&mut self, rank: u32, number: u32) {
        let schedules = &mut self.work.ranks[rank as usize].schedules;
        schedules.push(OpenSchedule::begun(number));
    }

    /// The place of a schedule among those of a rank; `None` if it is not open.
    pub(super) fn place_of_schedule(&self, rank: u32, number: u32) -> Option<usize> {
        let schedules = &self.work.ranks[rank as usize].schedules;
        schedules.iter().position(|open| open.number == number)
    }

    /// The next step of a schedule; `None` if it is over.
    pub(super) fn next_of_schedule(&self, rank: u32, place: usize) -> Option<Step> {
        self.work.ranks[rank as usize].schedules[place].next_step(self.replay.steps, rank)
    }

    /// The schedules of a rank go as far as they can.
    pub(super) fn proceed(&mut self, rank: u32, now: Time) {
        for place in 0..self.work.ranks[rank as usize].schedules.len() {
            self.proceed_with(rank, place, now);
        }
    }

    fn proceed_with(&mut self, rank: u32, place: usize, now: Time) {
        while let Some(step) = self.next_of_schedule(rank, place) {
            let clock = self.work.ranks[rank as usize].clock;
            let mut completion = None;
            if let Step::Finish { slot, .. } = step {
                completion = self.completion_of(rank, slot);
                if completion.is_none_or(|completion| completion.at > now) {
                    return;
                }
            } else if clock > now && self.is_noticed(rank, step) {
                // What the rank did before in this call has taken time.
                return;
            }
            self.work.ranks[rank as usize].schedules[place].next += 1;
            self.step(rank, step, now);
            self.outcome.events += 1;
            let state = &mut self.work.ranks[rank as usize];
            state.clock_of_wait = match completion {
                Some(completion) => completion.at.max(state.clock_of_wait),
                None => state.clock_of_wait + (state.clock - clock),
            };
        }
    }

    /// A step of a rank with started collectives, which go on in it if it waits; false if it is not over.
    pub(super) fn step_with_schedules(&mut self, rank: u32, step: Step, now: Time) -> bool {
        if !step.waits() {
            return self.step(rank, step, now);
        }
        self.proceed(rank, now);
        let state = &mut self.work.ranks[rank as usize];
        if state.clock > now {
            state.cursor.step_back();
            let clock = state.clock;
            self.schedule(clock, Event::Runs { rank });
            return false;
        }
        let mut end = self.known_end(rank, step, now);
        if end.is_none_or(|end| end > now) {
            self.begin_wait(rank, now);
            // A handshake that proceeds may complete it.
            end = self.known_end(rank, step, now);
        }
        if end.is_some_and(|end| end <= now) {
            return self.step(rank, step, now);
        }
        let state = &mut self.work.ranks[rank as usize];
        state.cursor.step_back();
        state.activity = RankActivity::WaitsWithSchedules;
        if let Some(next) = self.next_look(rank, end, now) {
            self.look_at(rank, next);
        }
        false
    }

    /// When what a step waits for will be there, if that is known.
    fn known_end(&self, rank: u32, step: Step, now: Time) -> Option<Time> {
        match step {
            Step::Finish { slot, .. } => Some(self.completion_of(rank, slot)?.at),
            Step::Probe { channel } => {
                let channel = self.replay.steps.channel(rank, channel);
                Some(self.first_of(rank, channel)?.1)
            }
            Step::ProbeAny { pattern } => Some(self.first_matching(rank, pattern)?.1),
            Step::FinishSchedule { schedule, .. } => {
                let place = self.place_of_schedule(rank, schedule);
                match place.and_then(|place| self.next_of_schedule(rank, place)) {
                    Some(_) => None,
                    None => Some(now),
                }
            }
            _ => Some(now),
        }
    }

    /// The earliest known time after now at which a wait is over or a schedule proceeds.
    pub(super) fn next_look(&self, rank: u32, end: Option<Time>, now: Time) -> Option<Time> {
        let mut next = end;
        for place in 0..self.work.ranks[rank as usize].schedules.len() {
            let known = match self.next_of_schedule(rank, place) {
                Some(Step::Finish { slot, .. }) => {
                    let completion = self.completion_of(rank, slot);
                    completion.map(|completion| completion.at)
                }
                // It proceeds as soon as the rank can.
                Some(_) => Some(self.work.ranks[rank as usize].clock),
                None => None,
            };
            if let Some(known) = known.filter(|&known| known > now) {
                next = Some(next.map_or(known, |next| next.min(known)));
            }
        }
        next
    }

    pub(super) fn completion_of(&self, rank: u32, slot: u32) -> Option<Completion> {
        let first_slot = self.work.ranks[rank as usize].first_slot;
        self.work.slots[(first_slot + slot) as usize].completion
    }

    /// Ends a schedule that is over. Replays in another order would execute the next `body` steps in place of it.
    pub(super) fn finish_schedule(&mut self, rank: u32, number: u32, body: u32) {
        if let Some(place) = self.place_of_schedule(rank, number) {
            let state = &mut self.work.ranks[rank as usize];
            state.schedules.remove(place);
            state.cursor.skip(body);
        }
    }

    /// A rank that waits with schedules looks at a time at what has completed, if its wait is not over before.
    pub(super) fn look_at(&mut self, rank: u32, at: Time) {
        let state = &self.work.ranks[rank as usize];
        let (at, looks) = (at.max(state.clock), state.looks);
        self.schedule(at, Event::Looks { rank, looks });
    }

    /// A rank that waits with schedules looks at what has completed.
    pub(super) fn look(&mut self, rank: u32, looks: u32, now: Time) {
        let state = &mut self.work.ranks[rank as usize];
        if state.activity == RankActivity::WaitsWithSchedules && state.looks == looks {
            state.looks += 1;
            state.activity = RankActivity::Runs;
            self.run_rank(rank, now);
        }
    }

    /// What a rank waits for that waits with schedules, if it waits for ever.
    pub(super) fn blocked_with_schedules(&self, rank: u32) -> Option<BlockedRank> {
        let state = &self.work.ranks[rank as usize];
        let steps = self.replay.steps.of(rank as usize);
        let mut step = state.cursor.clone().advance(steps)?;
        if let Step::FinishSchedule { schedule, .. } = step {
            let place = self.place_of_schedule(rank, schedule)?;
            step = self.next_of_schedule(rank, place)?;
        }
        let (channel, sends) = match step {
            Step::Finish { slot, .. } => {
                let slot = &self.work.slots[(state.first_slot + slot) as usize];
                (slot.channel, slot.sends)
            }
            Step::Probe { channel } => (self.replay.steps.channel(rank, channel), false),
            _ => (self.work.mailboxes.some_channel(rank), false),
        };
        Some(BlockedRank {
            rank,
            site: state.site,
            channel,
            sends,
        })
    }
}
