//! Mode `emulate`: a rank's calls are submitted to the engine of the host, which answers when the rank goes on in virtual
//! time and what the call found. Data move through the shared memory as in the other modes; which message a receive gets is
//! the engine's answer, and the message is found by its number.

use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use crate::requests::{Pending, Receive, Request};
use crate::transfers::Transfer;
use crate::virtual_clock::{self, Reached};
use base_data::Time;
use base_data::emulation::{
    Action, Answer, EmulatedRank, Hello, Matched, Operation, Outcome as Answered, Query, Slot,
    Submission, Welcome,
};
use base_data::observation::ObservedRank;
use base_data::program_data::SendMode;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::path::Path;
use token_runtime::emulation::{given_times_path, read_message, socket_path, write_message};
use token_runtime::kernel::dispatcher;
use token_runtime::kernel::point_to_point::{self, Message};
use token_runtime::mpich::class;
use token_runtime::mpich::status::Envelope;
use token_runtime::termination::{self, Termination};

/// Own time that a rank has polled in vain after which its polls wait for the next event: a program may poll for so long and
/// then do something else, which it would do too late.
const PATIENCE: Time = Time::from_nanoseconds(1_000_000);
/// Work between polls reduces that time by this multiple of its own: a rank that works a little now and then does not only
/// poll. An interruption of the process, which cannot be distinguished from work, is short and rare.
const WORK_CREDIT: u64 = 50;
/// Between polls that wait for something, the program computes for so long at most. What polls themselves take is no part
/// of that.
const BUSY: Time = Time::from_nanoseconds(10_000);
/// So many different polls are known to find nothing at most.
const MOST_FAILED: usize = 64;

/// A rank of an emulated run.
pub struct Emulated(RefCell<State>);

struct State {
    /// Length and content of an answer are read at once.
    stream: BufReader<UnixStream>,
    /// What the present call has started and the engine does not know.
    actions: Vec<Action>,
    free: Vec<Slot>,
    slots: Slot,
    /// Contexts of communicators that the engine knows the members of.
    described: HashSet<u64>,
    /// What receives have got that the program has not completed.
    matched: HashMap<Slot, Matched>,
    /// Polls that found nothing, and until when they find nothing. The rank has only polled since.
    failed: Vec<(Query, Time)>,
    /// Whether no event was to come when the last of them was answered.
    is_last: bool,
    /// Own time of polls that found nothing, with next to nothing and no reading of a clock in between.
    in_vain: Time,
    /// The clock when the last poll that found nothing was left, if the rank has only computed since.
    left_poll: Option<Reached>,
    failed_polls: u64,
    /// Virtual time of the last answer, and how long the rank has polled since then.
    answered: Time,
    polled: Time,
    /// Virtual times of the entries of the recording.
    times: ObservedRank,
    entries: u64,
    /// Own computation up to the last entry, and polls since then.
    own: Time,
    /// Polls since the last entry that may belong to a later one.
    held: Held,
    /// Virtual time by which the replay of the entries so far is over earlier.
    ahead: Time,
    /// Virtual time of the present call's entry, if it has asked the engine.
    entered: Option<Time>,
    /// Whether the call is a poll that has found something, and the answer's [`Answer::ahead`].
    found: Option<Time>,
}

/// Polls that found nothing, which have no entries. Those before a poll that finds something are a wait for it.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    /// Own time of the polls, and of what lies between them.
    own: Time,
    /// Virtual time that the engine let pass in them.
    waited: Time,
}

/// A transfer or collective that the engine has the time of.
pub struct Timed {
    /// Its numbers; a neighbourhood collective has several.
    pub slots: Vec<Slot>,
    /// Whether the engine has said that it is complete.
    pub is_done: Cell<bool>,
    pub kind: TimedKind,
}

pub enum TimedKind {
    Send,
    /// With the context that its message has.
    Receive(Box<Receive>, u64),
    Collective(Box<dyn Pending>),
}

impl Timed {
    /// The same receive, whose data go to the place of another.
    pub fn into_place(self, receive: Receive) -> Self {
        let kind = match self.kind {
            TimedKind::Receive(_, context) => TimedKind::Receive(Box::new(receive), context),
            other => other,
        };
        Self { kind, ..self }
    }
}

/// How many of several requests a poll or wait asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    All,
    Any,
    Some,
}

impl Emulated {
    /// Connects to the engine; returns when all ranks have come, with the rank's node of the platform.
    pub fn connect(folder: &Path, rank: u32) -> std::io::Result<(Self, u32)> {
        let mut stream = BufReader::new(UnixStream::connect(socket_path(folder))?);
        let hello = Hello {
            rank,
            process: std::process::id(),
        };
        write_message(stream.get_mut(), &hello)?;
        let Welcome {
            speed,
            clocks,
            node,
        } = read_message(&mut stream)?;
        let given = termination::read(&given_times_path(folder, rank));
        let answer: Answer = read_message(&mut stream)?;
        virtual_clock::start(speed, clocks, given);
        virtual_clock::set(answer.now);
        let emulated = Self(RefCell::new(State {
            stream,
            actions: Vec::new(),
            free: Vec::new(),
            slots: 0,
            described: HashSet::new(),
            matched: HashMap::new(),
            failed: Vec::new(),
            is_last: false,
            in_vain: Time::ZERO,
            left_poll: None,
            failed_polls: 0,
            answered: answer.now,
            polled: Time::ZERO,
            times: ObservedRank::default(),
            entries: 0,
            own: Time::ZERO,
            held: Held::default(),
            ahead: Time::ZERO,
            entered: None,
            found: None,
        }));
        Ok((emulated, node))
    }

    fn new_slot(&self) -> Slot {
        let mut state = self.0.borrow_mut();
        state.free.pop().unwrap_or_else(|| {
            state.slots += 1;
            state.slots - 1
        })
    }

    fn free(&self, slots: &[Slot]) {
        self.0.borrow_mut().free.extend(slots);
    }

    fn start(&self, action: Action) {
        self.0.borrow_mut().actions.push(action);
    }

    /// Submits what the call has started, and its query.
    fn submit(&self, query: Query) -> Result<Answer, Failure> {
        virtual_clock::settle();
        let reached = virtual_clock::reached();
        let state = &mut *self.0.borrow_mut();
        let actions = std::mem::take(&mut state.actions);
        let is_poll = query.is_poll();
        let polled = std::mem::take(&mut state.polled);
        let submission = Submission {
            polled,
            computed: reached.now - state.answered - polled,
            spins: is_poll && state.in_vain >= PATIENCE,
            since: reached.now - virtual_clock::scaled(state.held.own) - state.held.waited,
            actions,
            query,
        };
        if !is_poll || !submission.actions.is_empty() {
            state.failed.clear();
            state.in_vain = Time::ZERO;
        }
        state.left_poll = None;
        state.entered.get_or_insert(reached.now);
        if virtual_clock::is_out_of_times() {
            return fatal(
                "computes more often than the file of compute times says; the program or its input differ",
            );
        }
        let answer: std::io::Result<Answer> = write_message(state.stream.get_mut(), &submission)
            .and_then(|()| read_message(&mut state.stream));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return fatal(&format!("has lost the engine of the emulation: {error}")),
        };
        virtual_clock::set(answer.now);
        state.answered = answer.now;
        match answer.outcome {
            Answered::Deadlock => Err(Failure::Fatal(Termination::Deadlock)),
            Answered::Refused(sentence) => fatal(&sentence),
            Answered::Completed(_) | Answered::Found(_) => Ok(answer),
        }
    }

    /// Submits a query that completes transfers; gives their slots.
    fn complete(&self, query: Query) -> Result<Vec<Slot>, Failure> {
        let answer = self.submit(query)?;
        Ok(self.completed(&answer))
    }

    /// The slots of transfers that an answer completes.
    fn completed(&self, answer: &Answer) -> Vec<Slot> {
        let mut done = Vec::new();
        if let Answered::Completed(completed) = &answer.outcome {
            let mut state = self.0.borrow_mut();
            for one in completed {
                if let Some(matched) = one.matched {
                    state.matched.insert(one.slot, matched);
                }
                done.push(one.slot);
            }
        }
        done
    }

    /// A poll begins. Whether an equal one has found nothing, and nothing can have happened since: then it is over.
    fn begin_poll(&self, query: &Query) -> bool {
        virtual_clock::settle();
        let reached = virtual_clock::reached();
        let state = &mut *self.0.borrow_mut();
        if let Some(left) = state.left_poll.take() {
            let between = reached.own - left.own;
            let worked = reached.worked_since(&left);
            if worked <= BUSY {
                state.hold(between);
                state.polled += reached.now - left.now;
                state.in_vain += worked;
            } else {
                state.in_vain =
                    (state.in_vain - (worked - BUSY).times(WORK_CREDIT)).max(Time::ZERO);
            }
            if reached.readings != left.readings {
                // A program that looks at the time may have a limit, which the next event may be far behind.
                state.in_vain = Time::ZERO;
            }
        }
        let known = state.failed.iter().find(|(failed, _)| failed == query);
        let is_known = state.actions.is_empty()
            && state.in_vain < PATIENCE
            && known.is_some_and(|&(_, until)| reached.now < until);
        if is_known {
            state.failed_polls += 1;
            virtual_clock::count_poll();
        }
        is_known
    }

    /// The engine has answered a poll that found nothing.
    fn note_failure(&self, query: Query, answer: &Answer) {
        let mut state = self.0.borrow_mut();
        state.failed_polls += 1;
        state.is_last = answer.is_last;
        state.failed.retain(|(failed, _)| *failed != query);
        if state.failed.len() == MOST_FAILED {
            state.failed.remove(0);
        }
        state.failed.push((query, answer.quiet_until));
        virtual_clock::count_answered_poll();
    }

    /// The engine has answered a poll that found something.
    fn note_success(&self, answer: &Answer) {
        let mut state = self.0.borrow_mut();
        state.found = Some(answer.ahead);
        state.in_vain = Time::ZERO;
        state.failed.clear();
    }

    /// Whether no event is to come that a poll could wait for.
    pub fn is_quiet_for_ever(&self) -> bool {
        self.0.borrow().is_last
    }

    /// Other ranks run until this one can go on.
    fn wait_until(&self, may_go_on: impl Fn() -> bool) -> Result<bool, Failure> {
        self.0.borrow_mut().in_vain = Time::ZERO;
        loop {
            let answer = self.submit(Query::TestAny(Vec::new()))?;
            if may_go_on() {
                return Ok(true);
            }
            let mut state = self.0.borrow_mut();
            if state.in_vain == PATIENCE && answer.quiet_until == Time::MAX {
                return Ok(false);
            }
            // From now on at each event.
            state.in_vain = PATIENCE;
        }
    }

    /// What the rank leaves.
    fn leave(&self) -> EmulatedRank {
        let mut state = self.0.borrow_mut();
        EmulatedRank {
            times: std::mem::take(&mut state.times),
            computed: virtual_clock::stretches(),
            failed_polls: state.failed_polls,
        }
    }
}

/// A call that waits for what it starts is a blocking one; where it also sends, it is `MPI_Sendrecv`, which starts its
/// receive first.
fn mark_blocking(actions: &mut [Action], slots: &[Slot]) {
    let sends = actions
        .iter()
        .any(|action| matches!(action, Action::Send { slot, .. } if slots.contains(slot)));
    for action in actions {
        match action {
            Action::Send { slot, blocking, .. } => *blocking = slots.contains(slot),
            Action::Receive { slot, blocking, .. } => *blocking = !sends && slots.contains(slot),
            Action::Collective { .. } => {}
        }
    }
}

fn fatal<T>(sentence: &str) -> Result<T, Failure> {
    Err(Failure::Fatal(Termination::Failure(sentence.into())))
}

impl Process {
    /// A send begins whose data have been taken.
    pub fn start_timed_send(
        &self,
        emulated: &Emulated,
        mode: SendMode,
        receiver: u32,
        message: &Message,
    ) -> Request {
        let slot = emulated.new_slot();
        emulated.start(Action::Send {
            slot,
            context: message.context,
            destination: receiver,
            tag: message.tag,
            bytes: message.bytes,
            mode,
            number: message.number,
            blocking: false,
        });
        timed(vec![slot], TimedKind::Send)
    }

    /// A receive begins.
    pub fn start_timed_receive(
        &self,
        emulated: &Emulated,
        transfer: &Transfer,
        receive: Receive,
    ) -> Result<Request, Failure> {
        let slot = emulated.new_slot();
        let wanted = self.wanted(transfer);
        let communicator = self.communicator(transfer.communicator);
        emulated.start(Action::Receive {
            slot,
            context: wanted.context,
            source: wanted
                .source
                .map(|source| communicator.partners()[source as usize]),
            tag: wanted.tag,
            bytes: transfer.bytes(),
            blocking: false,
        });
        Ok(timed(
            vec![slot],
            TimedKind::Receive(Box::new(receive), wanted.context),
        ))
    }

    /// A transfer is complete: its message is taken.
    pub fn complete_timed(&mut self, timed: Timed) -> Result<Envelope, Failure> {
        let Timed { slots, kind, .. } = timed;
        let matched = match &self.emulated {
            Some(emulated) => {
                emulated.free(&slots);
                let slot = slots.first().copied().unwrap_or(0);
                emulated.0.borrow_mut().matched.remove(&slot)
            }
            None => None,
        };
        match kind {
            TimedKind::Send => Ok(Envelope::EMPTY),
            TimedKind::Collective(collective) => {
                self.wait_for_contributions(collective.as_ref())?;
                collective.finish(self)
            }
            TimedKind::Receive(receive, context) => {
                let Some(matched) = matched else {
                    return fatal("has a receive without a message");
                };
                let source = self.rank_in(context, matched.source);
                let message = (context, source, matched.tag);
                let node = point_to_point::take_numbered(
                    self.memory(),
                    self.rank,
                    message,
                    matched.number,
                );
                match node {
                    Some(node) => self.receive_into(&Receive { node, ..*receive }),
                    None => fatal("has lost a message that the engine has matched"),
                }
            }
        }
    }

    /// Rank of the communicator with this context of a world rank of the group that messages come from.
    fn rank_in(&self, context: u64, world: u32) -> u32 {
        for communicator in self.communicators.iter().flatten() {
            if communicator.context == context {
                let position = communicator
                    .partners()
                    .iter()
                    .position(|&partner| partner == world);
                return position.unwrap_or(0) as u32;
            }
        }
        // The communicator was freed while the receive was under way; its ranks are kept in the message's own words.
        world
    }

    /// Waits for all of these requests.
    pub fn wait_for_timed<'a>(
        &self,
        emulated: &Emulated,
        requests: impl Iterator<Item = &'a Request>,
    ) -> Outcome {
        let open = open(requests);
        if open.is_empty() {
            return Ok(());
        }
        let slots: Vec<Slot> = open
            .iter()
            .flat_map(|timed| &timed.slots)
            .copied()
            .collect();
        mark_blocking(&mut emulated.0.borrow_mut().actions, &slots);
        emulated.complete(Query::All(slots))?;
        open.iter().for_each(|timed| timed.is_done.set(true));
        Ok(())
    }

    /// Waits for any of these requests, none of which is complete.
    pub fn wait_for_any_timed<'a>(
        &self,
        emulated: &Emulated,
        asks: Asks,
        requests: impl Iterator<Item = &'a Request>,
    ) -> Outcome {
        let open = open(requests);
        let slots = single_slots(&open)?;
        let query = match asks {
            Asks::Some => Query::Some(slots),
            Asks::Any | Asks::All => Query::Any(slots),
        };
        let done = emulated.complete(query)?;
        mark_done(&open, &done);
        Ok(())
    }

    /// Looks once whether requests are complete; those that are say so from now on. Whether it found any.
    pub fn poll_timed<'a>(
        &'a self,
        asks: Asks,
        requests: impl Iterator<Item = &'a Request>,
    ) -> Result<bool, Failure> {
        let Some(emulated) = &self.emulated else {
            return Ok(false);
        };
        let open = open(requests);
        if open.is_empty() {
            return Ok(true);
        }
        let query = match asks {
            Asks::All => {
                let slots = open.iter().flat_map(|timed| &timed.slots).copied();
                Query::TestAll(slots.collect())
            }
            Asks::Any => Query::TestAny(single_slots(&open)?),
            Asks::Some => Query::TestSome(single_slots(&open)?),
        };
        if emulated.begin_poll(&query) {
            return Ok(false);
        }
        let answer = emulated.submit(query.clone())?;
        let done = emulated.completed(&answer);
        if done.is_empty() {
            emulated.note_failure(query, &answer);
            return Ok(false);
        }
        emulated.note_success(&answer);
        mark_done(&open, &done);
        Ok(true)
    }

    /// Looks for a message, or waits for one.
    pub fn probe_timed(
        &self,
        emulated: &Emulated,
        transfer: &Transfer,
        blocking: bool,
    ) -> Result<Option<Envelope>, Failure> {
        let wanted = self.wanted(transfer);
        let communicator = self.communicator(transfer.communicator);
        let query = Query::Probe {
            context: wanted.context,
            source: wanted
                .source
                .map(|source| communicator.partners()[source as usize]),
            tag: wanted.tag,
            blocking,
        };
        if !blocking && emulated.begin_poll(&query) {
            return Ok(None);
        }
        let answer = emulated.submit(query.clone())?;
        let Answered::Found(found) = answer.outcome else {
            emulated.note_failure(query, &answer);
            return Ok(None);
        };
        if !blocking {
            emulated.note_success(&answer);
        }
        let source = self.rank_in(wanted.context, found.source);
        Ok(Some(Envelope::new(source as i32, found.tag, found.bytes)))
    }

    /// Waits until other ranks have given what a collective takes. The engine's schedule mostly implies that; not where
    /// its messages carry no data.
    fn wait_for_contributions(&self, collective: &dyn Pending) -> Outcome {
        if collective.is_complete(self) {
            return Ok(());
        }
        collective.wait_for(self);
        token_runtime::kernel::slot::wait_for(self.memory(), self.rank, 1);
        self.hand_over_token()
    }

    /// A blocking collective takes its time.
    pub fn time_collective(
        &self,
        emulated: &Emulated,
        communicator: usize,
        operation: TimedOperation,
    ) -> Outcome {
        let slots = self.start_collective_actions(emulated, communicator, operation, false);
        emulated.complete(Query::All(slots.clone()))?;
        emulated.free(&slots);
        Ok(())
    }

    /// A nonblocking collective begins; gives its request.
    pub fn start_timed_collective(
        &self,
        emulated: &Emulated,
        communicator: usize,
        operation: TimedOperation,
        collective: Box<dyn Pending>,
    ) -> Request {
        let slots = self.start_collective_actions(emulated, communicator, operation, true);
        timed(slots, TimedKind::Collective(collective))
    }

    fn start_collective_actions(
        &self,
        emulated: &Emulated,
        communicator: usize,
        operation: TimedOperation,
        is_started: bool,
    ) -> Vec<Slot> {
        let known = self.communicator(communicator);
        match operation {
            TimedOperation::All(operation) => {
                let slot = is_started.then(|| emulated.new_slot());
                let is_new = emulated.0.borrow_mut().described.insert(known.context);
                emulated.start(Action::Collective {
                    slot,
                    row: self.current.row,
                    context: known.context,
                    members: is_new.then(|| known.members()),
                    operation,
                });
                slot.into_iter().collect()
            }
            TimedOperation::Transfers { receives, sends } => {
                // No message of the program has this context.
                let context = !known.context;
                let world = |partner: u32| known.members()[partner as usize];
                let mut slots = Vec::new();
                for (partner, tag, bytes) in receives {
                    slots.push(emulated.new_slot());
                    emulated.start(Action::Receive {
                        slot: slots[slots.len() - 1],
                        context,
                        source: Some(world(partner)),
                        tag: Some(tag as i32),
                        bytes,
                        blocking: false,
                    });
                }
                for (partner, tag, bytes) in sends {
                    slots.push(emulated.new_slot());
                    emulated.start(Action::Send {
                        slot: slots[slots.len() - 1],
                        context,
                        destination: world(partner),
                        tag: tag as i32,
                        bytes,
                        mode: SendMode::Standard,
                        number: 0,
                        blocking: false,
                    });
                }
                slots
            }
        }
    }

    /// Submits what the call has started, if it has not done so.
    pub fn submit_started(&self) -> Outcome {
        match &self.emulated {
            Some(emulated) if !emulated.0.borrow().actions.is_empty() => {
                emulated.submit(Query::Nothing)?;
                Ok(())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Other ranks run until this one is runnable again; false if that will never be.
    pub fn let_others_run(&self, emulated: &Emulated) -> Result<bool, Failure> {
        emulated.wait_until(|| dispatcher::is_runnable(self.memory(), self.rank))
    }

    /// The rank has come to its end; returns when all have.
    pub fn end_emulation(&self, emulated: &Emulated) -> Outcome {
        emulated.submit(Query::Finalize)?;
        // What the program reads afterwards goes on from there.
        virtual_clock::leave();
        Ok(())
    }

    /// A call is entered.
    pub fn enter_emulated_call(&self) {
        if let Some(emulated) = &self.emulated {
            virtual_clock::enter();
            let recorded = self.entries();
            let mut state = emulated.0.borrow_mut();
            (state.entries, state.entered, state.found) = (recorded, None, None);
        }
    }

    /// The call is over.
    pub fn note_emulated_call(&self) {
        if self.emulated.is_some() {
            self.note_entries();
        }
    }

    /// The program computes again.
    pub fn leave_emulated_call(&self) {
        if let Some(emulated) = &self.emulated {
            emulated.leave_call();
        }
    }

    fn entries(&self) -> u64 {
        self.stream.as_ref().map_or(0, |stream| stream.recorded)
    }

    /// Times of the entries that the call has left: all of its time belongs to the first.
    fn note_entries(&self) {
        let Some(emulated) = &self.emulated else {
            return;
        };
        let new = self.entries() - emulated.0.borrow().entries;
        if new > 0 {
            emulated.note(new);
        } else {
            emulated.note_no_entry();
        }
    }

    /// A reading of the clock has left an entry.
    pub fn note_clock_entry(&self) {
        if let Some(emulated) = &self.emulated {
            emulated.note_clock();
        }
    }

    /// The last call has left its entry; the recording is about to be taken.
    pub fn end_emulated_calls(&self) {
        if self.emulated.is_some() {
            virtual_clock::settle();
            self.note_entries();
        }
    }

    /// Writes what an emulated rank leaves beside its recording.
    pub fn write_emulated(&self, folder: &Path) -> std::io::Result<()> {
        match &self.emulated {
            Some(emulated) => {
                let path = token_runtime::emulation::emulated_path(folder, self.rank);
                termination::write(&path, &emulated.leave())
            }
            None => Ok(()),
        }
    }

    /// The call cannot be emulated.
    pub fn refuse_emulated(&self, what: &str) -> Outcome {
        match self.emulated {
            Some(_) => fatal(what),
            None => Ok(()),
        }
    }
}

/// What a collective does, for the engine.
pub enum TimedOperation {
    All(Operation),
    /// Partner among all members, number of the message between the two, and bytes.
    Transfers {
        receives: Vec<(u32, u32, u64)>,
        sends: Vec<(u32, u32, u64)>,
    },
}

impl Emulated {
    /// Times of entries of one call. All that the rank did before belongs to the first, polls too; those of a poll that has
    /// found something are its wait, which lasts as long as the message takes.
    fn note(&self, entries: u64) {
        let state = &mut *self.0.borrow_mut();
        let Reached { now, own, .. } = virtual_clock::reached();
        let held = std::mem::take(&mut state.held);
        let gap = own - state.own + virtual_clock::unscaled(std::mem::take(&mut state.ahead));
        match state.found.take() {
            Some(ahead) => {
                state.times.gaps.push(gap);
                state.ahead = ahead;
            }
            None => {
                let waited = virtual_clock::unscaled(held.waited);
                state.times.gaps.push(gap + held.own + waited);
            }
        }
        let entered = state.entered.unwrap_or(now);
        state.times.durations.push(now - entered);
        for _ in 1..entries {
            state.times.gaps.push(Time::ZERO);
            state.times.durations.push(Time::ZERO);
        }
        state.own = own;
    }

    /// A reading of the clock has left an entry. Polls before it belong to the entry of the call that ends them.
    fn note_clock(&self) {
        let state = &mut *self.0.borrow_mut();
        let own = virtual_clock::reached().own;
        let gap = match state.left_poll {
            // What lies between polls belongs to them, too, unless it is work.
            Some(_) => Time::ZERO,
            None => {
                let before = std::mem::replace(&mut state.own, own);
                own - before + virtual_clock::unscaled(std::mem::take(&mut state.ahead))
            }
        };
        state.times.gaps.push(gap);
        state.times.durations.push(Time::ZERO);
    }

    /// The call has left no entry: its time belongs to the next.
    fn note_no_entry(&self) {
        let state = &mut *self.0.borrow_mut();
        if let Some(entered) = state.entered {
            state.held.waited += virtual_clock::reached().now - entered;
        }
    }

    /// The program computes again.
    fn leave_call(&self) {
        let before = virtual_clock::reached();
        if virtual_clock::leave().is_some() {
            let after = virtual_clock::reached();
            let state = &mut *self.0.borrow_mut();
            state.hold(after.own - before.own);
            state.in_vain += after.own - before.own;
            state.polled += after.now - before.now;
            state.left_poll = Some(after);
        }
    }
}

impl State {
    /// Own time is part of polls that found nothing.
    fn hold(&mut self, own: Time) {
        self.held.own += own;
        // What is computed before the next entry is without it.
        self.own += own;
    }
}

fn timed(slots: Vec<Slot>, kind: TimedKind) -> Request {
    Request::Timed(Timed {
        slots,
        is_done: Cell::new(false),
        kind,
    })
}

fn open<'a>(requests: impl Iterator<Item = &'a Request>) -> Vec<&'a Timed> {
    requests
        .filter_map(Request::timed)
        .filter(|timed| !timed.is_done.get())
        .collect()
}

fn single_slots(open: &[&Timed]) -> Result<Vec<Slot>, Failure> {
    let mut slots = Vec::new();
    for timed in open {
        match timed.slots[..] {
            [slot] => slots.push(slot),
            _ => {
                return wrong(
                    class::REQUEST,
                    "waits for one of several requests, among them a neighbourhood collective, which cannot be emulated",
                );
            }
        }
    }
    Ok(slots)
}

fn mark_done(open: &[&Timed], done: &[Slot]) {
    for timed in open {
        if timed.slots.iter().all(|slot| done.contains(slot)) {
            timed.is_done.set(true);
        }
    }
}
