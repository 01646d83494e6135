//! Processes that wait: when each is asked again, and what ends a poll.

use super::super::{Event, RankActivity, Run};
use super::processes::Process;
use crate::replay::dataflow::BlockTimes;
use crate::replay::observer::Observer;
use base_data::Time;
use base_data::emulation::{Outcome, Query};
use base_data::estimate_file::Category;

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    /// Whether a process goes on before the next event.
    pub(in super::super) fn is_turn_of_process(&self) -> bool {
        match &self.work.processes {
            Some(processes) => !processes.ready.is_empty(),
            None => false,
        }
    }

    pub(super) fn process(&mut self, rank: u32) -> &mut Process {
        let processes = self.work.processes.get_or_insert_default();
        &mut processes.of_rank[rank as usize]
    }

    /// Resumes the process with an outcome.
    pub(super) fn resume_process(&mut self, rank: u32, outcome: Outcome) {
        self.work.ranks[rank as usize].activity = RankActivity::Asks;
        let process = self.process(rank);
        process.version += 1;
        process.outcome = outcome;
        self.work
            .processes
            .get_or_insert_default()
            .ready
            .push_back(rank);
    }

    /// The rank waits until something happens to it; a poll until anything does.
    pub(super) fn wait_for_change(&mut self, rank: u32, now: Time) {
        let query = self.process(rank).query.clone();
        self.work.ranks[rank as usize].activity = RankActivity::Asks;
        let mut next = self.next_completion(rank, &query, now);
        if query.is_poll() {
            // A rank that polls may look for something else, too, before it looks for this again.
            let state = &self.work.ranks[rank as usize];
            let own = state.first_slot as usize..(state.first_slot + state.slots) as usize;
            for completion in self.work.slots[own]
                .iter()
                .filter_map(|slot| slot.completion)
            {
                if completion.at > now {
                    next = Some(next.map_or(completion.at, |next| next.min(completion.at)));
                }
            }
            self.work.processes.get_or_insert_default().idle.push(rank);
        }
        if let Some(next) = next {
            self.wake(rank, next.max(now));
        }
    }

    /// Whether a rank has polled for so long that it waits for the next event.
    pub(in super::super) fn polls_in_vain(&mut self, rank: u32) -> bool {
        self.work.processes.is_some() && {
            let process = self.process(rank);
            process.spins && process.query.is_poll()
        }
    }

    /// Polls that wait for the next event, which happens now.
    pub(in super::super) fn wake_idle_polls(&mut self, now: Time) {
        let Some(processes) = &mut self.work.processes else {
            return;
        };
        for rank in std::mem::take(&mut processes.idle) {
            self.wake(rank, now);
        }
    }

    /// A rank that waits is asked again at a time, if its process has not gone on until then.
    pub(in super::super) fn wake(&mut self, rank: u32, at: Time) {
        let clock = self.work.ranks[rank as usize].clock;
        let process = self.process(rank);
        if process.query == Query::default() {
            // Its process computes.
            return;
        }
        let version = process.version;
        self.schedule(at.max(clock), Event::Asks { rank, version });
    }

    /// A rank may have what it waits for.
    pub(in super::super) fn ask_again(&mut self, rank: u32, version: u32, now: Time) {
        let state = &self.work.ranks[rank as usize];
        let is_waiting = state.activity == RankActivity::Asks;
        let clock = state.clock;
        let process = self.process(rank);
        if !is_waiting || process.version != version || process.query == Query::default() {
            return;
        }
        if process.query.is_poll() && now > clock {
            // The rank polled all that time.
            self.spend(rank, Category::ReceiveWait, now - clock);
        }
        self.ask(rank, now);
    }

    /// Ends the poll of one of the ranks that wait for events of which there will be none: the one that has waited longest,
    /// since what it does next may be an event.
    pub(super) fn end_a_poll(&mut self) {
        let mut first: Option<(Time, u32, u32)> = None;
        for rank in 0..self.work.ranks.len() as u32 {
            let state = &self.work.ranks[rank as usize];
            let (activity, clock) = (state.activity, state.clock);
            let process = self.process(rank);
            if activity == RankActivity::Asks && process.query.is_poll() {
                let own = (clock, process.version, rank);
                first = Some(first.map_or(own, |first| first.min(own)));
            }
        }
        let Some((clock, _, rank)) = first else {
            return;
        };
        let others_poll = self.others_poll(rank);
        let process = self.process(rank);
        process.query = Query::Nothing;
        process.quiet_until = if others_poll { clock } else { Time::MAX };
        process.is_last = true;
        self.resume_process(rank, Outcome::default());
    }

    /// The rank has polled for so long without asking: it was inside MPI.
    pub(super) fn has_polled(&mut self, rank: u32, time: Time) {
        if time > Time::ZERO {
            self.spend(rank, Category::ReceiveWait, time);
        }
    }

    /// Whether another rank waits in a poll.
    pub(super) fn others_poll(&self, rank: u32) -> bool {
        let Some(processes) = &self.work.processes else {
            return false;
        };
        let polls =
            |(other, process): (usize, &Process)| other != rank as usize && process.query.is_poll();
        processes.of_rank.iter().enumerate().any(polls)
    }
}
