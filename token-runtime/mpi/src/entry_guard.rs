//! The one guard around every entry: it finds this process's state, keeps the books of the call,
//! and lets no panic out. One thread at a time is inside (`threads`).

use crate::arguments::null;
use crate::failure::{Failure, Outcome, end_run};
use crate::handle_tables::Basics;
use crate::interposed;
use crate::process::{Announced, Current, Level, Process};
use crate::rank_process;
use crate::sliced_blocks;
use crate::start;
use crate::threads::{self, EntryLock};
use crate::virtual_clock;
use base_data::mpi::functions::FUNCTIONS;
use std::any::Any;
use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use token_runtime::clock::Clock;
use token_runtime::kernel::layout::header;
use token_runtime::kernel::point_to_point;
use token_runtime::kernel::slot::{self, Phase};
use token_runtime::termination::{Termination, TerminationReport};

/// Where the program is between the beginning and the end of MPI.
pub enum State {
    /// `MPI_Init` has not been called.
    Before,
    /// In between.
    Running(Box<Process>),
    /// `MPI_Finalize` has been called.
    After,
}

/// All there is of this process.
pub struct Library {
    pub state: State,
    /// What the program has made before `MPI_Init`, or kept beyond `MPI_Finalize`.
    pub kept: Option<Basics>,
    /// What a probe said of the next call.
    pub announced: Option<Announced>,
    /// Whether a function of the program runs that a call of MPI has called.
    pub in_callback: bool,
}

struct Shared {
    library: UnsafeCell<Library>,
    /// In a function of the program that a call of MPI has called: what is lent to the calls in it.
    lent_library: AtomicPtr<Library>,
    lock: EntryLock,
}

// SAFETY: `enter` lets one thread in at a time.
unsafe impl Sync for Shared {}

impl Shared {
    fn current(&self) -> *mut Library {
        let lent_library = self.lent_library.load(Ordering::Relaxed);
        if lent_library.is_null() {
            self.library.get()
        } else {
            lent_library
        }
    }
}

static SHARED: Shared = Shared {
    library: UnsafeCell::new(Library {
        state: State::Before,
        kept: None,
        announced: None,
        in_callback: false,
    }),
    lent_library: AtomicPtr::new(std::ptr::null_mut()),
    lock: EntryLock::new(),
};

/// The message to a program whose threads call MPI at once.
const CONCURRENT_CALLS: &str =
    "two threads are inside MPI at once; that needs MPI_Init_thread with MPI_THREAD_MULTIPLE";
/// The same where one of them is at a mark of a probe: there are marks where MPI is called, or may be.
const CONCURRENT_PROBES: &str = "two threads are at a probe's marks at once: a parallel region of OpenMP is taken to call MPI \
     (`mpiete analyze` says where); if what it calls are procedures without source that call no MPI, name them in \
     data_only of mpiete.toml, else make the study without OpenMP";

/// Runs `body` with the state of this process; a panic in it ends the run.
#[inline]
pub fn enter<T>(body: impl FnOnce(&mut Library) -> T) -> T {
    enter_or_fail(CONCURRENT_CALLS, body)
}

/// The same for the probes of slices.
#[inline]
pub fn enter_probe<T>(body: impl FnOnce(&mut Library) -> T) -> T {
    enter_or_fail(CONCURRENT_PROBES, body)
}

/// Says the sentence where another thread is inside that may not be.
#[inline]
fn enter_or_fail<T>(sentence: &str, body: impl FnOnce(&mut Library) -> T) -> T {
    if !SHARED.lock.try_lock() {
        wait_for_lock(sentence);
    }
    // SAFETY: the lock was open, so no other reference exists that is used, and it stays closed until
    // this one is gone. A panic does not get out: it ends the process.
    let library = unsafe { &mut *SHARED.current() };
    let value = match catch_unwind(AssertUnwindSafe(|| body(library))) {
        Ok(value) => value,
        // SAFETY: `body` and its reference are gone.
        Err(panic) => end_after_panic(unsafe { &*SHARED.current() }, &*panic),
    };
    SHARED.lock.unlock();
    value
}

// What seldom happens is in functions of its own: it would lengthen the path of every call.

#[cold]
fn wait_for_lock(sentence: &str) {
    // Between the attempt that failed and the look at the mark, a thread that calls no MPI may have left.
    if SHARED.lock.try_lock() {
        return;
    }
    if !threads::are_allowed() && !IS_BRIEF.load(Ordering::SeqCst) {
        end_process(None, sentence.into());
    }
    SHARED.lock.lock();
}

#[cold]
fn end_after_panic(library: &Library, panic: &(dyn Any + Send)) -> ! {
    let sentence = format!("a bug of mpiete's MPI library: {}", panic_text(panic));
    end_process(Some(library), sentence)
}

/// Runs `body`, which must not panic, on the process between `MPI_Init` and `MPI_Finalize`: for marks that
/// come too often for [`enter`]. `None` where that is to be asked: another thread is inside or might come
/// in, a call of the program's own function is under way, or there is no rank.
#[inline(always)]
pub fn try_enter<T>(body: impl FnOnce(&mut Process) -> T) -> Option<T> {
    if !SHARED.lock.is_free() || !SHARED.lent_library.load(Ordering::Relaxed).is_null() {
        return None;
    }
    // SAFETY: no thread is inside, and below MPI_THREAD_MULTIPLE a program lets one thread call at a time; a
    // panic of `body` could not leave the C function that calls this.
    match unsafe { &mut (*SHARED.library.get()).state } {
        State::Running(process) => Some(body(process)),
        State::Before | State::After => None,
    }
}

/// Whether a thread is inside that calls no MPI.
static IS_BRIEF: AtomicBool = AtomicBool::new(false);

/// Runs `body` on the process between `MPI_Init` and `MPI_Finalize`, for what is no call of MPI, so that other threads may call
/// meanwhile: they wait. Nothing is done where a thread is inside, as for a handler of a signal that comes in a call,
/// or a function of the program is under way that a call of MPI has called.
pub fn enter_outside(body: impl FnOnce(&mut Process)) {
    IS_BRIEF.store(true, Ordering::SeqCst);
    if !SHARED.lent_library.load(Ordering::Relaxed).is_null() || !SHARED.lock.try_lock() {
        IS_BRIEF.store(false, Ordering::SeqCst);
        return;
    }
    // SAFETY: the lock was open, so no other reference exists that is used, and it stays closed until this one is gone.
    let library = unsafe { &mut *SHARED.library.get() };
    if let State::Running(process) = &mut library.state {
        body(process);
    }
    SHARED.lock.unlock();
    IS_BRIEF.store(false, Ordering::SeqCst);
}

/// What may be called at any time. It takes the probe's mark.
pub fn query_state<T>(body: impl FnOnce(&State) -> T) -> T {
    enter(|library| {
        library.announced = None;
        body(&library.state)
    })
}

/// Runs a function of the program (an operation, an error handler, …) in the middle of a call; it
/// may call MPI again. What it computes counts as the program's.
pub fn call_user_function<T>(process: &mut Process, body: impl FnOnce() -> T) -> T {
    let current = process.current;
    process.suspend_call();
    // SAFETY: the box is never dropped, and the calls that use it have returned when `process` is
    // used again: it is lent to them.
    let state = State::Running(unsafe { Box::from_raw(process) });
    let mut library = ManuallyDrop::new(Library {
        state,
        kept: None,
        announced: None,
        in_callback: true,
    });
    let outer = SHARED
        .lent_library
        .swap(&raw mut *library, Ordering::Relaxed);
    SHARED.lock.unlock();
    let value = body();
    SHARED.lock.lock();
    SHARED.lent_library.store(outer, Ordering::Relaxed);
    process.resume_call(current);
    value
}

/// Runs the implementation of the function in `row` between `MPI_Init` and `MPI_Finalize`; gives
/// its error code. A recording ends at a call that it has no form for.
#[inline]
pub fn call(row: u32, recordable: bool, body: impl FnOnce(&mut Process) -> Outcome) -> i32 {
    let mut body = Once(Some(body));
    guarded_call(row, recordable, &mut |process| body.take()(process))
}

#[inline(never)]
fn guarded_call(row: u32, recordable: bool, body: &mut dyn FnMut(&mut Process) -> Outcome) -> i32 {
    enter(|library| {
        let announced = library.announced.take();
        let State::Running(process) = &mut library.state else {
            end_outside_of_mpi(library, row);
        };
        run(process, row, announced, recordable, body)
    })
}

/// A function that is called once, behind a reference. A guard is thereby compiled once, not for each of the eleven hundred
/// symbols: that was more than half of the compilation of this crate, and made a recorded call faster by only a tenth.
struct Once<F>(Option<F>);

impl<F> Once<F> {
    #[inline(always)]
    fn take(&mut self) -> F {
        self.0.take().expect("a guard runs its body once")
    }
}

#[cold]
fn end_outside_of_mpi(library: &Library, row: u32) -> ! {
    let name = FUNCTIONS[row as usize].name;
    let when = if matches!(library.state, State::Before) {
        "before MPI_Init"
    } else {
        "after MPI_Finalize"
    };
    end_process(Some(library), format!("{name} was called {when}"))
}

/// Runs the implementation of a function that makes the process a rank, if it is none yet.
pub fn call_starting(
    row: u32,
    recordable: bool,
    body: impl FnOnce(&mut Process) -> Outcome,
) -> i32 {
    start::begin(row);
    call(row, recordable, body)
}

/// Runs the implementation of a function that may be called at any time; gives its error code.
#[inline]
pub fn call_always(row: u32, recordable: bool, body: impl FnOnce(&mut Basics) -> Outcome) -> i32 {
    let mut body = Once(Some(body));
    guarded_call_always(row, recordable, &mut |basics| body.take()(basics))
}

#[inline(never)]
fn guarded_call_always(
    row: u32,
    recordable: bool,
    body: &mut dyn FnMut(&mut Basics) -> Outcome,
) -> i32 {
    enter(|library| {
        let announced = library.announced.take();
        if let State::Running(process) = &mut library.state {
            return run(process, row, announced, recordable, &mut |process| {
                body(&mut process.tables.basics)
            });
        }
        let outcome = interposed::without_reporting(|| body(library.kept.get_or_insert_default()));
        match null::none_met().and(outcome) {
            Ok(()) => 0,
            Err(failure) => end_after_failure(library, row, failure),
        }
    })
}

#[cold]
fn end_after_failure(library: &Library, row: u32, failure: Failure) -> ! {
    let name = FUNCTIONS[row as usize].name;
    let sentence = match failure {
        Failure::Argument(_, sentence) => format!("{name}: {sentence}"),
        Failure::Fatal(_) => name.into(),
    };
    end_process(Some(library), sentence)
}

#[inline]
fn run(
    process: &mut Process,
    row: u32,
    announced: Option<Announced>,
    recordable: bool,
    body: &mut dyn FnMut(&mut Process) -> Outcome,
) -> i32 {
    process.begin_call(row, announced);
    if !process.freed.is_empty() {
        finish_freed_requests(process);
    }
    if !recordable && process.stream.is_some() {
        end_unrecordable(process);
    }
    let outcome = body(process);
    let code = if outcome.is_ok() && process.emulated.is_none() && !null::is_met() {
        0
    } else {
        error_code(process, outcome)
    };
    process.end_call();
    code
}

#[inline(never)]
fn finish_freed_requests(process: &mut Process) {
    if let Err(failure) = process.finish_freed() {
        process.failed(failure);
    }
}

#[cold]
fn end_unrecordable(process: &Process) -> ! {
    process.end(Termination::Failure(
        "recordings have no form for calls of it".into(),
    ))
}

/// The error code of a call that has failed, has met a null pointer, or is emulated: its messages go to the network.
#[inline(never)]
fn error_code(process: &mut Process, outcome: Outcome) -> i32 {
    let outcome = outcome.and_then(|()| process.submit_started());
    match null::none_met().and(outcome) {
        Ok(()) => 0,
        Err(failure) => process.failed(failure),
    }
}

/// Lets the other threads of this process in, in the middle of a call; returns when this one may go on.
/// Nothing that they might change may be borrowed across it.
pub fn yield_to_threads(process: &Process) {
    let current = process.current;
    SHARED.lock.unlock_for_waiters();
    // SAFETY: the process of this call is that of all others, and none of them is inside now; it is
    // not frozen (`Process::_shared`), so that it is read anew.
    unsafe { (&raw mut (*std::ptr::from_ref(process).cast_mut()).current).write(current) };
}

impl Process {
    /// A call begins: updates the time accounting, and the row that the host reports if the run ends in this call.
    pub fn begin_call(&mut self, row: u32, announced: Option<Announced>) {
        if let Some(measure) = &mut self.measure {
            measure.end_prologue(&mut self.clock);
        }
        let now = self.time_of_call();
        self.gap = now.saturating_sub(self.left_at);
        self.outside += self.gap;
        // Levels are for recording; in other modes the program needs all its data.
        let level = match (&self.stream, announced) {
            (Some(_), Some(announced)) if self.emulated.is_none() => announced.level,
            // The engine matches all messages of a slice, which need not have the data of all.
            (Some(_), Some(announced)) if sliced_blocks::is_sliced() => {
                announced.level.max(Level::Envelope)
            }
            (Some(_), _) | (None, _) => Level::Payload,
        };
        self.current = Current::entered(row, announced, level);
        self.tables.current_communicator.set(0);
        self.tables.named_communicator.set(None);
        self.tables.current_session.set(None);
        slot::enter(self.memory(), self.rank, row, self.place());
        self.enter_emulated_call();
    }

    /// The call ends.
    pub fn end_call(&mut self) {
        self.note_emulated_call();
        self.suspend_call();
    }

    /// The program computes, after the call or in the middle of it.
    fn suspend_call(&mut self) {
        self.leave_emulated_call();
        slot::set_phase(self.memory(), self.rank, Phase::Computing);
        self.left_at = self.time_of_call();
    }

    /// The clock as the books of calls need it: exactly where blocks are measured, else cheaply.
    fn time_of_call(&mut self) -> u64 {
        if self.measure.is_some() {
            self.clock.now()
        } else {
            self.clock.glance()
        }
    }

    /// The call goes on after a function of the program.
    fn resume_call(&mut self, call: Current) {
        self.outside += self.clock.now().saturating_sub(self.left_at);
        self.current = call;
        slot::enter(self.memory(), self.rank, call.row, self.place());
        if self.emulated.is_some() {
            virtual_clock::resume_call();
        }
    }

    /// The partner of the call, for messages.
    pub fn set_peer(&self, peer: i32) {
        self.memory()
            .set_signed(slot::at(self.rank, slot::word::PEER), i64::from(peer));
    }

    /// The tag of the call, for messages.
    pub fn set_tag(&self, tag: i32) {
        self.memory()
            .set_signed(slot::at(self.rank, slot::word::TAG), i64::from(tag));
    }

    /// Ends the run.
    pub fn end(&self, termination: Termination) -> ! {
        self.show_communicator();
        // Other solo ranks that end now wait until the first has written its report.
        let _lock = self
            .solo_rank
            .as_ref()
            .map(|solo_rank| solo_rank.exchange_folder.lock());
        let first = self.memory().word(header::ENDED).swap(1, Ordering::AcqRel) == 0;
        let awaited = match &termination {
            Termination::Deadlock
            | Termination::EndlessPolling
            | Termination::OutOfSharedMemory { .. } => {
                point_to_point::awaited(self.memory(), self.ranks)
            }
            Termination::Abort { .. }
            | Termination::Mismatch { .. }
            | Termination::Missing { .. }
            | Termination::NeedsOtherRanks
            | Termination::OtherMpi(_)
            | Termination::Failure(_) => Vec::new(),
        };
        let report = TerminationReport {
            rank: self.rank,
            termination,
            awaited,
        };
        let folder = self
            .settings
            .as_ref()
            .map(|settings| settings.folder.as_path());
        end_run(report, folder, first)
    }
}

/// A call of a function that the library does not have, with the handle of a communicator among its arguments if
/// there is one. Gives the error code if the communicator's handler, else that of the world, lets the run go on.
pub fn missing(name: &str, communicator: Option<i32>) -> i32 {
    enter(|library| {
        let announced = library.announced.take();
        let State::Running(process) = &mut library.state else {
            end_process(
                Some(library),
                format!("{name}, which mpiete's MPI library does not have yet, was called"),
            );
        };
        process.current = Current::entered(process.current.row, announced, Level::Payload);
        process.unsupported_call(name, communicator)
    })
}

/// Ends the run from wherever the process is.
pub fn end_process(library: Option<&Library>, sentence: String) -> ! {
    let termination = Termination::Failure(sentence);
    if let Some(Library {
        state: State::Running(process),
        ..
    }) = library
    {
        process.end(termination);
    }
    let settings = rank_process::settings().ok().flatten();
    let rank = settings.as_ref().map_or(0, |settings| settings.rank);
    end_run(
        TerminationReport::new(rank, termination),
        settings.as_ref().map(|settings| settings.folder.as_path()),
        true,
    )
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked")
}
