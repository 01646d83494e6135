//! The shared memory as the host sees it: a file without a name, which the ranks map through
//! `/proc`. It is gone when the last process that has it is gone, however the run ends. Behind the
//! memory lies a file on disk, without a name, too: the heap uses it when no rank can go on
//! because of the messages that were sent and not received.

use crate::kernel::layout::{self, header};
use crate::kernel::slot::{self, Activity};
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The heap may take this share of the memory that is available now: pages are taken only when a
/// message first lies in them.
const SHARE_OF_AVAILABLE: f64 = 0.75;
/// Bytes of the heap if the system does not report its available memory, and the minimum.
const DEFAULT_HEAP: u64 = 1 << 30;
const LEAST_HEAP: u64 = 1 << 26;

/// Where the address space of processes is limited (`ulimit -v`), both parts together may take this share of it.
const SHARE_OF_ADDRESSES: u64 = 4;
/// Of that share, what the memory may take.
const SHARE_OF_MEMORY: f64 = 0.75;

/// The file on disk may take this share of the room that is free there.
const SHARE_OF_DISK: u64 = 2;
/// Both parts are mapped one behind the other, so the first ends where a page does. Processors with
/// larger pages exist.
const PAGE_WORDS: u64 = 1 << 13;

pub(super) struct Segment {
    file: File,
    spill: Option<File>,
    ranks: u32,
}

impl Segment {
    /// With a heap of so many bytes in memory and on the disk of `folder`, or as these allow, with a poll
    /// timeout in nanoseconds.
    pub(super) fn create(
        ranks: u32,
        (heap, disk): (Option<u64>, Option<u64>),
        poll_timeout: u64,
        folder: &Path,
    ) -> io::Result<Self> {
        let file = File::from(memfd_create("mpiete", MemfdFlags::CLOEXEC)?);
        let addresses = addresses();
        let heap = heap.unwrap_or_else(|| heap_bytes(addresses));
        let words = (layout::heap(ranks) + heap / 8).next_multiple_of(PAGE_WORDS);
        file.set_len(words * 8)?;
        // Each rank maps heap and disk part, so both together must fit into its address space.
        let left = match addresses {
            Some(addresses) => addresses.saturating_sub(heap),
            None => u64::MAX,
        };
        let disk = match (disk, free_bytes(folder)) {
            (Some(disk), _) => disk,
            (None, Some(free)) => free.min(left),
            (None, None) => 0,
        };
        let spill = spill(folder, disk / 8 / PAGE_WORDS * PAGE_WORDS);
        let on_disk = match &spill {
            Some((_, words)) => *words,
            None => 0,
        };
        let header = layout::initial_header(ranks, words + on_disk, words, poll_timeout);
        let mut bytes: Vec<u8> = Vec::new();
        for word in header {
            bytes.extend(word.to_ne_bytes());
        }
        file.write_all_at(&bytes, 0)?;
        Ok(Self {
            file,
            spill: spill.map(|(file, _)| file),
            ranks,
        })
    }

    /// A path that opens it as long as the host lives.
    pub(super) fn path(&self) -> PathBuf {
        path(&self.file)
    }

    /// The same for the part on disk, if there is one.
    pub(super) fn spill_path(&self) -> Option<PathBuf> {
        self.spill.as_ref().map(path)
    }

    /// What a rank does.
    pub(super) fn activity(&self, rank: u32) -> Activity {
        slot::activity(&self.words(layout::slot(rank), layout::SLOT_WORDS))
    }

    /// How many MPI calls a rank has entered, summed over the processes that have run as this rank.
    pub(super) fn calls(&self, rank: u32) -> u64 {
        self.words(slot::at(rank, slot::word::CALLS), 1)
            .first()
            .copied()
            .unwrap_or(0)
    }

    /// Reports name this call as the rank's, by its [`slot::call_word`]: it went on beyond the call before the call was over.
    pub(super) fn set_call(&self, rank: u32, call: u64) {
        use slot::word::{FUNCTION, PEER, PHASE, PLACE, TAG};
        let (row, place) = slot::of_call_word(call);
        let words = [
            (FUNCTION, u64::from(row) + 1),
            (PLACE, place.word()),
            (PEER, slot::NONE as u64),
            (TAG, slot::NONE as u64),
            (PHASE, slot::Phase::InCall as u64),
        ];
        for (word, value) in words {
            let at = slot::at(rank, word) * 8;
            // Where this fails, the report names a later call of the rank.
            let _ = self.file.write_all_at(&value.to_ne_bytes(), at);
        }
    }

    /// What all ranks do.
    pub(super) fn activities(&self) -> Vec<Activity> {
        (0..self.ranks).map(|rank| self.activity(rank)).collect()
    }

    /// Ranks that have reached `MPI_Init`.
    pub(super) fn arrived(&self) -> u64 {
        self.words(header::ARRIVED, 1).first().copied().unwrap_or(0)
    }

    /// The processor that all ranks run on, if they are bound to one.
    pub(super) fn processor(&self) -> Option<usize> {
        let word = self.words(header::PROCESSOR, 1).first().copied()?;
        word.checked_sub(1).map(|processor| processor as usize)
    }

    /// Whether a loop was cut short.
    pub(super) fn has_cut(&self) -> bool {
        self.words(header::CUTS, 1)
            .first()
            .is_some_and(|&cuts| cuts > 0)
    }

    fn words(&self, at: u64, count: u64) -> Vec<u64> {
        let mut bytes = vec![0; count as usize * 8];
        // Reading fails only beyond the end, where nothing is asked for; zeros say "not started".
        let _ = self.file.read_exact_at(&mut bytes, at * 8);
        let word = |chunk: &[u8]| {
            chunk
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte))
        };
        bytes.chunks_exact(8).map(word).collect()
    }
}

fn path(file: &File) -> PathBuf {
    PathBuf::from(format!(
        "/proc/{}/fd/{}",
        std::process::id(),
        file.as_raw_fd()
    ))
}

/// A file without a name in the folder, and its words; `None` where that does not work.
fn spill(folder: &Path, words: u64) -> Option<(File, u64)> {
    let file = tempfile::tempfile_in(folder).ok().filter(|_| words > 0)?;
    file.set_len(words * 8).ok()?;
    Some((file, words))
}

/// What may be used of the disk the folder lies on; `None` if it lies in memory.
fn free_bytes(folder: &Path) -> Option<u64> {
    const IN_MEMORY: [u32; 2] = [0x0102_1994, 0x8584_58f6]; // tmpfs, ramfs
    let system = rustix::fs::statfs(folder).ok()?;
    let free = system
        .f_bavail
        .checked_mul(u64::try_from(system.f_bsize).ok()?)?;
    if !IN_MEMORY.contains(&(system.f_type as u32)) {
        Some(free / SHARE_OF_DISK)
    } else {
        None
    }
}

/// Bytes of addresses that both parts together may take; `None` without a limit.
fn addresses() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As)
        .current
        .map(|limit| limit / SHARE_OF_ADDRESSES)
}

/// Bytes of addresses that a process may use, if that limit is why the heap is not larger.
pub(super) fn limiting_addresses() -> Option<u64> {
    let share = addresses()?;
    if heap_bytes(Some(share)) < heap_bytes(None) {
        Some(share * SHARE_OF_ADDRESSES)
    } else {
        None
    }
}

/// Bytes of memory that programs can still get without swapping; `None` where the system does not say.
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Of so many bytes of addresses at most.
fn heap_bytes(addresses: Option<u64>) -> u64 {
    let bytes = available_memory().map_or(DEFAULT_HEAP, |available| {
        (available as f64 * SHARE_OF_AVAILABLE) as u64
    });
    let most = addresses.map_or(u64::MAX, |addresses| {
        (addresses as f64 * SHARE_OF_MEMORY) as u64
    });
    bytes.max(LEAST_HEAP).min(most)
}
