//! Waits for the ranks to end, in whatever order, and ends all of them as soon as one fails.
//!
//! A run begins with the process of rank 0 alone. Either that process is forked into all ranks and
//! stays as their supervisor, which reports through a pipe how each one ended; or it requests that the others
//! be started, or ends without an MPI call, which is equivalent. `launch` starts the processes.

use super::segment::Segment;
use super::{Launch, RunError, failure_report};
use crate::fork_events::{self, ForkEvent, ForkObstacle};
use crate::kernel::slot::Phase;
use crate::termination::{self, Termination, TerminationReport};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A watching thread does nothing but wait.
const STACK_BYTES: usize = 64 << 10;
/// How often to look for what gives no event to wait for: an interrupt, and, once a rank has ended
/// without `MPI_Init`, others waiting in it.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Something happened to a process of the run.
enum HostEvent {
    /// A process that the host started has ended, and is not reaped yet.
    Exited(u32),
    /// The process of rank 0 says something.
    Reported(ForkEvent),
}

/// The processes of a run; those still running are killed when this goes away.
pub(super) struct Ranks {
    /// Rank of the first of them, which may be the supervisor of all ranks.
    first: u32,
    /// By rank from that one on, as far as they are started.
    children: Vec<Option<Child>>,
    is_forked: bool,
    /// Whether the supervisor runs the ranks one by one.
    is_solo: bool,
    events: Receiver<HostEvent>,
    sender: Sender<HostEvent>,
    /// The host's own end of the pipe, which keeps it open.
    pipe: File,
    began: Instant,
    /// How many calls the first of them had made when it was last looked, and since when.
    last_call: Cell<(Option<u64>, Instant)>,
    /// Threads that copy what ranks print; they end with the ranks.
    pub(super) copying: Vec<JoinHandle<()>>,
}

impl Ranks {
    /// Makes the pipe in the run's folder and listens to it.
    pub(super) fn new(folder: &Path) -> std::io::Result<Self> {
        Self::from(0, folder)
    }

    /// The same for ranks from this one on.
    pub(super) fn from(first: u32, folder: &Path) -> std::io::Result<Self> {
        let path = fork_events::pipe(folder);
        // A pipe of an earlier run in this folder may contain unread events of that run.
        let _ = std::fs::remove_file(&path);
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0)?;
        // For both directions, so that opening does not wait for the other side.
        let pipe = OpenOptions::new().read(true).write(true).open(&path)?;
        let (sender, events) = channel();
        let (mut reading, with_output) = (pipe.try_clone()?, sender.clone());
        let listen = move || {
            let mut record = [0; fork_events::BYTES];
            while reading.read_exact(&mut record).is_ok() {
                match ForkEvent::of(record) {
                    None | Some(ForkEvent::Over) => break,
                    Some(event) => drop(with_output.send(HostEvent::Reported(event))),
                }
            }
        };
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(listen)?;
        let (children, copying) = (Vec::new(), Vec::new());
        let began = Instant::now();
        let last_call = Cell::new((None, began));
        Ok(Self {
            first,
            children,
            is_forked: false,
            is_solo: false,
            events,
            sender,
            pipe,
            began,
            last_call,
            copying,
        })
    }

    /// Adds the process of the next rank. A thread reports when it has ended, and leaves it to be
    /// reaped here: the process id stays taken, so that killing cannot hit a stranger.
    pub(super) fn push(&mut self, child: Child) -> std::io::Result<()> {
        let (rank, pid) = (self.children.len() as u32, Pid::from_child(&child));
        self.children.push(Some(child));
        let sender = self.sender.clone();
        let watch = move || {
            let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), flags) {}
            // The receiver is gone once the run has failed.
            let _ = sender.send(HostEvent::Exited(rank));
        };
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(watch)
            .map(drop)
    }

    /// Returns when so many ranks have ended well; `Err` as soon as one has not, the run is
    /// interrupted or its time is up. `start_others` starts all ranks but the first.
    pub(super) fn wait(
        &mut self,
        segment: &Segment,
        folder: &Path,
        launch: &Launch<'_>,
        count: u32,
        start_others: impl Fn(&mut Self) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let (mut left, mut absent) = (count, None);
        while left > 0 {
            match self.next(segment, absent, launch)? {
                HostEvent::Reported(ForkEvent::Forking) => self.is_forked = true,
                HostEvent::Reported(ForkEvent::RunningSolo) => {
                    (self.is_forked, self.is_solo) = (true, true)
                }
                HostEvent::Reported(ForkEvent::StartOthers(own)) if launch.solo => {
                    return Err(needs_other_ranks(own));
                }
                HostEvent::Reported(ForkEvent::StartOthers(_)) => start_others(self)?,
                HostEvent::Reported(ForkEvent::NotForked { rank, error }) => {
                    return Err(not_forked(rank, error));
                }
                HostEvent::Reported(ForkEvent::Ended { rank, status }) => {
                    left -= 1;
                    exit_outcome(rank, ExitStatus::from_raw(status), segment, folder, launch)?;
                }
                HostEvent::Reported(ForkEvent::Over) => {}
                HostEvent::Exited(0) if self.is_forked => self.supervisor_has_ended()?,
                // The pipe may still contain its events, such as the fork: a process exit and a pipe are not ordered.
                HostEvent::Exited(0) if self.children.len() == 1 => self.read_so_far()?,
                HostEvent::Reported(ForkEvent::ReadSoFar) if self.is_forked => {
                    self.supervisor_has_ended()?
                }
                HostEvent::Reported(ForkEvent::ReadSoFar) => {
                    absent = self.ended(0, segment, folder, launch, absent)?;
                    left -= 1;
                    match (left > 0 && self.children.len() == 1, launch.solo) {
                        (true, true) => return Err(init_not_called()),
                        (true, false) => start_others(self)?,
                        (false, _) => {}
                    }
                }
                HostEvent::Exited(rank) => {
                    absent = self.ended(rank, segment, folder, launch, absent)?;
                    left -= 1;
                }
            }
        }
        Ok(())
    }

    /// The process of a rank has ended; gives the first that ended well without `MPI_Init`, if there is one.
    fn ended(
        &mut self,
        rank: u32,
        segment: &Segment,
        folder: &Path,
        launch: &Launch<'_>,
        absent: Option<u32>,
    ) -> Result<Option<u32>, RunError> {
        let status = self
            .reap(rank)
            .map_err(|e| RunError::setup("cannot wait for a rank", e))?;
        let has_begun = exit_outcome(self.first + rank, status, segment, folder, launch)?;
        // The first rank that ended without MPI_Init is the one to report.
        if absent.is_none() && !has_begun {
            return Ok(Some(rank));
        }
        Ok(absent)
    }

    /// Writes an event that the reading thread returns after all events that are in the pipe now.
    fn read_so_far(&mut self) -> Result<(), RunError> {
        let written = self.pipe.write_all(&ForkEvent::ReadSoFar.record());
        written.map_err(|e| RunError::setup("cannot write to a pipe", e))
    }

    /// The supervisor process has ended. This is no failure if its records of the last ranks are still unread.
    fn supervisor_has_ended(&mut self) -> Result<(), RunError> {
        let status = self
            .reap(0)
            .map_err(|e| RunError::setup("cannot wait for a rank", e))?;
        match status.success() {
            true => Ok(()),
            false => Err(RunError::Program(format!(
                "the process that keeps the ranks {}",
                describe_exit(status)
            ))),
        }
    }

    fn reap(&mut self, rank: u32) -> std::io::Result<ExitStatus> {
        let child = self.children.get_mut(rank as usize).and_then(Option::take);
        child.map_or_else(
            || Err(std::io::Error::other("it was waited for twice")),
            |mut child| child.wait(),
        )
    }

    fn next(
        &self,
        segment: &Segment,
        without_init: Option<u32>,
        launch: &Launch<'_>,
    ) -> Result<HostEvent, RunError> {
        while !launch.interrupted() {
            self.forward_signals(launch);
            if launch
                .limit
                .is_some_and(|limit| self.began.elapsed() >= limit)
            {
                return Err(RunError::OutOfTime(Vec::new()));
            }
            if let Some(silence) = launch
                .silence
                .filter(|&silence| self.makes_no_call(segment, silence))
            {
                let activity = segment.activity(self.first);
                return Err(RunError::NeedsOtherRanks(failure_report::no_call_for(
                    self.first, silence, &activity, launch,
                )));
            }
            match (without_init, self.events.recv_timeout(LOOK_AGAIN)) {
                (_, Ok(events)) => return Ok(events),
                (Some(rank), Err(RecvTimeoutError::Timeout)) if segment.arrived() > 0 => {
                    let how = "ended, while others wait for it in MPI_Init,";
                    let rank_ended =
                        failure_report::rank_ended(rank, how, &segment.activity(rank), launch);
                    return Err(RunError::Program(rank_ended));
                }
                (_, Err(RecvTimeoutError::Timeout)) => {}
                (_, Err(RecvTimeoutError::Disconnected)) => {
                    return Err(RunError::Setup("the ranks can no longer be watched".into()));
                }
            }
        }
        Err(RunError::Interrupted)
    }

    /// Whether the first of them has made no call for so long.
    fn makes_no_call(&self, segment: &Segment, silence: Duration) -> bool {
        let calls = Some(segment.calls(self.first));
        if calls != self.last_call.get().0 {
            self.last_call.set((calls, Instant::now()));
        }
        self.last_call.get().1.elapsed() >= silence
    }

    /// Signals for the ranks that the host has got meanwhile.
    fn forward_signals(&self, launch: &Launch<'_>) {
        for (signal, pending) in &launch.signals {
            if !pending.swap(false, std::sync::atomic::Ordering::Relaxed) {
                continue;
            }
            if let Some(signal) = Signal::from_named_raw(*signal) {
                // A supervisor forwards the signal to its ranks. `kill` fails for a process that has ended, which is no error.
                self.running().for_each(|pid| _ = kill_process(pid, signal));
            }
        }
    }

    fn running(&self) -> impl Iterator<Item = Pid> {
        self.children.iter().flatten().map(Pid::from_child)
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        // The loop over the events may have ended before it read this one.
        let forked = self
            .events
            .try_iter()
            .any(|events| matches!(events, HostEvent::Reported(ForkEvent::Forking)));
        // A supervisor of solo ranks installs no signal handler, and its ranks are killed when it ends (PR_SET_PDEATHSIG).
        let forwards_signals = (self.is_forked || forked) && !self.is_solo;
        for child in self.children.iter_mut().flatten() {
            // It may have ended meanwhile. A supervisor ends its ranks first, so that none outlives it.
            let _ = match forwards_signals {
                true => {
                    kill_process(Pid::from_child(child), Signal::TERM).map_err(std::io::Error::from)
                }
                false => child.kill(),
            };
        }
        for child in self.children.iter_mut().flatten() {
            let _ = child.wait();
        }
        let _ = self.pipe.write_all(&ForkEvent::Over.record());
        // A thread that panicked has printed why.
        self.copying
            .drain(..)
            .for_each(|copying| _ = copying.join());
    }
}

/// Whether a rank that ended well had called `MPI_Init`; `Err` if it did not end well.
fn exit_outcome(
    rank: u32,
    status: ExitStatus,
    segment: &Segment,
    folder: &Path,
    launch: &Launch<'_>,
) -> Result<bool, RunError> {
    if let Some(report) = termination::read::<TerminationReport>(&termination::report_path(folder))
    {
        let sentence = failure_report::ended(&report, &segment.activities(), launch);
        return Err(match report.termination {
            Termination::NeedsOtherRanks => RunError::NeedsOtherRanks(sentence),
            Termination::OtherMpi(_) => RunError::Setup(sentence),
            Termination::Deadlock
            | Termination::OutOfSharedMemory { .. }
            | Termination::EndlessPolling
            | Termination::Abort { .. }
            | Termination::Mismatch { .. }
            | Termination::Missing { .. }
            | Termination::Failure(_) => RunError::Program(sentence),
        });
    }
    let activity = segment.activity(rank);
    match (status.success(), activity.phase) {
        (true, Phase::Finalized) => Ok(true),
        (true, Phase::Starting) => Ok(false),
        (_, _) => {
            let how = describe_exit(status);
            Err(RunError::Program(failure_report::rank_ended(
                rank, &how, &activity, launch,
            )))
        }
    }
}

fn needs_other_ranks(own: ForkObstacle) -> RunError {
    RunError::NeedsOtherRanks(format!(
        "the process of rank 0 {} before MPI_Init",
        own.sentence()
    ))
}

pub(super) fn init_not_called() -> RunError {
    RunError::NeedsOtherRanks(
        "the process of rank 0 never called MPI_Init, or cannot become other ranks".into(),
    )
}

fn not_forked(rank: u32, error: i32) -> RunError {
    let error = std::io::Error::from_raw_os_error(error);
    RunError::setup(
        &format!("cannot make a process for rank {rank} (see `ulimit -u`)"),
        error,
    )
}

fn describe_exit(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was ended by signal {signal}{}", signal_name(signal)),
        // The dynamic linker's code when a symbol or library is missing.
        (None, Some(127)) => {
            "ended with exit code 127 (a library or a symbol of it was not found?)".into()
        }
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "ended".into(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        2 => " (interrupt)",
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic error)",
        9 => " (killed)",
        11 => " (segmentation fault)",
        15 => " (terminated)",
        24 => " (processor time limit)",
        _ => "",
    }
}
