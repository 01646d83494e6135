//! Mode `emulate`: a rank's calls are submitted to the engine of the host, which answers when the rank goes on in virtual
//! time and what the call found. Data move through the shared memory as in the other modes; which message a receive gets is
//! the engine's answer, and the message is found by its number.

use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use crate::requests::{Pending, Receive, Request};
use crate::transfers::Transfer;
use crate::virtual_clock;
use base_data::Time;
use base_data::emulation::{
    Action, Answer, EmulatedRank, Hello, Matched, Operation, Outcome as Answered, Query, Slot,
    Submission, Welcome,
};
use base_data::observation::ObservedRank;
use base_data::program_data::SendMode;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::os::unix::net::UnixStream;
use std::path::Path;
use token_runtime::emulation::{given_times_path, read_message, socket_path, write_message};
use token_runtime::kernel::dispatcher;
use token_runtime::kernel::point_to_point::{self, Message};
use token_runtime::mpich::class;
use token_runtime::mpich::status::Envelope;
use token_runtime::termination::{self, Termination};

/// Polls in a row without an event in between, after which a poll waits for the next event: a program may look so often and
/// then do something else, which it would do too late.
const SPINS: u64 = 1000;
/// Between polls that wait for something, a rank computes for so long at most.
const BUSY: Time = Time::from_nanoseconds(2000);

/// A rank of an emulated run.
pub struct Emulated(RefCell<State>);

struct State {
    stream: UnixStream,
    /// What the present call has started and the engine does not know.
    actions: Vec<Action>,
    free: Vec<Slot>,
    slots: Slot,
    /// Contexts of communicators that the engine knows the members of.
    described: HashSet<u64>,
    /// What receives have got that the program has not completed.
    matched: HashMap<Slot, Matched>,
    /// Polls that found nothing since the last answer that may have changed that, and until when they find nothing.
    failed: Vec<Query>,
    quiet_until: Time,
    /// Polls in a row that found nothing with next to nothing in between, and what the rank had computed before the first.
    spins: u64,
    spins_since: Option<Time>,
    failed_polls: u64,
    /// Virtual times of the entries of the recording.
    times: ObservedRank,
    entries: u64,
    /// Own computation up to the last entry.
    own: Time,
    /// Virtual time of the present call's entry, if it has asked the engine.
    entered: Option<Time>,
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
    /// Connects to the engine; returns when all ranks have come.
    pub fn connect(folder: &Path, rank: u32) -> std::io::Result<Self> {
        let mut stream = UnixStream::connect(socket_path(folder))?;
        let hello = Hello {
            rank,
            process: std::process::id(),
        };
        write_message(&mut stream, &hello)?;
        let Welcome { speed, clocks } = read_message(&mut stream)?;
        let given = termination::read(&given_times_path(folder, rank));
        let answer: Answer = read_message(&mut stream)?;
        virtual_clock::start(speed, clocks, given);
        virtual_clock::set(answer.now);
        Ok(Self(RefCell::new(State {
            stream,
            actions: Vec::new(),
            free: Vec::new(),
            slots: 0,
            described: HashSet::new(),
            matched: HashMap::new(),
            failed: Vec::new(),
            quiet_until: Time::ZERO,
            spins: 0,
            spins_since: None,
            failed_polls: 0,
            times: ObservedRank::default(),
            entries: 0,
            own: Time::ZERO,
            entered: None,
        })))
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
    fn submit(&self, query: Query, spins: bool) -> Result<Answer, Failure> {
        let state = &mut *self.0.borrow_mut();
        let actions = std::mem::take(&mut state.actions);
        let submission = Submission {
            computed: virtual_clock::stand(),
            actions,
            query,
            spins,
        };
        state.entered.get_or_insert(virtual_clock::reached().0);
        if virtual_clock::is_out_of_times() {
            return fatal("computes more often than the file of compute times says; the program or its input differ");
        }
        let answer: std::io::Result<Answer> = write_message(&mut state.stream, &submission)
            .and_then(|()| read_message(&mut state.stream));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return fatal(&format!("has lost the engine of the emulation: {error}")),
        };
        virtual_clock::set(answer.now);
        state.failed.clear();
        state.quiet_until = answer.quiet_until;
        match answer.outcome {
            Answered::Deadlock => Err(Failure::Fatal(Termination::Deadlock)),
            Answered::Refused(sentence) => fatal(&sentence),
            Answered::Completed(_) | Answered::Found(_) => Ok(answer),
        }
    }

    /// Submits a query that completes transfers; gives their slots.
    fn complete(&self, query: Query, spins: bool) -> Result<(Vec<Slot>, Time), Failure> {
        let answer = self.submit(query, spins)?;
        let mut done = Vec::new();
        if let Answered::Completed(completed) = answer.outcome {
            let mut state = self.0.borrow_mut();
            for one in completed {
                if let Some(matched) = one.matched {
                    state.matched.insert(one.slot, matched);
                }
                done.push(one.slot);
            }
        }
        Ok((done, answer.quiet_until))
    }

    /// Whether an equal poll has found nothing, and nothing can have happened since.
    fn is_known_to_fail(&self, query: &Query) -> bool {
        let Some(now) = virtual_clock::now() else {
            return false;
        };
        let state = self.0.borrow();
        state.actions.is_empty()
            && state.spins < SPINS
            && now < state.quiet_until
            && state.failed.contains(query)
    }

    /// Whether no event is to come that a poll could wait for.
    pub fn is_quiet_for_ever(&self) -> bool {
        self.0.borrow().quiet_until == Time::MAX
    }

    /// A poll found nothing.
    fn note_failure(&self, query: Query) {
        let mut state = self.0.borrow_mut();
        state.failed_polls += 1;
        let was_busy = virtual_clock::last_stretch() > BUSY;
        if was_busy || state.spins_since.is_none() {
            state.spins = 0;
            state.spins_since = Some(virtual_clock::reached().1);
        }
        state.spins += 1;
        if !state.failed.contains(&query) {
            state.failed.push(query);
        }
    }

    /// Other ranks run until this one can go on.
    fn wait_until(&self, may_go_on: impl Fn() -> bool) -> Result<bool, Failure> {
        let mut spins = false;
        loop {
            let nothing = Query::TestAny(Vec::new());
            let answer = self.submit(nothing, spins)?;
            if may_go_on() {
                return Ok(true);
            }
            if spins && answer.quiet_until == Time::MAX {
                return Ok(false);
            }
            spins = true;
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
    let sends = actions.iter().any(|action| {
        matches!(action, Action::Send { slot, .. } if slots.contains(slot))
    });
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
        let slots: Vec<Slot> = open.iter().flat_map(|timed| &timed.slots).copied().collect();
        mark_blocking(&mut emulated.0.borrow_mut().actions, &slots);
        emulated.complete(Query::All(slots), false)?;
        emulated.end_spins();
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
        let (done, _) = emulated.complete(query, false)?;
        emulated.end_spins();
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
        if emulated.is_known_to_fail(&query) {
            emulated.note_failure(query);
            return Ok(false);
        }
        let spins = emulated.0.borrow().spins >= SPINS;
        let (done, quiet_until) = emulated.complete(query.clone(), spins)?;
        if done.is_empty() {
            emulated.note_quiet_failure(query, quiet_until);
            return Ok(false);
        }
        emulated.end_spins();
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
        if !blocking && emulated.is_known_to_fail(&query) {
            emulated.note_failure(query);
            return Ok(None);
        }
        let spins = !blocking && emulated.0.borrow().spins >= SPINS;
        let answer = emulated.submit(query.clone(), spins)?;
        let Answered::Found(found) = answer.outcome else {
            emulated.note_quiet_failure(query, answer.quiet_until);
            return Ok(None);
        };
        emulated.end_spins();
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
        emulated.complete(Query::All(slots.clone()), false)?;
        emulated.free(&slots);
        emulated.end_spins();
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
                emulated.submit(Query::Nothing, false)?;
                emulated.end_spins();
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
        emulated.submit(Query::Finalize, false)?;
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
            (state.entries, state.entered) = (recorded, None);
        }
    }

    /// The call is left.
    pub fn leave_emulated_call(&self) {
        if self.emulated.is_some() {
            self.note_entries();
            virtual_clock::leave();
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
        }
    }

    /// A reading of the clock has left an entry.
    pub fn note_clock_entry(&self) {
        if let Some(emulated) = &self.emulated {
            emulated.0.borrow_mut().entered = None;
            emulated.note(1);
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
    /// Times of entries of one call.
    fn note(&self, entries: u64) {
        let state = &mut *self.0.borrow_mut();
        let (now, own) = virtual_clock::reached();
        // Polls that waited with nothing in between belong to the call that ends them.
        let until = state.spins_since.take().unwrap_or(own);
        state.times.gaps.push((until - state.own).max(Time::ZERO));
        let entered = state.entered.unwrap_or(now);
        state.times.durations.push(now - entered);
        for _ in 1..entries {
            state.times.gaps.push(Time::ZERO);
            state.times.durations.push(Time::ZERO);
        }
        state.own = own;
    }

    /// The rank has got what it polled for, or does something else.
    fn end_spins(&self) {
        let mut state = self.0.borrow_mut();
        state.spins = 0;
        // A stretch of work between the polls and this call is work.
        if virtual_clock::last_stretch() > BUSY {
            state.spins_since = None;
        }
    }

    fn note_quiet_failure(&self, query: Query, quiet_until: Time) {
        self.note_failure(query);
        self.0.borrow_mut().quiet_until = quiet_until;
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
