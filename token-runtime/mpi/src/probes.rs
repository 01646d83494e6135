//! The entries that probes call: marks of calls, blocks, loops and the section. In modes where one
//! has no meaning it does nothing.

use crate::entry_guard::{self, Library, State};
use crate::process::{Announced, Level, Process};
use crate::sliced_blocks;
use base_data::program_data::Mark;
use native::{cycle_clock, statement_clock};
use std::ffi::c_int;
use token_runtime::measure::{Iterations, Measure, StoppingRule};
use token_runtime::section_call_path::SectionWay;

/// How far the program is on the way to its section.
static WAY: SectionWay = SectionWay::new();

/// Announces the site of this rank's next MPI call and how much of its messages is needed.
///
/// # Safety
///
/// Both are addresses of 4-byte integers.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_call_(site: *const i32, level: *const i32) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (site, level) = unsafe { (*site, *level) };
    let level = match level {
        0 => Level::Recorded,
        1 => Level::Envelope,
        _ => Level::Payload,
    };
    entry_guard::enter_probe(|library| {
        library.announced = Some(Announced {
            site: site as u32,
            level,
        })
    });
}

/// The terms a probe passes.
///
/// # Safety
///
/// `count` is the address of a 4-byte integer, `terms` of so many 8-byte integers.
pub(crate) unsafe fn terms<'a>(count: *const i32, terms: *const i64) -> &'a [i64] {
    // SAFETY: the caller guarantees that `count` is the address of an integer.
    let count = unsafe { *count };
    match usize::try_from(count) {
        // SAFETY: the caller guarantees that `terms` has `count` elements; no call changes them before it returns.
        Ok(count @ 1..) => unsafe { std::slice::from_raw_parts(terms, count) },
        Ok(0) | Err(_) => &[],
    }
}

/// A compute block is executed here, with these work terms (mode `record`). In a procedure that MPI calls it is a
/// part of that call: how often MPI calls it is its own affair.
///
/// # Safety
///
/// As the probes pass them: addresses of integers and of an array.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_block_(block: *const i32, count: *const i32, terms: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (block, terms) = unsafe { (*block, self::terms(count, terms)) };
    entry_guard::enter_probe(|library| {
        if let State::Running(process) = &mut library.state
            && !library.in_callback
        {
            note_block(process, block as u32, terms);
        }
    });
}

/// Records a block. In an emulation it takes its time instead: what lies between calls is recorded with its time there.
fn note_block(process: &mut Process, block: u32, terms: &[i64]) {
    if process.emulated.is_some() {
        sliced_blocks::pass(block, terms);
    } else if let Some(stream) = &mut process.stream {
        stream.recorder.block(block, terms);
    }
}

fn measuring(library: &mut Library) -> Option<&mut Process> {
    match &mut library.state {
        State::Running(process) if process.measure.is_some() => Some(process),
        State::Before | State::Running(_) | State::After => None,
    }
}

/// A compute block begins: mode `measure` measures it, mode `record` records it as `mpiete_block_` does.
///
/// # Safety
///
/// As for `mpiete_block_`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_begin_(block: *const i32, count: *const i32, terms: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (block, terms) = unsafe { (*block as u32, self::terms(count, terms)) };
    if entry_guard::try_enter(|process| begin_counted(process, block, terms)) != Some(true) {
        begin(block, terms);
    }
}

/// The work of the block that is about to begin may be another one each time (mode `measure`).
///
/// # Safety
///
/// `block` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_iteration_dependent_(block: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let block = unsafe { *block } as u32;
    entry_guard::try_enter(|process| {
        process
            .measure
            .iter_mut()
            .for_each(|measure| measure.iteration_dependent(block))
    });
}

/// Whether blocks are measured by the processor's counter; then it has begun.
#[inline(always)]
fn begin_counted(process: &mut Process, block: u32, terms: &[i64]) -> bool {
    let (Some(measure), Some(mut clock)) = (&mut process.measure, process.clock.even()) else {
        return false;
    };
    measure.begin(block, terms, &mut clock);
    true
}

/// In other modes, by other clocks, and where other threads may be inside.
#[cold]
#[inline(never)]
fn begin(block: u32, terms: &[i64]) {
    in_any_mode(block, terms, |process| {
        if let Some(measure) = &mut process.measure {
            measure.begin(block, terms, &mut process.clock);
        }
    });
}

/// Records a block, and measures it.
fn in_any_mode(block: u32, terms: &[i64], measure: impl FnOnce(&mut Process)) {
    entry_guard::enter_probe(|library| {
        let State::Running(process) = &mut library.state else {
            return;
        };
        if !library.in_callback {
            note_block(process, block, terms);
        }
        measure(process);
    });
}

/// A compute block has ended (mode `measure`).
///
/// # Safety
///
/// `_block` is the address of an integer; it is not read, blocks end in the order they nest.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_end_(_block: *const i32) {
    // First of all, so that nothing of what follows counts.
    let counter = cycle_clock::counter();
    if entry_guard::try_enter(|process| end_counted(process, counter)) != Some(true) {
        end(counter);
    }
}

/// Whether blocks are measured by the processor's counter; then it has ended.
#[inline(always)]
fn end_counted(process: &mut Process, counter: u64) -> bool {
    let (Some(measure), Some(mut clock)) = (&mut process.measure, process.clock.even()) else {
        return false;
    };
    measure.end(counter, &mut clock);
    true
}

/// As [`begin`].
#[cold]
#[inline(never)]
fn end(counter: u64) {
    entry_guard::enter_probe(|library| {
        let Some(process) = measuring(library) else {
            return;
        };
        let now = process.clock.shown(counter);
        process
            .measure
            .iter_mut()
            .for_each(|measure| measure.end(now, &mut process.clock));
    });
}

/// A statement begins that leads to calls or other blocks; what it evaluates itself is a block: mode `measure` measures it
/// until anything else begins, mode `record` records it as `mpiete_block_` does.
///
/// # Safety
///
/// As for `mpiete_block_`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_prologue_(block: *const i32, count: *const i32, terms: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (block, terms) = unsafe { (*block as u32, self::terms(count, terms)) };
    in_any_mode(block, terms, |process| {
        if let Some(measure) = &mut process.measure {
            measure.begin_prologue(block, terms, &mut process.clock);
        }
    });
}

/// Epilogue: such a statement is over; its own work since the last call in it is a block, in both modes.
///
/// # Safety
///
/// As for `mpiete_block_`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_epilogue_(block: *const i32, count: *const i32, terms: *const i64) {
    // First of all, so that nothing of what follows counts.
    let counter = cycle_clock::counter();
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (block, terms) = unsafe { (*block as u32, self::terms(count, terms)) };
    in_any_mode(block, terms, |process| {
        let times = (process.left_at, process.clock.shown(counter));
        if let Some(measure) = &mut process.measure {
            measure.epilogue(block, terms, times, &mut process.clock);
        }
    });
}

/// Measures an empty block often, as the program's blocks are, and subtracts its usual time, which is what
/// the timer itself costs, from all to come.
pub fn subtract_timer_cost() {
    const TIMES: usize = 401;
    if entry_guard::try_enter(|process| process.measure.is_some()) != Some(true) {
        return;
    }
    // Not inlined, as in programs.
    type Begin = unsafe extern "C" fn(*const i32, *const i32, *const i64);
    let begin = std::hint::black_box(mpiete_begin_ as Begin);
    let end = std::hint::black_box(mpiete_end_ as unsafe extern "C" fn(*const i32));
    let kept =
        exchange_measure(|process| Some(Measure::new(StoppingRule::default(), &mut process.clock)));
    for _ in 0..TIMES {
        // SAFETY: the block's number and the number of terms are integers. With 0 terms, the third address is not read.
        unsafe {
            begin(&0, &0, &0);
            end(&0);
        }
    }
    let empty = exchange_measure(|_| kept)
        .map(|mut measure| measure.finish(1.0))
        .unwrap_or_default();
    let cost = empty.first().map_or(0, |block| block.warm.median() as u64);
    entry_guard::try_enter(|process| {
        process
            .measure
            .iter_mut()
            .for_each(|measure| measure.set_cost(cost));
        process.end_call();
    });
}

/// Puts other measurements in the place of the process's own, and gives these.
fn exchange_measure(other: impl FnOnce(&mut Process) -> Option<Measure>) -> Option<Measure> {
    entry_guard::try_enter(|process| {
        let other = other(process);
        std::mem::replace(&mut process.measure, other)
    })
    .flatten()
}

/// A loop with communication is about to be entered (mode `measure`).
///
/// # Safety
///
/// `id` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_loop_(id: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    enter_loop(unsafe { *id }, Iterations::Alike);
}

/// The same of a loop whose iterations go over different data.
///
/// # Safety
///
/// `id` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_data_loop_(id: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    enter_loop(unsafe { *id }, Iterations::OverData);
}

/// The loop that was entered last may execute blocks whose work changes.
///
/// # Safety
///
/// `id` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_iteration_dependent_loop_(id: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let id = unsafe { *id } as u32;
    entry_guard::enter_probe(|library| {
        let measure = measuring(library).and_then(|process| process.measure.as_mut());
        measure
            .into_iter()
            .for_each(|measure| measure.iteration_dependent_loop(id));
    });
}

fn enter_loop(id: i32, iterations: Iterations) {
    entry_guard::enter_probe(|library| {
        if let Some(process) = measuring(library) {
            process.enter_loop(id as u32, iterations);
        }
    });
}

/// At the top of an iteration: 1 (`.true.`) if the loop is to be left now, on all ranks alike.
///
/// # Safety
///
/// `id` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_cut_(id: *const i32) -> c_int {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let id = unsafe { *id } as u32;
    entry_guard::enter_probe(|library| {
        measuring(library).is_some_and(|process| process.should_leave_loop(id))
    })
    .into()
}

/// Begins (1) or ends (2) the section to be predicted (mode `record`).
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
    entry_guard::enter_probe(|library| {
        // An emulated run has no section.
        if let State::Running(process) = &mut library.state
            && process.emulated.is_none()
            && let Some(stream) = &mut process.stream
        {
            stream.recorder.mark(mark);
        }
    });
}

/// So many statements are about to be executed. No guard is needed: it adds to a counter, and that
/// often.
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
