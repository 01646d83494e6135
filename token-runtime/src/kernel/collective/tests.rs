//! Who may go on when, what becomes of the memory, and calls that do not match.

use super::super::dispatcher::is_runnable;
use super::super::layout::header;
use super::super::{Memory, heap, slot};
use super::*;
use crate::kernel::layout::tests::fresh;
use crate::kernel::slot::Place;

const FIRST: Key = Key { sequence: 0, round: 0 };

fn signature(root: Option<u32>, bytes: Option<u64>) -> Signature {
    Signature { function: 1, root, bytes, operation: 0, level: 2 }
}

fn member(index: u32) -> Member {
    Member { index, world: index, place: Place::Site(5) }
}

/// Members of groups come in this order, each with a parcel read so often; who may go on at once,
/// and, of those that wait, after whose coming?
fn check(
    sizes: [u32; 2],
    order: &[u32],
    needs: &dyn Fn(u32) -> Needs<'static>,
    readers: &dyn Fn(u32) -> u64,
    expect: &[Option<u32>],
) {
    let words = fresh(8, 4000);
    let memory = Memory::new(&words);
    let context = context(memory, 1, 0).unwrap();
    let used = memory.get(header::HEAP_USED);
    let mut waiting: Vec<u32> = Vec::new();
    let mut went_on = vec![None; order.len()];
    let mut instance = 0;
    for &index in order {
        instance = enter(memory, context, FIRST, sizes, &member(index), signature(None, None)).unwrap();
        parcels::give(memory, instance, index, heap::allocate(memory, 8).unwrap(), readers(index));
        while let Some(link) = chain::next(memory, instance, index) {
            chain::linked(memory, instance, link);
        }
        arrive(memory, instance, &member(index), needs(index)).unwrap();
        waiting.retain(|&one| {
            let runs = is_runnable(memory, one);
            went_on[one as usize] = went_on[one as usize].or(runs.then_some(index));
            !runs
        });
        if !is_complete(memory, instance, index) {
            await_happening(memory, instance, index);
            slot::wait_for(memory, index, 1);
            waiting.push(index);
        }
    }
    assert_eq!((waiting.as_slice(), went_on.as_slice()), (&[][..], expect), "{order:?}");
    for &index in order {
        (0..readers(index) - u64::from(link_reads(needs, index)))
            .for_each(|_| parcels::read(memory, instance, index));
    }
    order.iter().for_each(|&index| end(memory, context, instance, index));
    assert_eq!(memory.get(header::HEAP_USED), used, "the instance and its parcels are gone");
}

/// Whether the chain reads the parcel of this member of a group of three.
fn link_reads(needs: &dyn Fn(u32) -> Needs<'static>, index: u32) -> bool {
    matches!(needs(index), Needs::Link) && index < 2
}

#[test]
fn members_go_on_as_soon_as_they_may() {
    let all = |_| Needs::Everybody;
    check([3, 0], &[0, 1, 2], &all, &|_| 1, &[Some(2), Some(2), None]);
    let root_of = |root: u32| move |index| if index == root { Needs::Nothing } else { Needs::Members(&[1]) };
    check([3, 0], &[0, 1, 2], &root_of(1), &|_| 1, &[Some(1), None, None]);
    check([3, 0], &[1, 2, 0], &root_of(1), &|_| 1, &[None, None, None]);
    let to_root = |index| if index == 0 { Needs::Group(0) } else { Needs::Nothing };
    check([3, 0], &[0, 1, 2], &to_root, &|_| 3, &[Some(2), None, None]);
    check([3, 0], &[2, 1, 0], &to_root, &|_| 3, &[None, None, None]);
}

#[test]
fn groups_wait_for_each_other() {
    let other = |index| Needs::Group(u32::from(index < 2));
    check([2, 1], &[0, 2, 1], &other, &|_| 1, &[Some(2), None, Some(1)]);
    check([2, 1], &[2, 0, 1], &other, &|_| 1, &[None, None, Some(1)]);
}

#[test]
fn neighbours_wait_for_their_neighbours_only() {
    let ring = |index: u32| Needs::Members([&[2, 1][..], &[0, 2], &[1, 1, 2]][index as usize]);
    check([3, 0], &[0, 1, 2], &ring, &|_| 1, &[Some(2), Some(2), None]);
    let alone = |index: u32| Needs::Members([&[0][..], &[0, 0], &[]][index as usize]);
    check([3, 0], &[1, 0, 2], &alone, &|_| 1, &[None, Some(0), None]);
}

#[test]
fn links_are_made_in_order() {
    let link = |_| Needs::Link;
    check([3, 0], &[0, 1, 2], &link, &|_| 2, &[None, None, None]);
    check([3, 0], &[2, 0, 1], &link, &|_| 2, &[None, None, Some(1)]);
    check([3, 0], &[2, 1, 0], &link, &|_| 2, &[None, Some(0), Some(0)]);
}

/// The second member, with another signature, meets the first one's.
fn meets(first: Signature, second: Signature) -> Option<Mismatch> {
    let words = fresh(2, 4000);
    let memory = Memory::new(&words);
    let context = context(memory, 1, 0).unwrap();
    let enter = |index, signature| enter(memory, context, FIRST, [2, 0], &member(index), signature);
    enter(0, first).unwrap();
    match enter(1, second) {
        Ok(_) => None,
        Err(JoinError::Mismatch(mismatch)) => Some(mismatch),
        Err(JoinError::OutOfMemory(error)) => panic!("{error:?}"),
    }
}

#[test]
fn different_calls_do_not_meet() {
    let (ours, unknown) = (signature(Some(0), Some(8)), signature(None, None));
    assert_eq!(meets(ours, ours), None);
    assert_eq!(meets(unknown, ours), None);
    assert_eq!(meets(ours, unknown), None);
    let refused = |other| Some(Mismatch { other: 0, theirs: other, place: Place::Site(5) });
    assert_eq!(meets(ours, signature(Some(1), Some(8))), refused(ours));
    assert_eq!(meets(ours, signature(Some(0), Some(4))), refused(ours));
    assert_eq!(meets(ours, Signature { function: 2, ..ours }), refused(ours));
    let combining = |operation| Signature { operation, ..ours };
    assert_eq!(meets(combining(2), ours), None);
    assert_eq!(meets(combining(2), combining(1)), refused(combining(2)));
}

#[test]
fn rounds_of_a_persistent_call_are_kept_apart() {
    let words = fresh(2, 4000);
    let memory = Memory::new(&words);
    let context = context(memory, 1, 0).unwrap();
    let instances = [0, 1].map(|round| {
        let key = Key { round, ..FIRST };
        enter(memory, context, key, [2, 0], &member(0), signature(None, None)).unwrap()
    });
    assert_ne!(instances[0], instances[1]);
}

#[test]
fn pieces_say_for_whom_they_are() {
    let words = fresh(1, 4000);
    let memory = Memory::new(&words);
    let header = parcels::Header { pieces: 3, labelled: true, each: None };
    let block = heap::allocate(memory, header.words() + 4).unwrap();
    header.write(memory, block);
    for (piece, (end, label)) in (0..).zip([(8, 5), (8, 6), (24, 5)]) {
        header.set_end(memory, block, piece, end);
        header.set_label(memory, block, piece, label);
    }
    let data = header.words() * 8;
    assert_eq!(parcels::data(memory, block), block + header.words());
    assert_eq!(parcels::piece(memory, block, 0), data..data + 8);
    assert_eq!(parcels::piece(memory, block, 1), data + 8..data + 8);
    assert_eq!(parcels::piece(memory, block, 2), data + 8..data + 24);
    assert_eq!(parcels::labelled(memory, block, 5, 1), Some(2));
    assert_eq!(parcels::labelled(memory, block, 7, 0), None);
    assert_eq!(parcels::piece(memory, 0, 2), 0..0);
    let equal = parcels::Header { each: Some(8), ..header };
    equal.write(memory, block);
    (0..).zip([5, 6, 5]).for_each(|(piece, label)| equal.set_label(memory, block, piece, label));
    let data = equal.words() * 8;
    assert!(data < header.words() * 8);
    assert_eq!(parcels::piece(memory, block, 2), data + 16..data + 24);
    assert_eq!(parcels::labelled(memory, block, 5, 1), Some(2));
}

/// The state of a communicator is gone when both members have freed it and the collective under way has
/// ended, in whatever order; another communicator's stays.
#[test]
fn a_communicator_that_all_have_freed_leaves_nothing() {
    for ended_first in [true, false] {
        let words = fresh(2, 4000);
        let memory = Memory::new(&words);
        let kept = context(memory, 1, 0).unwrap();
        let used = memory.get(header::HEAP_USED);
        // More than the heap holds; Miri would take half an hour for so many.
        for number in 2..if cfg!(miri) { 20 } else { 1000 } {
            let state = context(memory, number, 0).unwrap();
            let signature = signature(None, None);
            let instance = enter(memory, state, FIRST, [2, 0], &member(0), signature).unwrap();
            enter(memory, state, FIRST, [2, 0], &member(1), signature).unwrap();
            for index in 0..2 {
                arrive(memory, instance, &member(index), Needs::Nothing).unwrap();
            }
            end(memory, state, instance, 0);
            contexts::free(memory, state, 2);
            assert_eq!(context(memory, number, 0), Ok(state), "the other member has not freed it");
            match ended_first {
                true => {
                    end(memory, state, instance, 1);
                    contexts::free(memory, state, 2);
                }
                false => {
                    contexts::free(memory, state, 2);
                    end(memory, state, instance, 1);
                }
            }
            assert_eq!(memory.get(header::HEAP_USED), used, "communicator {number}");
        }
        assert_eq!(context(memory, 1, 0), Ok(kept));
    }
}
