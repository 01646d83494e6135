//! Waits for the ranks to end, in whatever order, and ends all of them as soon as one fails.

use super::segment::Segment;
use super::{Launch, RunError, deadlock};
use crate::ending::{self, EndReport};
use crate::kernel::slot::Phase;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A watching thread does nothing but wait.
const STACK_BYTES: usize = 64 << 10;
/// How often to look for what gives no event to wait for: an interrupt, and, once a rank has ended
/// without `MPI_Init`, others waiting in it.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The processes of the ranks; those still running are killed when this goes away.
#[derive(Default)]
pub(super) struct Ranks {
    children: Vec<Option<Child>>,
}

impl Ranks {
    pub(super) fn push(&mut self, child: Child) {
        self.children.push(Some(child));
    }

    /// Returns when all ranks have ended well; `Err` as soon as one has not, or the run is
    /// interrupted.
    pub(super) fn wait(
        &mut self,
        segment: &Segment,
        folder: &Path,
        launch: &Launch<'_>,
    ) -> Result<(), RunError> {
        let ended = self.watch()?;
        let mut without_init = None;
        for _ in 0..self.children.len() {
            let rank = next(&ended, segment, without_init, launch)?;
            let status = self.reap(rank).map_err(|e| RunError::setup("cannot wait for a rank", e))?;
            if let Some(report) = ending::read::<EndReport>(&ending::report_path(folder)) {
                return Err(RunError::Program(deadlock::ended(&report, &segment.activities(), launch)));
            }
            let activity = segment.activity(rank as u32);
            match (status.success(), activity.phase) {
                (true, Phase::Finalized) => {}
                (true, Phase::Starting) => without_init = Some(rank as u32),
                (_, _) => {
                    let how = how_it_ended(status);
                    return Err(RunError::Program(deadlock::gone(rank as u32, &how, &activity, launch)));
                }
            }
        }
        Ok(())
    }

    /// One thread per rank tells when it has ended, and leaves it to be reaped here: the process
    /// id stays taken, so that killing cannot hit a stranger.
    fn watch(&self) -> Result<Receiver<usize>, RunError> {
        let (sender, receiver) = channel();
        for (rank, child) in self.children.iter().enumerate() {
            let Some(pid) = child.as_ref().and_then(|child| Pid::from_raw(child.id() as i32)) else {
                continue;
            };
            let sender = sender.clone();
            let watch = move || {
                let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), flags) {}
                // Nobody listens any more once the run has failed.
                let _ = sender.send(rank);
            };
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            builder.spawn(watch).map_err(|e| RunError::setup("cannot start a thread", e))?;
        }
        Ok(receiver)
    }

    fn reap(&mut self, rank: usize) -> std::io::Result<ExitStatus> {
        let child = self.children[rank].take();
        child.map_or_else(|| Err(std::io::Error::other("it was waited for twice")), |mut child| child.wait())
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        for child in self.children.iter_mut().flatten() {
            // It may have ended meanwhile.
            let _ = child.kill();
        }
        for child in self.children.iter_mut().flatten() {
            let _ = child.wait();
        }
    }
}

fn next(
    ended: &Receiver<usize>,
    segment: &Segment,
    without_init: Option<u32>,
    launch: &Launch<'_>,
) -> Result<usize, RunError> {
    while !launch.interrupted() {
        match (without_init, ended.recv_timeout(LOOK_AGAIN)) {
            (_, Ok(rank)) => return Ok(rank),
            (Some(rank), Err(RecvTimeoutError::Timeout)) if segment.arrived() > 0 => {
                let how = "ended, while others wait for it in MPI_Init,";
                let gone = deadlock::gone(rank, how, &segment.activity(rank), launch);
                return Err(RunError::Program(gone));
            }
            (_, Err(RecvTimeoutError::Timeout)) => {}
            (_, Err(RecvTimeoutError::Disconnected)) => {
                return Err(RunError::Setup("the ranks can no longer be watched".into()));
            }
        }
    }
    Err(RunError::Interrupted)
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was ended by signal {signal}{}", signal_name(signal)),
        // The dynamic linker's code when a symbol or library is missing.
        (None, Some(127)) => "ended with exit code 127 (a library or a symbol of it was not found?)".into(),
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
