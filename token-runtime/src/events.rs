//! What the process that was forked into all ranks tells the host: records of a fixed size in a
//! named pipe of the run's folder. Not here: why a rank ends the run (`ending`).

use std::path::{Path, PathBuf};

/// Bytes of a record: less than a pipe takes at once, so that none is torn.
pub const BYTES: usize = 12;

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Rank 0 reached `MPI_Init` and cannot be forked: the host is to start the other ranks.
    StartOthers(Own),
    /// Rank 0 reached `MPI_Init` and is about to be forked into all ranks.
    Forking,
    /// Rank 0 reached `MPI_Init` and is about to be forked into ranks that run one by one.
    RunningAlone,
    /// The system refused to make a process for this rank, with this error number.
    NotForked {
        /// The rank.
        rank: u32,
        /// The system's error number.
        error: i32,
    },
    /// The process of a rank ended.
    Ended {
        /// The rank.
        rank: u32,
        /// How, as `wait` tells.
        status: i32,
    },
    /// All that was told before has been read (the host tells itself).
    ReadSoFar,
    /// Nobody listens any more (the host tells itself).
    Over,
}

impl Event {
    /// As a record.
    pub fn record(self) -> [u8; BYTES] {
        let (kind, rank, value) = match self {
            Event::StartOthers(own) => (1u32, 0, own as i32),
            Event::Forking => (2, 0, 0),
            Event::NotForked { rank, error } => (3, rank, error),
            Event::Ended { rank, status } => (4, rank, status),
            Event::Over => (5, 0, 0),
            Event::ReadSoFar => (7, 0, 0),
            Event::RunningAlone => (6, 0, 0),
        };
        let mut record = [0; BYTES];
        record[..4].copy_from_slice(&kind.to_ne_bytes());
        record[4..8].copy_from_slice(&rank.to_ne_bytes());
        record[8..].copy_from_slice(&value.to_ne_bytes());
        record
    }

    /// From a record; `None` if it is none.
    pub fn of(record: [u8; BYTES]) -> Option<Self> {
        let word = |at: usize| [record[at], record[at + 1], record[at + 2], record[at + 3]];
        let (rank, value) = (u32::from_ne_bytes(word(4)), i32::from_ne_bytes(word(8)));
        match u32::from_ne_bytes(word(0)) {
            1 => Some(Event::StartOthers(*Own::ALL.get(usize::try_from(value).ok()?)?)),
            2 => Some(Event::Forking),
            3 => Some(Event::NotForked { rank, error: value }),
            4 => Some(Event::Ended { rank, status: value }),
            5 => Some(Event::Over),
            7 => Some(Event::ReadSoFar),
            6 => Some(Event::RunningAlone),
            _ => None,
        }
    }
}

/// What a process did or has that is its own: its forks would share it or lack it, where processes that were started one by
/// one each have theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// It is not known.
    Unknown,
    /// Something between it and the host.
    Parent,
    /// Threads.
    Threads,
    /// Output.
    Output,
    /// Timers.
    Timers,
    /// Descriptors that cannot be opened again.
    Descriptors,
    /// Memory that is shared with its children.
    SharedMemory,
    /// Child processes.
    Children,
    /// Standard input.
    Input,
    /// Locks of files.
    Locks,
    /// Random numbers.
    Random,
    /// Instructions for random numbers.
    RandomInstructions,
    /// Its process id.
    ProcessId,
    /// Its processor time.
    ProcessorTime,
    /// Names or files that no other process gets.
    UniqueNames,
    /// Functions that run at a fork.
    ForkHandlers,
    /// Shared memory, semaphores or queues of System V.
    SystemV,
    /// The time, finer than in seconds.
    Clock,
}

impl Own {
    /// All of them, each at its own number.
    pub const ALL: [Own; 18] = [
        Own::Unknown,
        Own::Parent,
        Own::Threads,
        Own::Output,
        Own::Timers,
        Own::Descriptors,
        Own::SharedMemory,
        Own::Children,
        Own::Input,
        Own::Locks,
        Own::Random,
        Own::RandomInstructions,
        Own::ProcessId,
        Own::ProcessorTime,
        Own::UniqueNames,
        Own::ForkHandlers,
        Own::SystemV,
        Own::Clock,
    ];

    /// The end of a sentence that begins with the process.
    pub fn sentence(self) -> &'static str {
        match self {
            Own::Unknown => "may have state that forks do not get",
            Own::Parent => "was not started by the host itself",
            Own::Threads => "has threads",
            Own::Output => "wrote something",
            Own::Timers => "set a timer",
            Own::Descriptors => "opened a socket, a pipe or a file that cannot be opened again",
            Own::SharedMemory => "mapped shared memory",
            Own::Children => "started another process",
            Own::Input => "read standard input",
            Own::Locks => "locked a file",
            Own::Random => "read random numbers",
            Own::RandomInstructions => "contains instructions that read random numbers",
            Own::ProcessId => "read its process id",
            Own::ProcessorTime => "read its processor time",
            Own::UniqueNames => "created a file of a unique name",
            Own::ForkHandlers => "registered functions for forks",
            Own::SystemV => "created shared memory, semaphores or a queue",
            Own::Clock => "read a clock",
        }
    }
}

/// Where the pipe lies in a run's folder.
pub fn pipe(folder: &Path) -> PathBuf {
    folder.join("events")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back() {
        for event in [
            Event::StartOthers(Own::Random),
            Event::Forking,
            Event::NotForked { rank: 1023, error: 11 },
            Event::Ended { rank: 7, status: 0x8b },
            Event::Over,
            Event::RunningAlone,
        ] {
            assert_eq!(Event::of(event.record()), Some(event));
        }
        assert_eq!(Event::of([0; BYTES]), None);
        for own in Own::ALL {
            assert_eq!(Event::of(Event::StartOthers(own).record()), Some(Event::StartOthers(own)));
        }
    }
}
