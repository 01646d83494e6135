//! Collectives: each member's data go into the heap, are combined in the order of ranks, and are
//! copied out by those who want them.

use crate::arguments::{Buffer, Int};
use crate::datatypes::Type;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use crate::segment::Segment;
use base_data::mpi::ReduceOp;
use base_data::mpi::functions::FUNCTIONS;
use base_data::program_data::{Call, CollectiveKind, Counts, Operand};
use std::rc::Rc;
use token_runtime::ending::Ending;
use token_runtime::kernel::collective::{self, JoinError, Member, Mismatch, Pattern, Signature};
use token_runtime::kernel::{heap, reduction};
use token_runtime::mpich::class;
use token_runtime::mpich::datatypes::{self, Predefined};

/// What a call contributes to the signature that all members must agree on.
#[derive(Clone, Copy)]
pub struct Part {
    pattern: Pattern,
    root: u32,
    bytes: u64,
    operation: u64,
}

impl Part {
    /// Everybody waits for everybody; each gives so many bytes.
    pub fn all_to_all(bytes: u64) -> Self {
        Self { pattern: Pattern::AllToAll, root: 0, bytes, operation: 0 }
    }
}

/// An instance that this rank has joined and may leave.
pub struct Joined {
    pub communicator: usize,
    pub instance: u64,
    context: u64,
}

/// The elements of a call.
struct Elements {
    count: u64,
    datatype: Rc<Type>,
    row: &'static Predefined,
    bytes: u64,
}

fn elements(process: &Process, count: Int, datatype: Int) -> Result<Elements, Failure> {
    let count = process::count(count.0)?;
    let datatype = process.datatype(datatype.0)?.clone();
    let Some(row) = datatype.predefined else {
        return wrong(class::TYPE, format!("the datatype {:#x} is not supported here", datatype.handle));
    };
    Ok(Elements { count, datatype, row, bytes: count * row.extent })
}

impl Process {
    /// Joins the next collective of a communicator and waits until this rank may go on. In the
    /// signature are what the members must agree on, so that a wrong program ends with a sentence.
    pub fn join(&mut self, communicator: usize, part: Part, payload: u64) -> Result<Joined, Failure> {
        let context = self.shared_context(communicator)?;
        let sequence = self.communicator(communicator).collectives;
        self.communicator_mut(communicator).collectives += 1;
        let (rank, size) = (self.communicator(communicator).rank, self.communicator(communicator).size());
        let member = Member { rank, world: self.rank, place: self.place(), payload };
        let signature = Signature {
            function: self.current.row,
            pattern: part.pattern,
            root: part.root,
            bytes: part.bytes,
            operation: part.operation,
            level: self.current.level as u32,
        };
        let memory = self.memory();
        let instance =
            self.with_room(|| match collective::join(memory, context, sequence, size, member, signature) {
                Ok(instance) => Ok(Ok(instance)),
                Err(JoinError::OutOfMemory(error)) => Err(error),
                Err(JoinError::Mismatch(mismatch)) => Ok(Err(self.mismatch(mismatch, signature))),
            })??;
        if !collective::is_complete(memory, instance, rank) {
            collective::wait(memory, instance, rank, self.rank);
            self.pass_token()?;
        }
        Ok(Joined { communicator, instance, context })
    }

    /// Leaves an instance.
    pub fn leave(&self, joined: Joined) {
        collective::leave(self.memory(), joined.context, joined.instance);
    }

    fn shared_context(&mut self, index: usize) -> Result<u64, Failure> {
        let communicator = self.communicator(index);
        if communicator.shared != 0 {
            return Ok(communicator.shared);
        }
        let (context, leader) = (communicator.context, communicator.group[0]);
        let shared = self.with_room(|| collective::context(self.memory(), context, leader))?;
        self.communicator_mut(index).shared = shared;
        Ok(shared)
    }

    fn mismatch(&self, mismatch: Mismatch, ours: Signature) -> Failure {
        Failure::Fatal(Ending::Mismatch {
            other: mismatch.other,
            theirs: described(mismatch.theirs),
            place: mismatch.place,
            ours: described(ours),
        })
    }

    /// A block with a copy of the program's data; 0 if there are none or nobody needs them.
    fn contributed(&self, buffer: Buffer, bytes: u64) -> Result<u64, Failure> {
        if bytes == 0 || self.current.level != process::Level::Payload {
            return Ok(0);
        }
        let from = data(buffer, bytes)?;
        let block = self.with_room(|| heap::allocate(self.memory(), Segment::words_for(bytes)))?;
        // SAFETY: the program says that its buffer has the elements of the call.
        unsafe { self.segment.copy_in(block, from, bytes) };
        Ok(block)
    }

    /// Copies a block to the program's buffer; block 0 is no data.
    fn copy_result(&self, block: u64, buffer: Buffer, bytes: u64) -> Outcome {
        if block != 0 {
            let to = data(buffer, bytes)?;
            // SAFETY: the program says that its buffer has room for the elements of the call.
            unsafe { self.segment.copy_out(block, to, bytes) };
        }
        Ok(())
    }

    /// The block with the members' data combined; whoever needs it first combines them.
    fn combined(&mut self, joined: &Joined, elements: &Elements, op: ReduceOp) -> Result<u64, Failure> {
        let result = collective::result(self.memory(), joined.instance);
        if result != 0 {
            return Ok(result);
        }
        let total = collective::contribution(self.memory(), joined.instance, 0);
        for rank in 1..self.communicator(joined.communicator).size() {
            let next = collective::contribution(self.memory(), joined.instance, rank);
            if next != 0 {
                let (total, next) = self.segment.two_blocks(total, next, elements.bytes);
                combine(elements, op, total, next)?;
            }
        }
        collective::set_result(self.memory(), joined.instance, total);
        Ok(total)
    }

    fn root(&self, communicator: usize, root: Int) -> Result<u32, Failure> {
        match self.communicator(communicator).world_rank(i64::from(root.0)) {
            Some(_) => Ok(root.0 as u32),
            None => {
                wrong(class::ROOT, format!("the root is {}, which is no rank of the communicator", root.0))
            }
        }
    }

    fn record_collective(
        &mut self,
        kind: CollectiveKind,
        communicator: usize,
        root: Option<u32>,
        elements: &Elements,
        reduce_op: Option<ReduceOp>,
    ) {
        self.record(|stream| Call::Collective {
            kind,
            communicator: Operand::Constant(communicator as i64),
            root: root.map(|root| Operand::Constant(i64::from(root))),
            counts: Counts::Same(Operand::Constant(elements.count as i64)),
            receive_counts: None,
            datatype: stream.datatype_of(&elements.datatype),
            reduce_op,
            request: None,
        });
    }
}

fn described(signature: Signature) -> String {
    let name = FUNCTIONS.get(signature.function as usize).map_or("a collective", |function| function.name);
    let level = ["recorded only", "envelope only", "with data"];
    match signature.pattern {
        Pattern::AllToAll => {
            format!("{name} ({} bytes, {})", signature.bytes, level[signature.level as usize % 3])
        }
        Pattern::FromRoot | Pattern::ToRoot => format!(
            "{name} (root {}, {} bytes, {})",
            signature.root,
            signature.bytes,
            level[signature.level as usize % 3]
        ),
    }
}

fn data(buffer: Buffer, bytes: u64) -> Result<*mut u8, Failure> {
    match buffer {
        Buffer::At(address) if !address.is_null() => Ok(address),
        Buffer::At(_) => wrong(class::BUFFER, format!("the buffer is a null pointer, for {bytes} bytes")),
        Buffer::Section(_) => wrong(class::BUFFER, "sections of arrays with gaps are not supported"),
        Buffer::InPlace => wrong(class::BUFFER, "MPI_IN_PLACE is not allowed here"),
    }
}

fn combine(elements: &Elements, op: ReduceOp, total: &mut [u8], next: &[u8]) -> Outcome {
    reduction::combine(elements.row.arithmetic, op, total, next)
        .or_else(|sentence| wrong(class::OP, format!("the reduction operation {sentence}")))
}

/// A reduction's operation, which must be defined for the datatype even if nothing is combined.
fn operation(op: Int, elements: &Elements) -> Result<ReduceOp, Failure> {
    let Some(found) = datatypes::reduce_op(op.0) else {
        return wrong(
            class::OP,
            format!("the reduction operation {:#x} is not supported; predefined ones are", op.0),
        );
    };
    combine(elements, found, &mut [], &[])?;
    Ok(found)
}

pub fn barrier(process: &mut Process, comm: Int) -> Outcome {
    let communicator = process.communicator_index(comm.0)?;
    let nothing = elements(process, Int(0), Int(datatypes::BYTE))?;
    process.record_collective(CollectiveKind::Barrier, communicator, None, &nothing, None);
    if process.is_only_recorded() {
        return Ok(());
    }
    let joined = process.join(communicator, Part::all_to_all(0), 0)?;
    process.leave(joined);
    Ok(())
}

pub fn broadcast(
    process: &mut Process,
    buffer: Buffer,
    count: Int,
    datatype: Int,
    root: Int,
    comm: Int,
) -> Outcome {
    let communicator = process.communicator_index(comm.0)?;
    let root = process.root(communicator, root)?;
    let elements = elements(process, count, datatype)?;
    process.record_collective(CollectiveKind::Broadcast, communicator, Some(root), &elements, None);
    if process.is_only_recorded() || process.communicator(communicator).size() == 1 {
        return Ok(());
    }
    let is_root = process.communicator(communicator).rank == root;
    let block = if is_root { process.contributed(buffer, elements.bytes)? } else { 0 };
    let part = Part { pattern: Pattern::FromRoot, root, bytes: elements.bytes, operation: 0 };
    let joined = process.join(communicator, part, block)?;
    if !is_root {
        let block = collective::contribution(process.memory(), joined.instance, root);
        process.copy_result(block, buffer, elements.bytes)?;
    }
    process.leave(joined);
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn reduce(
    process: &mut Process,
    sendbuf: Buffer,
    recvbuf: Buffer,
    count: Int,
    datatype: Int,
    op: Int,
    root: Int,
    comm: Int,
) -> Outcome {
    let communicator = process.communicator_index(comm.0)?;
    let root = process.root(communicator, root)?;
    let elements = elements(process, count, datatype)?;
    let reduce_op = operation(op, &elements)?;
    process.record_collective(CollectiveKind::Reduce, communicator, Some(root), &elements, Some(reduce_op));
    if process.is_only_recorded() {
        return Ok(());
    }
    let is_root = process.communicator(communicator).rank == root;
    let own = if sendbuf == Buffer::InPlace && is_root { recvbuf } else { sendbuf };
    let block = process.contributed(own, elements.bytes)?;
    let operation = (op.0 as u64) << 8 | elements.row.arithmetic as u64;
    let part = Part { pattern: Pattern::ToRoot, root, bytes: elements.bytes, operation };
    let joined = process.join(communicator, part, block)?;
    if is_root && block != 0 {
        let total = process.combined(&joined, &elements, reduce_op)?;
        process.copy_result(total, recvbuf, elements.bytes)?;
    }
    process.leave(joined);
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn allreduce(
    process: &mut Process,
    sendbuf: Buffer,
    recvbuf: Buffer,
    count: Int,
    datatype: Int,
    op: Int,
    comm: Int,
) -> Outcome {
    let communicator = process.communicator_index(comm.0)?;
    let elements = elements(process, count, datatype)?;
    let reduce_op = operation(op, &elements)?;
    process.record_collective(CollectiveKind::Allreduce, communicator, None, &elements, Some(reduce_op));
    if process.is_only_recorded() {
        return Ok(());
    }
    let own = if sendbuf == Buffer::InPlace { recvbuf } else { sendbuf };
    let block = process.contributed(own, elements.bytes)?;
    let operation = (op.0 as u64) << 8 | elements.row.arithmetic as u64;
    let part = Part { operation, ..Part::all_to_all(elements.bytes) };
    let joined = process.join(communicator, part, block)?;
    if block != 0 {
        let total = process.combined(&joined, &elements, reduce_op)?;
        process.copy_result(total, recvbuf, elements.bytes)?;
    }
    process.leave(joined);
    Ok(())
}
