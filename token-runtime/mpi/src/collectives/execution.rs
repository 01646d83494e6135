//! Carrying out plans: a call joins its instance, gives, waits if it must, takes and leaves.
//! Blocking calls do all of it; the others leave the second half to the call that completes them.

use super::buffer_segments::BufferSegments;
use super::members::Members;
use super::plan::{Incoming, IncomingPiece, PieceSelector, Plan};
use super::recording::{RecordedAs, not_recordable, timed_operation};
use crate::failure::{Failure, Outcome};
use crate::process::{Level, Process};
use crate::requests::{Pending, Request, Start};
use base_data::mpi::functions::FUNCTIONS;
use std::cell::Cell;
use std::rc::Rc;
use token_runtime::kernel::collective::contributions::{self, Header};
use token_runtime::kernel::collective::{
    self, JoinError, Key, Member, Mismatch, Signature, contexts,
};
use token_runtime::kernel::{heap, slot};
use token_runtime::mpich::status::Envelope;
use token_runtime::replay_input::{CallInstance, CallOutput};
use token_runtime::termination::Termination;

/// A collective that this rank takes part in and has not completed.
struct Started {
    plan: Rc<Plan>,
    /// Row of the function that started it.
    row: u32,
    level: Level,
    context: u64,
    instance: u64,
    own: u32,
    call_instance: Option<CallInstance>,
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
    pub fn execute(&mut self, plan: Plan) -> Outcome {
        self.record_collective(plan.communicator, plan.recorded.as_ref())?;
        if self.is_only_recorded() {
            return Ok(());
        }
        if let Some(solo_rank) = self.solo_rank.clone() {
            return self.execute_solo(&solo_rank, &plan);
        }
        if let Some(replay) = self.replay.clone() {
            let begun = self.start_replay(replay, Rc::new(plan))?;
            return self.finish_replay(&begun);
        }
        let key = self.next_key(plan.communicator);
        let joined = self.join_instance(Rc::new(plan), key)?;
        if let Some(emulated) = self.emulated.clone() {
            let operation = timed_operation(joined.plan.recorded.as_ref())?;
            let is_complete = joined.is_complete(self);
            self.time_collective(&emulated, joined.plan.communicator, operation, is_complete)?;
        }
        if self.has_threads() {
            self.poll_until(|| joined.is_complete(self))?;
        } else if !joined.is_complete(self) {
            joined.wait_for(self);
            slot::wait_for(self.memory(), self.rank, 1);
            self.hand_over_token()?;
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
        if let Some(emulated) = self.emulated.clone() {
            let operation = timed_operation(plan.recorded.as_ref())?;
            let communicator = plan.communicator;
            let joined = Box::new(self.join_instance(plan, key)?);
            return Ok(self.start_timed_collective(&emulated, communicator, operation, joined));
        }
        Ok(Request::Pending(match self.replay.clone() {
            Some(replay) => Box::new(self.start_replay(replay, plan)?),
            None => Box::new(self.join_instance(plan, key)?),
        }))
    }

    /// Makes a persistent request; gives its number.
    pub fn make_collective(&mut self, plan: Plan) -> Result<u32, Failure> {
        let (recorded_as, Key { sequence, .. }) =
            (plan.recorded.clone(), self.next_key(plan.communicator));
        if recorded_as.is_none() && self.stream.is_some() {
            return Err(not_recordable());
        }
        let (plan, row) = (Rc::new(plan), self.current.row);
        let persistent = Persistent {
            plan,
            row,
            sequence,
            rounds: Cell::new(0),
        };
        let number = self
            .requests
            .add(Request::Persistent(Box::new(persistent), None));
        if let Some(RecordedAs::Transfers(transfers)) = recorded_as {
            self.make_composite(number, transfers.len());
        }
        Ok(number)
    }

    pub(super) fn next_key(&mut self, communicator: usize) -> Key {
        let sequence = self.communicator(communicator).collectives;
        self.communicator_mut(communicator).collectives += 1;
        Key { sequence, round: 0 }
    }

    fn join_instance(&mut self, plan: Rc<Plan>, key: Key) -> Result<Started, Failure> {
        self.require_other_ranks()?;
        let members = self.members(plan.communicator);
        let context = self.shared_context(plan.communicator)?;
        let contribution_block = self.contribution_block(&plan)?;
        let (row, level) = (self.current.row, self.current.level);
        let signature = Signature {
            function: row,
            root: plan.root,
            bytes: plan.bytes,
            operation: plan
                .reduction_spec
                .as_ref()
                .map_or(0, |reduction_spec| reduction_spec.word()),
            level: level as u32,
        };
        let instance = self.enter_instance(context, key, &members, signature)?;
        contributions::contribute(
            self.memory(),
            instance,
            members.own,
            contribution_block,
            plan.readers,
        );
        if let (Some(reduction_spec), Some(_)) = (&plan.reduction_spec, &plan.outgoing) {
            self.make_links(instance, members.own, reduction_spec)?;
        }
        let (member, dependencies) = (self.as_member(&members), plan.dependencies.borrowed());
        self.allocate_or_wait(|| {
            collective::arrive(self.memory(), instance, &member, dependencies)
        })?;
        // In an emulation the engine lets ranks run in the order of their times.
        if self.emulated.is_none() && contexts::is_far_ahead(self.memory(), context) {
            self.hand_over_token()?;
        }
        let call_instance = self.call_instance();
        Ok(Started {
            plan,
            row,
            level,
            context,
            instance,
            own: members.own,
            call_instance,
        })
    }

    pub(super) fn as_member(&self, members: &Members) -> Member {
        Member {
            index: members.own,
            world: self.rank,
            place: self.place(),
        }
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
        self.allocate_or_wait(|| match enter() {
            Ok(instance) => Ok(Ok(instance)),
            Err(JoinError::OutOfSharedMemory(error)) => Err(error),
            Err(JoinError::Mismatch(mismatch)) => Ok(Err(signature_mismatch(mismatch, signature))),
        })?
    }

    /// The communicator's state in shared memory.
    pub(super) fn shared_context(&mut self, index: usize) -> Result<u64, Failure> {
        let communicator = self.communicator(index);
        if communicator.shared != 0 {
            return Ok(communicator.shared);
        }
        let (context, leader) = (communicator.context, communicator.leader());
        let shared =
            self.allocate_or_wait(|| collective::context(self.memory(), context, leader))?;
        self.communicator_mut(index).shared = shared;
        Ok(shared)
    }

    /// A block with what this rank gives; 0 if that is nothing or no rank needs it.
    fn contribution_block(&self, plan: &Plan) -> Result<u64, Failure> {
        let Some(outgoing) = plan
            .outgoing
            .as_ref()
            .filter(|_| self.current.level == Level::Payload)
        else {
            return Ok(0);
        };
        let segments = || (0..u64::from(outgoing.pieces)).map(|piece| outgoing.segments.get(piece));
        let bytes: u64 = segments().map(|segment| segment.bytes()).sum();
        if bytes == 0 {
            return Ok(0);
        }
        let each = if matches!(outgoing.segments, BufferSegments::Same(_)) {
            Some(bytes / u64::from(outgoing.pieces))
        } else {
            None
        };
        let header = Header {
            pieces: outgoing.pieces.into(),
            labelled: outgoing.labels.is_some(),
            each,
        };
        let words = header.words() + bytes.div_ceil(8);
        let block = self.allocate_or_wait(|| heap::allocate(self.memory(), words))?;
        header.write(self.memory(), block);
        let (first, mut end) = (header.words() * 8, 0);
        for (piece, segment) in (0..).zip(segments()) {
            self.pack_segment(block, first + end, &segment)?;
            end += segment.bytes();
            header.set_end(self.memory(), block, piece, end);
        }
        for (piece, &label) in (0..).zip(outgoing.labels.iter().flat_map(|labels| labels.iter())) {
            header.set_label(self.memory(), block, piece, label);
        }
        Ok(block)
    }

    /// Takes what has been given, and leaves.
    fn finish_collective(&mut self, joined: &Started) -> Outcome {
        self.prefetch_contributions(joined);
        for take in joined.plan.incoming.each() {
            if joined.level == Level::Payload {
                self.take(joined, &take)?;
            }
            contributions::release_reader(self.memory(), joined.instance, take.member);
        }
        collective::end(self.memory(), joined.context, joined.instance, joined.own);
        self.log_output(joined.call_instance, || joined.output());
        Ok(())
    }

    /// A rank that takes something from very many others touches a page of each, and all ranks do so: that
    /// the system finds all these pages at once is what keeps the time from growing with the cube of ranks.
    fn prefetch_contributions(&self, joined: &Started) {
        const MANY: u32 = 512;
        let &Incoming::Partners {
            first,
            count: count @ MANY..,
            ..
        } = &joined.plan.incoming
        else {
            return;
        };
        let block = |member| collective::contribution(self.memory(), joined.instance, member);
        let blocks = || {
            (first..first + count)
                .map(block)
                .filter(|&block| block != 0)
        };
        let own = block(joined.own);
        let (Some(lowest), Some(highest)) = (blocks().min(), blocks().max()) else {
            return;
        };
        if own == 0 {
            return;
        }
        let (length, all) = (heap::words(self.memory(), own), highest - lowest);
        // Parcels with much else between them are found one by one.
        if all <= 2 * length * u64::from(count) {
            self.segment.fetch(lowest..highest + length);
        }
    }

    fn take(&self, joined: &Started, take: &IncomingPiece) -> Outcome {
        let memory = self.memory();
        let Some(segment) = joined
            .plan
            .into
            .as_ref()
            .map(|segments| segments.get(take.segment))
        else {
            return Ok(());
        };
        let block = collective::contribution(memory, joined.instance, take.member);
        let (piece, expected) = match take.piece {
            PieceSelector::Number(number) => {
                (contributions::piece(memory, block, number), segment.bytes())
            }
            PieceSelector::Part { whole, .. } => (contributions::piece(memory, block, 0), whole),
            PieceSelector::Labelled { .. } if block == 0 => (0..0, segment.bytes()),
            PieceSelector::Labelled { label, nth } => {
                match contributions::labelled(memory, block, label, nth) {
                    Some(number) => (contributions::piece(memory, block, number), segment.bytes()),
                    None => (0..0, segment.bytes()),
                }
            }
        };
        if piece.end - piece.start != expected {
            return Err(self.length_mismatch(
                joined,
                take.member,
                piece.end - piece.start,
                expected,
            ));
        }
        let offset = if let PieceSelector::Part { offset, .. } = take.piece {
            offset
        } else {
            0
        };
        self.unpack_segment(block, piece.start + offset, &segment)
    }

    /// A partner's data have another length than this rank takes.
    fn length_mismatch(&self, joined: &Started, member: u32, sent: u64, expected: u64) -> Failure {
        let (other, place) = collective::caller_of(self.memory(), joined.instance, member);
        let name = FUNCTIONS[joined.row as usize].name;
        Failure::Fatal(Termination::Mismatch {
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
        collective::add_waiter(process.memory(), self.instance, self.own);
    }

    /// What the call has put into its areas; nothing if no rank needed that.
    fn output(&self) -> CallOutput {
        let segments = self
            .plan
            .into
            .as_ref()
            .filter(|_| self.level == Level::Payload);
        let piece = |segments: &BufferSegments, take: IncomingPiece| {
            segments.get(take.segment).packed().unwrap_or_default()
        };
        let pieces = segments.map(|segments| {
            self.plan
                .incoming
                .each()
                .map(|take| piece(segments, take))
                .collect()
        });
        CallOutput {
            pieces: pieces.unwrap_or_default(),
            ..CallOutput::default()
        }
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
        collective::remove_waiter(process.memory(), self.instance, self.own);
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
        let key = Key {
            sequence: self.sequence,
            round: self.rounds.get(),
        };
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
fn signature_mismatch(mismatch: Mismatch, ours: Signature) -> Failure {
    Failure::Fatal(Termination::Mismatch {
        other: mismatch.other,
        theirs: described(mismatch.theirs),
        place: mismatch.place,
        ours: described(ours),
    })
}

fn described(signature: Signature) -> String {
    let name = FUNCTIONS
        .get(signature.function as usize)
        .map_or("a collective", |function| function.name);
    let level = ["recorded only", "envelope only", "with data"][signature.level as usize % 3];
    let root = signature
        .root
        .map_or(String::new(), |root| format!("root {root}, "));
    let bytes = signature
        .bytes
        .map_or(String::new(), |bytes| format!("{bytes} bytes, "));
    let operation = super::reduction_chain::described(signature.operation);
    format!("{name} ({root}{bytes}{operation}{level})")
}
