//! Memory that the ranks of one computer share: a memory file of the first of them, which the
//! others reach through its process. It has no name, so nothing is left behind when a run is killed.

use super::queue::Queue;
use crate::mpi::Mpi;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::AtomicU32;

/// Memory with a queue in it.
#[derive(Clone, Copy)]
pub struct Segment {
    words: &'static [AtomicU32],
    members: u32,
}

impl Segment {
    /// Maps memory that all ranks of this computer map; all ranks of the run are to call it. Gives
    /// also what the first of them says.
    ///
    /// # Errors
    ///
    /// The memory cannot be made, or not be reached.
    pub fn share(mpi: &Mpi, said: i32) -> io::Result<(Self, i32)> {
        let mut ranks_here = mpi.split(computer());
        let (rank, members) = mpi.rank_and_size(ranks_here);
        let bytes = Queue::words(members) * size_of::<AtomicU32>();
        let made = if rank == 0 { Some(make(bytes)) } else { None };
        let place = match &made {
            Some(Ok(file)) => [std::process::id() as i32, file.as_raw_fd(), said],
            Some(Err(_)) | None => [0, 0, said],
        };
        let [process, number, said] = mpi.broadcast_numbers(ranks_here, place);
        let open = || {
            OpenOptions::new()
                .read(true)
                .write(true)
                .open(format!("/proc/{process}/fd/{number}"))
        };
        let mapped = made.unwrap_or_else(open).and_then(|file| {
            let words = map(&file, bytes)?;
            Ok((words, file))
        });
        // The first rank's file stays open until all have it.
        mpi.barrier_of(ranks_here);
        mpi.free(&mut ranks_here);
        Ok((
            Self {
                words: mapped?.0,
                members,
            },
            said,
        ))
    }

    /// Memory of this process, for threads that stand for ranks.
    #[cfg(test)]
    pub fn private(members: u32) -> Self {
        let words = (0..Queue::words(members)).map(|_| AtomicU32::new(0));
        Self {
            words: words.collect::<Vec<_>>().leak(),
            members,
        }
    }

    /// The queue in it.
    pub fn queue(&self) -> Queue<'static> {
        Queue::new(self.words, self.members)
    }
}

/// Distinguishes computers, and containers on one whose processes do not see each other.
fn computer() -> i32 {
    let mut hasher = DefaultHasher::new();
    std::fs::read("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .hash(&mut hasher);
    std::fs::read_link("/proc/self/ns/pid")
        .unwrap_or_default()
        .hash(&mut hasher);
    (hasher.finish() >> 33) as i32
}

fn make(bytes: usize) -> io::Result<File> {
    // SAFETY: the name ends with a zero byte; the descriptor is new, so the file owns it alone.
    let file = unsafe {
        match libc::memfd_create(c"mpiete-token".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => return Err(io::Error::last_os_error()),
            descriptor => File::from_raw_fd(descriptor),
        }
    };
    file.set_len(bytes as u64)?;
    Ok(file)
}

fn map(file: &File, bytes: usize) -> io::Result<&'static [AtomicU32]> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the system's choice touches nothing that exists; it is
    // this long, aligned to pages and never unmapped, and other processes change it through atomics
    // of the same size only.
    unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            bytes,
            access,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        );
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(std::slice::from_raw_parts(
            start.cast(),
            bytes / size_of::<AtomicU32>(),
        ))
    }
}
