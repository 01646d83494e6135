//! The shared memory, mapped: words for the kernel, and copying of the program's buffers in and
//! out of blocks of the heap.

use std::fs::OpenOptions;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use token_runtime::kernel::Memory;
use token_runtime::kernel::layout::{self, header};
use token_runtime::kernel::poll_timeout::DEFAULT_POLL_TIMEOUT;

/// Heap of a program that no host started, in words.
const SINGLE_PROCESS_HEAP: u64 = 1 << 24;

const ACCESS: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Why so many bytes were not mapped, and what to do.
fn too_little(error: io::Error, bytes: usize, further: &str) -> io::Error {
    let mebibytes = bytes.div_ceil(1 << 20);
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: a place for the answer.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    let now = match limit.rlim_cur {
        libc::RLIM_INFINITY => "unlimited".to_string(),
        bytes => format!("{} KiB", bytes >> 10),
    };
    let sentence =
        format!("{mebibytes} MiB of addresses: {error}; raise `ulimit -v` (now {now}){further}");
    io::Error::other(sentence)
}

/// The same where the user can choose how much it is.
fn adjustable(error: io::Error, bytes: usize) -> io::Error {
    too_little(
        error,
        bytes,
        ", or choose less with MPIETE_HEAP=BYTES and MPIETE_DISK=BYTES, which lie there together",
    )
}

pub struct Segment {
    start: *mut u8,
    words: usize,
}

impl Segment {
    /// Maps what the host has made: the memory and, behind it, the part on disk.
    pub fn open(path: &Path, spill: Option<&Path>) -> io::Result<Self> {
        let open = |path: &Path| {
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            let bytes = file.metadata()?.len() as usize;
            Ok::<_, io::Error>((file, bytes))
        };
        let files = [Some(open(path)?), spill.map(open).transpose()?];
        let bytes = files.iter().flatten().map(|(_, bytes)| bytes).sum();
        // Reserves the addresses, for which the system promises no memory; the files take their places.
        let reserved = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let segment = Self::map(std::ptr::null_mut(), bytes, reserved, -1)
            .map_err(|error| adjustable(error, bytes))?;
        let mut place = segment.start;
        for (file, bytes) in files.iter().flatten() {
            let shared = (ACCESS, libc::MAP_SHARED | libc::MAP_FIXED);
            Self::map(place, *bytes, shared, file.as_raw_fd())
                .map_err(|error| adjustable(error, *bytes))?;
            place = place.wrapping_add(*bytes);
        }
        match segment.memory().get(header::MAGIC) {
            layout::MAGIC => Ok(segment),
            _ => Err(io::Error::other("it was made by another version of mpiete")),
        }
    }

    /// Private memory for a program that no host started: one rank.
    pub fn private() -> io::Result<Self> {
        let words = layout::heap(1) + SINGLE_PROCESS_HEAP;
        let bytes = words as usize * 8;
        let own = (ACCESS, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let segment = Self::map(std::ptr::null_mut(), bytes, own, -1)
            .map_err(|error| too_little(error, bytes, ""))?;
        for (at, word) in (0..).zip(layout::initial_header(
            1,
            words,
            words,
            DEFAULT_POLL_TIMEOUT,
        )) {
            segment.memory().set(at, word);
        }
        Ok(segment)
    }

    fn map(
        place: *mut u8,
        bytes: usize,
        (access, flags): (libc::c_int, libc::c_int),
        file: libc::c_int,
    ) -> io::Result<Self> {
        // SAFETY: a new mapping at an address of the system's choice, or in place of a part of one that
        // this function has made, touches nothing else; the file, if any, stays open during the call.
        let start = unsafe {
            libc::mmap(
                place.cast(),
                bytes,
                access,
                flags | libc::MAP_NORESERVE,
                file,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            start: start.cast(),
            words: bytes / 8,
        })
    }

    /// The words.
    pub fn memory(&self) -> Memory<'_> {
        // SAFETY: the mapping is this long, aligned to pages, never unmapped (the process has one
        // and ends with it), and other processes change it through atomics of the same size only.
        Memory::new(unsafe {
            std::slice::from_raw_parts(self.start.cast::<AtomicU64>(), self.words)
        })
    }

    /// Where it is mapped.
    pub fn addresses(&self) -> Range<u64> {
        let start = self.start as u64;
        start..start + self.words as u64 * 8
    }

    /// Address of a word's low half, for the futex calls.
    pub fn futex(&self, word: u64) -> *const u32 {
        let low_half = if cfg!(target_endian = "big") { 1 } else { 0 };
        std::ptr::from_ref(self.memory().word(word))
            .cast::<u32>()
            .wrapping_add(low_half)
    }

    /// Has the system find the pages of these words now, all at once instead of one by one when they are
    /// read. A system that cannot (Linux before 5.14) finds them then.
    pub fn fetch(&self, words: Range<u64>) {
        /// Length of the longest range: the search for unread ranges costs time, too.
        const MOST: u64 = 1 << 30;
        const PAGE: u64 = 4096;
        let bytes = words.start * 8 / PAGE * PAGE..words.end.min(self.words as u64) * 8;
        if bytes.end - bytes.start <= MOST {
            let start = self.start.wrapping_add(bytes.start as usize);
            let length = (bytes.end - bytes.start) as usize;
            // SAFETY: a range of the mapping; nothing in it changes.
            unsafe { libc::madvise(start.cast(), length, libc::MADV_POPULATE_READ) };
        }
    }

    fn block(&self, block: u64, bytes: u64) -> *mut u8 {
        assert!(
            block + bytes.div_ceil(8) <= self.words as u64,
            "a block lies outside the shared memory"
        );
        self.start.wrapping_add(block as usize * 8)
    }

    /// Words of the heap that hold so many bytes.
    pub fn words_for(bytes: u64) -> u64 {
        bytes.div_ceil(8)
    }

    /// Copies the program's data into a block, from its byte `offset` on.
    ///
    /// # Safety
    ///
    /// `from` must be readable for `bytes` bytes, and the block this rank's own.
    #[inline]
    pub unsafe fn copy_in_at(&self, block: u64, offset: u64, from: *const u8, bytes: u64) {
        let to = self
            .block(block, offset + bytes)
            .wrapping_add(offset as usize);
        // SAFETY: the caller guarantees that `from` may be read; `block` has checked the other side; the two do not
        // overlap, since no program has addresses inside the mapping.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes as usize) }
    }

    /// Copies from byte `offset` of a block on to the program's data.
    ///
    /// # Safety
    ///
    /// `to` must be writable for `bytes` bytes.
    #[inline]
    pub unsafe fn copy_out_at(&self, block: u64, offset: u64, to: *mut u8, bytes: u64) {
        let from = self
            .block(block, offset + bytes)
            .wrapping_add(offset as usize);
        // SAFETY: as in `copy_in_at`.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes as usize) }
    }

    /// Two different blocks as bytes, the first to be written.
    pub fn two_blocks(&mut self, first: u64, second: u64, bytes: u64) -> (&mut [u8], &[u8]) {
        assert_ne!(first, second, "a block cannot be combined with itself");
        let (first, second) = (self.block(first, bytes), self.block(second, bytes));
        // SAFETY: both ranges are inside the mapping, and two blocks of the heap never overlap;
        // other ranks sleep while this one holds the token, and `&mut self` keeps this one out.
        unsafe {
            (
                std::slice::from_raw_parts_mut(first, bytes as usize),
                std::slice::from_raw_parts(second, bytes as usize),
            )
        }
    }
}
