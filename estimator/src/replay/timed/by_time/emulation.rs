//! The same replay of ranks that run: steps come from their processes, call by call, and what a call finds goes back.
//! So an emulated run and the replay of its recording cost messages by the same rules.
//!
//! A rank whose steps are over is either done with its call, and its process goes on before anything else happens; or it
//! waits for the first of several things, or polls. Those look at what has happened until *now* and so happen in their
//! turn, like starts of transfers. A process that goes on may be ahead of the others in time, since no other rank can
//! notice what it computes.
//!
//! A collective with a request goes on whenever the rank waits for it or tests it, as in libraries without a thread
//! of their own.

use super::super::super::collectives;
use super::super::super::dataflow::{BlockTimes, LinkScales, Replay};
use super::super::super::groups::Groups;
use super::super::super::lower::{CallSites, OpenRank, RankLowering};
use super::super::super::observer::{Observer, Probed};
use super::super::super::program::{
    Channel, ChannelTag, MachineSide, Pattern, RankSteps, Sending, Size, Step, StepList, Steps,
    Target,
};
use super::super::super::protocol::{self, Completion};
use super::super::super::tables::Tables;
use super::super::super::workspace::Outcome as ReplayOutcome;
use super::{ByTime, Event, FREE, RankActivity, RankState, Rules, Run};
use crate::numbered::Numbered;
use crate::{EstimateError, setup};
use base_data::block_table::{CallSite, CallSiteKey};
use base_data::emulation::{
    Action, Answer, Completed, Elements, Engine, Matched, Operation, Outcome, Query, Slot,
    Submission, Turn,
};
use base_data::estimate_file::Category;
use base_data::mpi::Datatype;
use base_data::mpi::functions::FUNCTIONS;
use base_data::program_data::{Call, Communicator, Counts, Op, Operand, ProgramData, SendMode};
use base_data::{CallSiteId, CommId, Rank, RankSet, RequestId, Time};
use machine::network::Sharing;
use machine::{NetworkModel, Platform};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// What is known of the ranks' processes.
#[derive(Debug, Default)]
pub(super) struct Processes {
    of_rank: Vec<Process>,
    /// Ranks whose processes go on, in this order.
    ready: VecDeque<u32>,
    /// How many have come to their end.
    ended: usize,
    /// Ranks whose polls wait for the next event.
    idle: Vec<u32>,
}

/// The process of a rank.
#[derive(Debug, Default)]
struct Process {
    query: Query,
    /// Of a probe: what it looks for, by number.
    pattern: u32,
    spins: bool,
    /// From when on the replay of a poll waits.
    since: Time,
    outcome: Outcome,
    quiet_until: Time,
    is_last: bool,
    /// By how much the replay of a poll is over earlier.
    ahead: Time,
    /// Counts what the process was answered, and what it was woken for.
    version: u32,
    /// Collectives that were started: steps that are left, and slots that they use.
    collectives: BTreeMap<Slot, Rest>,
    /// Slots of the collectives' messages: those that are free, and how many there are.
    free: Vec<u32>,
    scratch: u32,
    /// Slots of the present call's collectives.
    of_call: Vec<u32>,
}

/// What is left of a collective.
#[derive(Debug, Default)]
struct Rest {
    steps: VecDeque<Step>,
    slots: Vec<u32>,
    /// When the last of its transfers so far was complete.
    complete_at: Time,
}

/// The slot of a process's transfer. Slots of messages of collectives lie between them.
fn own_slot(slot: Slot) -> u32 {
    slot * 2
}

fn scratch_slot(number: u32) -> u32 {
    number * 2 + 1
}

impl<T: BlockTimes, O: Observer> Run<'_, '_, T, O> {
    /// Whether a process goes on before the next event.
    pub(super) fn is_turn_of_process(&self) -> bool {
        match &self.work.processes {
            Some(processes) => !processes.ready.is_empty(),
            None => false,
        }
    }

    /// The steps of a rank are over: it has ended, or its process asks for something.
    pub(super) fn steps_are_over(&mut self, rank: u32, now: Time) {
        if self.work.processes.is_none() {
            self.work.ranks[rank as usize].activity = RankActivity::Ended;
        } else {
            self.ask(rank, now);
        }
    }

    fn process(&mut self, rank: u32) -> &mut Process {
        let processes = self.work.processes.get_or_insert_default();
        &mut processes.of_rank[rank as usize]
    }

    /// Answers the query of a process, or lets it wait.
    fn ask(&mut self, rank: u32, now: Time) {
        let query = std::mem::take(&mut self.process(rank).query);
        // What has happened by then is known when all that is earlier has happened, and what other processes do next is
        // known, too.
        let clock = self.work.ranks[rank as usize].clock;
        if looks_at_others(&query) && (clock > now || self.is_turn_of_process()) {
            self.process(rank).query = query;
            return self.add(clock.max(now), Event::Runs { rank });
        }
        if query == Query::Finalize {
            return self.end(rank);
        }
        match self.answer(rank, &query, now) {
            Some(outcome) => self.go_on(rank, outcome),
            None => {
                self.process(rank).query = query;
                self.wait_for_change(rank, now);
            }
        }
    }

    /// The answer to a query; `None` if the rank waits.
    fn answer(&mut self, rank: u32, query: &Query, now: Time) -> Option<Outcome> {
        match query {
            Query::Nothing => Some(Outcome::default()),
            Query::All(slots) => Some(self.over(rank, slots)),
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
                    // All are looked at: a collective goes on, whether or not another is complete.
                    are_complete &= self.is_complete(rank, slot, now);
                }
                if !are_complete {
                    return self.found_nothing(rank, query, now);
                }
                Some(self.found(rank, query, slots))
            }
            Query::Probe { .. } => {
                let pattern = self.process(rank).pattern;
                let found = self.first_that_fits(rank, pattern);
                if let Some((transfer, sent)) = found {
                    let since = self.process(rank).since;
                    let end = protocol::noticed(self.costs_of(transfer), sent, since).end;
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
        let mut end = self.process(rank).since;
        for &slot in slots {
            if let Some(rest) = self.process(rank).collectives.get(&slot) {
                end = end.max(rest.complete_at);
            } else if let Some(completion) = self.completion(rank, own_slot(slot)) {
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
        if !self.work.in_network.is_empty() || !self.process(rank).collectives.is_empty() {
            return now;
        }
        let next = match self.work.events.peek() {
            Some(Reverse((at, _))) => *at,
            None => Time::MAX,
        };
        self.next_completion(rank, query, now)
            .map_or(next, |at| at.min(next))
    }

    /// Whether another rank waits in a poll.
    fn others_poll(&self, rank: u32) -> bool {
        let Some(processes) = &self.work.processes else {
            return false;
        };
        let polls =
            |(other, process): (usize, &Process)| other != rank as usize && process.query.is_poll();
        processes.of_rank.iter().enumerate().any(polls)
    }

    /// The earliest known end after now of a transfer that a query asks for.
    fn next_completion(&mut self, rank: u32, query: &Query, now: Time) -> Option<Time> {
        let mut next: Option<Time> = None;
        for &slot in slots_of(query) {
            let clock = self.work.ranks[rank as usize].clock;
            let known = match self.process(rank).collectives.get(&slot) {
                Some(Rest { steps, .. }) => match steps.front() {
                    Some(&Step::Finish { slot, .. }) => self.completion(rank, slot),
                    // The collective goes on as soon as the rank can.
                    Some(_) | None => Some(Completion {
                        at: clock,
                        overhead: Time::ZERO,
                    }),
                },
                None => self.completion(rank, own_slot(slot)),
            };
            // What is complete by now was not enough.
            if let Some(completion) = known.filter(|completion| completion.at > now) {
                next = Some(next.map_or(completion.at, |next| next.min(completion.at)));
            }
        }
        next
    }

    fn completion(&self, rank: u32, slot: u32) -> Option<Completion> {
        let state = &self.work.ranks[rank as usize];
        self.work.slots[(state.first_slot + slot) as usize].completion
    }

    /// Whether a transfer is complete by now; a collective goes as far as it can.
    fn is_complete(&mut self, rank: u32, slot: Slot, now: Time) -> bool {
        let Some(mut rest) = self.process(rank).collectives.remove(&slot) else {
            return self
                .completion(rank, own_slot(slot))
                .is_some_and(|completion| completion.at <= now);
        };
        while let Some(&step) = rest.steps.front() {
            let is_early = match step {
                Step::Finish { slot, .. } => match self.completion(rank, slot) {
                    Some(completion) if completion.at <= now => {
                        rest.complete_at = rest.complete_at.max(completion.at);
                        false
                    }
                    Some(_) | None => true,
                },
                // What the rank did before in this call has taken time, and others can notice the step.
                _ => self.is_noticed(rank, step) && self.work.ranks[rank as usize].clock > now,
            };
            if is_early {
                break;
            }
            rest.steps.pop_front();
            self.step(rank, step, now);
        }
        let is_over = rest.steps.is_empty();
        self.process(rank).collectives.insert(slot, rest);
        is_over
    }

    /// Ends transfers that are complete.
    fn completed(&mut self, rank: u32, slots: &[Slot]) -> Outcome {
        for &slot in slots {
            if self.process(rank).collectives.contains_key(&slot) {
                continue;
            }
            if let Some(completion) = self.completion(rank, own_slot(slot)) {
                self.finish(rank, own_slot(slot), false, false, completion);
            }
        }
        self.over(rank, slots)
    }

    /// Transfers that have ended are no longer kept.
    fn over(&mut self, rank: u32, slots: &[Slot]) -> Outcome {
        let mut completed = Vec::new();
        let process = self.process(rank);
        for &slot in slots {
            if let Some(rest) = process.collectives.remove(&slot) {
                process.free.extend(rest.slots);
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

    /// The process goes on with an outcome.
    fn go_on(&mut self, rank: u32, outcome: Outcome) {
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
    fn wait_for_change(&mut self, rank: u32, now: Time) {
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
    pub(super) fn polls_in_vain(&mut self, rank: u32) -> bool {
        self.work.processes.is_some() && {
            let process = self.process(rank);
            process.spins && process.query.is_poll()
        }
    }

    /// Polls that wait for the next event, which happens now.
    pub(super) fn wake_idle_polls(&mut self, now: Time) {
        let Some(processes) = &mut self.work.processes else {
            return;
        };
        for rank in std::mem::take(&mut processes.idle) {
            self.wake(rank, now);
        }
    }

    /// A rank that waits is asked again at a time, if its process has not gone on until then.
    pub(super) fn wake(&mut self, rank: u32, at: Time) {
        let clock = self.work.ranks[rank as usize].clock;
        let process = self.process(rank);
        if process.query == Query::default() {
            // Its process computes.
            return;
        }
        let version = process.version;
        self.add(at.max(clock), Event::Asks { rank, version });
    }

    /// A rank may have what it waits for.
    pub(super) fn ask_again(&mut self, rank: u32, version: u32, now: Time) {
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
    fn end_a_poll(&mut self) {
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
        self.go_on(rank, Outcome::default());
    }

    /// The rank has polled for so long without asking: it was inside MPI.
    fn has_polled(&mut self, rank: u32, time: Time) {
        if time > Time::ZERO {
            self.spend(rank, Category::ReceiveWait, time);
        }
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

fn slots_of(query: &Query) -> &[Slot] {
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

/// Which message each receive and each probe got.
#[derive(Debug, Default)]
struct Matches {
    /// By channel: its ends and tag, and number and length of messages that no receive has got. `None` for collectives.
    channels: Vec<Option<Sent>>,
    /// By receiver and slot.
    received: HashMap<(u32, u32), Matched>,
    /// By rank.
    found: HashMap<u32, Matched>,
}

#[derive(Debug)]
struct Sent {
    source: u32,
    destination: u32,
    tag: i32,
    messages: VecDeque<(u64, u64)>,
}

impl Observer for &mut Matches {
    fn matched(&mut self, channel: u32, _send_slot: u32, receive_slot: u32) {
        // Messages of a channel match in the order of sending.
        if let Some(sent) = &mut self.channels[channel as usize]
            && let Some((number, bytes)) = sent.messages.pop_front()
        {
            let (source, tag) = (sent.source, sent.tag);
            let matched = Matched {
                source,
                tag,
                bytes,
                number,
            };
            self.received
                .insert((sent.destination, receive_slot), matched);
        }
    }

    fn probed(&mut self, probed: &Probed) {
        if let Some(sent) = &self.channels[probed.channel as usize]
            && let Some(&(number, bytes)) = sent.messages.front()
        {
            let (source, tag) = (sent.source, sent.tag);
            self.found.insert(
                probed.rank,
                Matched {
                    source,
                    tag,
                    bytes,
                    number,
                },
            );
        }
    }
}

/// Times that the ranks' processes have taken, by rank.
struct ComputedTimes<'a>(&'a [Time]);

impl BlockTimes for ComputedTimes<'_> {
    fn time(&mut self, rank: u32, _variant: u32, _first: bool) -> Time {
        self.0[rank as usize]
    }

    fn state(&self, _rank: u32) -> Option<u64> {
        None
    }
}

/// An emulated run.
pub(crate) struct Emulation<'p> {
    platform: &'p Platform,
    nodes: Vec<u32>,
    network: Box<dyn NetworkModel>,
    rules: Rules,
    steps: Steps,
    machine: MachineSide,
    work: ByTime,
    matches: Matches,
    tables: Tables,
    contexts: Numbered<u64>,
    /// What lowering a collective needs: communicators, datatypes and counts.
    data: ProgramData,
    groups: Groups,
    /// Communicators by context and members, and by context and rank.
    by_members: HashMap<(u64, Vec<u32>), CommId>,
    by_rank: HashMap<(u64, u32), CommId>,
    /// Collectives under way, by rank.
    open: Vec<OpenRank>,
    computed: Vec<Time>,
    answered: usize,
}

impl std::fmt::Debug for Emulation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulation").finish_non_exhaustive()
    }
}

impl<'p> Emulation<'p> {
    /// A run of so many ranks that is about to begin.
    ///
    /// # Errors
    /// Groups that are none; there are only those of the world yet.
    pub(crate) fn new(
        platform: &'p Platform,
        network: Box<dyn NetworkModel>,
        rules: Rules,
        ranks: u32,
    ) -> Result<Self, EstimateError> {
        let world = Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::all(ranks),
        };
        let alone = Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::default(),
        };
        let mut data = ProgramData {
            ranks,
            communicators: vec![world, alone],
            ..ProgramData::default()
        };
        for function in FUNCTIONS {
            data.table.call_sites.push(call_site(function.name));
        }
        let groups = groups(&data)?;
        let mut steps = Steps {
            variants: 1,
            ..Steps::default()
        };
        let mut pus = Vec::new();
        for rank in 0..ranks {
            steps.lists.push(StepList::default());
            steps.ranks.push(RankSteps {
                list: rank,
                first_channel: 0,
            });
            pus.push(platform.pu_of(Rank(rank)));
        }
        let machine = MachineSide {
            pus,
            costs: Vec::new(),
            combine: Vec::new(),
        };
        let mut open = Vec::new();
        open.resize_with(ranks as usize, OpenRank::default);
        let mut emulation = Self {
            platform,
            nodes: platform.shared_nodes(ranks),
            network,
            rules,
            steps,
            machine,
            work: ByTime::default(),
            matches: Matches::default(),
            tables: Tables::default(),
            contexts: Numbered::default(),
            data,
            groups,
            by_members: HashMap::new(),
            by_rank: HashMap::new(),
            open,
            computed: vec![Time::ZERO; ranks as usize],
            answered: 0,
        };
        emulation.work.begin(ranks as usize);
        Ok(emulation)
    }

    /// When the last rank ended.
    pub(crate) fn end(&self) -> Time {
        let clocks = self.work.ranks.iter().map(|state| state.clock);
        clocks.max().unwrap_or_default()
    }

    /// Lets the replay go on.
    fn replay<R>(
        &mut self,
        go_on: impl FnOnce(&mut Run<'_, '_, ComputedTimes<'_>, &mut Matches>) -> R,
    ) -> R {
        let shares_links = self.network.sharing() == Sharing::Links;
        let mut replay = Replay {
            steps: &self.steps,
            machine: &self.machine,
            scales: LinkScales::ONE,
            times: ComputedTimes(&self.computed),
            observer: &mut self.matches,
        };
        let mut run = Run {
            replay: &mut replay,
            network: self.network.as_mut(),
            work: &mut self.work,
            rules: self.rules,
            shares_links,
            outcome: ReplayOutcome::default(),
        };
        go_on(&mut run)
    }

    fn process(&mut self, rank: u32) -> &mut Process {
        let processes = self.work.processes.get_or_insert_default();
        &mut processes.of_rank[rank as usize]
    }

    fn add_steps(&mut self, rank: u32, submission: &Submission) -> Result<(), String> {
        let mut steps = Vec::new();
        self.computed[rank as usize] = submission.computed;
        if submission.computed > Time::ZERO {
            steps.push(Step::Compute {
                block: 0,
                variant: 0,
                index: 0,
            });
        }
        let process = self.process(rank);
        let of_last_call = std::mem::take(&mut process.of_call);
        process.free.extend(of_last_call);
        let mut blocking = Vec::new();
        for action in &submission.actions {
            self.add_action(rank, action, &mut steps)?;
            if let Action::Send {
                slot,
                blocking: true,
                ..
            }
            | Action::Receive {
                slot,
                blocking: true,
                ..
            } = action
            {
                blocking.push(*slot);
            }
        }
        self.add_query(rank, &submission.query, &blocking, &mut steps);
        self.extend_tables();
        self.reserve_slots(rank, &steps, slots_of(&submission.query));
        let length = steps.len();
        self.steps.lists[rank as usize].steps = steps;
        self.work.ranks[rank as usize].cursor.rewind(length);
        Ok(())
    }

    fn add_action(
        &mut self,
        rank: u32,
        action: &Action,
        steps: &mut Vec<Step>,
    ) -> Result<(), String> {
        match action {
            Action::Send {
                slot,
                context,
                destination,
                tag,
                bytes,
                mode,
                number,
                blocking,
            } => {
                let channel = self.channel(*context, rank, *destination, *tag);
                if let Some(sent) = &mut self.matches.channels[channel as usize] {
                    sent.messages.push_back((*number, *bytes));
                }
                let size = self.size(rank, *destination, *bytes, sending(*mode));
                steps.push(Step::Send {
                    channel,
                    size,
                    slot: own_slot(*slot),
                    blocking: *blocking,
                });
            }
            Action::Receive {
                slot,
                context,
                source,
                tag,
                bytes,
                blocking,
            } => {
                let (slot, blocking) = (own_slot(*slot), *blocking);
                let size = self.size(source.unwrap_or(rank), rank, *bytes, Sending::Standard);
                steps.push(match (source, tag) {
                    (Some(source), Some(tag)) => Step::Receive {
                        channel: self.channel(*context, *source, rank, *tag),
                        size,
                        slot,
                        blocking,
                    },
                    (source, tag) => Step::ReceiveAny {
                        pattern: self.pattern(*context, *source, *tag),
                        size,
                        slot,
                        blocking,
                    },
                });
            }
            Action::Collective {
                slot,
                row,
                context,
                members,
                operation,
            } => {
                let communicator = self.communicator(rank, *context, members.as_deref())?;
                let (started, rest) =
                    self.collective(rank, (*row, *slot), communicator, operation)?;
                let (started, rest, slots) = self.with_own_slots(rank, started, rest);
                steps.extend(started);
                let process = self.process(rank);
                match slot {
                    None => process.of_call.extend(slots),
                    Some(slot) => {
                        let steps = rest.into();
                        let rest = Rest {
                            steps,
                            slots,
                            complete_at: Time::ZERO,
                        };
                        process.collectives.insert(*slot, rest);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a call waits for in any case are steps; the rest is asked when they are over.
    fn add_query(&mut self, rank: u32, query: &Query, blocking: &[Slot], steps: &mut Vec<Step>) {
        if let Query::All(slots) = query {
            for slot in slots {
                match self.process(rank).collectives.get_mut(slot) {
                    Some(rest) => steps.extend(std::mem::take(&mut rest.steps)),
                    None => steps.push(Step::Finish {
                        slot: own_slot(*slot),
                        blocking: blocking.contains(slot),
                        collective: false,
                    }),
                }
            }
        }
        if let Query::Probe {
            context,
            source,
            tag,
            ..
        } = query
        {
            self.process(rank).pattern = 0;
            let pattern = self.pattern(*context, *source, *tag);
            self.process(rank).pattern = pattern;
        }
    }

    fn channel(&mut self, context: u64, source: u32, destination: u32, tag: i32) -> u32 {
        let communicator = CommId(self.contexts.number(context));
        let channel = Channel {
            communicator,
            source,
            destination,
            tag: ChannelTag::Value(tag.into()),
        };
        let number = self.tables.channels.number(channel);
        if number as usize == self.matches.channels.len() {
            self.matches.channels.push(Some(Sent {
                source,
                destination,
                tag,
                messages: VecDeque::new(),
            }));
        }
        number
    }

    fn size(&mut self, source: u32, destination: u32, bytes: u64, sending: Sending) -> u32 {
        let link = self.platform.link(Rank(source), Rank(destination));
        self.tables.sizes.number(Size {
            link,
            bytes,
            sending,
        })
    }

    fn pattern(&mut self, context: u64, source: Option<u32>, tag: Option<i32>) -> u32 {
        let communicator = CommId(self.contexts.number(context));
        self.tables.patterns.number(Pattern {
            communicator,
            source,
            tag: tag.map(i64::from),
        })
    }

    /// The communicator of a collective. Groups that were split from one communicator share their context.
    fn communicator(
        &mut self,
        rank: u32,
        context: u64,
        members: Option<&[u32]>,
    ) -> Result<CommId, String> {
        if let Some(&known) = self.by_rank.get(&(context, rank)) {
            return Ok(known);
        }
        let Some(members) = members else {
            return Err("names a communicator that it has not described".into());
        };
        let id = match members {
            [_] => CommId::SELF,
            _ => {
                let next = CommId::from_index(self.data.communicators.len());
                let key = (context, members.to_vec());
                let id = *self.by_members.entry(key).or_insert(next);
                if id == next {
                    let ranks = members.iter().copied().map(Rank);
                    self.data.communicators.push(Communicator {
                        parent: Some(CommId::WORLD),
                        sequence: 0,
                        group: RankSet::from_ranks(ranks),
                    });
                    self.groups = groups(&self.data).map_err(|error| error.to_string())?;
                }
                id
            }
        };
        self.by_rank.insert((context, rank), id);
        Ok(id)
    }

    /// The steps of a collective that the call takes, and those that are left for the call that completes it.
    fn collective(
        &mut self,
        rank: u32,
        (row, slot): (u32, Option<Slot>),
        communicator: CommId,
        operation: &Operation,
    ) -> Result<(Vec<Step>, Vec<Step>), String> {
        let request = slot.map(RequestId);
        let site = CallSiteId(row);
        let call = self.call_of(communicator, operation, request);
        let (platform, ranks) = (self.platform, (rank, Rank(rank)));
        let link = move |a: u32, b: u32| platform.link(Rank(a), Rank(b));
        let target = Target::of(platform, &link, &self.nodes);
        let open = &mut self.open[ranks.0 as usize];
        open.list.steps.clear();
        let stream = [Op::Call { site, call }];
        let mut lowering = RankLowering {
            data: &self.data,
            sites: CallSites::OfTable(&self.data.table.call_sites),
            target: &target,
            groups: &self.groups,
            tables: &mut self.tables,
            rank: ranks.1,
            position: 0,
            stream: &stream,
            open,
        };
        let lowered = match &stream[0] {
            Op::Call {
                call: Call::MakeCommunicator { parent, .. },
                ..
            } => collectives::make_communicator(&mut lowering, site, *parent),
            Op::Call { call, .. } => collectives::lower(&mut lowering, site, call),
            Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => Ok(()),
        };
        lowered.map_err(|error| error.to_string())?;
        let started = std::mem::take(&mut lowering.open.list.steps);
        if let Some(request) = request
            && let Some(rest) = lowering.open.requests.collectives.remove(&request)
        {
            collectives::complete(&mut lowering, rest);
        }
        let rest = std::mem::take(&mut lowering.open.list.steps);
        // Channels of collectives keep no numbers of messages.
        while self.matches.channels.len() < self.tables.channels.values().len() {
            self.matches.channels.push(None);
        }
        Ok((started, rest))
    }

    fn call_of(
        &mut self,
        communicator: CommId,
        operation: &Operation,
        request: Option<RequestId>,
    ) -> Call {
        let communicator = Operand::Constant(communicator.0.into());
        let Operation::Data {
            kind,
            root,
            sent,
            received,
            datatype,
            reduce_op,
        } = operation
        else {
            return Call::MakeCommunicator {
                parent: communicator,
                made: Operand::Constant(-1),
            };
        };
        // Only this call needs its counts.
        self.data.count_tables.clear();
        Call::Collective {
            kind: *kind,
            communicator,
            root: root.map(|root| Operand::Constant(root.into())),
            counts: self.counts(sent),
            receive_counts: received.as_ref().map(|received| self.counts(received)),
            datatype: self.datatype(datatype),
            reduce_op: *reduce_op,
            request,
        }
    }

    fn counts(&mut self, elements: &Elements) -> Counts {
        match elements {
            Elements::Same(count) => Counts::Same(Operand::Constant(*count as i64)),
            Elements::Each(counts) => {
                self.data.count_tables.push(vec![counts.clone()]);
                Counts::PerRank(self.data.count_tables.len() as u32 - 1)
            }
        }
    }

    fn datatype(&mut self, datatype: &Datatype) -> u32 {
        let known = self
            .data
            .datatypes
            .iter()
            .position(|known| known == datatype);
        let number = known.unwrap_or_else(|| {
            self.data.datatypes.push(datatype.clone());
            self.data.datatypes.len() - 1
        });
        number as u32
    }

    /// Gives the messages of a collective slots that no other transfer of the rank has.
    fn with_own_slots(
        &mut self,
        rank: u32,
        mut started: Vec<Step>,
        mut rest: Vec<Step>,
    ) -> (Vec<Step>, Vec<Step>, Vec<u32>) {
        let process = self.process(rank);
        let mut own: BTreeMap<u32, u32> = BTreeMap::new();
        for step in started.iter_mut().chain(&mut rest) {
            if let Step::Send { slot, .. }
            | Step::Receive { slot, .. }
            | Step::ReceiveAny { slot, .. }
            | Step::NoTransfer { slot }
            | Step::Finish { slot, .. } = step
            {
                *slot = *own.entry(*slot).or_insert_with(|| {
                    process.free.pop().unwrap_or_else(|| {
                        process.scratch += 1;
                        scratch_slot(process.scratch - 1)
                    })
                });
            }
        }
        (started, rest, own.into_values().collect())
    }

    /// Makes known what the new steps refer to.
    fn extend_tables(&mut self) {
        let channels = self.tables.channels.values();
        let known = self.steps.channels.len();
        for (number, channel) in channels.iter().enumerate().skip(known) {
            self.steps.rank_channels.push(number as u32);
            self.steps.channels.push(*channel);
        }
        let patterns = self.tables.patterns.values();
        let known = self.steps.patterns.len();
        self.steps.patterns.extend_from_slice(&patterns[known..]);
        let sizes = self.tables.sizes.values();
        for size in &sizes[self.steps.sizes.len()..] {
            let costs = setup::cost_of(size, self.network.as_ref());
            self.machine.costs.push(costs);
            self.steps.sizes.push(*size);
        }
        let local = &self.tables.local_times.values()[self.machine.combine.len()..];
        if !local.is_empty() {
            let times = setup::local_times(local, self.steps.ranks.len(), self.platform);
            self.machine.combine.extend(times);
        }
    }

    fn reserve_slots(&mut self, rank: u32, steps: &[Step], queried: &[Slot]) {
        let mut slots = 0;
        for step in steps {
            if let Step::Send { slot, .. }
            | Step::Receive { slot, .. }
            | Step::ReceiveAny { slot, .. }
            | Step::NoTransfer { slot }
            | Step::Finish { slot, .. } = step
            {
                slots = slots.max(slot + 1);
            }
        }
        for &slot in queried {
            slots = slots.max(own_slot(slot) + 1);
        }
        // Slots of what a started collective does later.
        let scratch = self.process(rank).scratch;
        self.work
            .reserve_slots(rank, slots.max(scratch_slot(scratch)));
    }

    fn answer_of(&mut self, rank: u32) -> Answer {
        let now = self.work.ranks[rank as usize].clock;
        let process = self.process(rank);
        let quiet_until = std::mem::take(&mut process.quiet_until);
        let is_last = std::mem::take(&mut process.is_last);
        let ahead = std::mem::take(&mut process.ahead);
        let mut outcome = std::mem::take(&mut process.outcome);
        match &mut outcome {
            Outcome::Completed(completed) => {
                for one in completed {
                    let place = (rank, own_slot(one.slot));
                    one.matched = self.matches.received.remove(&place);
                }
            }
            Outcome::Found(found) => {
                *found = self.matches.found.remove(&rank).unwrap_or_default();
            }
            Outcome::Deadlock | Outcome::Refused(_) => {}
        }
        Answer {
            now,
            outcome,
            quiet_until,
            is_last,
            ahead,
        }
    }

    /// A rank that waits for ever: the first.
    fn stuck(&self) -> Option<u32> {
        let waits = |state: &RankState| state.activity != RankActivity::Ended;
        let rank = self.work.ranks.iter().position(waits)?;
        Some(rank as u32)
    }
}

impl Engine for Emulation<'_> {
    fn speed(&self, rank: u32) -> f64 {
        self.platform.speed_of(Rank(rank))
    }

    fn node(&self, rank: u32) -> u32 {
        self.platform.node_of(Rank(rank))
    }

    fn submit(&mut self, rank: u32, submission: &Submission) -> Result<(), String> {
        self.add_steps(rank, submission)?;
        let process = self.process(rank);
        process.query = submission.query.clone();
        process.spins = submission.spins;
        process.since = submission.since;
        self.work.ranks[rank as usize].activity = RankActivity::Runs;
        let now = self.work.now;
        self.replay(|run| {
            run.has_polled(rank, submission.polled);
            run.runs(rank, now);
        });
        Ok(())
    }

    fn next_turn(&mut self) -> Turn {
        let ranks = self.work.ranks.len();
        loop {
            if self.answered == ranks {
                return Turn::Over;
            }
            let processes = self.work.processes.get_or_insert_default();
            let is_end = processes.ended == ranks;
            if let Some(rank) = processes.ready.pop_front() {
                let answer = self.answer_of(rank);
                if !is_end {
                    return Turn::Resume(rank, answer);
                }
                self.answered += 1;
                return Turn::End(rank, answer);
            }
            self.replay(|run| run.in_order());
            if !self.is_turn_of_process() {
                self.replay(|run| run.end_a_poll());
            }
            if !self.is_turn_of_process() {
                return match self.stuck() {
                    Some(rank) => Turn::Stuck(rank),
                    None => Turn::Over,
                };
            }
        }
    }
}

impl Emulation<'_> {
    fn is_turn_of_process(&mut self) -> bool {
        let processes = self.work.processes.get_or_insert_default();
        !processes.ready.is_empty()
    }
}

impl ByTime {
    /// Ranks whose processes are about to go on for the first time.
    fn begin(&mut self, ranks: usize) {
        self.ranks.resize_with(ranks, RankState::default);
        self.mailboxes.for_all(ranks);
        self.moves.reset(ranks);
        self.executed.reset(1);
        let mut processes = Processes::default();
        processes.of_rank.resize_with(ranks, Process::default);
        processes.ready.extend(0..ranks as u32);
        for state in &mut self.ranks {
            state.activity = RankActivity::Asks;
        }
        self.processes = Some(processes);
    }

    /// Gives a rank at least so many slots.
    fn reserve_slots(&mut self, rank: u32, slots: u32) {
        let state = &mut self.ranks[rank as usize];
        if slots <= state.slots {
            return;
        }
        let count = slots.next_power_of_two();
        let old = state.first_slot as usize..(state.first_slot + state.slots) as usize;
        // The rank's old slots stay unused: as many at most as all have.
        let first = self.slots.len();
        self.slots.extend_from_within(old);
        self.slots.resize(first + count as usize, FREE);
        (state.first_slot, state.slots) = (first as u32, count);
    }
}

fn sending(mode: SendMode) -> Sending {
    match mode {
        SendMode::Standard | SendMode::Ready => Sending::Standard,
        SendMode::Synchronous => Sending::Synchronous,
        SendMode::Buffered => Sending::Buffered,
    }
}

fn groups(data: &ProgramData) -> Result<Groups, EstimateError> {
    Groups::of(data).map_err(|reason| EstimateError::Program {
        place: "emulated program".into(),
        reason,
    })
}

fn call_site(function: &str) -> CallSite {
    CallSite {
        key: CallSiteKey::Object {
            object: String::new(),
            offset: 0,
        },
        function: function.into(),
        procedure: String::new(),
        span: None,
        loop_path: Vec::new(),
    }
}
