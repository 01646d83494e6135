//! Answers to what processes query, when their steps are over.

use super::super::{Event, FREE, RankActivity, Run};
use super::processes::own_slot;
use crate::replay::dataflow::BlockTimes;
use crate::replay::observer::Observer;
use crate::replay::protocol;
use base_data::Time;
use base_data::emulation::{Completed, Matched, Outcome, Query, Slot};
use std::cmp::Reverse;

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    /// The steps of a rank are over: it has ended, or its process asks for something.
    pub(in super::super) fn finish_steps(&mut self, rank: u32, now: Time) {
        if self.work.processes.is_none() {
            self.work.ranks[rank as usize].activity = RankActivity::Ended;
        } else {
            self.ask(rank, now);
        }
    }

    /// Answers the query of a process, or lets it wait.
    pub(super) fn ask(&mut self, rank: u32, now: Time) {
        let query = std::mem::take(&mut self.process(rank).query);
        // What has happened by then is known when all that is earlier has happened, and what other processes do next is
        // known, too.
        let clock = self.work.ranks[rank as usize].clock;
        if looks_at_others(&query) && (clock > now || self.is_turn_of_process()) {
            self.process(rank).query = query;
            return self.schedule(clock.max(now), Event::Runs { rank });
        }
        self.begin_wait(rank, now);
        if query == Query::Finalize {
            return self.end(rank);
        }
        match self.answer(rank, &query, now) {
            Some(outcome) => self.resume_process(rank, outcome),
            None => {
                self.process(rank).query = query;
                self.wait_for_change(rank, now);
            }
        }
    }

    /// The answer to a query; `None` if the rank waits.
    fn answer(&mut self, rank: u32, query: &Query, now: Time) -> Option<Outcome> {
        if looks_at_others(query) {
            self.proceed(rank, now);
        }
        match query {
            Query::Nothing => Some(Outcome::default()),
            Query::All(slots) => Some(self.release_transfers(rank, slots)),
            Query::Any(slots) | Query::TestAny(slots) => {
                for &slot in slots {
                    if self.is_complete(rank, slot, now) {
                        return Some(self.found(rank, query, &[slot]));
                    }
                }
                self.found_nothing(rank, query, now)
            }
            Query::Some(slots) | Query::TestSome(slots) => {
                let mut complete = Vec::new();
                for &slot in slots {
                    if self.is_complete(rank, slot, now) {
                        complete.push(slot);
                    }
                }
                if complete.is_empty() {
                    return self.found_nothing(rank, query, now);
                }
                Some(self.found(rank, query, &complete))
            }
            Query::TestAll(slots) => {
                let mut are_complete = true;
                for &slot in slots {
                    are_complete &= self.is_complete(rank, slot, now);
                }
                if !are_complete {
                    return self.found_nothing(rank, query, now);
                }
                Some(self.found(rank, query, slots))
            }
            Query::Probe { .. } => {
                let pattern = self.process(rank).pattern;
                let found = self.first_matching(rank, pattern);
                if let Some((transfer, arrival)) = found {
                    let since = self.work.ranks[rank as usize].clock_of_wait;
                    let end = protocol::noticed(self.costs_of(transfer), arrival, since).end;
                    // The observer keeps which message was found.
                    let channel = self.work.mailboxes.some_channel(rank);
                    self.probe(rank, channel, found);
                    if query.is_poll() {
                        self.set_ahead(rank, end);
                    }
                    return Some(Outcome::Found(Matched::default()));
                }
                self.found_nothing(rank, query, now)
            }
            Query::Finalize => None,
        }
    }

    /// A query has found that these are complete.
    fn found(&mut self, rank: u32, query: &Query, slots: &[Slot]) -> Outcome {
        if !query.is_poll() {
            return self.completed(rank, slots);
        }
        let end = self.end_of_wait(rank, slots);
        let outcome = self.completed(rank, slots);
        self.set_ahead(rank, end);
        outcome
    }

    /// When the replay, which waits where the rank began to poll, has completed these.
    fn end_of_wait(&mut self, rank: u32, slots: &[Slot]) -> Time {
        let mut end = self.work.ranks[rank as usize].clock_of_wait;
        for &slot in slots {
            if self.place_of_schedule(rank, slot).is_none()
                && let Some(completion) = self.completion_of(rank, own_slot(slot))
            {
                let first_slot = self.work.ranks[rank as usize].first_slot;
                let least = self.work.slots[(first_slot + own_slot(slot)) as usize].least;
                end = protocol::wait(completion, end, least).end;
            }
        }
        end
    }

    /// A poll is over; in the replay it ends at a time.
    fn set_ahead(&mut self, rank: u32, end: Time) {
        let clock = self.work.ranks[rank as usize].clock;
        self.process(rank).ahead = (clock - end).max(Time::ZERO);
    }

    /// The process has come to its end; it goes on when all have.
    fn end(&mut self, rank: u32) {
        self.work.ranks[rank as usize].activity = RankActivity::Ended;
        let processes = self.work.processes.get_or_insert_default();
        processes.ended += 1;
        if processes.ended == processes.of_rank.len() {
            processes.ready.extend(0..processes.of_rank.len() as u32);
        }
    }

    /// A call that waits goes on waiting; a poll that finds nothing is over.
    fn found_nothing(&mut self, rank: u32, query: &Query, now: Time) -> Option<Outcome> {
        if !query.is_poll() {
            return None;
        }
        let quiet_until = self.quiet_until(rank, query, now);
        if std::mem::take(&mut self.process(rank).spins) {
            // It is asked again at the time of the next event, and answered then whatever it finds.
            return None;
        }
        let is_last = quiet_until == Time::MAX;
        // Another rank that polls may do something else after any poll.
        let others_poll = is_last && self.others_poll(rank);
        let process = self.process(rank);
        process.quiet_until = if others_poll { now } else { quiet_until };
        process.is_last = is_last;
        Some(Outcome::default())
    }

    /// Until when nothing can happen that an equal query would find.
    fn quiet_until(&mut self, rank: u32, query: &Query, now: Time) -> Time {
        // When messages on shared links arrive is not known, and a collective goes on by being looked at.
        let has_schedules = !self.work.ranks[rank as usize].schedules.is_empty();
        if !self.work.in_network.is_empty() || has_schedules {
            return now;
        }
        let next = match self.work.events.peek() {
            Some(Reverse((at, _))) => *at,
            None => Time::MAX,
        };
        self.next_completion(rank, query, now)
            .map_or(next, |at| at.min(next))
    }

    /// The earliest known end after now of a transfer that a query asks for, or by which a started collective goes on.
    pub(super) fn next_completion(&self, rank: u32, query: &Query, now: Time) -> Option<Time> {
        let mut next: Option<Time> = None;
        for &slot in slots_of(query) {
            if self.place_of_schedule(rank, slot).is_some() {
                continue;
            }
            // What is complete by now was not enough.
            if let Some(completion) = self.completion_of(rank, own_slot(slot))
                && completion.at > now
            {
                next = Some(next.map_or(completion.at, |next| next.min(completion.at)));
            }
        }
        self.next_look(rank, next, now)
    }

    /// Whether a transfer or collective is complete by now.
    fn is_complete(&self, rank: u32, slot: Slot, now: Time) -> bool {
        match self.place_of_schedule(rank, slot) {
            Some(place) => self.next_of_schedule(rank, place).is_none(),
            None => self
                .completion_of(rank, own_slot(slot))
                .is_some_and(|completion| completion.at <= now),
        }
    }

    /// Ends transfers that are complete.
    fn completed(&mut self, rank: u32, slots: &[Slot]) -> Outcome {
        for &slot in slots {
            if self.place_of_schedule(rank, slot).is_some() {
                continue;
            }
            if let Some(completion) = self.completion_of(rank, own_slot(slot)) {
                self.finish(rank, own_slot(slot), false, false, completion);
            }
        }
        self.release_transfers(rank, slots)
    }

    /// Releases the slots of completed transfers.
    fn release_transfers(&mut self, rank: u32, slots: &[Slot]) -> Outcome {
        let mut completed = Vec::new();
        for &slot in slots {
            self.finish_schedule(rank, slot, 0);
            let process = self.process(rank);
            if let Some(own) = process.collectives.remove(&slot) {
                process.free.extend(own);
            }
            completed.push(Completed {
                slot,
                matched: None,
            });
        }
        for &slot in slots {
            let place = self.work.ranks[rank as usize].first_slot + own_slot(slot);
            self.work.slots[place as usize] = FREE;
        }
        Outcome::Completed(completed)
    }
}

/// Whether the answer depends on what other ranks have done by the time of the call.
fn looks_at_others(query: &Query) -> bool {
    match query {
        Query::Nothing | Query::All(_) | Query::Finalize => false,
        Query::Any(_)
        | Query::Some(_)
        | Query::TestAll(_)
        | Query::TestAny(_)
        | Query::TestSome(_)
        | Query::Probe { .. } => true,
    }
}

pub(super) fn slots_of(query: &Query) -> &[Slot] {
    match query {
        Query::All(slots)
        | Query::Any(slots)
        | Query::Some(slots)
        | Query::TestAll(slots)
        | Query::TestAny(slots)
        | Query::TestSome(slots) => slots,
        Query::Nothing | Query::Probe { .. } | Query::Finalize => &[],
    }
}
