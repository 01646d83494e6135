//! Events of the process that was forked into all ranks, for the host: records of a fixed size in a
//! named pipe of the run's folder. `termination` contains the reason why a rank ends the run.

use std::path::{Path, PathBuf};

/// Bytes of a record: less than a pipe takes at once, so that none is torn.
pub const BYTES: usize = 12;

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkEvent {
    /// Rank 0 reached `MPI_Init` and cannot be forked: the host is to start the other ranks.
    StartOthers(ForkObstacle),
    /// Rank 0 reached `MPI_Init` and is about to be forked into all ranks.
    Forking,
    /// Rank 0 reached `MPI_Init` and is about to be forked into ranks that run one by one.
    RunningSolo,
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
        /// The status that `wait` returned.
        status: i32,
    },
    /// All earlier events have been read (the host writes this itself).
    ReadSoFar,
    /// The host no longer reads (it writes this itself).
    Over,
}

impl ForkEvent {
    /// As a record.
    pub fn record(self) -> [u8; BYTES] {
        let (kind, rank, value) = match self {
            ForkEvent::StartOthers(own) => (1u32, 0, own as i32),
            ForkEvent::Forking => (2, 0, 0),
            ForkEvent::NotForked { rank, error } => (3, rank, error),
            ForkEvent::Ended { rank, status } => (4, rank, status),
            ForkEvent::Over => (5, 0, 0),
            ForkEvent::ReadSoFar => (7, 0, 0),
            ForkEvent::RunningSolo => (6, 0, 0),
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
            1 => Some(ForkEvent::StartOthers(
                *ForkObstacle::ALL.get(usize::try_from(value).ok()?)?,
            )),
            2 => Some(ForkEvent::Forking),
            3 => Some(ForkEvent::NotForked { rank, error: value }),
            4 => Some(ForkEvent::Ended {
                rank,
                status: value,
            }),
            5 => Some(ForkEvent::Over),
            7 => Some(ForkEvent::ReadSoFar),
            6 => Some(ForkEvent::RunningSolo),
            _ => None,
        }
    }
}

/// What a process did or has that is its own: its forks would share it or lack it, where processes that were started one by
/// one each have theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkObstacle {
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
    /// Folders and links that it created, or files that it renamed or removed: the second process that tries finds them so.
    Files,
    /// Memory that a fork gets empty, without its locks or not at all, or a session or group of processes.
    Inheritance,
    /// A program that was executed before in its place, such as a shell that starts the MPI program.
    Wrapper,
    /// Variables of the launcher that contain the rank.
    LauncherVariables,
}

impl ForkObstacle {
    /// All of them, each at its own number.
    pub const ALL: [ForkObstacle; 22] = [
        ForkObstacle::Unknown,
        ForkObstacle::Parent,
        ForkObstacle::Threads,
        ForkObstacle::Output,
        ForkObstacle::Timers,
        ForkObstacle::Descriptors,
        ForkObstacle::SharedMemory,
        ForkObstacle::Children,
        ForkObstacle::Input,
        ForkObstacle::Locks,
        ForkObstacle::Random,
        ForkObstacle::RandomInstructions,
        ForkObstacle::ProcessId,
        ForkObstacle::ProcessorTime,
        ForkObstacle::UniqueNames,
        ForkObstacle::ForkHandlers,
        ForkObstacle::SystemV,
        ForkObstacle::Clock,
        ForkObstacle::Files,
        ForkObstacle::Inheritance,
        ForkObstacle::Wrapper,
        ForkObstacle::LauncherVariables,
    ];

    /// The end of a sentence that begins with the process.
    pub fn sentence(self) -> &'static str {
        match self {
            ForkObstacle::Unknown => "may have state that forks do not get",
            ForkObstacle::Parent => "was not started by the host itself",
            ForkObstacle::Threads => "has threads",
            ForkObstacle::Output => "wrote something",
            ForkObstacle::Timers => "set a timer",
            ForkObstacle::Descriptors => {
                "opened a socket, a pipe or a file that cannot be opened again"
            }
            ForkObstacle::SharedMemory => "mapped shared memory",
            ForkObstacle::Children => "started another process",
            ForkObstacle::Input => "read standard input",
            ForkObstacle::Locks => "locked a file",
            ForkObstacle::Random => "read random numbers",
            ForkObstacle::RandomInstructions => "contains instructions that read random numbers",
            ForkObstacle::ProcessId => "read its process id",
            ForkObstacle::ProcessorTime => "read its processor time",
            ForkObstacle::UniqueNames => "created a file of a unique name",
            ForkObstacle::ForkHandlers => "registered functions for forks",
            ForkObstacle::SystemV => "created shared memory, semaphores or a queue",
            ForkObstacle::Clock => "read a clock",
            ForkObstacle::Files => "created a folder or link, or renamed or removed a file",
            ForkObstacle::Inheritance => {
                "has memory that forks do not get, or a process group of its own"
            }
            ForkObstacle::Wrapper => "was a script or another program before",
            ForkObstacle::LauncherVariables => "read its rank in a variable of the launcher",
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
    fn records_round_trip() {
        for event in [
            ForkEvent::StartOthers(ForkObstacle::Random),
            ForkEvent::Forking,
            ForkEvent::NotForked {
                rank: 1023,
                error: 11,
            },
            ForkEvent::Ended {
                rank: 7,
                status: 0x8b,
            },
            ForkEvent::Over,
            ForkEvent::RunningSolo,
        ] {
            assert_eq!(ForkEvent::of(event.record()), Some(event));
        }
        assert_eq!(ForkEvent::of([0; BYTES]), None);
        for own in ForkObstacle::ALL {
            assert_eq!(
                ForkEvent::of(ForkEvent::StartOthers(own).record()),
                Some(ForkEvent::StartOthers(own))
            );
        }
    }
}
