//! Mode `emulate`: a rank's calls are submitted to the engine of the host, which answers when the rank goes on in virtual
//! time and what the call found. Data move through the shared memory as in the other modes; which message a receive gets is
//! the engine's answer, and the message is found by its number.
//!
//! # Answers that a rank does not wait for
//!
//! An answer costs two switches between processes. In a run of LU with 64 ranks, whose calls are 2 µs of computation apart, the
//! system spent 55 % of all processor time on them, the engine 3 %. A faster exchange would shorten the switches; a rank
//! that needs no answer saves them. It needs none where the answer can only be the time:
//!
//! - A send, and the wait for it, whatever its protocol.
//! - The start of a receive or a collective.
//! - The wait for a receive that names source and tag, if its message is here, and no receive with a wildcard was posted before
//!   it that may take the message. By MPI's order it gets the first message of its source and tag that no earlier receive
//!   gets, at any time.
//! - The wait for a collective whose data are here.
//!
//! Such a call is kept, and submitted with the next whose answer the rank needs: a wildcard, a poll, a wait for any of several
//! requests or for data that are not here, a reading of a clock. The engine takes the calls one by one, when it would have
//! let the rank go on. It gets the same calls, with the same times, in the same order as if each was answered, so the
//! result is the same. Only the ranks' processes run in another order, which no rank can notice.

use crate::entry_guard;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use crate::requests::{Pending, Receive, Request};
use crate::sampled_tasks;
use crate::sliced_blocks;
use crate::transfers::Transfer;
use crate::virtual_clock::{self, Reached};
use base_data::Time;
use base_data::emulation::{
    Action, Answer, EmulatedRank, Hello, Matched, Operation, Outcome as Answered, Query, Slot,
    Submission, Taken, Welcome,
};
use base_data::observation::ObservedRank;
use base_data::program_data::SendMode;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::path::Path;
use token_runtime::emulation::{Batch, given_times_path, read_message, socket_path, write_message};
use token_runtime::kernel::dispatcher;
use token_runtime::kernel::point_to_point::{self, Message, Wanted};
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
/// So many calls go without an answer at most, and so many bytes that they send: they are in memory until their receivers run.
const MOST_UNANSWERED: usize = 4096;
const MOST_UNANSWERED_BYTES: u64 = 1 << 20;

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
    /// Receives that the program has not completed, as they were posted.
    posted: Vec<Posted>,
    /// Calls that the engine has not got.
    unanswered: Batch,
    /// Entries of these calls; `None` for the present call, whose entry is not made.
    entries_of: Vec<Option<usize>>,
    /// Bytes that these calls send.
    sent_bytes: u64,
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
    /// Whether the present call was submitted, and how long it took, as far as that is known.
    is_submitted: bool,
    took: Time,
    /// Whether the call is a poll that has found something, and the answer's [`Answer::ahead`].
    found: Option<Time>,
}

/// A receive that the program has not completed.
#[derive(Clone, Copy, Debug)]
struct Posted {
    slot: Slot,
    wanted: Wanted,
    /// World rank of the source, if it names one.
    source: Option<u32>,
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
        sampled_tasks::prepare();
        virtual_clock::start(speed, clocks, given);
        if sliced_blocks::prepare(rank) {
            virtual_clock::leave_out_own();
        }
        virtual_clock::catch_up(answer.now);
        let emulated = Self(RefCell::new(State {
            stream,
            actions: Vec::new(),
            free: Vec::new(),
            slots: 0,
            described: HashSet::new(),
            matched: HashMap::new(),
            posted: Vec::new(),
            unanswered: Batch::default(),
            entries_of: Vec::new(),
            sent_bytes: 0,
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
            is_submitted: false,
            took: Time::ZERO,
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

    /// Submits what the call has started, and its query; gives the answer.
    fn submit(&self, call: u64, query: Query) -> Result<Answer, Failure> {
        self.add(call, query, Vec::new())?;
        self.exchange()
    }

    /// The same for a query whose answer can only be the time: the rank goes on without it. Receives have taken these
    /// messages.
    fn submit_unanswered(&self, call: u64, query: Query, taken: Vec<(Slot, Matched)>) -> Outcome {
        let numbers = taken.iter().map(|&(slot, matched)| Taken {
            slot,
            number: matched.number,
        });
        self.add(call, query, numbers.collect())?;
        if self.may_add_more(taken) {
            return Ok(());
        }
        self.exchange()?;
        Ok(())
    }

    /// Keeps what receives have taken; whether a further call may go without an answer.
    fn may_add_more(&self, taken: Vec<(Slot, Matched)>) -> bool {
        let mut state = self.0.borrow_mut();
        state.matched.extend(taken);
        state.unanswered.messages() < MOST_UNANSWERED && state.sent_bytes < MOST_UNANSWERED_BYTES
    }

    /// Adds a call to those that the engine has not got.
    fn add(&self, call: u64, query: Query, taken: Vec<Taken>) -> Outcome {
        virtual_clock::settle();
        let reached = virtual_clock::reached();
        let state = &mut *self.0.borrow_mut();
        let actions = std::mem::take(&mut state.actions);
        let is_poll = query.is_poll();
        let polled = std::mem::take(&mut state.polled);
        let since_answer = reached.now - state.answered;
        let submission = Submission {
            polled,
            computed: since_answer - polled,
            spins: is_poll && state.in_vain >= PATIENCE,
            polled_before: virtual_clock::scaled(state.held.own) + state.held.waited,
            actions,
            query,
            taken,
            call,
        };
        if !is_poll || !submission.actions.is_empty() {
            state.failed.clear();
            state.in_vain = Time::ZERO;
        }
        state.left_poll = None;
        if state.is_submitted {
            // A function of the program has computed in the middle of the call.
            state.took += since_answer;
        }
        state.is_submitted = true;
        if virtual_clock::is_out_of_times() {
            return fatal(
                "computes more often than the file of compute times says; the program or its input differ",
            );
        }
        if let Err(error) = state.unanswered.push(&submission) {
            return fatal(&format!("has a call that cannot be submitted: {error}"));
        }
        state.entries_of.push(None);
        virtual_clock::fall_behind(state.answered);
        // The list is used again by the next call.
        state.actions = submission.actions;
        state.actions.clear();
        Ok(())
    }

    /// Gives the engine the calls that it has not got; gives the answer to the last.
    fn exchange(&self) -> Result<Answer, Failure> {
        let state = &mut *self.0.borrow_mut();
        let answer: std::io::Result<Answer> = state
            .unanswered
            .write(state.stream.get_mut())
            .and_then(|()| read_message(&mut state.stream));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return fatal(&format!("has lost the engine of the emulation: {error}")),
        };
        match answer.outcome {
            Answered::Deadlock => return Err(Failure::Fatal(Termination::Deadlock)),
            Answered::Refused(sentence) => return fatal(&sentence),
            Answered::Completed(_) | Answered::Found(_) => {}
        }
        for (entry, &took) in state.entries_of.drain(..).zip(&answer.took) {
            match entry {
                Some(entry) => state.times.durations[entry] += took,
                None => state.took += took,
            }
        }
        state.sent_bytes = 0;
        virtual_clock::catch_up(answer.now - state.answered);
        state.answered = answer.now;
        Ok(answer)
    }

    /// What receives of a query get whose messages are here; `None` if the engine must say what one gets, or its message is
    /// not here.
    fn take_what_is_here(
        &self,
        process: &Process,
        open: &[&Timed],
    ) -> Option<Vec<(Slot, Matched)>> {
        let state = self.0.borrow();
        let mut taken = Vec::new();
        for timed in open {
            match &timed.kind {
                TimedKind::Send => {}
                TimedKind::Collective(collective) => {
                    if !collective.is_complete(process) {
                        return None;
                    }
                }
                TimedKind::Receive(..) => {
                    for &slot in &timed.slots {
                        taken.push((slot, state.message_of(process, slot)?));
                    }
                }
            }
        }
        Some(taken)
    }

    /// Submits a query that completes transfers; gives their slots.
    fn complete(&self, call: u64, query: Query) -> Result<Vec<Slot>, Failure> {
        let answer = self.submit(call, query)?;
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
    fn wait_until(&self, call: u64, may_go_on: impl Fn() -> bool) -> Result<bool, Failure> {
        self.0.borrow_mut().in_vain = Time::ZERO;
        loop {
            let answer = self.submit(call, Query::TestAny(Vec::new()))?;
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
            tasks: sampled_tasks::take_calls(),
            untimed: sliced_blocks::take_untimed(),
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
        emulated.0.borrow_mut().sent_bytes += message.bytes;
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
        let source = wanted
            .source
            .map(|source| communicator.partners()[source as usize]);
        emulated.0.borrow_mut().posted.push(Posted {
            slot,
            wanted,
            source,
        });
        emulated.start(Action::Receive {
            slot,
            context: wanted.context,
            source,
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
                let state = &mut *emulated.0.borrow_mut();
                state.posted.retain(|posted| posted.slot != slot);
                state.matched.remove(&slot)
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
        let query = Query::All(slots);
        match emulated.take_what_is_here(self, &open) {
            Some(taken) => emulated.submit_unanswered(self.call_word(), query, taken)?,
            None => {
                emulated.complete(self.call_word(), query)?;
            }
        }
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
        let done = emulated.complete(self.call_word(), query)?;
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
        let answer = emulated.submit(self.call_word(), query.clone())?;
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
        let answer = emulated.submit(self.call_word(), query.clone())?;
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

    /// A blocking collective takes its time. Whether the data that it takes are here.
    pub fn time_collective(
        &self,
        emulated: &Emulated,
        communicator: usize,
        operation: TimedOperation,
        is_complete: bool,
    ) -> Outcome {
        let slots = self.start_collective_actions(emulated, communicator, operation, false);
        let query = Query::All(slots.clone());
        if is_complete {
            emulated.submit_unanswered(self.call_word(), query, Vec::new())?;
        } else {
            emulated.complete(self.call_word(), query)?;
        }
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
                emulated.submit_unanswered(self.call_word(), Query::Nothing, Vec::new())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Other ranks run until this one is runnable again; false if that will never be.
    pub fn let_others_run(&self, emulated: &Emulated) -> Result<bool, Failure> {
        emulated.wait_until(self.call_word(), || {
            dispatcher::is_runnable(self.memory(), self.rank)
        })
    }

    /// The rank has come to its end; returns when all have.
    pub fn end_emulation(&self, emulated: &Emulated) -> Outcome {
        emulated.submit(self.call_word(), Query::Finalize)?;
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
            (state.entries, state.found) = (recorded, None);
            (state.is_submitted, state.took) = (false, Time::ZERO);
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
            return emulated.note(new);
        }
        if emulated.0.borrow().entries_of.last() == Some(&None) {
            // How long the call took belongs to no entry that could get it later.
            self.catch_up();
        }
        emulated.note_no_entry();
    }

    /// The clock shows the virtual time again.
    pub fn catch_up(&self) {
        let Some(emulated) = self
            .emulated
            .as_ref()
            .filter(|_| virtual_clock::is_behind())
        else {
            return;
        };
        if let Err(failure) = emulated.exchange() {
            self.end(match failure {
                Failure::Fatal(termination) => termination,
                Failure::Argument(_, sentence) => Termination::Failure(sentence),
            });
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
            // How long the last calls took is written with the recording.
            self.catch_up();
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
        let own = virtual_clock::reached().own;
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
        // Last come those that the call has submitted.
        for entry in state.entries_of.iter_mut().rev() {
            if entry.is_some() {
                break;
            }
            *entry = Some(state.times.durations.len());
        }
        let duration = state.took_so_far();
        state.times.durations.push(duration);
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
        state.held.waited += state.took_so_far();
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

    /// How long the present call took, without what the engine has not answered.
    fn took_so_far(&self) -> Time {
        if !self.is_submitted {
            return Time::ZERO;
        }
        // Functions of the program may have computed since the last answer.
        self.took + (virtual_clock::reached().now - self.answered)
    }

    /// The message that a receive gets, if that does not depend on time and the message is here.
    fn message_of(&self, process: &Process, slot: Slot) -> Option<Matched> {
        if let Some(&matched) = self.matched.get(&slot) {
            return Some(matched);
        }
        let place = self.posted.iter().position(|posted| posted.slot == slot)?;
        let Posted { wanted, source, .. } = self.posted[place];
        let (source, tag) = (source?, wanted.tag?);
        // Earlier receives of the same messages get theirs first.
        let mut earlier = 0;
        for other in &self.posted[..place] {
            if other.wanted.context != wanted.context {
                continue;
            }
            if let Some(matched) = self.matched.get(&other.slot) {
                earlier += usize::from(matched.source == source && matched.tag == tag);
                continue;
            }
            let may_take = other
                .wanted
                .source
                .is_none_or(|other| Some(other) == wanted.source)
                && other.wanted.tag.is_none_or(|other| other == tag);
            if may_take && other.wanted != wanted {
                return None;
            }
            earlier += usize::from(may_take);
        }
        let message = point_to_point::nth(process.memory(), process.rank, wanted, earlier)?;
        Some(Matched {
            source,
            tag,
            bytes: message.bytes,
            number: message.number,
        })
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

/// The program reads a clock outside MPI: the clock shows the virtual time again.
pub fn catch_up_outside() {
    entry_guard::enter_outside(|process| process.catch_up());
}
