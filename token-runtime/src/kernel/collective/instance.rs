//! One instance: who has come, who needs whom, and the first to have called, for messages about
//! others that call something else.

use super::super::slot::{self, CallLocation};
use super::super::{Memory, OutOfSharedMemory, heap, poll_timeout};
use super::contexts::{append, find, unlink};
use super::{Dependencies, JoinError, Key, Member, Mismatch, Signature};

// Words of an instance.
pub(super) const NEXT: u64 = 0;
pub(super) const KEY: u64 = 1;
pub(super) const ROUND: u64 = 2;
const FUNCTION: u64 = 3;
// Root and bytes plus 1, and the operation; 0 if no member has entered yet.
const ROOT: u64 = 4;
const BYTES: u64 = 5;
const OPERATION: u64 = 6;
const LEVEL: u64 = 7;
const FIRST: u64 = 8;
const FIRST_PLACE: u64 = 9;
const ENDED: u64 = 10;
/// One of these per group.
pub(super) const GROUPS: u64 = 11;
pub(super) mod group {
    /// Number of members.
    pub const SIZE: u64 = 0;
    /// How many have not come.
    pub const ABSENT: u64 = 1;
    /// First of the list of members that need them all.
    pub const DEPENDENTS: u64 = 2;
    /// How many are combined.
    pub const COMBINED: u64 = 3;
    pub const WORDS: u64 = 4;
}
const MEMBERS: u64 = GROUPS + 2 * group::WORDS;
pub(super) mod member {
    /// World rank plus 1 once it has come.
    pub const HERE: u64 = 0;
    /// Where its call is.
    pub const PLACE: u64 = 1;
    /// How many things it still needs.
    pub const MISSING: u64 = 2;
    /// 1 while its rank waits for the last of them.
    pub const AWAITED: u64 = 3;
    /// First of the list of members that need it.
    pub const DEPENDENTS: u64 = 4;
    /// 1 if it needs its link of the chain.
    pub const DEPENDS_ON_CHAIN: u64 = 5;
    /// Block with its nodes in the lists of those it needs.
    pub const NODES: u64 = 6;
    /// Its parcel, and how often that will be read.
    pub const CONTRIBUTION: u64 = 7;
    pub const READERS: u64 = 8;
    pub const WORDS: u64 = 9;
}
// Words of a node: the next of the list (NEXT), and whose it is.
const WHOSE: u64 = 1;
const NODE_WORDS: u64 = 2;

/// The instance of a call of one of `sizes` members per group, made if this is the first of them.
/// The member has not come yet: see [`arrive`].
pub fn enter(
    memory: Memory<'_>,
    context: u64,
    key: Key,
    sizes: [u32; 2],
    member: &Member,
    signature: Signature,
) -> Result<u64, JoinError> {
    match find(memory, context, key) {
        Some(instance) => checked(memory, instance, member, signature),
        None => create(memory, context, key, sizes, member, signature)
            .map_err(JoinError::OutOfSharedMemory),
    }
}

/// A member that has given what it has to give, comes. Members that needed it last become runnable
/// if they wait.
pub fn arrive(
    memory: Memory<'_>,
    instance: u64,
    member: &Member,
    dependencies: Dependencies<'_>,
) -> Result<(), OutOfSharedMemory> {
    let own = member_at(memory, instance, member.index);
    // The only step that can fail comes first: an error leaves the instance unchanged. A dependency on all
    // members includes this one, whose arrival below satisfies it.
    add_dependencies(memory, instance, member.index, dependencies)?;
    poll_timeout::record_progress(memory);
    memory.set(own + member::HERE, u64::from(member.world) + 1);
    memory.set(own + member::PLACE, member.place.word());
    satisfy_all(memory, instance, own + member::DEPENDENTS);
    let group = group_of(memory, instance, member.index);
    if memory.add(group + group::ABSENT, 1u64.wrapping_neg()) == 0 {
        satisfy_all(memory, instance, group + group::DEPENDENTS);
    }
    Ok(())
}

/// Whether a member that has come may go on.
pub fn is_complete(memory: Memory<'_>, instance: u64, index: u32) -> bool {
    memory.get(member_at(memory, instance, index) + member::MISSING) == 0
}

/// [`slot::complete_one`] will be called once for the rank of this member, which may not go on yet.
pub fn add_waiter(memory: Memory<'_>, instance: u64, index: u32) {
    memory.set(member_at(memory, instance, index) + member::AWAITED, 1);
}

/// The rank of this member does not wait for it any more.
pub fn remove_waiter(memory: Memory<'_>, instance: u64, index: u32) {
    memory.set(member_at(memory, instance, index) + member::AWAITED, 0);
}

/// A member has read what it needs; the last one frees the instance.
pub fn end(memory: Memory<'_>, context: u64, instance: u64, index: u32) {
    let own = member_at(memory, instance, index);
    let nodes = memory.get(own + member::NODES);
    if nodes != 0 {
        heap::free(memory, nodes);
    }
    if memory.add(instance + ENDED, 1) == u64::from(members(memory, instance)) {
        unlink(memory, context, instance);
        heap::free(memory, instance);
    }
}

/// World rank and place of the call of a member that has come.
pub fn caller_of(memory: Memory<'_>, instance: u64, index: u32) -> (u32, CallLocation) {
    let at = member_at(memory, instance, index);
    let world = memory.get(at + member::HERE).saturating_sub(1) as u32;
    (world, CallLocation::of_word(memory.get(at + member::PLACE)))
}

/// Words of a member.
pub(super) fn member_at(_: Memory<'_>, instance: u64, index: u32) -> u64 {
    instance + MEMBERS + u64::from(index) * member::WORDS
}

/// Words of a member's group.
pub(super) fn group_of(memory: Memory<'_>, instance: u64, index: u32) -> u64 {
    let first = memory.get(instance + GROUPS + group::SIZE);
    group_at(instance, u32::from(u64::from(index) >= first))
}

/// Words of a group.
pub(super) fn group_at(instance: u64, group: u32) -> u64 {
    instance + GROUPS + u64::from(group) * group::WORDS
}

fn members(memory: Memory<'_>, instance: u64) -> u32 {
    (0..2)
        .map(|group| memory.get(group_at(instance, group) + group::SIZE) as u32)
        .sum()
}

/// One of the things a member needs has happened.
pub(super) fn satisfy(memory: Memory<'_>, instance: u64, index: u32) {
    let own = member_at(memory, instance, index);
    let is_last = memory.add(own + member::MISSING, 1u64.wrapping_neg()) == 0;
    if is_last && memory.get(own + member::AWAITED) != 0 {
        memory.set(own + member::AWAITED, 0);
        slot::complete_one(memory, (memory.get(own + member::HERE) - 1) as u32);
    }
}

fn satisfy_all(memory: Memory<'_>, instance: u64, list: u64) {
    let mut node = memory.get(list);
    memory.set(list, 0);
    while node != 0 {
        // The node's block may be freed as soon as its owner runs, which is not before this is over.
        satisfy(memory, instance, memory.get(node + WHOSE) as u32);
        node = memory.get(node + NEXT);
    }
}

fn add_dependencies(
    memory: Memory<'_>,
    instance: u64,
    index: u32,
    dependencies: Dependencies<'_>,
) -> Result<(), OutOfSharedMemory> {
    match dependencies {
        Dependencies::Nothing => Ok(()),
        Dependencies::AllMembers => add_list_dependencies(
            memory,
            instance,
            index,
            &[0, 1].map(|g| group_list(instance, g)),
        ),
        Dependencies::Group(group) => {
            add_list_dependencies(memory, instance, index, &[group_list(instance, group)])
        }
        Dependencies::Members(members) => {
            let absent: Vec<u64> = members
                .iter()
                .filter_map(|&m| absent_list(memory, instance, m))
                .collect();
            add_list_dependencies(memory, instance, index, &absent)
        }
        Dependencies::Link => {
            add_chain_dependency(memory, instance, index);
            Ok(())
        }
    }
}

fn group_list(instance: u64, group: u32) -> u64 {
    group_at(instance, group) + group::DEPENDENTS
}

fn absent_list(memory: Memory<'_>, instance: u64, index: u32) -> Option<u64> {
    let at = member_at(memory, instance, index);
    if memory.get(at + member::HERE) == 0 {
        Some(at + member::DEPENDENTS)
    } else {
        None
    }
}

fn add_chain_dependency(memory: Memory<'_>, instance: u64, index: u32) {
    let own = member_at(memory, instance, index);
    if !super::chain::is_linked(memory, instance, index) {
        memory.set(own + member::DEPENDS_ON_CHAIN, 1);
        memory.set(own + member::MISSING, 1);
    }
}

/// Puts the member in each list. Lists of groups without members are never emptied by an arrival,
/// so they are left out.
fn add_list_dependencies(
    memory: Memory<'_>,
    instance: u64,
    index: u32,
    lists: &[u64],
) -> Result<(), OutOfSharedMemory> {
    let empty = |list: u64| {
        (0..2).any(|g| list == group_list(instance, g) && all_arrived(memory, instance, g))
    };
    let lists: Vec<u64> = lists.iter().copied().filter(|&list| !empty(list)).collect();
    if lists.is_empty() {
        return Ok(());
    }
    let nodes = heap::allocate(memory, lists.len() as u64 * NODE_WORDS)?;
    let own = member_at(memory, instance, index);
    memory.set(own + member::NODES, nodes);
    memory.set(own + member::MISSING, lists.len() as u64);
    for (node, list) in (nodes..).step_by(NODE_WORDS as usize).zip(lists) {
        memory.set(node + WHOSE, u64::from(index));
        memory.set(node + NEXT, memory.get(list));
        memory.set(list, node);
    }
    Ok(())
}

fn all_arrived(memory: Memory<'_>, instance: u64, group: u32) -> bool {
    memory.get(group_at(instance, group) + group::ABSENT) == 0
}

fn create(
    memory: Memory<'_>,
    context: u64,
    key: Key,
    sizes: [u32; 2],
    first: &Member,
    signature: Signature,
) -> Result<u64, OutOfSharedMemory> {
    let members = u64::from(sizes[0]) + u64::from(sizes[1]);
    let instance = heap::allocate_cleared(memory, MEMBERS + members * member::WORDS)?;
    let set = |word, value| memory.set(instance + word, value);
    set(KEY, key.sequence);
    set(ROUND, key.round);
    set(FUNCTION, u64::from(signature.function));
    set(LEVEL, u64::from(signature.level));
    set(FIRST, u64::from(first.world));
    set(FIRST_PLACE, first.place.word());
    merge_signature(memory, instance, signature);
    for (group, size) in (0..).zip(sizes) {
        memory.set(group_at(instance, group) + group::SIZE, u64::from(size));
        memory.set(group_at(instance, group) + group::ABSENT, u64::from(size));
    }
    append(memory, context, instance);
    Ok(instance)
}

/// What a signature says of root, bytes and operation, as in their words.
fn signature_words(signature: Signature) -> [(u64, u64); 3] {
    let plus_one = |value: Option<u64>| value.map_or(0, |value| value + 1);
    [
        (ROOT, plus_one(signature.root.map(u64::from))),
        (BYTES, plus_one(signature.bytes)),
        (OPERATION, signature.operation),
    ]
}

/// Stores what no other member has stored yet; returns whether it stored anything.
fn merge_signature(memory: Memory<'_>, instance: u64, signature: Signature) -> bool {
    let is_new = |&(word, value): &(u64, u64)| value != 0 && memory.get(instance + word) == 0;
    let new = signature_words(signature).into_iter().filter(is_new);
    new.map(|(word, value)| memory.set(instance + word, value))
        .count()
        > 0
}

fn checked(
    memory: Memory<'_>,
    instance: u64,
    member: &Member,
    signature: Signature,
) -> Result<u64, JoinError> {
    let theirs = Signature {
        function: memory.get(instance + FUNCTION) as u32,
        root: memory
            .get(instance + ROOT)
            .checked_sub(1)
            .map(|root| root as u32),
        bytes: memory.get(instance + BYTES).checked_sub(1),
        operation: memory.get(instance + OPERATION),
        level: memory.get(instance + LEVEL) as u32,
    };
    if !agree(theirs, signature) {
        let other = memory.get(instance + FIRST) as u32;
        let place = CallLocation::of_word(memory.get(instance + FIRST_PLACE));
        return Err(JoinError::Mismatch(Mismatch {
            other,
            theirs,
            place,
        }));
    }
    // A later mismatch then names a member that has passed the value that differs.
    if merge_signature(memory, instance, signature) {
        memory.set(instance + FIRST, u64::from(member.world));
        memory.set(instance + FIRST_PLACE, member.place.word());
    }
    Ok(instance)
}

/// Whether two signatures agree as far as both say something.
fn agree(a: Signature, b: Signature) -> bool {
    let mut pairs = signature_words(a).into_iter().zip(signature_words(b));
    (a.function, a.level) == (b.function, b.level)
        && pairs.all(|((_, a), (_, b))| a == b || a == 0 || b == 0)
}
