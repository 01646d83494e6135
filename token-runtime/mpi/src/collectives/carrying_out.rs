//! Carrying out plans: a call joins its instance, gives, waits if it must, takes and leaves.
//! Blocking calls do all of it; the others leave the second half to the call that completes them.

use super::areas::Areas;
use super::members::Members;
use super::plan::{Piece, Plan, Take, Takes};
use super::recording::{Form, no_form};
use crate::failure::{Failure, Outcome};
use crate::process::{Level, Process};
use crate::requests::{Pending, Request, Start};
use base_data::mpi::functions::FUNCTIONS;
use std::cell::Cell;
use std::rc::Rc;
use token_runtime::ending::Ending;
use token_runtime::feeding::{Brought, Ticket};
use token_runtime::kernel::collective::parcels::{self, Header};
use token_runtime::kernel::collective::{self, JoinError, Key, Member, Mismatch, Signature, contexts};
use token_runtime::kernel::{heap, slot};
use token_runtime::mpich::status::Envelope;

/// A collective that this rank takes part in and has not completed.
struct Started {
    plan: Rc<Plan>,
    /// Row of the function that started it.
    row: u32,
    level: Level,
    context: u64,
    instance: u64,
    own: u32,
    ticket: Option<Ticket>,
}

/// A persistent collective.
struct Persistent {
    plan: Rc<Plan>,
    row: u32,
    sequence: u64,
    rounds: Cell<u64>,
}

impl Process {
    /// Carries out a blocking call.
    pub fn carry_out(&mut self, plan: Plan) -> Outcome {
        self.record_collective(plan.communicator, plan.recorded.as_ref())?;
        if self.is_only_recorded() {
            return Ok(());
        }
        if let Some(lone) = self.lone.clone() {
            return self.carry_out_alone(&lone, &plan);
        }
        if let Some(fed) = self.fed.clone() {
            let begun = self.begin_fed(fed, Rc::new(plan))?;
            return self.finish_fed(&begun);
        }
        let key = self.next_key(plan.communicator);
        let joined = self.join_instance(Rc::new(plan), key)?;
        if self.has_threads() {
            self.look_until(|| joined.is_complete(self))?;
        } else if !joined.is_complete(self) {
            joined.wait_for(self);
            slot::wait_for(self.memory(), self.rank, 1);
            self.pass_token()?;
        }
        self.finish_collective(&joined)
    }

    /// Carries out a nonblocking call; gives the number of its request.
    pub fn start_collective(&mut self, plan: Plan) -> Result<u32, Failure> {
        let (communicator, recorded) = (plan.communicator, plan.recorded.clone());
        let request = if self.is_only_recorded() {
            Request::Done(Envelope::EMPTY)
        } else {
            let key = self.next_key(plan.communicator);
            self.start_plan(Rc::new(plan), key)?
        };
        let number = self.requests.add(request);
        self.record_started(communicator, recorded.as_ref(), number)?;
        Ok(number)
    }

    /// Starts what can be completed later.
    fn start_plan(&mut self, plan: Rc<Plan>, key: Key) -> Result<Request, Failure> {
        Ok(Request::Pending(match self.fed.clone() {
            Some(fed) => Box::new(self.begin_fed(fed, plan)?),
            None => Box::new(self.join_instance(plan, key)?),
        }))
    }

    /// Makes a persistent request; gives its number.
    pub fn make_collective(&mut self, plan: Plan) -> Result<u32, Failure> {
        let (form, Key { sequence, .. }) = (plan.recorded.clone(), self.next_key(plan.communicator));
        if form.is_none() && self.stream.is_some() {
            return Err(no_form());
        }
        let (plan, row) = (Rc::new(plan), self.current.row);
        let persistent = Persistent { plan, row, sequence, rounds: Cell::new(0) };
        let number = self.requests.add(Request::Persistent(Box::new(persistent), None));
        if let Some(Form::Transfers(transfers)) = form {
            self.divide_request(number, transfers.len());
        }
        Ok(number)
    }

    pub(super) fn next_key(&mut self, communicator: usize) -> Key {
        let sequence = self.communicator(communicator).collectives;
        self.communicator_mut(communicator).collectives += 1;
        Key { sequence, round: 0 }
    }

    fn join_instance(&mut self, plan: Rc<Plan>, key: Key) -> Result<Started, Failure> {
        self.meet_others()?;
        let members = self.members(plan.communicator);
        let context = self.shared_context(plan.communicator)?;
        let parcel = self.parcel(&plan)?;
        let (row, level) = (self.current.row, self.current.level);
        let signature = Signature {
            function: row,
            root: plan.root,
            bytes: plan.bytes,
            operation: plan.combination.as_ref().map_or(0, |combination| combination.word()),
            level: level as u32,
        };
        let instance = self.enter_instance(context, key, &members, signature)?;
        parcels::give(self.memory(), instance, members.own, parcel, plan.readers);
        if let (Some(combination), Some(_)) = (&plan.combination, &plan.gives) {
            self.make_links(instance, members.own, combination)?;
        }
        let (member, needs) = (self.as_member(&members), plan.needs.borrowed());
        self.with_room(|| collective::arrive(self.memory(), instance, &member, needs))?;
        if contexts::is_far_ahead(self.memory(), context) {
            self.pass_token()?;
        }
        let ticket = self.ticket();
        Ok(Started { plan, row, level, context, instance, own: members.own, ticket })
    }

    pub(super) fn as_member(&self, members: &Members) -> Member {
        Member { index: members.own, world: self.rank, place: self.place() }
    }

    /// The instance of a call.
    pub(super) fn enter_instance(
        &self,
        context: u64,
        key: Key,
        members: &Members,
        signature: Signature,
    ) -> Result<u64, Failure> {
        let (memory, member) = (self.memory(), self.as_member(members));
        let enter = || collective::enter(memory, context, key, members.sizes, &member, signature);
        self.with_room(|| match enter() {
            Ok(instance) => Ok(Ok(instance)),
            Err(JoinError::OutOfMemory(error)) => Err(error),
            Err(JoinError::Mismatch(mismatch)) => Ok(Err(disagreement(mismatch, signature))),
        })?
    }

    /// The communicator's state in shared memory.
    pub(super) fn shared_context(&mut self, index: usize) -> Result<u64, Failure> {
        let communicator = self.communicator(index);
        if communicator.shared != 0 {
            return Ok(communicator.shared);
        }
        let (context, leader) = (communicator.context, communicator.leader());
        let shared = self.with_room(|| collective::context(self.memory(), context, leader))?;
        self.communicator_mut(index).shared = shared;
        Ok(shared)
    }

    /// A block with what this rank gives; 0 if that is nothing or nobody needs it.
    fn parcel(&self, plan: &Plan) -> Result<u64, Failure> {
        let Some(gives) = plan.gives.as_ref().filter(|_| self.current.level == Level::Payload) else {
            return Ok(0);
        };
        let areas = || (0..u64::from(gives.pieces)).map(|piece| gives.areas.get(piece));
        let bytes: u64 = areas().map(|area| area.bytes()).sum();
        if bytes == 0 {
            return Ok(0);
        }
        let each = matches!(gives.areas, Areas::Same(_)).then(|| bytes / u64::from(gives.pieces));
        let header = Header { pieces: gives.pieces.into(), labelled: gives.labels.is_some(), each };
        let words = header.words() + bytes.div_ceil(8);
        let block = self.with_room(|| heap::allocate(self.memory(), words))?;
        header.write(self.memory(), block);
        let (first, mut end) = (header.words() * 8, 0);
        for (piece, area) in (0..).zip(areas()) {
            self.pack_area(block, first + end, &area)?;
            end += area.bytes();
            header.set_end(self.memory(), block, piece, end);
        }
        for (piece, &label) in (0..).zip(gives.labels.iter().flat_map(|labels| labels.iter())) {
            header.set_label(self.memory(), block, piece, label);
        }
        Ok(block)
    }

    /// Takes what has been given, and leaves.
    fn finish_collective(&mut self, joined: &Started) -> Outcome {
        self.fetch_parcels(joined);
        for take in joined.plan.takes.each() {
            if joined.level == Level::Payload {
                self.take(joined, &take)?;
            }
            parcels::read(self.memory(), joined.instance, take.member);
        }
        collective::end(self.memory(), joined.context, joined.instance, joined.own);
        self.keep(joined.ticket, || joined.brought());
        Ok(())
    }

    /// A rank that takes something from very many others touches a page of each, and all ranks do so: that
    /// the system finds all these pages at once is what keeps the time from growing with the cube of ranks.
    fn fetch_parcels(&self, joined: &Started) {
        const MANY: u32 = 512;
        let &Takes::Partners { first, count: count @ MANY.., .. } = &joined.plan.takes else { return };
        let block = |member| collective::contribution(self.memory(), joined.instance, member);
        let blocks = || (first..first + count).map(block).filter(|&block| block != 0);
        let own = block(joined.own);
        let (Some(lowest), Some(highest)) = (blocks().min(), blocks().max()) else { return };
        if own == 0 {
            return;
        }
        let (length, all) = (heap::words(self.memory(), own), highest - lowest);
        // Parcels with much else between them are found one by one.
        if all <= 2 * length * u64::from(count) {
            self.segment.fetch(lowest..highest + length);
        }
    }

    fn take(&self, joined: &Started, take: &Take) -> Outcome {
        let memory = self.memory();
        let Some(area) = joined.plan.into.as_ref().map(|areas| areas.get(take.area)) else { return Ok(()) };
        let block = collective::contribution(memory, joined.instance, take.member);
        let (piece, expected) = match take.piece {
            Piece::Number(number) => (parcels::piece(memory, block, number), area.bytes()),
            Piece::Part { whole, .. } => (parcels::piece(memory, block, 0), whole),
            Piece::Labelled { .. } if block == 0 => (0..0, area.bytes()),
            Piece::Labelled { label, nth } => match parcels::labelled(memory, block, label, nth) {
                Some(number) => (parcels::piece(memory, block, number), area.bytes()),
                None => (0..0, area.bytes()),
            },
        };
        if piece.end - piece.start != expected {
            return Err(self.unequal(joined, take.member, piece.end - piece.start, expected));
        }
        let offset = if let Piece::Part { offset, .. } = take.piece { offset } else { 0 };
        self.unpack_area(block, piece.start + offset, &area)
    }

    /// A partner's data have another length than this rank takes.
    fn unequal(&self, joined: &Started, member: u32, sent: u64, expected: u64) -> Failure {
        let (other, place) = collective::who(self.memory(), joined.instance, member);
        let name = FUNCTIONS[joined.row as usize].name;
        Failure::Fatal(Ending::Mismatch {
            other,
            theirs: format!("{name} with {sent} bytes for this rank"),
            place,
            ours: format!("{name} with {expected} bytes from that rank"),
        })
    }
}

impl Started {
    fn is_complete(&self, process: &Process) -> bool {
        collective::is_complete(process.memory(), self.instance, self.own)
    }

    fn wait_for(&self, process: &Process) {
        collective::await_happening(process.memory(), self.instance, self.own);
    }

    /// What the call has put into its areas; nothing if nobody needed that.
    fn brought(&self) -> Brought {
        let areas = self.plan.into.as_ref().filter(|_| self.level == Level::Payload);
        let piece = |areas: &Areas, take: Take| areas.get(take.area).packed().unwrap_or_default();
        let pieces = areas.map(|areas| self.plan.takes.each().map(|take| piece(areas, take)).collect());
        Brought { pieces: pieces.unwrap_or_default(), ..Brought::default() }
    }
}

impl Pending for Started {
    fn is_complete(&self, process: &Process) -> bool {
        self.is_complete(process)
    }

    fn wait_for(&self, process: &Process) {
        self.wait_for(process);
    }

    fn forget(&self, process: &Process) {
        collective::await_no_more(process.memory(), self.instance, self.own);
    }

    fn finish(self: Box<Self>, process: &mut Process) -> Result<Envelope, Failure> {
        process.finish_collective(&self)?;
        Ok(Envelope::EMPTY)
    }
}

impl Start for Persistent {
    fn start(&self, process: &mut Process) -> Result<Request, Failure> {
        if process.is_only_recorded() {
            return Ok(Request::Done(Envelope::EMPTY));
        }
        let key = Key { sequence: self.sequence, round: self.rounds.get() };
        self.rounds.set(key.round + 1);
        let starting = std::mem::replace(&mut process.current.row, self.row);
        let started = process.start_plan(self.plan.clone(), key);
        process.current.row = starting;
        started
    }

    /// As the nonblocking collective that it starts; making the request was not recorded.
    fn record(&self, process: &mut Process, number: u32) -> Outcome {
        process.record_started_again(self.plan.communicator, self.plan.recorded.as_ref(), number)
    }

    fn is_transfer(&self) -> bool {
        false
    }
}

/// Two members called different things.
fn disagreement(mismatch: Mismatch, ours: Signature) -> Failure {
    Failure::Fatal(Ending::Mismatch {
        other: mismatch.other,
        theirs: described(mismatch.theirs),
        place: mismatch.place,
        ours: described(ours),
    })
}

fn described(signature: Signature) -> String {
    let name = FUNCTIONS.get(signature.function as usize).map_or("a collective", |function| function.name);
    let level = ["recorded only", "envelope only", "with data"][signature.level as usize % 3];
    let root = signature.root.map_or(String::new(), |root| format!("root {root}, "));
    let bytes = signature.bytes.map_or(String::new(), |bytes| format!("{bytes} bytes, "));
    let operation = super::combining::described(signature.operation);
    format!("{name} ({root}{bytes}{operation}{level})")
}
