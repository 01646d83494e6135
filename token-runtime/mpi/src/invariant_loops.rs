//! The entries that the program probe calls at loops of which it need not run every iteration. In modes
//! other than `record` all are run.

use crate::entry_guard::{self, State};
use crate::probes::terms;
use std::ffi::c_int;

/// Such a loop is about to be entered.
///
/// # Safety
///
/// `id` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_repeat_(id: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let id = unsafe { *id } as u32;
    entry_guard::enter_probe(|library| {
        if let State::Running(process) = &mut library.state
            && process.emulated.is_none()
            && let Some(stream) = &mut process.stream
        {
            stream.recorder.enter_loop(id);
        }
    });
}

/// At the top of an iteration, with its signature: 1 (`.true.`) if it is to be skipped.
///
/// # Safety
///
/// `id` and `count` are addresses of 4-byte integers, `signature` of so many 8-byte integers.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_loop_iteration_(
    id: *const i32,
    count: *const i32,
    signature: *const i64,
) -> c_int {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (id, signature) = unsafe { (*id as u32, terms(count, signature)) };
    let skips = entry_guard::enter_probe(|library| match &mut library.state {
        // In virtual time each iteration takes its own.
        State::Running(process) if process.emulated.is_none() => {
            let quiet = process.requests.is_empty();
            process
                .stream
                .as_mut()
                .is_some_and(|stream| stream.recorder.skips(id, signature, quiet))
        }
        State::Running(_) | State::Before | State::After => false,
    });
    skips.into()
}

/// The loop was left.
///
/// # Safety
///
/// `id` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_repeated_(id: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let id = unsafe { *id } as u32;
    entry_guard::enter_probe(|library| {
        if let State::Running(process) = &mut library.state
            && process.emulated.is_none()
            && let Some(stream) = &mut process.stream
        {
            stream.recorder.leave_loop(id);
        }
    });
}
