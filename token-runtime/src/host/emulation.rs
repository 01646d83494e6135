//! The host's part of an emulated run: it lets the ranks compute in the engine's order, and looks after one that does not
//! come back.

use super::launch::{self, Launch, Recording, RunEnvironment};
use super::segment::Segment;
use super::{RunError, failure_report};
use crate::emulation::{read_message, socket_path, write_message};
use base_data::emulation::{Answer, Engine, Hello, Outcome, Submission, Turn, Welcome};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeSet;
use std::io::{BufReader, ErrorKind, Result};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often to look for ranks that come to `MPI_Init`.
const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// A rank that computes for so long may wait for what another rank would do.
const SILENCE: Duration = Duration::from_millis(900);

/// The engine's side of the connections.
pub(super) struct Connections {
    listener: UnixListener,
    /// Connection and process of each rank. Length and content of a message are read at once.
    ranks: Vec<Option<(BufReader<UnixStream>, u32)>>,
}

/// Runs a program to its end, in the virtual time of an engine.
///
/// # Errors
/// Those of [`super::run`].
pub fn emulate(
    launch: &Launch<'_>,
    engine: &mut dyn Engine,
) -> std::result::Result<Recording, RunError> {
    let place = RunEnvironment::new(launch)?;
    let ranks = launch.total_ranks();
    let mut connections = Connections::open(place.folder.path(), ranks)
        .map_err(|error| RunError::setup("cannot listen for the ranks", error))?;
    launch::write_given_times(launch, place.folder.path())
        .map_err(|error| RunError::setup("cannot write the given times", error))?;
    launch::run_in(launch, &place, |supervise| {
        let is_over = AtomicBool::new(false);
        // The engine is on this thread: what it keeps need not be able to go to another.
        std::thread::scope(|scope| {
            let supervision = scope.spawn(|| {
                let ended = supervise();
                is_over.store(true, Ordering::Relaxed);
                ended
            });
            let served = connections.serve(engine, &is_over, launch, &place.segment);
            // A rank that has lost the engine has ended: the supervision says why.
            drop(served);
            supervision
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic))
        })
    })
}

impl Connections {
    fn open(folder: &Path, ranks: u32) -> Result<Self> {
        raise_file_limit(ranks);
        let listener = UnixListener::bind(socket_path(folder))?;
        listener.set_nonblocking(true)?;
        let mut connected = Vec::new();
        connected.resize_with(ranks as usize, || None);
        Ok(Self {
            listener,
            ranks: connected,
        })
    }

    /// Lets the ranks go on in the engine's order until all have ended, or one has gone.
    fn serve(
        &mut self,
        engine: &mut dyn Engine,
        is_over: &AtomicBool,
        launch: &Launch<'_>,
        segment: &Segment,
    ) -> Result<()> {
        if !self.meet(engine, is_over)? {
            return Ok(());
        }
        loop {
            match engine.next_turn() {
                Turn::Resume(rank, answer) => {
                    self.answer(rank, &answer)?;
                    let Some(submission) = self.await_submission(rank, is_over, launch, segment)?
                    else {
                        return Ok(());
                    };
                    if let Err(sentence) = engine.submit(rank, &submission) {
                        let outcome = Outcome::Refused(sentence);
                        return self.answer(
                            rank,
                            &Answer {
                                outcome,
                                ..Answer::default()
                            },
                        );
                    }
                }
                Turn::End(rank, answer) => self.answer(rank, &answer)?,
                Turn::Over => return Ok(()),
                Turn::Stuck(rank) => {
                    let outcome = Outcome::Deadlock;
                    return self.answer(
                        rank,
                        &Answer {
                            outcome,
                            ..Answer::default()
                        },
                    );
                }
            }
        }
    }

    /// Waits until all ranks have come to `MPI_Init`; false if the run is over before.
    fn meet(&mut self, engine: &dyn Engine, is_over: &AtomicBool) -> Result<bool> {
        let mut missing = self.ranks.len();
        while missing > 0 {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    let mut stream = BufReader::new(stream);
                    let hello: Hello = read_message(&mut stream)?;
                    stream.get_ref().set_read_timeout(Some(SILENCE))?;
                    if let Some(place) = self.ranks.get_mut(hello.rank as usize) {
                        *place = Some((stream, hello.process));
                        missing -= 1;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if is_over.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                    std::thread::sleep(LOOK_AGAIN);
                }
                Err(error) => return Err(error),
            }
        }
        let clocks = [ClockId::Realtime, ClockId::Monotonic].map(|clock| {
            let time = clock_gettime(clock);
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        });
        for (rank, place) in (0..).zip(&mut self.ranks) {
            if let Some((stream, _)) = place {
                let welcome = Welcome {
                    speed: engine.speed(rank),
                    clocks,
                    node: engine.node(rank),
                };
                write_message(stream.get_mut(), &welcome)?;
            }
        }
        Ok(true)
    }

    fn stream(&mut self, rank: u32) -> Result<&mut BufReader<UnixStream>> {
        match &mut self.ranks[rank as usize] {
            Some((stream, _)) => Ok(stream),
            None => Err(std::io::Error::other("the rank has not come")),
        }
    }

    fn answer(&mut self, rank: u32, answer: &Answer) -> Result<()> {
        write_message(self.stream(rank)?.get_mut(), answer)
    }

    /// The next call of the rank that computes; `None` if the run is over.
    fn await_submission(
        &mut self,
        rank: u32,
        is_over: &AtomicBool,
        launch: &Launch<'_>,
        segment: &Segment,
    ) -> Result<Option<Submission>> {
        let mut was_reported = false;
        loop {
            match read_message(self.stream(rank)?) {
                Ok(submission) => return Ok(Some(submission)),
                Err(error) if is_timeout(error.kind()) => {
                    if is_over.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    if !was_reported {
                        was_reported = self.report_silence(rank, launch, segment);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Other => {
                    let outcome = Outcome::Refused(format!("cannot be understood: {error}"));
                    self.answer(
                        rank,
                        &Answer {
                            outcome,
                            ..Answer::default()
                        },
                    )?;
                    return Ok(None);
                }
                // The process of the rank is gone.
                Err(_) => return Ok(None),
            }
        }
    }

    /// Reports a rank that has made no call for long, if it may wait for another rank outside MPI. Whether it may.
    fn report_silence(&self, rank: u32, launch: &Launch<'_>, segment: &Segment) -> bool {
        let (Some(notice), Some(what)) = (launch.notice, self.waits_outside(rank)) else {
            return false;
        };
        let activity = segment.activity(rank);
        let after = failure_report::call(rank, &activity, launch);
        notice(&format!(
            "the emulation does not go on: rank {rank} has made no MPI call for a second after {after}, and {what}; other \
             ranks run when it calls MPI, so wait for them with MPI calls only"
        ));
        true
    }

    /// What a rank may wait for outside MPI.
    fn waits_outside(&self, rank: u32) -> Option<String> {
        let process = self.process(rank)?;
        if is_asleep(process) {
            return Some("it sleeps".into());
        }
        let own = shared_memory(process);
        for other in 0..self.ranks.len() as u32 {
            let Some(others) = self.process(other).filter(|_| other != rank) else {
                continue;
            };
            if !own.is_disjoint(&shared_memory(others)) {
                return Some(format!("it shares memory with rank {other}"));
            }
        }
        None
    }

    fn process(&self, rank: u32) -> Option<u32> {
        self.ranks[rank as usize]
            .as_ref()
            .map(|(_, process)| *process)
    }
}

fn is_timeout(kind: ErrorKind) -> bool {
    kind == ErrorKind::WouldBlock || kind == ErrorKind::TimedOut
}

/// Whether a process waits for something, by the system's word.
fn is_asleep(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state follows the name, which stands in parentheses and may contain any character.
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    state.starts_with('S')
}

/// Files that a process has mapped to be written and shared, by device and number, without those of the run itself.
fn shared_memory(process: u32) -> BTreeSet<(String, String)> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let mut files = BTreeSet::new();
    for line in maps.lines() {
        // address permissions offset device number path
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, permissions, _, device, number, path @ ..] = &words[..] {
            let is_shared = permissions.starts_with("rw") && permissions.ends_with('s');
            let is_own = path
                .first()
                .is_some_and(|path| path.starts_with("/memfd:mpiete"));
            if is_shared && !is_own {
                files.insert((device.to_string(), number.to_string()));
            }
        }
    }
    files
}

/// Each rank has a connection, which the usual limit of open files does not always allow.
fn raise_file_limit(ranks: u32) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = u64::from(ranks) + 256;
    let Some(current) = limit.current else { return };
    if current >= wanted {
        return;
    }
    let current = limit.maximum.map_or(wanted, |most| wanted.min(most));
    // Where this fails, accepting a connection fails and says so.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(current),
            maximum: limit.maximum,
        },
    );
}
