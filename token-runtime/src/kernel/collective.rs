//! Collectives: each call of a communicator's members with the same sequence number is one
//! instance, which collects the members' contributions and knows who may go on.
//!
//! A member leaves as soon as the standard lets it: the root of a broadcast and the others of a
//! reduction at once, everybody else when the data they need are there. Combining values is the
//! caller's work (`reduction`), over the contributions in the order of ranks.

use super::layout::header;
use super::slot::Place;
use super::{Memory, OutOfMemory, heap, slot};

/// What an instance does with the contributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Nobody leaves before everybody has come: barrier, allreduce, communicator constructors.
    AllToAll,
    /// Nobody but the root leaves before the root has come: broadcast.
    FromRoot,
    /// Only the root waits, for everybody: reduce.
    ToRoot,
}

/// What all members of an instance must agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Row of the function in the table of MPI functions.
    pub function: u32,
    /// Who waits for whom.
    pub pattern: Pattern,
    /// Root, 0 where there is none.
    pub root: u32,
    /// Bytes each member gives or gets.
    pub bytes: u64,
    /// Reduction operation and datatype by handle, 0 where there are none.
    pub operation: u64,
    /// How much of the data is wanted (1 nothing, 2 all).
    pub level: u32,
}

/// One member's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Rank of the communicator.
    pub rank: u32,
    /// Rank of the world.
    pub world: u32,
    /// Where the call is.
    pub place: Place,
    /// Block of the heap with the member's data, or 0.
    pub payload: u64,
}

/// Two members of one instance called different things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// World rank of the member that came first.
    pub other: u32,
    /// What it called.
    pub theirs: Signature,
    /// Where.
    pub place: Place,
}

/// Why a member could not join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// No room for the instance at the moment.
    OutOfMemory(OutOfMemory),
    /// Another member called something else.
    Mismatch(Mismatch),
}

// Words of a communicator's shared state.
const NEXT: u64 = 0;
const CONTEXT: u64 = 1;
const LEADER: u64 = 2;
const INSTANCES: u64 = 3;
const CONTEXT_WORDS: u64 = 4;

// Words of an instance (NEXT is its first, too).
const SEQUENCE: u64 = 1;
const FUNCTION: u64 = 2;
const PATTERN: u64 = 3;
const ROOT: u64 = 4;
const BYTES: u64 = 5;
const OPERATION: u64 = 6;
const LEVEL: u64 = 7;
const MEMBERS: u64 = 8;
const FIRST: u64 = 9;
const FIRST_PLACE: u64 = 10;
const ARRIVED: u64 = 11;
const LEFT: u64 = 12;
const RESULT: u64 = 13;
const MEMBER_LIST: u64 = 14;
// Words of a member: its world rank plus 1 once it has come, whether it waits, its payload.
const HERE: u64 = 0;
const WAITS: u64 = 1;
const PAYLOAD: u64 = 2;
const MEMBER_WORDS: u64 = 3;

/// The shared state of the communicator with this context whose rank 0 is world rank `leader`
/// (one constructor call can make several communicators with the same context).
pub fn context(memory: Memory<'_>, context: u64, leader: u32) -> Result<u64, OutOfMemory> {
    let mut node = memory.get(header::CONTEXTS);
    while node != 0 {
        if memory.get(node + CONTEXT) == context && memory.get(node + LEADER) == u64::from(leader) {
            return Ok(node);
        }
        node = memory.get(node + NEXT);
    }
    let node = heap::allocate_cleared(memory, CONTEXT_WORDS)?;
    memory.set(node + CONTEXT, context);
    memory.set(node + LEADER, u64::from(leader));
    memory.set(node + NEXT, memory.get(header::CONTEXTS));
    memory.set(header::CONTEXTS, node);
    Ok(node)
}

/// A member of `members` calls its `sequence`-th collective on the communicator; gives the
/// instance. Members that waited for this one become runnable.
pub fn join(
    memory: Memory<'_>,
    context: u64,
    sequence: u64,
    members: u32,
    member: Member,
    signature: Signature,
) -> Result<u64, JoinError> {
    let instance = match find(memory, context, sequence) {
        Some(instance) => checked(memory, instance, signature)?,
        None => {
            create(memory, context, sequence, members, &member, signature).map_err(JoinError::OutOfMemory)?
        }
    };
    let own = instance + MEMBER_LIST + u64::from(member.rank) * MEMBER_WORDS;
    memory.set(own + HERE, u64::from(member.world) + 1);
    memory.set(own + PAYLOAD, member.payload);
    memory.add(instance + ARRIVED, 1);
    wake(memory, instance);
    Ok(instance)
}

/// Whether member `rank` may go on.
pub fn is_complete(memory: Memory<'_>, instance: u64, rank: u32) -> bool {
    let root = memory.get(instance + ROOT);
    let is_root = root == u64::from(rank);
    match pattern(memory, instance) {
        Pattern::AllToAll => all_are_here(memory, instance),
        Pattern::FromRoot => is_root || memory.get(member_at(instance, root) + HERE) != 0,
        Pattern::ToRoot => !is_root || all_are_here(memory, instance),
    }
}

/// Member `rank`, which may not go on yet, waits.
pub fn wait(memory: Memory<'_>, instance: u64, rank: u32, world: u32) {
    memory.set(member_at(instance, u64::from(rank)) + WAITS, 1);
    slot::wait_for(memory, world, 1);
}

/// The block with the data that member `rank` gave, or 0.
pub fn contribution(memory: Memory<'_>, instance: u64, rank: u32) -> u64 {
    memory.get(member_at(instance, u64::from(rank)) + PAYLOAD)
}

/// The block with the combined data, or 0 if nobody has combined them.
pub fn result(memory: Memory<'_>, instance: u64) -> u64 {
    memory.get(instance + RESULT)
}

/// Keeps the block with the combined data, which is freed with the instance unless it is a
/// contribution.
pub fn set_result(memory: Memory<'_>, instance: u64, block: u64) {
    memory.set(instance + RESULT, block);
}

/// A member has what it needs; the last one frees the instance and all its blocks.
pub fn leave(memory: Memory<'_>, context: u64, instance: u64) {
    if memory.add(instance + LEFT, 1) < memory.get(instance + MEMBERS) {
        return;
    }
    let result = memory.get(instance + RESULT);
    let mut blocks: Vec<u64> = (0..memory.get(instance + MEMBERS))
        .map(|rank| memory.get(member_at(instance, rank) + PAYLOAD))
        .collect();
    if !blocks.contains(&result) {
        blocks.push(result);
    }
    unlink(memory, context, instance);
    blocks.into_iter().filter(|&block| block != 0).for_each(|block| heap::free(memory, block));
    heap::free(memory, instance);
}

fn create(
    memory: Memory<'_>,
    context: u64,
    sequence: u64,
    members: u32,
    first: &Member,
    signature: Signature,
) -> Result<u64, OutOfMemory> {
    let words = MEMBER_LIST + u64::from(members) * MEMBER_WORDS;
    let instance = heap::allocate_cleared(memory, words)?;
    let set = |word, value| memory.set(instance + word, value);
    set(SEQUENCE, sequence);
    set(FUNCTION, u64::from(signature.function));
    set(PATTERN, signature.pattern as u64);
    set(ROOT, u64::from(signature.root));
    set(BYTES, signature.bytes);
    set(OPERATION, signature.operation);
    set(LEVEL, u64::from(signature.level));
    set(MEMBERS, u64::from(members));
    set(FIRST, u64::from(first.world));
    set(FIRST_PLACE, first.place.word());
    append(memory, context, instance);
    Ok(instance)
}

// Instances are few at a time (members that never wait run ahead), and used oldest first.
fn find(memory: Memory<'_>, context: u64, sequence: u64) -> Option<u64> {
    let mut instance = memory.get(context + INSTANCES);
    while instance != 0 && memory.get(instance + SEQUENCE) != sequence {
        instance = memory.get(instance + NEXT);
    }
    (instance != 0).then_some(instance)
}

fn append(memory: Memory<'_>, context: u64, instance: u64) {
    let mut last = context + INSTANCES;
    while memory.get(last) != 0 {
        last = memory.get(last) + NEXT;
    }
    memory.set(last, instance);
}

fn unlink(memory: Memory<'_>, context: u64, instance: u64) {
    let mut link = context + INSTANCES;
    while memory.get(link) != instance {
        link = memory.get(link) + NEXT;
    }
    memory.set(link, memory.get(instance + NEXT));
}

fn checked(memory: Memory<'_>, instance: u64, signature: Signature) -> Result<u64, JoinError> {
    let theirs = Signature {
        function: memory.get(instance + FUNCTION) as u32,
        pattern: pattern(memory, instance),
        root: memory.get(instance + ROOT) as u32,
        bytes: memory.get(instance + BYTES),
        operation: memory.get(instance + OPERATION),
        level: memory.get(instance + LEVEL) as u32,
    };
    let other = memory.get(instance + FIRST) as u32;
    let place = Place::of_word(memory.get(instance + FIRST_PLACE));
    if theirs == signature {
        Ok(instance)
    } else {
        Err(JoinError::Mismatch(Mismatch { other, theirs, place }))
    }
}

fn pattern(memory: Memory<'_>, instance: u64) -> Pattern {
    match memory.get(instance + PATTERN) {
        0 => Pattern::AllToAll,
        1 => Pattern::FromRoot,
        _ => Pattern::ToRoot,
    }
}

fn all_are_here(memory: Memory<'_>, instance: u64) -> bool {
    memory.get(instance + ARRIVED) == memory.get(instance + MEMBERS)
}

fn member_at(instance: u64, rank: u64) -> u64 {
    instance + MEMBER_LIST + rank * MEMBER_WORDS
}

fn wake(memory: Memory<'_>, instance: u64) {
    // Only the root's coming (broadcast) or the last one's (otherwise) can let anybody go on.
    let pattern = pattern(memory, instance);
    if pattern != Pattern::FromRoot && !all_are_here(memory, instance) {
        return;
    }
    for rank in 0..memory.get(instance + MEMBERS) {
        let member = member_at(instance, rank);
        if memory.get(member + WAITS) != 0 && is_complete(memory, instance, rank as u32) {
            memory.set(member + WAITS, 0);
            slot::happened(memory, (memory.get(member + HERE) - 1) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatcher::is_runnable;
    use super::*;
    use crate::kernel::layout::tests::fresh;

    fn signature(pattern: Pattern, root: u32) -> Signature {
        Signature { function: 1, pattern, root, bytes: 8, operation: 0, level: 2 }
    }

    fn member(rank: u32) -> Member {
        Member { rank, world: rank, place: Place::Site(5), payload: 0 }
    }

    /// Three ranks come in this order; who may leave at once?
    fn check(pattern: Pattern, root: u32, order: [u32; 3], leave_at_once: [bool; 3]) {
        let words = fresh(3, 1000);
        let memory = Memory::new(&words);
        let context = context(memory, 1, 0).unwrap();
        let used = memory.get(header::HEAP_USED);
        let mut instance = 0;
        for (rank, leaves) in order.into_iter().zip(leave_at_once) {
            instance = join(memory, context, 0, 3, member(rank), signature(pattern, root)).unwrap();
            assert_eq!(is_complete(memory, instance, rank), leaves, "{pattern:?} {order:?} rank {rank}");
            if !leaves {
                wait(memory, instance, rank, rank);
            }
        }
        for (rank, left) in order.into_iter().zip(leave_at_once) {
            assert!(left || is_runnable(memory, rank), "{pattern:?} {order:?} rank {rank} sleeps on");
            leave(memory, context, instance);
        }
        assert_eq!(memory.get(header::HEAP_USED), used, "the instance is gone");
    }

    #[test]
    fn members_leave_as_soon_as_they_may() {
        check(Pattern::AllToAll, 0, [0, 1, 2], [false, false, true]);
        check(Pattern::FromRoot, 1, [0, 1, 2], [false, true, true]);
        check(Pattern::FromRoot, 0, [0, 1, 2], [true, true, true]);
        check(Pattern::ToRoot, 0, [0, 1, 2], [false, true, true]);
        check(Pattern::ToRoot, 2, [0, 1, 2], [true, true, true]);
    }

    #[test]
    fn different_calls_do_not_meet() {
        let words = fresh(2, 1000);
        let memory = Memory::new(&words);
        let context = context(memory, 1, 0).unwrap();
        join(memory, context, 0, 2, member(0), signature(Pattern::FromRoot, 0)).unwrap();
        let theirs = signature(Pattern::FromRoot, 0);
        let met = join(memory, context, 0, 2, member(1), signature(Pattern::FromRoot, 1));
        assert_eq!(met, Err(JoinError::Mismatch(Mismatch { other: 0, theirs, place: Place::Site(5) })));
    }
}
