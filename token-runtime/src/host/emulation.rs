//! The host's part of an emulated run: it lets the ranks compute in the engine's order, and looks after one that does not
//! come back.

use super::launch::{self, Launch, Recording, RunEnvironment};
use super::segment::Segment;
use super::{RunError, failure_report};
use crate::emulation::{is_timeout, read_batch, read_message, socket_path, write_message};
use base_data::Time;
use base_data::emulation::{Answer, Engine, Hello, Outcome, Submission, Turn, Welcome};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use std::collections::{BTreeSet, VecDeque};
use std::io::{BufReader, ErrorKind, Result};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often to look for ranks that come to `MPI_Init`.
const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// How often to look at a rank that computes.
const LOOK_AT_SILENT: Duration = Duration::from_millis(450);
/// A rank that has made no call between so many looks may wait for what another rank would do.
const SILENT_LOOKS: u32 = 2;

/// The engine's side of the connections.
pub(super) struct Connections {
    /// The run's folder, where a part of its memory is.
    folder: String,
    listener: UnixListener,
    ranks: Vec<Option<Connection>>,
    /// Looks of the longest silence of a rank that then made a call: others may compute for so long, too.
    longest_silence: u32,
}

/// A rank's process.
struct Connection {
    /// Length and content of a message are read at once.
    stream: BufReader<UnixStream>,
    process: u32,
    calls: Calls,
}

/// Calls of a rank that it has submitted together.
#[derive(Debug, Default)]
struct Calls {
    /// Those that the engine has not seen.
    next: VecDeque<Submission>,
    /// The one that the engine has not answered, and when it began in virtual time.
    current: Submission,
    began: Time,
    /// The time of the last answer.
    answered: Time,
    /// How long those took that were submitted with the current one.
    took: Vec<Time>,
}

impl Calls {
    /// The next call, if the engine has not seen all.
    fn next(&mut self) -> Option<&Submission> {
        self.current = self.next.pop_front()?;
        self.began = self.answered + self.current.polled + self.current.computed;
        Some(&self.current)
    }

    /// The engine has answered the current call.
    fn note(&mut self, answer: &Answer) -> std::result::Result<(), String> {
        self.took.push(answer.now - self.began);
        self.answered = answer.now;
        for taken in &self.current.taken {
            let Outcome::Completed(completed) = &answer.outcome else {
                continue;
            };
            let one = completed.iter().find(|one| one.slot == taken.slot);
            let number = one.and_then(|one| one.matched).map(|found| found.number);
            if number != Some(taken.number) {
                return Err(format!(
                    "has received message {} of its sender, but {number:?} in virtual time: a bug of mpiete",
                    taken.number
                ));
            }
        }
        Ok(())
    }
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
            folder: folder.canonicalize()?.to_string_lossy().into_owned(),
            listener,
            ranks: connected,
            longest_silence: 0,
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
        let mut beside = BesideRanks::default();
        let mut turn = engine.next_turn();
        loop {
            let (rank, answer) = match turn {
                Turn::Resume(rank, answer) => (rank, answer),
                Turn::End(rank, answer) => {
                    let calls = &mut self.connection(rank)?.calls;
                    // What the ranks have taken was compared before.
                    let _ = calls.note(&answer);
                    self.answer(rank, answer)?;
                    turn = engine.next_turn();
                    continue;
                }
                Turn::Over => return Ok(()),
                Turn::Stuck(rank) => {
                    self.show_current_calls(segment);
                    return self.end(rank, Outcome::Deadlock);
                }
            };
            if let Err(sentence) = self.connection(rank)?.calls.note(&answer) {
                self.show_current_calls(segment);
                return self.end(rank, Outcome::Refused(sentence));
            }
            if self.connection(rank)?.calls.next.is_empty() {
                self.answer(rank, answer)?;
                if !self.await_submissions(rank, is_over, launch, segment)? {
                    return Ok(());
                }
                beside.bind(segment);
            }
            if let Some(submission) = self.connection(rank)?.calls.next()
                && let Err(sentence) = engine.submit(rank, submission)
            {
                self.show_current_calls(segment);
                return self.end(rank, Outcome::Refused(sentence));
            }
            turn = engine.next_turn();
        }
    }

    /// Ends the run by a rank, whose process waits for an answer.
    fn end(&mut self, rank: u32, outcome: Outcome) -> Result<()> {
        let answer = Answer {
            outcome,
            ..Answer::default()
        };
        self.answer(rank, answer)
    }

    /// Reports name the calls that the engine has come to, beyond which some ranks have gone on.
    fn show_current_calls(&self, segment: &Segment) {
        for (rank, connection) in (0..).zip(&self.ranks) {
            if let Some(Connection { calls, .. }) = connection
                && !calls.next.is_empty()
            {
                segment.set_call(rank, calls.current.call);
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
                    stream.get_ref().set_read_timeout(Some(LOOK_AT_SILENT))?;
                    if let Some(place) = self.ranks.get_mut(hello.rank as usize) {
                        *place = Some(Connection {
                            stream,
                            process: hello.process,
                            calls: Calls::default(),
                        });
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
            if let Some(Connection { stream, .. }) = place {
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

    fn connection(&mut self, rank: u32) -> Result<&mut Connection> {
        match &mut self.ranks[rank as usize] {
            Some(connection) => Ok(connection),
            None => Err(std::io::Error::other("the rank has not come")),
        }
    }

    fn answer(&mut self, rank: u32, answer: Answer) -> Result<()> {
        let Connection { stream, calls, .. } = self.connection(rank)?;
        let took = std::mem::take(&mut calls.took);
        write_message(stream.get_mut(), &Answer { took, ..answer })
    }

    /// Reads the next calls of the rank that computes; false if the run is over.
    fn await_submissions(
        &mut self,
        rank: u32,
        is_over: &AtomicBool,
        launch: &Launch<'_>,
        segment: &Segment,
    ) -> Result<bool> {
        let mut was_reported = false;
        let mut entered_before = segment.calls(rank);
        let (mut silent_looks, mut times_before) = (0, ProcessorTimes::default());
        loop {
            let Connection {
                stream,
                calls: to,
                process,
            } = self.connection(rank)?;
            let process = *process;
            match read_batch(stream, &mut to.next) {
                Ok(()) => {
                    self.longest_silence = self.longest_silence.max(silent_looks);
                    return Ok(true);
                }
                Err(error) if is_timeout(&error) => {
                    if is_over.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                    // A rank that has entered calls meanwhile goes on without answers.
                    let entered = segment.calls(rank);
                    let is_silent = std::mem::replace(&mut entered_before, entered) == entered;
                    let times = ProcessorTimes::of(process);
                    let spent = times.since(&std::mem::replace(&mut times_before, times));
                    silent_looks = if is_silent { silent_looks + 1 } else { 0 };
                    if !was_reported && silent_looks >= SILENT_LOOKS {
                        was_reported =
                            self.report_silence(rank, (silent_looks, spent), launch, segment);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Other => {
                    let outcome = Outcome::Refused(format!("cannot be understood: {error}"));
                    self.end(rank, outcome)?;
                    return Ok(false);
                }
                // The process of the rank is gone.
                Err(_) => return Ok(false),
            }
        }
    }

    /// Reports a rank that has made no call between so many looks: what it may wait for outside MPI, or else that it
    /// computes, unless a rank has computed for about so long before. Since the last look it has spent this time. Whether it
    /// was reported.
    fn report_silence(
        &self,
        rank: u32,
        (looks, spent): (u32, ProcessorTimes),
        launch: &Launch<'_>,
        segment: &Segment,
    ) -> bool {
        let Some(notice) = launch.notice else {
            return false;
        };
        let activity = segment.activity(rank);
        let after = failure_report::call(rank, &activity, launch);
        if let Some(what) = self.waits_outside(rank, spent) {
            notice(&format!(
                "the emulation may not go on: rank {rank} has made no MPI call for a second after {after}, and {what}; other \
                 ranks run when it calls MPI, so wait for them with MPI calls only"
            ));
            return true;
        }
        // A program whose ranks compute for long has a report for each doubling of that time.
        if looks < 2 * self.longest_silence {
            return false;
        }
        let seconds = (LOOK_AT_SILENT * looks).as_secs_f64();
        notice(&format!(
            "the emulation goes on when rank {rank} calls MPI, and does not end if it never does: it has computed for {seconds:.0} s after \
             {after}"
        ));
        true
    }

    /// What a rank may wait for outside MPI; since the last look it has spent this time.
    fn waits_outside(&self, rank: u32, spent: ProcessorTimes) -> Option<String> {
        let process = self.process(rank)?;
        if is_asleep(process) {
            return Some("it sleeps".into());
        }
        let own = self.shared_memory(process);
        for other in 0..self.ranks.len() as u32 {
            let Some(others) = self.process(other).filter(|_| other != rank) else {
                continue;
            };
            if !own.is_disjoint(&self.shared_memory(others)) {
                return Some(format!("it shares memory with rank {other}"));
            }
        }
        if spent.system > spent.user {
            return Some(
                "most of its time is spent in system calls, as by a program that waits for a file or its time stamp"
                    .into(),
            );
        }
        None
    }

    /// Files that a process has mapped to be written and shared, by device and number, without those of the run itself.
    fn shared_memory(&self, process: u32) -> BTreeSet<(String, String)> {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        let mut files = BTreeSet::new();
        for line in maps.lines() {
            // address permissions offset device number path
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [_, permissions, _, device, number, ..] = words[..] {
                let is_shared = permissions.starts_with("rw") && permissions.ends_with('s');
                let is_own = line.contains("/memfd:mpiete") || line.contains(&self.folder);
                if is_shared && !is_own {
                    files.insert((device.to_string(), number.to_string()));
                }
            }
        }
        files
    }

    fn process(&self, rank: u32) -> Option<u32> {
        let connection = self.ranks[rank as usize].as_ref()?;
        Some(connection.process)
    }
}

/// Binds this thread to the processor of the ranks while they run. Host and ranks take turns, and waking a process on another
/// processor takes longer than the switch.
#[derive(Default)]
struct BesideRanks {
    is_bound: bool,
    before: Option<CpuSet>,
}

impl BesideRanks {
    /// The first rank has gone on, so the ranks have a processor, if they are bound to one.
    fn bind(&mut self, segment: &Segment) {
        if std::mem::replace(&mut self.is_bound, true) {
            return;
        }
        let (Some(processor), Ok(before)) = (segment.processor(), sched_getaffinity(None)) else {
            return;
        };
        let mut one = CpuSet::new();
        one.set(processor);
        if sched_setaffinity(None, &one).is_ok() {
            self.before = Some(before);
        }
    }
}

impl Drop for BesideRanks {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // Where this fails, the estimate takes longer.
            let _ = sched_setaffinity(None, before);
        }
    }
}

/// What a process has spent so far, in the system's ticks. Loops of `stat`, `access`, `open` and Fortran's INQUIRE and OPEN spend 61
/// to 94 % in the system; computation spends next to nothing there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProcessorTimes {
    /// In the program and its libraries.
    user: u64,
    /// In system calls.
    system: u64,
}

impl ProcessorTimes {
    /// Nothing if the system does not say.
    fn of(process: u32) -> Self {
        let fields = stat_fields(process);
        let ticks = |place: usize| fields.get(place).and_then(|field| field.parse().ok());
        Self {
            user: ticks(11).unwrap_or(0),
            system: ticks(12).unwrap_or(0),
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
        }
    }
}

/// What the system says of a process (`/proc/[pid]/stat`), from its state on.
fn stat_fields(process: u32) -> Vec<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state follows the name, which stands in parentheses and may contain any character.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    fields.split_whitespace().map(String::from).collect()
}

/// Whether a process waits for something, by the system's word.
fn is_asleep(process: u32) -> bool {
    stat_fields(process)
        .first()
        .is_some_and(|state| state == "S")
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
