//! The next holder of the token: the next runnable rank in ring order (MPIETE §3.3, where it is the
//! next rank; a rank that could only pass it on is skipped here, which changes nothing but time).

use super::Memory;
use super::layout::{self, header};
use std::sync::atomic::Ordering;

/// Whether `rank` can go on.
pub fn is_runnable(memory: Memory<'_>, rank: u32) -> bool {
    memory.get(word_of(memory, rank)) >> (rank % 64) & 1 == 1
}

/// Says whether `rank` can go on; for the token's holder.
pub fn set_runnable(memory: Memory<'_>, rank: u32, runnable: bool) {
    let at = word_of(memory, rank);
    let bit = 1u64 << (rank % 64);
    let word = memory.get(at);
    memory.set(at, if runnable { word | bit } else { word & !bit });
}

/// Makes `rank` runnable before any rank holds the token.
pub(super) fn set_runnable_shared(memory: Memory<'_>, rank: u32) {
    // Without a token several ranks write this word at once, so a load and a store could lose a bit. Relaxed is
    // enough: no other data are published with it, and the hand-over of the token orders what follows.
    memory
        .word(word_of(memory, rank))
        .fetch_or(1 << (rank % 64), Ordering::Relaxed);
}

/// The first runnable rank after `rank` in ring order, `rank` itself last; `None` if no rank is
/// runnable.
pub fn next_after(memory: Memory<'_>, rank: u32) -> Option<u32> {
    let ranks = memory.get(header::RANKS) as u32;
    first_runnable(memory, rank + 1, ranks).or_else(|| first_runnable(memory, 0, rank + 1))
}

fn first_runnable(memory: Memory<'_>, from: u32, to: u32) -> Option<u32> {
    let base = layout::runnable(memory.get(header::RANKS) as u32);
    let mut rank = from;
    while rank < to {
        // One bit for each rank. The shift drops the ranks before `rank` in its word.
        let word = memory.get(base + u64::from(rank / 64)) >> (rank % 64);
        if word != 0 {
            let found = rank + word.trailing_zeros();
            // The word may contain ranks from `to` on.
            return if found < to { Some(found) } else { None };
        }
        rank = (rank / 64 + 1) * 64;
    }
    None
}

fn word_of(memory: Memory<'_>, rank: u32) -> u64 {
    layout::runnable(memory.get(header::RANKS) as u32) + u64::from(rank / 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;

    fn check(ranks: u32, runnable: &[u32], holder: u32, expect: Option<u32>) {
        let words = fresh(ranks, 0);
        let memory = Memory::new(&words);
        runnable
            .iter()
            .for_each(|&rank| set_runnable(memory, rank, true));
        assert_eq!(
            next_after(memory, holder),
            expect,
            "{runnable:?} after {holder} of {ranks}"
        );
    }

    #[test]
    fn next_runnable_rank_follows_ring_order() {
        check(4, &[0, 1, 2, 3], 1, Some(2));
        check(4, &[0, 1], 1, Some(0));
        check(4, &[1], 1, Some(1));
        check(4, &[], 1, None);
        check(200, &[3, 130, 199], 3, Some(130));
        check(200, &[3, 130, 199], 130, Some(199));
        check(200, &[3, 130], 199, Some(3));
        check(64, &[63], 63, Some(63));
    }
}
