//! Layout of the shared memory: header, one slot per rank, the bitmap of runnable
//! ranks, the heap. Sizes grow with the number of ranks, nothing has a fixed limit.

/// First word of a shared memory of this layout; its last digits are the layout's version.
pub const MAGIC: u64 = 0x6d70_6965_7465_0003;

/// Words of the header.
pub mod header {
    /// [`super::MAGIC`].
    pub const MAGIC: u64 = 0;
    /// Number of ranks.
    pub const RANKS: u64 = 1;
    /// Words of the whole memory, heap included.
    pub const SIZE: u64 = 2;
    /// Ranks that have reached `MPI_Init`.
    pub const ARRIVED: u64 = 3;
    /// Ranks that have reached `MPI_Finalize`.
    pub const FINISHED: u64 = 4;
    /// 1 once some rank has ended the run.
    pub const ENDED: u64 = 5;
    /// First word of the heap that was never used.
    pub const HEAP_NEXT: u64 = 6;
    /// Words of the heap in use.
    pub const HEAP_USED: u64 = 7;
    /// Ranks that wait for room in the heap.
    pub const MEMORY_WAITERS: u64 = 8;
    /// First of the list of communicators' shared state.
    pub const CONTEXTS: u64 = 9;
    /// First of the list of loops that may be cut.
    pub const LOOPS: u64 = 10;
    /// The processor that all ranks run on, plus 1; 0 until the first one has the token.
    pub const PROCESSOR: u64 = 11;
    /// Instances of loops that were cut short.
    pub const CUTS: u64 = 12;
    /// Words that the heap ends within, until there is no other way than to use the rest.
    pub const LIMIT: u64 = 13;
    /// Poll timeout in nanoseconds; 0 for never (see `poll_timeout`).
    pub const POLL_TIMEOUT: u64 = 14;
    /// Nanoseconds of failed polls, over the whole run.
    pub const FAILED_POLL_TIME: u64 = 15;
    /// What [`FAILED_POLL_TIME`] was when something last happened.
    pub const LAST_PROGRESS: u64 = 16;
    /// Time of the last failed poll of any rank.
    pub const LAST_FAILED_POLL: u64 = 17;
    /// First of the free lists, one per size class.
    pub const FREE_LISTS: u64 = 18;
    /// Words of the header.
    pub const WORDS: u64 = FREE_LISTS + crate::kernel::heap::SIZE_CLASSES;
}

/// Words of a rank's slot: a multiple of a cache line, so that sleeping ranks share none.
pub const SLOT_WORDS: u64 = 40;

/// First word of a rank's slot.
pub fn slot(rank: u32) -> u64 {
    header::WORDS + u64::from(rank) * SLOT_WORDS
}

/// First word of the bitmap of runnable ranks.
pub fn runnable(ranks: u32) -> u64 {
    slot(ranks)
}

/// First word of the heap.
pub fn heap(ranks: u32) -> u64 {
    // At the start of a cache line: 8 words.
    (runnable(ranks) + u64::from(ranks).div_ceil(64)).next_multiple_of(8)
}

/// Words that [`initial_header`] gives.
pub const INITIAL_WORDS: usize = 15;

/// The first words of a fresh memory of `size` words, of which the heap uses those from `limit` on
/// only if there is no other way; all other words are 0. Ranks that poll without progress for
/// `poll_timeout` nanoseconds end the run.
pub fn initial_header(
    ranks: u32,
    size: u64,
    limit: u64,
    poll_timeout: u64,
) -> [u64; INITIAL_WORDS] {
    let mut words = [0; INITIAL_WORDS];
    words[header::MAGIC as usize] = MAGIC;
    words[header::RANKS as usize] = u64::from(ranks);
    words[header::SIZE as usize] = size;
    words[header::LIMIT as usize] = limit;
    words[header::HEAP_NEXT as usize] = heap(ranks);
    words[header::POLL_TIMEOUT as usize] = poll_timeout;
    words
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kernel::poll_timeout::DEFAULT_POLL_TIMEOUT;
    use std::sync::atomic::AtomicU64;

    /// A fresh memory for tests with a heap of so many words.
    pub(crate) fn fresh(ranks: u32, heap_words: u64) -> Vec<AtomicU64> {
        let size = heap(ranks) + heap_words;
        let mut words = vec![0; size as usize];
        words[..INITIAL_WORDS].copy_from_slice(&initial_header(
            ranks,
            size,
            size,
            DEFAULT_POLL_TIMEOUT,
        ));
        words.into_iter().map(AtomicU64::new).collect()
    }

    #[test]
    fn parts_do_not_overlap() {
        for ranks in [1, 63, 64, 65, 4096] {
            assert!(slot(0) >= header::WORDS && slot(ranks) == runnable(ranks));
            assert!(heap(ranks) >= runnable(ranks) + u64::from(ranks).div_ceil(64));
        }
    }
}
