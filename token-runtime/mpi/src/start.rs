//! `MPI_Init` and `MPI_Finalize`: a process becomes a rank, and leaves its recording.

use crate::affinity;
use crate::assumed_conditions;
use crate::collectives::operations::Operations;
use crate::datatypes::Datatypes;
use crate::emulation::Emulated;
use crate::entry_guard::{self, Library, State};
use crate::event_stream::RankEventStream;
use crate::failure::{Failure, Outcome};
use crate::fork;
use crate::fork_safety;
use crate::handle_tables::{Basics, CommunicatorProperties, HandleTables};
use crate::interposed;
use crate::probes;
use crate::process::{Current, Level, Process, World};
use crate::program_clocks;
use crate::rank_process;
use crate::replay::{MessageLogWriter, Replay};
use crate::segment::Segment;
use crate::stack_overflow;
use crate::warnings::Warnings;
use crate::{other_launcher, other_mpi};
use base_data::compute_data::Unit;
use base_data::ids::Rank;
use base_data::program_data::Call;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use base_data::time::Time;
use native::statement_clock::RankClock;
use native::{loaded_objects, page_faults, private_heap, resource_usage};
use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use token_runtime::clock::Clock;
use token_runtime::environment::{Mode, Settings};
use token_runtime::fork_events::ForkObstacle;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::kernel::dispatcher;
use token_runtime::kernel::layout::header;
use token_runtime::kernel::request::Requests;
use token_runtime::kernel::slot::{self, Phase};
use token_runtime::measure::Measure;
use token_runtime::replay_input;
use token_runtime::termination::{self, Termination};

/// When the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = on_load;

extern "C" fn on_load() {
    interposed::without_reporting(|| {
        other_launcher::on_load();
        private_heap::survive_forks();
        rank_process::on_load();
        interposed::programs::on_load();
        fork_safety::on_load();
        other_mpi::on_load();
    });
}

/// `MPI_Init`: returns when all ranks have come and this one has the token.
pub fn init(row: u32) {
    let has_become_rank = entry_guard::enter(|library| {
        let is_new = matches!(library.state, State::Before);
        match &mut library.state {
            State::Before => become_rank(library, row),
            State::Running(process) if process.world == World::Before => {}
            State::Running(_) | State::After => {
                entry_guard::end_process(Some(library), "MPI_Init was called a second time".into())
            }
        }
        if let State::Running(process) = &mut library.state {
            process.world = World::Open;
        }
        is_new
    });
    if has_become_rank {
        probes::subtract_timer_cost();
    }
}

/// The first session begins before `MPI_Init`, or without it: the process takes part until the program ends.
pub fn begin(row: u32) {
    let has_become_rank = entry_guard::enter(|library| match library.state {
        State::Before => {
            become_rank(library, row);
            HAS_BEGUN_BY_SESSION.store(true, Ordering::Relaxed);
            true
        }
        State::Running(_) => false,
        State::After => entry_guard::end_process(
            Some(library),
            "MPI_Session_init was called after MPI_Finalize".into(),
        ),
    });
    if has_become_rank {
        probes::subtract_timer_cost();
    }
}

/// Whether the process has become a rank by a session.
static HAS_BEGUN_BY_SESSION: AtomicBool = AtomicBool::new(false);

/// When the program exits.
#[used]
#[unsafe(link_section = ".fini_array")]
static ON_EXIT: extern "C" fn() = on_exit;

/// The program is done with MPI if it has finalized all sessions.
extern "C" fn on_exit() {
    other_mpi::on_exit();
    if !HAS_BEGUN_BY_SESSION.load(Ordering::Relaxed) {
        return;
    }
    entry_guard::enter(|library| match &library.state {
        State::Running(process)
            if process.world != World::Open && process.tables.open_sessions == 0 =>
        {
            finish(library);
        }
        State::Before | State::Running(_) | State::After => {}
    });
}

fn become_rank(library: &mut Library, row: u32) {
    let announced = library.announced.take();
    // First of all: what this library does itself says nothing of the program.
    let reported_obstacle = interposed::reported_obstacle();
    let mut process = Box::new(start(
        library.kept.take().unwrap_or_default(),
        reported_obstacle,
    ));
    process.begin_call(row, announced);
    process.outside = 0;
    take_part(&mut process);
    process.enter_emulated_call();
    process.allowed = affinity::bind(&process);
    process.record(|_| Call::Init);
    unbuffer_output(&process);
    // The clocks of an emulated program are virtual, wherever they are read.
    if process.stream.is_some() && process.emulated.is_none() {
        program_clocks::start_watching();
    }
    process.end_call();
    library.state = State::Running(process);
}

unsafe extern "C" {
    static mut stdout: *mut libc::FILE;
}

/// From MPI_Init on, what the program prints is written at once, as under MPICH's `mpirun` (PMI_Init calls `setbuf`). Otherwise it
/// is lost where a rank ends by `_exit` or a signal, or the host ends all ranks. In measured blocks nothing is changed.
fn unbuffer_output(process: &Process) {
    let is_run = process
        .settings
        .as_ref()
        .is_some_and(|settings| settings.mode != Mode::Measure);
    if is_run {
        // SAFETY: the C library's stream; the call locks it, and writes what it contains.
        unsafe { libc::setvbuf(stdout, std::ptr::null_mut(), libc::_IONBF, 0) };
    }
}

/// Barrier of all ranks; the last one to arrive gives the token to rank 0. Solo ranks skip it.
fn take_part(process: &mut Process) {
    if process.is_solo() {
        return;
    }
    let is_last = slot::arrive(process.memory(), process.rank);
    if let Some(settings) = process
        .settings
        .as_ref()
        .filter(|settings| settings.mode == Mode::Emulate)
    {
        match Emulated::connect(&settings.folder, process.rank) {
            Ok((emulated, node)) => {
                (process.emulated, process.node) = (Some(Rc::new(emulated)), node);
            }
            Err(error) => process.end(Termination::Failure(format!(
                "cannot reach the engine of the emulation: {error}"
            ))),
        }
        return;
    }
    if is_last {
        process.grant_token(0);
    }
    process.wait_for_token();
}

fn start(kept: Basics, reported_obstacle: Option<ForkObstacle>) -> Process {
    let mut settings = rank_process::settings().unwrap_or_else(|sentence| cannot_start(sentence));
    if settings.is_none()
        && let Some(sentence) = other_launcher::refusal()
    {
        cannot_start(sentence);
    }
    let segment = match &settings {
        Some(settings) => Segment::open(&settings.segment, settings.spill.as_deref()),
        None => Segment::private(),
    };
    let segment = segment
        .unwrap_or_else(|error| cannot_start(format!("cannot map the shared memory: {error}")));
    let ranks = segment.memory().get(header::RANKS) as u32;
    let (rank, solo_rank) = settings.as_ref().map_or((0, None), |settings| {
        become_owner(settings, &segment);
        fork::fork_ranks(settings, ranks, (reported_obstacle, segment.addresses()))
    });
    settings
        .iter_mut()
        .for_each(|settings| settings.rank = rank);
    settings.iter().for_each(|settings| {
        stack_overflow::watch(rank, settings.folder.clone(), segment.addresses())
    });
    if let Some(settings) = settings
        .as_ref()
        .filter(|settings| settings.mode == Mode::Record)
    {
        assumed_conditions::write_snapshots_to(termination::conditions_path(
            &settings.folder,
            rank,
        ));
    }
    let mode = settings
        .as_ref()
        .map_or(Mode::Token, |settings| settings.mode);
    let application = settings.as_ref().map_or(0, |settings| settings.application);
    let mut clock = RankClock::new();
    let mut measure = measure(settings.as_ref(), mode, &mut clock);
    let folder = |which: fn(&Settings) -> &Option<PathBuf>| {
        settings.as_ref().and_then(|s| which(s).as_deref())
    };
    if let (Some(measure), Some(folder)) = (&mut measure, folder(|settings| &settings.replay_input))
    {
        measure.mark_as_known(&replay_input::known(folder));
    }
    Process {
        world: World::Before,
        rank,
        ranks,
        executable: loaded_objects::executable(),
        segment,
        left_at: clock.now(),
        clock,
        communicators: vec![
            Some(Communicator::world(ranks, rank)),
            Some(Communicator::self_only(rank)),
        ],
        properties: ["MPI_COMM_WORLD", "MPI_COMM_SELF"]
            .map(CommunicatorProperties::named)
            .into(),
        tables: HandleTables::new(ranks, application, kept),
        requests: Requests::default(),
        datatypes: Datatypes::new(),
        operations: Operations::default(),
        parametric: Vec::new(),
        current: Current {
            row: 0,
            address: 0,
            announced: None,
            level: Level::Payload,
        },
        stream: [Mode::Record, Mode::Emulate]
            .contains(&mode)
            .then(|| RankEventStream::of_ranks(ranks)),
        measure,
        cut_loops: HashMap::new(),
        outside: 0,
        scratch: Vec::new(),
        sent: Cell::new(0),
        freed: Vec::new(),
        matched_messages: Requests::default(),
        attached: None,
        warnings: Warnings::default(),
        gap: 0,
        last_poll: Default::default(),
        node: 0,
        emulated: None,
        solo_rank: solo_rank.map(Rc::new),
        replay: settings
            .as_ref()
            .and_then(|settings| replay(settings, rank)),
        message_log: folder(|settings| &settings.message_log)
            .and_then(|folder| MessageLogWriter::of(folder, rank, mode)),
        _shared: Default::default(),
        allowed: None,
        settings,
    }
}

/// From now on this process is the rank. A child of it that came first would have taken its place.
fn become_owner(settings: &Settings, segment: &Segment) {
    // A rank that runs alone may have run before.
    let is_repeated = settings.solo || settings.replay_input.is_some();
    let phase = segment
        .memory()
        .get(slot::at(settings.rank, slot::word::PHASE));
    if !is_repeated && Phase::from_word(phase) != Phase::Starting {
        let rank = settings.rank;
        cannot_start(format!(
            "the script of rank {rank} starts a second MPI program, but the first has taken the rank's place; start each \
             with an `mpiete run` of its own"
        ));
    }
    rank_process::claim();
    rank_process::end_with_parent();
    rank_process::load_nothing_in_children();
}

/// There is no rank yet that could end the run.
fn cannot_start(sentence: String) -> ! {
    entry_guard::end_process(None, sentence)
}

fn replay(settings: &Settings, rank: u32) -> Option<Rc<Replay>> {
    let folder = settings.replay_input.as_deref()?;
    Some(Rc::new(Replay::new(folder, rank, settings.rule.budget)))
}

fn measure(settings: Option<&Settings>, mode: Mode, clock: &mut RankClock) -> Option<Measure> {
    let settings = settings.filter(|_| mode == Mode::Measure)?;
    Some(Measure::new(settings.rule.clone(), clock))
}

/// `MPI_Finalize`: leaves the recording while it has the token, then waits for all others, so that
/// no rank's end disturbs another's computation.
pub fn finalize(row: u32) {
    entry_guard::enter(|library| {
        let announced = library.announced.take();
        if library.in_callback {
            let sentence = "MPI_Finalize was called in a function that a call of MPI has called";
            entry_guard::end_process(Some(library), sentence.into());
        }
        match &mut library.state {
            State::Running(process) if process.world == World::Open => {
                process.begin_call(row, announced);
                process.drop_last_attributes();
                process.world = World::After;
                match process.tables.open_sessions {
                    0 => finish(library),
                    _ => process.end_call(),
                }
            }
            State::Running(process) if process.world == World::Before => {
                entry_guard::end_process(None, "MPI_Finalize was called before MPI_Init".into())
            }
            State::Before => {
                entry_guard::end_process(None, "MPI_Finalize was called before MPI_Init".into())
            }
            State::Running(_) | State::After => {
                entry_guard::end_process(None, "MPI_Finalize was called a second time".into())
            }
        }
    });
}

/// Nothing more comes from this rank.
fn finish(library: &mut Library) {
    if let State::Running(mut process) = std::mem::replace(&mut library.state, State::After) {
        process.record(|_| Call::Finalize);
        process.end_emulated_calls();
        process.warn_of_pending_requests();
        leave(library, process);
    }
}

fn leave(library: &mut Library, mut process: Box<Process>) {
    let recording = RankRecording {
        conditions: assumed_conditions::finish(),
        ..recording(&mut process)
    };
    let outcome = write(&process, &recording).and_then(|()| meet(&process));
    if let Err(failure) = outcome {
        let ending = match failure {
            Failure::Fatal(ending) => ending,
            Failure::Argument(_, sentence) => Termination::Failure(sentence),
        };
        process.end(ending);
    }
    if let Some(allowed) = process.allowed {
        native::affinity::release(allowed);
    }
    library.kept = Some(std::mem::take(&mut process.tables.basics));
    library.state = State::After;
}

fn measured(mut measure: Measure, per_tick: f64) -> Vec<MeasuredVariant> {
    measure.set_page(page_faults::picoseconds());
    measure.finish(per_tick)
}

fn recording(process: &mut Process) -> RankRecording {
    let per_tick = process.clock.picoseconds_per_tick();
    let cpu = processor_time();
    // Without what was kept for running alone, or read there: the program has nothing of that.
    let kept = process
        .message_log
        .as_ref()
        .map_or(0, MessageLogWriter::bytes)
        + process.replay.as_ref().map_or(0, |replay| replay.bytes());
    let peak_memory = resource_usage::peak_memory().saturating_sub(kept);
    let mut recording = RankRecording {
        rank: Some(Rank(process.rank)),
        finalized: true,
        unit: process.clock.unit(),
        measured: process
            .measure
            .take()
            .map(|measure| measured(measure, per_tick))
            .unwrap_or_default(),
        outside_mpi: outside(process, per_tick, cpu),
        cpu,
        peak_memory,
        requested_memory: crate::allocations::peak(),
        clock_reads: program_clocks::stop_watching(),
        ..RankRecording::default()
    };
    if let Some(stream) = process.stream.take() {
        stream
            .recorder
            .finish(&mut recording, loaded_objects::locate);
    }
    recording
}

/// Time or statements outside MPI. While other programs run, the cycle counter goes on; the processor's
/// time does not.
fn outside(process: &Process, per_tick: f64, cpu: Time) -> Time {
    let outside = Time::from_picoseconds((process.outside as f64 * per_tick) as i64);
    match process.clock.unit() {
        Unit::Time => outside.min(cpu),
        Unit::Statements => outside,
    }
}

fn write(process: &Process, recording: &RankRecording) -> Outcome {
    let Some(settings) = &process.settings else {
        return Ok(());
    };
    let path = termination::recording_path(&settings.folder, process.rank);
    let kept = process
        .message_log
        .as_ref()
        .zip(settings.message_log.as_deref());
    let message_log = kept.map_or(Ok(()), |(kept, folder)| {
        kept.write(folder, process.rank, settings.mode)
    });
    let give = || {
        process
            .replay
            .as_ref()
            .map_or(Ok(()), |replay| replay.write_root_data(process.rank))
    };
    message_log
        .and_then(|()| give())
        .and_then(|()| process.write_emulated(&settings.folder))
        .and_then(|()| termination::write(&path, recording))
        .map_err(|error| {
            Failure::Fatal(Termination::Failure(format!(
                "cannot write its recording: {error}"
            )))
        })
}

fn meet(process: &Process) -> Outcome {
    let memory = process.memory();
    slot::set_phase(memory, process.rank, Phase::Finalized);
    if process.is_solo() {
        return Ok(());
    }
    if let Some(emulated) = &process.emulated {
        return process.end_emulation(emulated);
    }
    if memory.add(header::FINISHED, 1) == u64::from(process.ranks) {
        (0..process.ranks)
            .filter(|&rank| rank != process.rank)
            .for_each(|rank| process.grant_token(rank));
        return Ok(());
    }
    dispatcher::set_runnable(memory, process.rank, false);
    process.hand_over_token()
}

/// Processor time of this process.
fn processor_time() -> Time {
    let usage = resource_usage::of_process();
    let time = |time: libc::timeval| {
        Time::from_nanoseconds(time.tv_sec * 1_000_000_000 + time.tv_usec * 1000)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}
