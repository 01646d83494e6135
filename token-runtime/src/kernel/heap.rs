//! The heap of the shared memory: blocks in size classes, four per power of two (at most a fifth
//! of a block is wasted), with one free list each, last freed first used.
//!
//! When nothing fits, the caller waits until another rank frees something; if no rank is runnable then,
//! the heap grows beyond its limit, onto the disk, and if that is full, too, the run ends with "out of
//! shared memory".

use super::layout::header;
use super::{Memory, OutOfSharedMemory, slot};

/// Number of size classes: four per power of two from 8 to 2^40 words.
pub const SIZE_CLASSES: u64 = 152;

/// Smallest block, in words.
const SMALLEST: u64 = 8;

fn class_of(words: u64) -> u64 {
    let words = words.max(SMALLEST);
    // 2^power <= words, and `steps` quarters of it above. Four steps are the first class of the next power.
    let power = 63 - u64::from(words.leading_zeros());
    let quarter = 1u64 << (power - 2);
    let steps = (words - (1 << power)).div_ceil(quarter);
    (power - 3) * 4 + steps
}

fn class_words(class: u64) -> u64 {
    let power = class / 4 + 3;
    (1u64 << power) + (class % 4) * (1u64 << (power - 2))
}

/// Takes a block of at least `words` words from the heap; gives the offset of its first word.
/// Its content is whatever was there.
pub fn allocate(memory: Memory<'_>, words: u64) -> Result<u64, OutOfSharedMemory> {
    let class = class_of(words);
    let Some(block) = find_block(memory, class) else {
        return Err(OutOfSharedMemory { words });
    };
    memory.add(header::HEAP_USED, self::words(memory, block));
    Ok(block)
}

fn find_block(memory: Memory<'_>, class: u64) -> Option<u64> {
    if let Some(block) = pop(memory, class) {
        return Some(block);
    }
    if let Some(block) = extend(memory, class) {
        return Some(block);
    }
    // A larger block is the last resort: it is never split, so most of it would be wasted. At eight times the
    // size the waste is not worth it; the caller then waits until a rank frees a block.
    for larger in class + 1..SIZE_CLASSES.min(class + 12) {
        if let Some(block) = pop(memory, larger) {
            return Some(block);
        }
    }
    None
}

/// Like [`allocate`], with all words 0.
pub fn allocate_cleared(memory: Memory<'_>, words: u64) -> Result<u64, OutOfSharedMemory> {
    let block = allocate(memory, words)?;
    memory.clear(block, words);
    Ok(block)
}

/// Gives a block back. Ranks that wait for room become runnable.
pub fn free(memory: Memory<'_>, block: u64) {
    let class = memory.get(block - 1);
    memory.add(header::HEAP_USED, class_words(class).wrapping_neg());
    memory.set(block, memory.get(header::FREE_LISTS + class));
    memory.set(header::FREE_LISTS + class, block);
    if memory.get(header::MEMORY_WAITERS) > 0 {
        slot::wake_memory_waiters(memory);
    }
}

/// Words of a block that was taken.
pub fn words(memory: Memory<'_>, block: u64) -> u64 {
    class_words(memory.get(block - 1))
}

/// No rank is runnable for want of room: if there is any beyond the limit, those that wait for it become
/// runnable. Gives whether they did.
pub fn raise_limit(memory: Memory<'_>) -> bool {
    let size = memory.get(header::SIZE);
    let raised = memory.get(header::MEMORY_WAITERS) > 0 && memory.get(header::LIMIT) < size;
    if raised {
        memory.set(header::LIMIT, size);
        slot::wake_memory_waiters(memory);
    }
    raised
}

fn pop(memory: Memory<'_>, class: u64) -> Option<u64> {
    if class >= SIZE_CLASSES {
        return None;
    }
    let list = header::FREE_LISTS + class;
    let block = memory.get(list);
    if block != 0 {
        // The first word of a free block is the offset of the next one.
        memory.set(list, memory.get(block));
        Some(block)
    } else {
        None
    }
}

fn extend(memory: Memory<'_>, class: u64) -> Option<u64> {
    let start = memory.get(header::HEAP_NEXT);
    let end = start.checked_add(class_words(class))?.checked_add(1)?;
    if end <= memory.get(header::LIMIT) {
        memory.set(header::HEAP_NEXT, end);
        // The word before a block contains its size class, which `free` reads.
        memory.set(start, class);
        Some(start + 1)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;
    use proptest::prelude::*;

    #[test]
    fn size_classes_are_tight_and_ordered() {
        for words in (1..5000).chain([1 << 20, (1 << 20) + 1, 1 << 39]) {
            let size = class_words(class_of(words));
            assert!(
                size >= words && (words <= SMALLEST || size * 4 <= words * 5),
                "{words}: {size}"
            );
        }
        assert!(class_of(1 << 40) < SIZE_CLASSES);
    }

    #[test]
    fn full_heap_fails_and_recovers_after_free() {
        let words = fresh(1, 40);
        let memory = Memory::new(&words);
        let first = allocate(memory, 20).unwrap();
        assert_eq!(allocate(memory, 30), Err(OutOfSharedMemory { words: 30 }));
        free(memory, first);
        assert_eq!(allocate(memory, 17).unwrap(), first);
    }

    #[test]
    fn reserve_is_used_when_no_rank_is_runnable() {
        let words = fresh(1, 80);
        let memory = Memory::new(&words);
        memory.set(header::LIMIT, memory.len() - 40);
        let first = allocate(memory, 20).unwrap();
        assert!(
            allocate(memory, 20).is_err() && !raise_limit(memory),
            "no rank waits"
        );
        slot::wait_for_memory(memory, 0);
        assert!(raise_limit(memory) && crate::kernel::dispatcher::is_runnable(memory, 0));
        assert!(allocate(memory, 20).unwrap() > first);
        slot::wait_for_memory(memory, 0);
        assert!(!raise_limit(memory), "there is no more");
    }

    proptest! {
        #[test]
        fn live_blocks_never_overlap(steps in prop::collection::vec((1u64..200, any::<bool>()), 1..200)) {
            let words = fresh(2, 20_000);
            let memory = Memory::new(&words);
            let mut live: Vec<(u64, u64)> = Vec::new();
            for (size, release) in steps {
                if release && !live.is_empty() {
                    free(memory, live.swap_remove(size as usize % live.len()).0);
                } else if let Ok(at) = allocate(memory, size) {
                    prop_assert!(live.iter().all(|&(other, n)| at + size <= other || other + n <= at));
                    live.push((at, size));
                }
            }
            live.into_iter().for_each(|(at, _)| free(memory, at));
            prop_assert_eq!(memory.get(header::HEAP_USED), 0);
        }
    }
}
