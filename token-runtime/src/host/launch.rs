//! Starting a run: a folder, the shared memory, one process per rank; and reading what they left.

use super::preload::Libraries;
use super::segment::Segment;
use super::supervision::Ranks;
use super::temporary_folder::TemporaryFolder;
use super::{MeasureSettings, Mode, RunError, tagged_output, warnings};
use crate::emulation;
use crate::environment::{
    DISK, HEAP, LAUNCHER_CONNECTIONS, POLL_TIMEOUT, SPAWN, Settings, launcher_variables,
};
use crate::kernel::poll_timeout;
use crate::termination;
use base_data::Time;
use base_data::block_table::BlockTable;
use base_data::emulation::EmulatedRank;
use base_data::ids::Rank;
use base_data::rank_recording::{ConditionCount, RankRecording};
use std::fs::{File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Standard input of rank 0; the other ranks read `/dev/null`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing.
    #[default]
    Null,
    /// The host's own.
    Inherit,
    /// These bytes.
    Bytes(Vec<u8>),
}

/// What becomes of the ranks' standard output. Standard error goes where the host's goes, unless
/// output is captured or tagged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Goes where the host's goes.
    #[default]
    Inherit,
    /// Nowhere.
    Discard,
    /// Into [`Recording::output`].
    Capture,
    /// Goes where the host's goes, line by line, each behind its rank: `[3] …`.
    Tagged,
}

/// A further program of an MPMD run, for the ranks after those of the programs before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpmdProgram {
    /// The executable.
    pub program: PathBuf,
    /// Its argument 0; empty for its path.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Number of its ranks.
    pub ranks: u32,
    /// The folder it runs in.
    pub work_dir: PathBuf,
    /// Environment variables set for its ranks.
    pub environment: Vec<(String, String)>,
}

/// A run to be made.
#[derive(Clone, Debug, Default)]
pub struct Launch<'a> {
    /// The executable; a relative path is relative to the host's own folder.
    pub program: PathBuf,
    /// Its argument 0; empty for its path.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Number of its ranks.
    pub ranks: u32,
    /// Further programs.
    pub parts: Vec<MpmdProgram>,
    /// Purpose of the run.
    pub mode: Mode,
    /// Whether each rank is started as a process of its own, also where rank 0's could become all ranks.
    pub spawn: bool,
    /// Whether the ranks run one by one, each alone (see also [`super::SoloRanks`]), which mode `record`
    /// allows if the only data that the program uses from other ranks are pieces that one rank distributes
    /// and the colours of communicators.
    pub solo: bool,
    /// Folder in which ranks keep what calls bring that the program needs ([`crate::replay_input`]).
    pub message_log: Option<PathBuf>,
    /// Folder of the replay input of representatives ([`super::Measuring`]).
    pub replay_input: Option<PathBuf>,
    /// When blocks are measured well enough; used in mode `measure` only.
    pub measure: MeasureSettings,
    /// The MPI library: the shared object of the package `mpiete-mpi`.
    pub library: PathBuf,
    /// The folder the program runs in.
    pub work_dir: PathBuf,
    /// Standard input.
    pub input: Input,
    /// Standard output.
    pub output: Output,
    /// Environment variables set for its ranks.
    pub environment: Vec<(String, String)>,
    /// For source lines of marked calls in messages.
    pub table: Option<&'a BlockTable>,
    /// For source lines of other calls in messages: the line, `cg.f:120`, of the call in this
    /// executable that returns to this offset.
    pub line: Option<fn(&Path, u64) -> Option<String>>,
    /// Once true, no rank is started any more, those that run are killed within about a tenth of a
    /// second, and the run ends with [`RunError::Interrupted`]. The runtime only reads it: the
    /// signal handler of the caller sets it. `None`: the run cannot be interrupted.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// After so long the ranks are killed, and the run ends with [`RunError::OutOfTime`].
    pub limit: Option<Duration>,
    /// A rank that measures alone ([`super::Measuring`]) and makes no MPI call for so long is killed, and the
    /// run ends with [`RunError::NeedsOtherRanks`]: replayed messages may never satisfy the exit condition of a loop.
    pub silence: Option<Duration>,
    /// Times that ranks are to have computed, by rank ([`EmulatedRank::computed`]); used in mode `emulate` only.
    pub given_times: Option<&'a [Vec<Time>]>,
    /// What an emulated run reports while it runs.
    pub notice: Option<fn(&str)>,
    /// Signals by number that are passed on to the ranks each time the flag becomes true; it is
    /// lowered here.
    pub signals: Vec<(i32, Arc<AtomicBool>)>,
}

impl Launch<'_> {
    /// Ranks of all programs.
    pub fn total_ranks(&self) -> u32 {
        self.ranks + self.parts.iter().map(|part| part.ranks).sum::<u32>()
    }

    /// The executable of a rank.
    pub fn program_of(&self, rank: u32) -> &Path {
        self.part_of(rank)
            .map_or(&self.program, |(_, part)| &part.program)
    }

    /// The part a rank belongs to, and its number from 1; `None` for the first program.
    fn part_of(&self, rank: u32) -> Option<(u32, &MpmdProgram)> {
        let mut first = self.ranks;
        (1..).zip(&self.parts).find(|(_, part)| {
            let is_its = (first..first + part.ranks).contains(&rank);
            first += part.ranks;
            is_its
        })
    }

    /// Whether the run is to end now.
    pub(super) fn interrupted(&self) -> bool {
        self.interrupt
            .as_ref()
            .is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }
}

/// What a run left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// By rank. A rank that never called `MPI_Init` left an empty one.
    pub ranks: Vec<RankRecording>,
    /// How many of them have reached `MPI_Init`.
    pub joined: u64,
    /// Captured standard output.
    pub output: String,
    /// Captured standard error.
    pub errors: String,
    /// From before the first process was started until the last had ended.
    pub wall: Duration,
    /// What its ranks warned of, as sentences.
    pub warnings: Vec<String>,
    /// By rank, in mode `emulate`.
    pub emulated: Vec<EmulatedRank>,
}

/// Runs a program to its end.
///
/// # Errors
///
/// [`RunError::NeedsOtherRanks`] if the ranks cannot run alone and should,
/// [`RunError::Setup`] if it could not be started, [`RunError::Program`] or [`RunError::CutShort`] if
/// a rank crashed, ended the run, or all wait for each other, [`RunError::Interrupted`] if [`Launch::interrupt`] became
/// true before the last rank had ended, [`RunError::OutOfTime`] if [`Launch::limit`] had passed by then. All ranks and all temporary files are gone then.
pub fn run(launch: &Launch<'_>) -> Result<Recording, RunError> {
    let place = RunEnvironment::new(launch)?;
    run_in(launch, &place, |supervise| supervise())
}

/// Runs a program in a place; `around` calls the supervision of the ranks, which returns when they have ended.
pub(super) fn run_in(
    launch: &Launch<'_>,
    place: &RunEnvironment,
    around: impl FnOnce(&mut (dyn FnMut() -> Result<(), RunError> + Send)) -> Result<(), RunError>,
) -> Result<Recording, RunError> {
    let (
        starter,
        RunEnvironment {
            folder, segment, ..
        },
    ) = (place.starter(launch), place);
    let (started, all) = (Instant::now(), launch.total_ranks());
    // Declared after the folder and so dropped before it: no process writes into it while it is removed.
    let mut ranks =
        Ranks::new(folder.path()).map_err(|e| RunError::setup("cannot make a pipe", e))?;
    // Rank 0 alone: its process forks the others, or requests them from the host once it knows that it may not fork.
    starter.start(0, &mut ranks)?;
    if !starter.may_fork() {
        starter.start_others(&mut ranks)?;
    }
    let ended = around(&mut || {
        ranks.wait(segment, folder.path(), launch, all, |ranks| {
            starter.start_others(ranks)
        })
    });
    let wall = started.elapsed();
    let (output, errors) = (
        text(&folder.path().join(OUTPUT)),
        text(&folder.path().join(ERRORS)),
    );
    // A signal from the terminal ends ranks, too; that is no failure of the program.
    ended.map_err(|error| match (launch.interrupted(), error) {
        (true, _) => RunError::Interrupted,
        (false, RunError::OutOfTime(_)) => RunError::OutOfTime(conditions(folder.path(), all)),
        (false, error) => with_output(error, &errors, segment.has_cut()),
    })?;
    let warnings = warnings::of_run(launch, folder.path(), all);
    let ranks = recordings(launch, folder.path(), 0..all)?;
    Ok(Recording {
        emulated: emulated(launch, folder.path()),
        ranks,
        joined: segment.arrived(),
        output,
        errors,
        wall,
        warnings,
    })
}

/// Where a run takes place; all of it is gone afterwards.
pub(super) struct RunEnvironment {
    pub folder: TemporaryFolder,
    pub segment: Segment,
    libraries: Libraries,
}

impl RunEnvironment {
    pub fn new(launch: &Launch<'_>) -> Result<Self, RunError> {
        check(launch)?;
        let folder =
            TemporaryFolder::of_run().map_err(|e| RunError::setup("nothing was run", e))?;
        let (heap, disk) = (chosen_bytes(launch, HEAP)?, chosen_bytes(launch, DISK)?);
        let segment = Segment::create(
            launch.total_ranks(),
            (heap, disk),
            poll_timeout(launch)?,
            folder.path(),
        )
        .map_err(|e| RunError::setup("cannot make shared memory", e))?;
        let libraries = Libraries::create(folder.path(), &launch.library)
            .map_err(|e| RunError::setup("cannot link the MPI library", e))?;
        Ok(Self {
            folder,
            segment,
            libraries,
        })
    }

    pub fn starter<'a>(&'a self, launch: &'a Launch<'a>) -> Starter<'a> {
        Starter {
            launch,
            segment: &self.segment,
            folder: self.folder.path(),
            libraries: &self.libraries,
        }
    }
}

const OUTPUT: &str = "output";
const ERRORS: &str = "errors";
const INPUT: &str = "input";
/// Lines of captured standard error that a message repeats.
const SHOWN_LINES: usize = 10;

fn check(launch: &Launch<'_>) -> Result<(), RunError> {
    let missing = |what: &str, path: &Path, remedy: &str| {
        Err(RunError::Setup(format!(
            "there is no {what} {}; {remedy}",
            path.display()
        )))
    };
    if launch.ranks == 0 || launch.parts.iter().any(|part| part.ranks == 0) {
        return Err(RunError::Setup(
            "a run needs at least 1 rank, 0 were asked for".into(),
        ));
    }
    let most = most_processes();
    if u64::from(launch.total_ranks()) >= most {
        return Err(RunError::Setup(format!(
            "{} ranks were asked for; this system has room for {most} processes (/proc/sys/kernel/pid_max)",
            launch.total_ranks()
        )));
    }
    for program in
        std::iter::once(&launch.program).chain(launch.parts.iter().map(|part| &part.program))
    {
        if !program.is_file() {
            return missing("program", program, "compile it first or give its path");
        }
    }
    if launch.solo && (launch.mode != Mode::Record || !launch.parts.is_empty()) {
        return Err(RunError::Setup(
            "ranks run alone only where one program is recorded".into(),
        ));
    }
    if launch.solo && must_spawn(launch) {
        let sentence = format!("each rank is started as a process of its own (--spawn, {SPAWN}=1)");
        return Err(RunError::NeedsOtherRanks(sentence));
    }
    if !launch.library.is_file() {
        return missing(
            "MPI library",
            &launch.library,
            "build it with `cargo build -p mpiete-mpi`",
        );
    }
    for folder in
        std::iter::once(&launch.work_dir).chain(launch.parts.iter().map(|part| &part.work_dir))
    {
        if !folder.is_dir() {
            return missing("folder", folder, "make it first");
        }
    }
    Ok(())
}

/// Whether the user wants each rank to be a process of its own.
fn must_spawn(launch: &Launch<'_>) -> bool {
    launch.spawn || chosen(launch, SPAWN).is_some_and(|value| value == "1")
}

/// Processes that the system can have at a time.
fn most_processes() -> u64 {
    let limit = std::fs::read_to_string("/proc/sys/kernel/pid_max").ok();
    limit
        .and_then(|limit| limit.trim().parse().ok())
        .unwrap_or(u64::MAX)
}

/// What the processes of a run are started with.
pub(super) struct Starter<'a> {
    launch: &'a Launch<'a>,
    segment: &'a Segment,
    folder: &'a Path,
    libraries: &'a Libraries,
}

impl Starter<'_> {
    /// Whether the process of rank 0 may become all ranks. Not where pages that were shared would be
    /// measured, where programs differ, or where the output of each rank is tagged with its number.
    fn may_fork(&self) -> bool {
        let Launch {
            mode,
            parts,
            output,
            ..
        } = self.launch;
        let may_be_copied = *mode != Mode::Measure && parts.is_empty() && *output != Output::Tagged;
        may_be_copied && !must_spawn(self.launch)
    }

    /// Starts all ranks but the first.
    fn start_others(&self, ranks: &mut Ranks) -> Result<(), RunError> {
        (1..self.launch.total_ranks()).try_for_each(|rank| self.start(rank, ranks))
    }

    pub fn start(&self, rank: u32, ranks: &mut Ranks) -> Result<(), RunError> {
        if self.launch.interrupted() {
            return Err(RunError::Interrupted);
        }
        let (mut fork, mut program) = (None, None);
        if rank == 0 && self.may_fork() {
            fork = Some(std::process::id());
            program = std::path::absolute(&self.launch.program).ok();
        }
        let settings = Settings {
            segment: self.segment.path(),
            spill: self.segment.spill_path(),
            rank,
            application: self.launch.part_of(rank).map_or(0, |(number, _)| number),
            mode: self.launch.mode,
            folder: self.folder.to_path_buf(),
            rule: self.launch.measure.clone(),
            fork,
            program,
            solo: self.launch.solo,
            replay_input: self.launch.replay_input.clone(),
            message_log: self.launch.message_log.clone(),
        };
        let child = self
            .command(&settings)
            .and_then(|mut command| command.spawn());
        let program = self.launch.program_of(rank).display();
        let mut child =
            child.map_err(|e| RunError::setup(&format!("cannot start {program}"), e))?;
        if self.launch.output == Output::Tagged {
            let copying = tagged_output::copy(&mut child, rank);
            ranks
                .copying
                .extend(copying.map_err(|e| RunError::setup("cannot start a thread", e))?);
        }
        ranks
            .push(child)
            .map_err(|e| RunError::setup("cannot start a thread", e))
    }

    fn command(&self, settings: &Settings) -> std::io::Result<Command> {
        let launch = self.launch;
        // A run of several programs has one part for each.
        let (name, arguments, work_dir, environment) = match launch.part_of(settings.rank) {
            Some((_, part)) => (
                &part.name,
                &part.arguments,
                &part.work_dir,
                &part.environment,
            ),
            None => (
                &launch.name,
                &launch.arguments,
                &launch.work_dir,
                &launch.environment,
            ),
        };
        let mut command = Command::new(std::path::absolute(launch.program_of(settings.rank))?);
        if !name.is_empty() {
            command.arg0(name);
        }
        command.args(arguments).current_dir(work_dir);
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        // The library is added to what the program would get: the last value of the launch, or the host's own.
        let inherited = |name: &str| {
            for (given, value) in environment.iter().rev() {
                if given == name {
                    return Some(value.clone());
                }
            }
            std::env::var(name).ok()
        };
        command.envs(self.libraries.variables(inherited));
        // After the launch's own variables, so that these cannot override the settings of a rank.
        command.envs(settings.variables());
        // Emulated ranks are on the nodes of a platform, so these would be wrong.
        if launch.mode != Mode::Emulate {
            command.envs(launcher_variables(settings.rank, launch.total_ranks()));
        }
        // The host may itself be a rank of a launcher, its ranks are not.
        for name in LAUNCHER_CONNECTIONS {
            command.env_remove(name);
        }
        command.stdin(input(launch, settings)?);
        match launch.output {
            Output::Inherit => {}
            Output::Discard => drop(command.stdout(Stdio::null())),
            Output::Capture => {
                command.stdout(appending(&settings.folder.join(OUTPUT))?);
                command.stderr(appending(&settings.folder.join(ERRORS))?);
            }
            Output::Tagged => drop(command.stdout(Stdio::piped()).stderr(Stdio::piped())),
        }
        Ok(command)
    }
}

fn input(launch: &Launch<'_>, settings: &Settings) -> std::io::Result<Stdio> {
    match &launch.input {
        Input::Inherit if settings.rank == 0 => Ok(Stdio::inherit()),
        Input::Bytes(bytes) if settings.rank == 0 => {
            let path = settings.folder.join(INPUT);
            std::fs::write(&path, bytes)?;
            Ok(File::open(path)?.into())
        }
        Input::Null | Input::Inherit | Input::Bytes(_) => Ok(Stdio::null()),
    }
}

/// Bytes in an environment variable, if the user chose them.
fn chosen_bytes(launch: &Launch<'_>, name: &str) -> Result<Option<u64>, RunError> {
    let Some(given) = chosen(launch, name) else {
        return Ok(None);
    };
    let refused = |_| RunError::Setup(format!("{name} is '{given}'; it must be a number of bytes"));
    given.parse().map(Some).map_err(refused)
}

/// Poll timeout in nanoseconds.
fn poll_timeout(launch: &Launch<'_>) -> Result<u64, RunError> {
    let Some(given) = chosen(launch, POLL_TIMEOUT) else {
        return Ok(poll_timeout::DEFAULT_POLL_TIMEOUT);
    };
    let seconds = given
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let refused =
        || format!("{POLL_TIMEOUT} is '{given}'; it must be a number of seconds, or 0 for ever");
    let nanoseconds = seconds
        .ok_or_else(|| RunError::Setup(refused()))?
        .as_nanos();
    Ok(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// An environment variable of the run, or else of the host.
pub(super) fn chosen(launch: &Launch<'_>, name: &str) -> Option<String> {
    let given = launch
        .environment
        .iter()
        .rfind(|(given, _)| given == name)
        .map(|(_, value)| value.clone());
    given.or_else(|| std::env::var(name).ok())
}

/// All ranks append to one file, so that what they print stays in the order they printed it.
fn appending(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

fn text(path: &Path) -> String {
    std::fs::read(path)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

/// An error with the last that the ranks said, and whether a cut may be the cause.
pub(super) fn with_output(error: RunError, errors: &str, has_cut: bool) -> RunError {
    let (RunError::Program(sentence) | RunError::CutShort(sentence)) = &error else {
        return error;
    };
    let lines: Vec<&str> = errors.lines().collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    let with_output = std::iter::once(sentence.as_str())
        .chain(shown.iter().copied())
        .collect::<Vec<_>>()
        .join("\n");
    if has_cut {
        RunError::CutShort(with_output)
    } else {
        RunError::Program(with_output)
    }
}

/// What has become of conditions on ranks that have not come to their end.
fn conditions(folder: &Path, ranks: u32) -> Vec<Vec<ConditionCount>> {
    (0..ranks)
        .map(|rank| {
            termination::read(&termination::conditions_path(folder, rank)).unwrap_or_default()
        })
        .collect()
}

/// Writes the times that ranks are to have computed, if they are given.
pub(super) fn write_given_times(launch: &Launch<'_>, folder: &Path) -> std::io::Result<()> {
    for (rank, times) in (0..).zip(launch.given_times.unwrap_or_default()) {
        termination::write(&emulation::given_times_path(folder, rank), times)?;
    }
    Ok(())
}

/// What emulated ranks have left beside their recordings.
fn emulated(launch: &Launch<'_>, folder: &Path) -> Vec<EmulatedRank> {
    let mut ranks = Vec::new();
    if launch.mode == Mode::Emulate {
        for rank in 0..launch.total_ranks() {
            let path = emulation::emulated_path(folder, rank);
            ranks.push(termination::read(&path).unwrap_or_default());
        }
    }
    ranks
}

/// What these ranks have left, in their order.
pub(super) fn recordings(
    launch: &Launch<'_>,
    folder: &Path,
    ranks: impl Iterator<Item = u32>,
) -> Result<Vec<RankRecording>, RunError> {
    let read = |rank| {
        let recording =
            termination::read::<RankRecording>(&termination::recording_path(folder, rank));
        match (recording, launch.mode) {
            (Some(recording), _) => Ok(recording),
            // Without recording, only the end of the run matters; a program that never called MPI_Init may end well.
            (None, Mode::Token) => Ok(RankRecording {
                rank: Some(Rank(rank)),
                ..Default::default()
            }),
            (None, Mode::Record | Mode::Measure | Mode::Emulate) => {
                Err(RunError::Program(format!(
                    "rank {rank} left no recording: the program never called MPI_Init, or is linked with another MPI \
                library; link it dynamically with a library of the MPICH family"
                )))
            }
        }
    };
    ranks.map(read).collect()
}
