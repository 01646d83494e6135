//! The two ends of an observed run, `MPI_Init` and `MPI_Finalize`, and the third, `MPI_Abort`.

use crate::calls::{CallLocation, Moment};
use crate::entry_lock::{ObserverLock, State};
use crate::mpi::Mpi;
use crate::observer::Observer;
use crate::output::{self, Output};
use crate::passed_arguments::PassedArguments;
use crate::probes;
use crate::real_functions::InterposedFunction;
use crate::serialised::SerialisedExecution;
use crate::times::Times;
use base_data::mpi::FunctionKind;
use base_data::mpi::functions::FUNCTIONS;
use base_data::program_data::Call;
use native::affinity;
use native::statement_clock::RankClock;
use std::time::SystemTime;
use token_runtime::environment::PIN;

/// Exit code of a run that cannot be observed.
const BAD_INPUT: i32 = 2;

/// Whether a row is that of a function that begins a run.
pub fn is_start(row: u32) -> bool {
    FUNCTIONS[row as usize].kind == FunctionKind::Start
}

/// `MPI_Init`: the observation begins.
///
/// # Safety
///
/// `words` are what a program passed to the function of this entry.
pub unsafe fn begin(
    mut lock: ObserverLock,
    entry: &InterposedFunction,
    words: &[usize],
    place: CallLocation,
) -> usize {
    let entered_at = output::since_1970(SystemTime::now());
    let (times, entered) = Times::begin(RankClock::new());
    // Threads of the program: the MPI library may have some of its own later.
    let has_threads = affinity::has_threads();
    // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
    // unchanged.
    let result = unsafe { entry.call(words) };
    let mpi = Mpi::ask().unwrap_or_else(|sentence| {
        eprintln!("mpiete: {sentence}");
        std::process::exit(BAD_INPUT);
    });
    let output = Output::of_this_process(&mpi);
    if mpi.rank == 0
        && let Err(sentence) = output.announce()
    {
        eprintln!("mpiete: {sentence}");
        mpi.abort(BAD_INPUT);
    }
    let mut observer = Box::new(Observer::new(mpi, output, times, entered_at));
    observer.times.calibrate();
    if observer.output.wants_one_at_a_time() && !observer.mpi.is_token_runtime() {
        let bound = !has_threads && !observer.mpi.has_threads() && !is_pinning_off();
        observer.one_at_a_time = Some(one_at_a_time(&observer, bound));
    }
    observer.record(
        &Moment {
            row: entry.row,
            place,
            entered,
        },
        &Call::Init,
    );
    *lock.state() = State::Observing(observer);
    drop(lock);
    probes::subtract_timer_cost();
    result
}

/// Whether a person wants ranks on all processors.
fn is_pinning_off() -> bool {
    std::env::var(PIN).is_ok_and(|value| value == "0")
}

fn one_at_a_time(observer: &Observer, bound: bool) -> SerialisedExecution {
    SerialisedExecution::begin(&observer.mpi, observer.rows, bound).unwrap_or_else(|error| {
        eprintln!(
            "mpiete: rank {} shares no memory with the other ranks of its computer ({error}); observe the run without --one-at-a-time",
            observer.mpi.rank
        );
        observer.mpi.abort(BAD_INPUT)
    })
}

/// `MPI_Finalize`: its time ends when all ranks have entered it; the library's shutdown after that is not
/// recorded. Each rank writes its observations, and the first rank combines them.
///
/// # Safety
///
/// As for [`begin`].
pub unsafe fn end(
    mut lock: ObserverLock,
    entry: &InterposedFunction,
    words: &[usize],
    place: CallLocation,
) -> usize {
    let gather = match std::mem::replace(lock.state(), State::After) {
        State::Observing(mut observer) => {
            let moment = Moment {
                row: entry.row,
                place,
                entered: observer.times.enter(),
            };
            match &mut observer.one_at_a_time {
                Some(one_at_a_time) => one_at_a_time.barrier(&observer.mpi),
                None => observer.mpi.barrier(),
            }
            observer.record(&moment, &Call::Finalize);
            // What follows, up to the end, waits for other ranks.
            if let Some(one_at_a_time) = observer.one_at_a_time.take() {
                one_at_a_time.end();
            }
            output::leave(observer)
        }
        State::Before | State::After => None,
    };
    // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
    // unchanged.
    let result = unsafe { entry.call(words) };
    if let Some(gather) = gather {
        gather.run();
    }
    result
}

/// `MPI_Abort`: the observation says who ended the run.
///
/// # Safety
///
/// As for [`begin`]; `code` is where the error code stands.
pub unsafe fn abort(
    observer: &Observer,
    entry: &InterposedFunction,
    words: &mut [usize],
    code: usize,
) -> usize {
    // SAFETY: `words` are the arguments of `entry` (see Safety), in the entry's binding and the library's family, and
    // outlive `passed`.
    let passed = unsafe { PassedArguments::new(words, entry.binding, observer.mpi.family) };
    let (rank, code) = (observer.mpi.rank, passed.int(code));
    observer.output.write_incomplete(format!(
        "rank {rank} ended the run by MPI_Abort with code {code}"
    ));
    // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
    // unchanged.
    unsafe { entry.call(passed.words()) }
}
