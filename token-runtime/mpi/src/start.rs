//! `MPI_Init` and `MPI_Finalize`: a process becomes a rank, and leaves its recording.

use crate::collectives::operations::Operations;
use crate::conditions;
use crate::datatypes::Datatypes;
use crate::failure::{Failure, Outcome};
use crate::fed::{Fed, Kept};
use crate::fork;
use crate::forkable;
use crate::guard::{self, Library, State};
use crate::interposed;
use crate::objects::{Basics, Belongings, Objects};
use crate::other_mpi;
use crate::ownership;
use crate::placement;
use crate::probes;
use crate::process::{Current, Level, Process, World};
use crate::program_clocks;
use crate::segment::Segment;
use crate::stack;
use crate::stream::Stream;
use crate::warnings::Warnings;
use base_data::compute_data::Unit;
use base_data::ids::Rank;
use base_data::program_data::Call;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use base_data::time::Time;
use native::statement_clock::RankClock;
use native::{objects, own_memory, pages};
use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use token_runtime::clock::Clock;
use token_runtime::ending::{self, Ending};
use token_runtime::environment::{Mode, Settings};
use token_runtime::events::Own;
use token_runtime::feeding;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::kernel::dispatcher;
use token_runtime::kernel::layout::header;
use token_runtime::kernel::request::Requests;
use token_runtime::kernel::slot::{self, Phase};
use token_runtime::measure::Measure;

/// When the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = on_load;

extern "C" fn on_load() {
    interposed::unnoticed(|| {
        own_memory::survive_forks();
        ownership::on_load();
        interposed::programs::on_load();
        forkable::on_load();
        other_mpi::on_load();
    });
}

/// `MPI_Init`: returns when all ranks have come and this one has the token.
pub fn init(row: u32) {
    let has_become_rank = guard::enter(|library| {
        let is_new = matches!(library.state, State::Before);
        match &mut library.state {
            State::Before => become_rank(library, row),
            State::Running(process) if process.world == World::Before => {}
            State::Running(_) | State::After => {
                guard::end_process(Some(library), "MPI_Init was called a second time".into())
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
    let has_become_rank = guard::enter(|library| match library.state {
        State::Before => {
            become_rank(library, row);
            HAS_BEGUN_BY_SESSION.store(true, Ordering::Relaxed);
            true
        }
        State::Running(_) => false,
        State::After => {
            guard::end_process(Some(library), "MPI_Session_init was called after MPI_Finalize".into())
        }
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
    guard::enter(|library| match &library.state {
        State::Running(process) if process.world != World::Open && process.objects.open_sessions == 0 => {
            finish(library);
        }
        State::Before | State::Running(_) | State::After => {}
    });
}

fn become_rank(library: &mut Library, row: u32) {
    let announced = library.announced.take();
    // First of all: what this library does itself says nothing of the program.
    let noticed = interposed::noticed();
    let mut process = Box::new(start(library.kept.take().unwrap_or_default(), noticed));
    process.begin_call(row, announced);
    process.outside = 0;
    take_part(&mut process);
    process.allowed = placement::bind(&process);
    process.record(|_| Call::Init);
    if process.stream.is_some() {
        program_clocks::start_watching();
    }
    process.end_call();
    library.state = State::Running(process);
}

/// All ranks meet; the last one to come gives the token to rank 0. A lone rank meets nobody.
fn take_part(process: &mut Process) {
    if process.is_alone() {
        return;
    }
    if slot::arrive(process.memory(), process.rank) {
        process.give_token(0);
    }
    process.await_token();
}

fn start(kept: Basics, noticed: Option<Own>) -> Process {
    let mut settings = ownership::settings().unwrap_or_else(|sentence| cannot_start(sentence));
    let segment = match &settings {
        Some(settings) => Segment::open(&settings.segment, settings.spill.as_deref()),
        None => Segment::alone(),
    };
    let segment =
        segment.unwrap_or_else(|error| cannot_start(format!("cannot map the shared memory: {error}")));
    let ranks = segment.memory().get(header::RANKS) as u32;
    let (rank, lone) = settings.as_ref().map_or((0, None), |settings| {
        become_owner(settings, &segment);
        fork::divide(settings, ranks, (noticed, segment.addresses()))
    });
    settings.iter_mut().for_each(|settings| settings.rank = rank);
    settings.iter().for_each(|settings| stack::watch(rank, settings.folder.clone(), segment.addresses()));
    if let Some(settings) = settings.as_ref().filter(|settings| settings.mode == Mode::Record) {
        conditions::leave_at(ending::conditions_path(&settings.folder, rank));
    }
    let mode = settings.as_ref().map_or(Mode::Token, |settings| settings.mode);
    let application = settings.as_ref().map_or(0, |settings| settings.application);
    let mut clock = RankClock::new();
    let mut measure = measure(settings.as_ref(), mode, &mut clock);
    let folder =
        |which: fn(&Settings) -> &Option<PathBuf>| settings.as_ref().and_then(|s| which(s).as_deref());
    if let (Some(measure), Some(folder)) = (&mut measure, folder(|settings| &settings.feed)) {
        measure.take_for_known(&feeding::known(folder));
    }
    Process {
        world: World::Before,
        rank,
        ranks,
        executable: objects::executable(),
        segment,
        left_at: clock.now(),
        clock,
        communicators: vec![Some(Communicator::world(ranks, rank)), Some(Communicator::alone(rank))],
        belongings: ["MPI_COMM_WORLD", "MPI_COMM_SELF"].map(Belongings::named).into(),
        objects: Objects::new(ranks, application, kept),
        requests: Requests::default(),
        datatypes: Datatypes::new(),
        operations: Operations::default(),
        parametric: Vec::new(),
        current: Current { row: 0, address: 0, announced: None, level: Level::Payload },
        stream: (mode == Mode::Record).then(|| Stream::of_ranks(ranks)),
        measure,
        cut_loops: HashMap::new(),
        outside: 0,
        scratch: Vec::new(),
        sent: Cell::new(0),
        freed: Vec::new(),
        taken: Requests::default(),
        attached: None,
        warnings: Warnings::default(),
        gap: 0,
        last_look: Default::default(),
        lone: lone.map(Rc::new),
        fed: settings.as_ref().and_then(|settings| fed(settings, rank)),
        kept: folder(|settings| &settings.keep).and_then(|folder| Kept::of(folder, rank, mode)),
        _shared: Default::default(),
        allowed: None,
        settings,
    }
}

/// From now on this process is the rank. A child of it that came first would have taken its place.
fn become_owner(settings: &Settings, segment: &Segment) {
    // A rank that runs alone may have run before.
    let is_repeated = settings.alone || settings.feed.is_some();
    let phase = segment.memory().get(slot::at(settings.rank, slot::word::PHASE));
    if !is_repeated && Phase::from_word(phase) != Phase::Starting {
        let rank = settings.rank;
        cannot_start(format!(
            "rank {rank} exists already: another process that was started as it has called MPI_Init before"
        ));
    }
    ownership::claim();
    ownership::end_with_parent();
    ownership::load_nothing_in_children();
}

/// There is no rank yet that could end the run.
fn cannot_start(sentence: String) -> ! {
    guard::end_process(None, sentence)
}

fn fed(settings: &Settings, rank: u32) -> Option<Rc<Fed>> {
    let folder = settings.feed.as_deref()?;
    Some(Rc::new(Fed::new(folder, rank, settings.rule.budget)))
}

fn measure(settings: Option<&Settings>, mode: Mode, clock: &mut RankClock) -> Option<Measure> {
    let settings = settings.filter(|_| mode == Mode::Measure)?;
    Some(Measure::new(settings.rule.clone(), clock))
}

/// `MPI_Finalize`: leaves the recording while it has the token, then waits for all others, so that
/// no rank's end disturbs another's computation.
pub fn finalize(row: u32) {
    guard::enter(|library| {
        let announced = library.announced.take();
        if library.in_callback {
            let sentence = "MPI_Finalize was called in a function that a call of MPI has called";
            guard::end_process(Some(library), sentence.into());
        }
        match &mut library.state {
            State::Running(process) if process.world == World::Open => {
                process.begin_call(row, announced);
                process.drop_last_attributes();
                process.world = World::After;
                match process.objects.open_sessions {
                    0 => finish(library),
                    _ => process.end_call(),
                }
            }
            State::Running(process) if process.world == World::Before => {
                guard::end_process(None, "MPI_Finalize was called before MPI_Init".into())
            }
            State::Before => guard::end_process(None, "MPI_Finalize was called before MPI_Init".into()),
            State::Running(_) | State::After => {
                guard::end_process(None, "MPI_Finalize was called a second time".into())
            }
        }
    });
}

/// Nothing more comes from this rank.
fn finish(library: &mut Library) {
    if let State::Running(mut process) = std::mem::replace(&mut library.state, State::After) {
        process.record(|_| Call::Finalize);
        process.warn_of_open_requests();
        leave(library, process);
    }
}

fn leave(library: &mut Library, mut process: Box<Process>) {
    let recording = RankRecording { conditions: conditions::finish(), ..recording(&mut process) };
    let outcome = write(&process, &recording).and_then(|()| meet(&process));
    if let Err(failure) = outcome {
        let ending = match failure {
            Failure::Fatal(ending) => ending,
            Failure::Argument(_, sentence) => Ending::Failure(sentence),
        };
        process.end(ending);
    }
    if let Some(allowed) = process.allowed {
        native::placement::release(allowed);
    }
    library.kept = Some(std::mem::take(&mut process.objects.basics));
    library.state = State::After;
}

fn measured(mut measure: Measure, per_tick: f64) -> Vec<MeasuredVariant> {
    measure.set_page(pages::picoseconds());
    measure.finish(per_tick)
}

fn recording(process: &mut Process) -> RankRecording {
    let per_tick = process.clock.picoseconds_per_tick();
    let (cpu, peak_memory) = usage();
    // Without what was kept for running alone, or read there: the program has nothing of that.
    let kept =
        process.kept.as_ref().map_or(0, Kept::bytes) + process.fed.as_ref().map_or(0, |fed| fed.bytes());
    let peak_memory = peak_memory.saturating_sub(kept);
    let mut recording = RankRecording {
        rank: Some(Rank(process.rank)),
        finalized: true,
        unit: process.clock.unit(),
        measured: process.measure.take().map(|measure| measured(measure, per_tick)).unwrap_or_default(),
        outside_mpi: outside(process, per_tick, cpu),
        cpu,
        peak_memory,
        requested_memory: crate::allocations::peak(),
        clock_reads: program_clocks::stop_watching(),
        ..RankRecording::default()
    };
    if let Some(stream) = process.stream.take() {
        stream.recorder.finish(&mut recording, objects::locate);
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
    let Some(settings) = &process.settings else { return Ok(()) };
    let path = ending::recording_path(&settings.folder, process.rank);
    let kept = process.kept.as_ref().zip(settings.keep.as_deref());
    let keep = kept.map_or(Ok(()), |(kept, folder)| kept.leave(folder, process.rank, settings.mode));
    let give = || process.fed.as_ref().map_or(Ok(()), |fed| fed.leave(process.rank));
    keep.and_then(|()| give())
        .and_then(|()| ending::write(&path, recording))
        .map_err(|error| Failure::Fatal(Ending::Failure(format!("cannot write its recording: {error}"))))
}

fn meet(process: &Process) -> Outcome {
    let memory = process.memory();
    slot::set_phase(memory, process.rank, Phase::Finalized);
    if process.is_alone() {
        return Ok(());
    }
    if memory.add(header::FINISHED, 1) == u64::from(process.ranks) {
        (0..process.ranks).filter(|&rank| rank != process.rank).for_each(|rank| process.give_token(rank));
        return Ok(());
    }
    dispatcher::set_runnable(memory, process.rank, false);
    process.pass_token()
}

/// Processor time and peak memory in bytes of this process.
fn usage() -> (Time, u64) {
    // SAFETY: all zeros is a valid value of this plain structure, and the call fills it in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let time =
        |time: libc::timeval| Time::from_nanoseconds(time.tv_sec * 1_000_000_000 + time.tv_usec * 1000);
    (time(usage.ru_utime) + time(usage.ru_stime), usage.ru_maxrss as u64 * 1024)
}
