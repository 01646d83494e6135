//! Dependencies between members, release of memory, and mismatched calls.

use super::super::dispatcher::is_runnable;
use super::super::layout::header;
use super::super::{Memory, heap, slot};
use super::*;
use crate::kernel::layout::tests::fresh;
use crate::kernel::slot::CallLocation;

const FIRST: Key = Key {
    sequence: 0,
    round: 0,
};

fn signature(root: Option<u32>, bytes: Option<u64>) -> Signature {
    Signature {
        function: 1,
        root,
        bytes,
        operation: 0,
        level: 2,
    }
}

fn member(index: u32) -> Member {
    Member {
        index,
        world: index,
        place: CallLocation::Site(5),
    }
}

/// Members of groups come in this order, each with a parcel read so often; who may go on at once,
/// and, of those that wait, after whose coming?
fn check(
    sizes: [u32; 2],
    order: &[u32],
    dependencies: &dyn Fn(u32) -> Dependencies<'static>,
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
        instance = enter(
            memory,
            context,
            FIRST,
            sizes,
            &member(index),
            signature(None, None),
        )
        .unwrap();
        contributions::contribute(
            memory,
            instance,
            index,
            heap::allocate(memory, 8).unwrap(),
            readers(index),
        );
        while let Some(link) = chain::next(memory, instance, index) {
            chain::linked(memory, instance, link);
        }
        arrive(memory, instance, &member(index), dependencies(index)).unwrap();
        waiting.retain(|&one| {
            let runs = is_runnable(memory, one);
            went_on[one as usize] = went_on[one as usize].or(runs.then_some(index));
            !runs
        });
        if !is_complete(memory, instance, index) {
            add_waiter(memory, instance, index);
            slot::wait_for(memory, index, 1);
            waiting.push(index);
        }
    }
    assert_eq!(
        (waiting.as_slice(), went_on.as_slice()),
        (&[][..], expect),
        "{order:?}"
    );
    for &index in order {
        (0..readers(index) - u64::from(link_reads(dependencies, index)))
            .for_each(|_| contributions::release_reader(memory, instance, index));
    }
    order
        .iter()
        .for_each(|&index| end(memory, context, instance, index));
    assert_eq!(
        memory.get(header::HEAP_USED),
        used,
        "the instance and its parcels are gone"
    );
}

/// Whether the chain reads the parcel of this member of a group of three.
fn link_reads(dependencies: &dyn Fn(u32) -> Dependencies<'static>, index: u32) -> bool {
    matches!(dependencies(index), Dependencies::Link) && index < 2
}

#[test]
fn members_complete_as_early_as_allowed() {
    let all = |_| Dependencies::AllMembers;
    check([3, 0], &[0, 1, 2], &all, &|_| 1, &[Some(2), Some(2), None]);
    let root_of = |root: u32| {
        move |index| {
            if index == root {
                Dependencies::Nothing
            } else {
                Dependencies::Members(&[1])
            }
        }
    };
    check(
        [3, 0],
        &[0, 1, 2],
        &root_of(1),
        &|_| 1,
        &[Some(1), None, None],
    );
    check([3, 0], &[1, 2, 0], &root_of(1), &|_| 1, &[None, None, None]);
    let to_root = |index| {
        if index == 0 {
            Dependencies::Group(0)
        } else {
            Dependencies::Nothing
        }
    };
    check([3, 0], &[0, 1, 2], &to_root, &|_| 3, &[Some(2), None, None]);
    check([3, 0], &[2, 1, 0], &to_root, &|_| 3, &[None, None, None]);
}

#[test]
fn groups_wait_for_each_other() {
    let other = |index| Dependencies::Group(u32::from(index < 2));
    check(
        [2, 1],
        &[0, 2, 1],
        &other,
        &|_| 1,
        &[Some(2), None, Some(1)],
    );
    check([2, 1], &[2, 0, 1], &other, &|_| 1, &[None, None, Some(1)]);
}

#[test]
fn neighbourhood_members_depend_only_on_neighbours() {
    let ring =
        |index: u32| Dependencies::Members([&[2, 1][..], &[0, 2], &[1, 1, 2]][index as usize]);
    check([3, 0], &[0, 1, 2], &ring, &|_| 1, &[Some(2), Some(2), None]);
    let solo = |index: u32| Dependencies::Members([&[0][..], &[0, 0], &[]][index as usize]);
    check([3, 0], &[1, 0, 2], &solo, &|_| 1, &[None, Some(0), None]);
}

#[test]
fn reduction_chain_is_combined_in_rank_order() {
    let link = |_| Dependencies::Link;
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
        Err(JoinError::OutOfSharedMemory(error)) => panic!("{error:?}"),
    }
}

#[test]
fn mismatched_calls_are_reported() {
    let (ours, unknown) = (signature(Some(0), Some(8)), signature(None, None));
    assert_eq!(meets(ours, ours), None);
    assert_eq!(meets(unknown, ours), None);
    assert_eq!(meets(ours, unknown), None);
    let refused = |other| {
        Some(Mismatch {
            other: 0,
            theirs: other,
            place: CallLocation::Site(5),
        })
    };
    assert_eq!(meets(ours, signature(Some(1), Some(8))), refused(ours));
    assert_eq!(meets(ours, signature(Some(0), Some(4))), refused(ours));
    assert_eq!(
        meets(
            ours,
            Signature {
                function: 2,
                ..ours
            }
        ),
        refused(ours)
    );
    let combining = |operation| Signature { operation, ..ours };
    assert_eq!(meets(combining(2), ours), None);
    assert_eq!(meets(combining(2), combining(1)), refused(combining(2)));
}

#[test]
fn rounds_of_a_persistent_call_are_separate_instances() {
    let words = fresh(2, 4000);
    let memory = Memory::new(&words);
    let context = context(memory, 1, 0).unwrap();
    let instances = [0, 1].map(|round| {
        let key = Key { round, ..FIRST };
        enter(
            memory,
            context,
            key,
            [2, 0],
            &member(0),
            signature(None, None),
        )
        .unwrap()
    });
    assert_ne!(instances[0], instances[1]);
}

#[test]
fn labelled_pieces_name_their_reader() {
    let words = fresh(1, 4000);
    let memory = Memory::new(&words);
    let header = contributions::Header {
        pieces: 3,
        labelled: true,
        each: None,
    };
    let block = heap::allocate(memory, header.words() + 4).unwrap();
    header.write(memory, block);
    for (piece, (end, label)) in (0..).zip([(8, 5), (8, 6), (24, 5)]) {
        header.set_end(memory, block, piece, end);
        header.set_label(memory, block, piece, label);
    }
    let data = header.words() * 8;
    assert_eq!(contributions::data(memory, block), block + header.words());
    assert_eq!(contributions::piece(memory, block, 0), data..data + 8);
    assert_eq!(contributions::piece(memory, block, 1), data + 8..data + 8);
    assert_eq!(contributions::piece(memory, block, 2), data + 8..data + 24);
    assert_eq!(contributions::labelled(memory, block, 5, 1), Some(2));
    assert_eq!(contributions::labelled(memory, block, 7, 0), None);
    assert_eq!(contributions::piece(memory, 0, 2), 0..0);
    let equal = contributions::Header {
        each: Some(8),
        ..header
    };
    equal.write(memory, block);
    (0..)
        .zip([5, 6, 5])
        .for_each(|(piece, label)| equal.set_label(memory, block, piece, label));
    let data = equal.words() * 8;
    assert!(data < header.words() * 8);
    assert_eq!(contributions::piece(memory, block, 2), data + 16..data + 24);
    assert_eq!(contributions::labelled(memory, block, 5, 1), Some(2));
}

/// The state of a communicator is gone when both members have freed it and the collective under way has
/// ended, in whatever order; another communicator's stays.
#[test]
fn freed_communicator_releases_shared_state() {
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
                arrive(memory, instance, &member(index), Dependencies::Nothing).unwrap();
            }
            end(memory, state, instance, 0);
            contexts::free(memory, state, 2);
            assert_eq!(
                context(memory, number, 0),
                Ok(state),
                "the other member has not freed it"
            );
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
