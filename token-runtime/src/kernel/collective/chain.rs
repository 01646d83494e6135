//! The chain of a reduction: members of a group are combined in the order of ranks, each as soon as it
//! and all before it have given their data, so that the same run gives the same bits and data do not
//! pile up. What is combined so far stands in the parcel of the last member of the chain.

use super::super::Memory;
use super::contributions::{self, GIVEN};
use super::instance::{group, group_of, member, member_at, satisfy};

/// The next link of the chain that a member's coming makes possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The member before it, if it is not the first of its group.
    pub before: Option<u32>,
    /// The member.
    pub index: u32,
}

/// The next member of the group of `index` that can be combined with all before it.
pub fn next(memory: Memory<'_>, instance: u64, index: u32) -> Option<Link> {
    let group = group_of(memory, instance, index);
    let combined = memory.get(group + group::COMBINED);
    if combined >= memory.get(group + group::SIZE) {
        return None;
    }
    let next = first_of(memory, instance, index) + combined as u32;
    if memory.get(member_at(memory, instance, next) + member::READERS) & GIVEN == 0 {
        return None;
    }
    // The first member of a group starts the chain: its data are the combination so far.
    let before = if combined > 0 { Some(next - 1) } else { None };
    Some(Link {
        before,
        index: next,
    })
}

/// The link is made: the member's parcel holds the combination of its own data with all before.
pub fn linked(memory: Memory<'_>, instance: u64, link: Link) {
    if let Some(before) = link.before {
        contributions::release_reader(memory, instance, before);
    }
    memory.add(group_of(memory, instance, link.index) + group::COMBINED, 1);
    let own = member_at(memory, instance, link.index);
    if memory.get(own + member::DEPENDS_ON_CHAIN) != 0 {
        memory.set(own + member::DEPENDS_ON_CHAIN, 0);
        satisfy(memory, instance, link.index);
    }
}

/// Whether a member is combined with all before it.
pub(super) fn is_linked(memory: Memory<'_>, instance: u64, index: u32) -> bool {
    let own = index - first_of(memory, instance, index);
    memory.get(group_of(memory, instance, index) + group::COMBINED) > u64::from(own)
}

fn first_of(memory: Memory<'_>, instance: u64, index: u32) -> u32 {
    let first = super::instance::group_at(instance, 0);
    match group_of(memory, instance, index) == first {
        true => 0,
        false => memory.get(first + group::SIZE) as u32,
    }
}
