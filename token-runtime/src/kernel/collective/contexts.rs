//! The shared state of communicators: which instances are under way, by key.

use super::super::layout::header;
use super::super::{Memory, OutOfSharedMemory, heap};
use super::Key;
use super::instance::{KEY, NEXT, ROUND};

// Words of a communicator's shared state; the first is shared with instances: the next of a list.
const CONTEXT: u64 = 1;
const LEADER: u64 = 2;
/// Instances under way.
const LIVE: u64 = 3;
/// Members that have freed the communicator, and 1 when all have.
const FREED: u64 = 4;
const IS_FREE: u64 = 5;
/// Lists of instances by the last bits of their sequence.
const LISTS: u64 = 6;
/// Members that never wait run ahead: with as many lists a search is short.
const LIST_COUNT: u64 = 64;

/// So many instances under way are a sign that a member runs far ahead of others.
const FAR_AHEAD: u64 = 4 * LIST_COUNT;

/// The shared state of the communicator with this context whose first member is world rank `leader`
/// (one constructor call can make several communicators with the same context).
pub fn context(memory: Memory<'_>, context: u64, leader: u32) -> Result<u64, OutOfSharedMemory> {
    let mut node = memory.get(header::CONTEXTS);
    while node != 0 {
        if memory.get(node + CONTEXT) == context && memory.get(node + LEADER) == u64::from(leader) {
            return Ok(node);
        }
        node = memory.get(node + NEXT);
    }
    let node = heap::allocate_cleared(memory, LISTS + LIST_COUNT)?;
    memory.set(node + CONTEXT, context);
    memory.set(node + LEADER, u64::from(leader));
    memory.set(node + NEXT, memory.get(header::CONTEXTS));
    memory.set(header::CONTEXTS, node);
    Ok(node)
}

/// Whether some member is so far ahead of others that it should let them run.
pub fn is_far_ahead(memory: Memory<'_>, context: u64) -> bool {
    memory.get(context + LIVE) > FAR_AHEAD
}

pub(super) fn find(memory: Memory<'_>, context: u64, key: Key) -> Option<u64> {
    let mut instance = memory.get(list(context, key.sequence));
    while instance != 0
        && (memory.get(instance + KEY) != key.sequence || memory.get(instance + ROUND) != key.round)
    {
        instance = memory.get(instance + NEXT);
    }
    if instance != 0 { Some(instance) } else { None }
}

/// The oldest of a list stands first: it is the next to be looked for.
pub(super) fn append(memory: Memory<'_>, context: u64, instance: u64) {
    let mut last = list(context, memory.get(instance + KEY));
    while memory.get(last) != 0 {
        last = memory.get(last) + NEXT;
    }
    memory.set(last, instance);
    memory.add(context + LIVE, 1);
}

pub(super) fn unlink(memory: Memory<'_>, context: u64, instance: u64) {
    let mut link = list(context, memory.get(instance + KEY));
    while memory.get(link) != instance {
        link = memory.get(link) + NEXT;
    }
    memory.set(link, memory.get(instance + NEXT));
    if memory.add(context + LIVE, 1u64.wrapping_neg()) == 0 && memory.get(context + IS_FREE) == 1 {
        remove(memory, context);
    }
}

/// One of `members` members, who has called collectives on the communicator, has freed it. All members
/// have called the same ones, so the last of them gives the state back, or the last instance under way.
pub fn free(memory: Memory<'_>, context: u64, members: u32) {
    if memory.add(context + FREED, 1) < u64::from(members) {
        return;
    }
    memory.set(context + IS_FREE, 1);
    if memory.get(context + LIVE) == 0 {
        remove(memory, context);
    }
}

fn remove(memory: Memory<'_>, context: u64) {
    let mut link = header::CONTEXTS;
    while memory.get(link) != context {
        link = memory.get(link) + NEXT;
    }
    memory.set(link, memory.get(context + NEXT));
    heap::free(memory, context);
}

fn list(context: u64, sequence: u64) -> u64 {
    context + LISTS + sequence % LIST_COUNT
}
