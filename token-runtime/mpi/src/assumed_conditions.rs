//! Entries for probes at assumptions: counts in place of conditions (program
//! probe), and the values of conditions (reference probe). [`token_runtime::assumed_conditions`]
//! contains their state.

use base_data::rank_recording::ConditionCount;
use native::system_clock::RealInstant;
use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use token_runtime::assumed_conditions::AssumedConditions;
use token_runtime::termination;

/// Apart from the library's state: functions that a call of MPI has called may ask, too.
static CONDITIONS: Mutex<ObservedConditions> = Mutex::new(ObservedConditions {
    conditions: AssumedConditions::new(),
    left: None,
});

/// How often is left at most what has become of the conditions so far.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(50);

struct ObservedConditions {
    conditions: AssumedConditions,
    /// Where it is left what has become of them so far, for a host that ends the run, and when it was last.
    left: Option<(PathBuf, Option<RealInstant>)>,
}

impl ObservedConditions {
    /// What cannot be written is not known to the host; the run goes on.
    fn write_snapshot(&mut self) {
        let Some((path, last)) = &mut self.left else {
            return;
        };
        if last.is_none_or(|last| last.elapsed() >= SNAPSHOT_INTERVAL) {
            *last = Some(RealInstant::now());
            let _ = termination::write(path, &self.conditions.snapshot());
        }
    }
}

fn with<T>(body: impl FnOnce(&mut AssumedConditions) -> T) -> T {
    body(
        &mut CONDITIONS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .conditions,
    )
}

/// The same where something becomes of a condition that the program computes.
fn with_snapshots<T>(body: impl FnOnce(&mut AssumedConditions) -> T) -> T {
    let watched = &mut *CONDITIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = body(&mut watched.conditions);
    watched.write_snapshot();
    answer
}

/// From now on is left at `path`, time and again, what has become of them.
pub fn write_snapshots_to(path: PathBuf) {
    CONDITIONS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .left = Some((path, None));
}

/// What became of all conditions.
pub fn finish() -> Vec<ConditionCount> {
    with(AssumedConditions::finish)
}

/// A repetition is about to begin of which a number of iterations is assumed.
///
/// # Safety
///
/// `number` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_enter_(number: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let number = unsafe { *number } as u32;
    with(|conditions| conditions.enter(number));
}

/// The same of a loop of which iterations are counted.
///
/// # Safety
///
/// `number` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_enter_loop_(number: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let number = unsafe { *number } as u32;
    with(|conditions| conditions.enter_loop(number));
}

/// 1 (`.true.`) at each so many-th evaluation.
///
/// # Safety
///
/// `number` is the address of a 4-byte integer, `evaluations` of an 8-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_trip_(number: *const i32, evaluations: *const i64) -> c_int {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (number, evaluations) = unsafe { (*number as u32, (*evaluations).unsigned_abs()) };
    with(|conditions| conditions.is_last_evaluation(number, evaluations)).into()
}

/// Gives the answer back that stands in place of the value of a condition, which was evaluated for the calls in it.
///
/// # Safety
///
/// Both are addresses of 4-byte logicals.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_assumed_value_(_value: *const i32, answer: *const i32) -> c_int {
    // SAFETY: the instrumenter passes the address of a 4-byte logical for the result; the value is not read.
    unsafe { *answer }
}

/// Gives the value of a condition back, and remembers it.
///
/// # Safety
///
/// Both are addresses, of a 4-byte integer and a 4-byte logical.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_condition_(number: *const i32, value: *const i32) -> c_int {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (number, value) = unsafe { (*number as u32, *value) };
    with_snapshots(|conditions| conditions.record_value(number, value != 0));
    value
}

/// Gives back whether a part of a condition ends a loop of which iterations are counted, and remembers it.
///
/// # Safety
///
/// Both are addresses, of a 4-byte integer and a 4-byte logical.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_exit_condition_(number: *const i32, value: *const i32) -> c_int {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (number, value) = unsafe { (*number as u32, *value) };
    with_snapshots(|conditions| conditions.record_exit(number, value != 0));
    value
}

/// An iteration begins of a loop of which a number of them is assumed.
///
/// # Safety
///
/// `number` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_iteration_(number: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let number = unsafe { *number } as u32;
    with_snapshots(|conditions| conditions.record_iteration(number));
}

/// A SELECT CASE is about to be evaluated.
///
/// # Safety
///
/// `number` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_assumption_(number: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let number = unsafe { *number } as u32;
    with_snapshots(|conditions| conditions.begin_selection(number));
}

/// It went the way that is watched.
///
/// # Safety
///
/// `number` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_branch_taken_(number: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let number = unsafe { *number } as u32;
    with_snapshots(|conditions| conditions.record_branch(number));
}

/// Gives the value of a computed GOTO among `labels` of them back, and remembers whether it chooses one of
/// `watched`: bit n for the n-th, bit 0 for none.
///
/// # Safety
///
/// `number` and `labels` are addresses of 4-byte integers, the others of 8-byte integers.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_jump_(
    number: *const i32,
    watched: *const i64,
    labels: *const i32,
    value: *const i64,
) -> c_int {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (number, watched, labels, value) = unsafe { (*number as u32, *watched, *labels, *value) };
    let chosen = if (1..=i64::from(labels)).contains(&value) {
        value as c_int
    } else {
        0
    };
    with_snapshots(|conditions| conditions.record_value(number, watched >> chosen & 1 == 1));
    chosen
}

/// The sign of what an arithmetic IF computes; remembers whether it chooses one of `watched`: bit 1, 2 or 3 for
/// its labels.
///
/// # Safety
///
/// The addresses are of a 4-byte and an 8-byte integer and of an 8-byte real number.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_sign_(
    number: *const i32,
    watched: *const i64,
    value: *const f64,
) -> c_int {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (number, watched, value) = unsafe { (*number as u32, *watched, *value) };
    let sign = if value < 0.0 {
        -1
    } else {
        c_int::from(value != 0.0)
    };
    with_snapshots(|conditions| conditions.record_value(number, watched >> (sign + 2) & 1 == 1));
    sign
}
