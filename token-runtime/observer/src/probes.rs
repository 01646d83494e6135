//! The entries that probes call: marks of calls, blocks and the section, and the counter of
//! statements. What is for measuring alone does nothing here: no loop is ever cut.

use crate::calls::guarded;
use crate::entry_lock::{self, ObserverLock, State};
use crate::observer::Observer;
use crate::times::Times;
use base_data::program_data::Mark;
use native::statement_clock::{self, RankClock};
use std::ffi::c_int;
use token_runtime::event_stream::EventStream;
use token_runtime::section_call_path::SectionWay;

/// How far the program is on the way to its section.
static WAY: SectionWay = SectionWay::new();

/// So many statements are about to be executed.
///
/// # Safety
///
/// `count` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_count_(count: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    statement_clock::count(u64::from(unsafe { *count }.unsigned_abs()));
}

/// Announces the site of this rank's next MPI call.
///
/// # Safety
///
/// Both are addresses of 4-byte integers; how much of the messages a slice needs means nothing here.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_call_(site: *const i32, _level: *const i32) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    entry_lock::announce(unsafe { *site } as u32);
}

/// The terms a probe passes.
///
/// # Safety
///
/// `count` is the address of a 4-byte integer, `terms` of so many 8-byte integers.
unsafe fn slice<'a>(count: *const i32, terms: *const i64) -> &'a [i64] {
    // SAFETY: the caller guarantees that `count` is the address of an integer.
    let count = unsafe { *count };
    match usize::try_from(count) {
        // SAFETY: the caller guarantees that `terms` has `count` elements; no call changes them before it returns.
        Ok(count @ 1..) => unsafe { std::slice::from_raw_parts(terms, count) },
        Ok(0) | Err(_) => &[],
    }
}

fn observe(body: impl FnOnce(&mut Observer)) {
    let Some(mut lock) = ObserverLock::take() else {
        return;
    };
    if let State::Observing(observer) = lock.state()
        && observer.stopped.is_none()
    {
        guarded(observer, body);
    }
}

/// A block is executed whose statements are not there.
///
/// # Safety
///
/// As the probes pass them: addresses of integers and of an array.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_block_(block: *const i32, count: *const i32, terms: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (block, terms) = unsafe { (*block as u32, slice(count, terms)) };
    observe(|observer| {
        let entered = observer.times.enter();
        observer.stream.block(block, terms);
        observer.times.mark(entered, None);
    });
}

/// A block begins.
///
/// # Safety
///
/// As for `mpiete_block_`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_begin_(block: *const i32, count: *const i32, terms: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (block, terms) = unsafe { (*block as u32, slice(count, terms)) };
    observe(|observer| {
        let stream = &mut observer.stream;
        observer
            .times
            .begin_block(block, || stream.block(block, terms));
    });
}

/// What a statement that leads to calls or other blocks evaluates itself begins: a block that whatever comes first ends.
///
/// # Safety
///
/// As for `mpiete_block_`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_prologue_(block: *const i32, count: *const i32, terms: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    unsafe { mpiete_begin_(block, count, terms) }
}

/// Such a statement is over: what it did since whatever was last is a block.
///
/// # Safety
///
/// As for `mpiete_block_`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_epilogue_(block: *const i32, count: *const i32, terms: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (block, terms) = unsafe { (*block as u32, slice(count, terms)) };
    observe(|observer| {
        let stream = &mut observer.stream;
        observer.times.epilogue_block(|| stream.block(block, terms));
    });
}

/// A block has ended.
///
/// # Safety
///
/// `_block` is the address of an integer; it is not read, whatever comes first ends a block.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_end_(_block: *const i32) {
    observe(|observer| observer.times.end_block());
}

/// Measures an empty block often, as the program's blocks are; its usual time, which is what the timer
/// itself costs, is no time of blocks to come. All this takes no time of the program.
pub fn subtract_timer_cost() {
    const TIMES: usize = 401;
    let Some((kept, began)) =
        exchange_times(Times::begin(RankClock::new()).0, EventStream::default())
    else {
        return;
    };
    // Not inlined, as in programs.
    type Begin = unsafe extern "C" fn(*const i32, *const i32, *const i64);
    let begin = std::hint::black_box(mpiete_begin_ as Begin);
    let end = std::hint::black_box(mpiete_end_ as unsafe extern "C" fn(*const i32));
    for _ in 0..TIMES {
        // SAFETY: the block's number and the number of terms are integers. With 0 terms, the third address is not read.
        unsafe {
            begin(&0, &0, &0);
            end(&0);
        }
    }
    let (times, stream) = kept;
    let Some(((empty, _), _)) = exchange_times(times, stream) else {
        return;
    };
    observe(|observer| {
        observer.times.set_cost(empty.usual_duration());
        observer.times.count_unsupported(began);
    });
}

/// What an observer keeps of blocks.
type Kept = (Times<RankClock>, EventStream);

/// Puts others in the place of the observer's own times and stream, and gives these, and when that was.
fn exchange_times(times: Times<RankClock>, stream: EventStream) -> Option<(Kept, u64)> {
    let mut lock = ObserverLock::take()?;
    let State::Observing(observer) = lock.state() else {
        return None;
    };
    let began = observer.times.now();
    let times = std::mem::replace(&mut observer.times, times);
    Some((
        (times, std::mem::replace(&mut observer.stream, stream)),
        began,
    ))
}

/// Begins (1) or ends (2) the section to be predicted.
///
/// # Safety
///
/// `which` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_section_(which: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    mark_section(unsafe { *which });
}

/// The same, if so many calls of the way to the section have been entered.
///
/// # Safety
///
/// Both are addresses of 4-byte integers.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_section_on_call_path_(which: *const i32, calls: *const i32) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (which, calls) = unsafe { (*which, *calls) };
    if WAY.is_at(calls) {
        mark_section(which);
    }
}

/// A call of the way to the section is about to be entered (1) or was left (-1).
///
/// # Safety
///
/// `calls` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_call_path_(calls: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    WAY.step(unsafe { *calls });
}

fn mark_section(which: i32) {
    let mark = if which == 1 {
        Mark::SectionBegin
    } else {
        Mark::SectionEnd
    };
    observe(|observer| {
        let entered = observer.times.enter();
        observer.stream.mark(mark);
        observer.times.mark(entered, None);
    });
}

/// A loop with communication is about to be entered.
#[unsafe(no_mangle)]
extern "C" fn mpiete_loop_(_id: *const i32) {}

/// The same of a loop whose iterations go over different data.
#[unsafe(no_mangle)]
extern "C" fn mpiete_data_loop_(_id: *const i32) {}

/// That loop may execute blocks whose work changes.
#[unsafe(no_mangle)]
extern "C" fn mpiete_iteration_dependent_loop_(_id: *const i32) {}

/// Whether the loop is to be left now: never.
#[unsafe(no_mangle)]
extern "C" fn mpiete_cut_(_id: *const i32) -> c_int {
    0
}
