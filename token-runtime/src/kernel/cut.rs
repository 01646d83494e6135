//! Early exit of all ranks from a loop that is cut short: at the same iteration of the same instance.
//!
//! The first rank that has seen enough fixes the iteration as 1 + the largest one that any rank
//! has begun; ranks behind it run up to there, so that every message finds its receive.

use super::layout::header;
use super::{Memory, OutOfSharedMemory, heap};

// Words of a loop: next loop, id, first instance, whether it must run whole. Of an instance: next, iterations
// begun by the foremost rank, iteration at which all leave plus 1 (0: not decided).
const NEXT: u64 = 0;
const ID: u64 = 1;
const FIRST: u64 = 2;
const CUT_DISABLED: u64 = 3;
const LARGEST_BEGUN: u64 = 1;
const LEAVE_AT: u64 = 2;
const NODE_WORDS: u64 = 4;

/// The shared state of the loop with this id.
pub fn loop_node(memory: Memory<'_>, id: u32) -> Result<u64, OutOfSharedMemory> {
    let mut node = memory.get(header::LOOPS);
    while node != 0 && memory.get(node + ID) != u64::from(id) {
        node = memory.get(node + NEXT);
    }
    if node == 0 {
        node = heap::allocate_cleared(memory, NODE_WORDS)?;
        memory.set(node + ID, u64::from(id));
        memory.set(node + NEXT, memory.get(header::LOOPS));
        memory.set(header::LOOPS, node);
    }
    Ok(node)
}

/// The instance after `previous` (0: the first) of a loop; a rank's n-th instance is every rank's
/// n-th.
pub fn next_instance(
    memory: Memory<'_>,
    loop_node: u64,
    previous: u64,
) -> Result<u64, OutOfSharedMemory> {
    let link = if previous == 0 {
        loop_node + FIRST
    } else {
        previous + NEXT
    };
    // The first rank to reach an instance creates it; the token makes that exclusive.
    if memory.get(link) == 0 {
        memory.set(link, heap::allocate_cleared(memory, NODE_WORDS)?);
    }
    Ok(memory.get(link))
}

/// From now on no rank may end a loop early.
pub fn disable_cut(memory: Memory<'_>, loop_node: u64) {
    memory.set(loop_node + CUT_DISABLED, 1);
}

/// A rank is about to begin `iteration` (0-based) of an instance; true if it leaves instead.
pub fn should_leave(
    memory: Memory<'_>,
    (loop_node, instance): (u64, u64),
    iteration: u64,
    has_seen_enough: bool,
) -> bool {
    let begun = memory.get(instance + LARGEST_BEGUN);
    let may_decide = has_seen_enough && memory.get(loop_node + CUT_DISABLED) == 0;
    if memory.get(instance + LEAVE_AT) == 0 && may_decide {
        // The foremost rank has begun iteration `begun - 1` and cannot go back, so all ranks complete it. A rank
        // that has not begun it needs its messages.
        memory.set(instance + LEAVE_AT, begun.max(iteration) + 1);
        memory.add(header::CUTS, 1);
    }
    let decided = memory.get(instance + LEAVE_AT);
    if decided != 0 && iteration + 1 >= decided {
        return true;
    }
    memory.set(instance + LARGEST_BEGUN, begun.max(iteration + 1));
    false
}

/// A rank that runs alone leaves a loop early.
pub fn count_solo_cut(memory: Memory<'_>) {
    memory.add(header::CUTS, 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;
    use proptest::prelude::*;

    #[test]
    fn instances_are_counted_per_rank() {
        let words = fresh(2, 1000);
        let memory = Memory::new(&words);
        let (a, b) = (loop_node(memory, 3).unwrap(), loop_node(memory, 4).unwrap());
        assert_eq!(loop_node(memory, 3).unwrap(), a);
        let first = next_instance(memory, a, 0).unwrap();
        let second = next_instance(memory, a, first).unwrap();
        assert_eq!(next_instance(memory, a, 0).unwrap(), first);
        assert_eq!(next_instance(memory, a, first).unwrap(), second);
        assert_ne!(next_instance(memory, b, 0).unwrap(), first);
    }

    #[test]
    fn disabled_cut_honours_only_an_earlier_decision() {
        let words = fresh(2, 1000);
        let memory = Memory::new(&words);
        let node = loop_node(memory, 0).unwrap();
        let first = next_instance(memory, node, 0).unwrap();
        assert!(should_leave(memory, (node, first), 2, true));
        disable_cut(memory, node);
        assert!(
            should_leave(memory, (node, first), 2, false),
            "the others have left"
        );
        let second = next_instance(memory, node, first).unwrap();
        assert!(!should_leave(memory, (node, second), 2, true));
    }

    proptest! {
        /// Ranks advance in any order and have enough at any time: they all leave at the same
        /// iteration.
        #[test]
        fn all_leave_at_the_same_iteration(
            order in prop::collection::vec(0usize..4, 200),
            enough in prop::array::uniform4(0u64..20),
        ) {
            let words = fresh(4, 1000);
            let memory = Memory::new(&words);
            let node = loop_node(memory, 0).unwrap();
            let instance = next_instance(memory, node, 0).unwrap();
            let (mut at, mut left) = ([0u64; 4], [None; 4]);
            for rank in order.into_iter().chain((0..400).map(|i| i % 4)) {
                if left[rank].is_none() {
                    if should_leave(memory, (node, instance), at[rank], at[rank] >= enough[rank]) {
                        left[rank] = Some(at[rank]);
                    }
                    at[rank] += 1;
                }
            }
            prop_assert!(left[0].is_some() && left.iter().all(|&l| l == left[0]), "{left:?}");
        }
    }
}
