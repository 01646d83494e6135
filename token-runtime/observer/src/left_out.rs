//! Calls of functions that are not in the table of MPI functions and should be in the stream: they
//! pass, and are counted.

use crate::gate::{self, State, Turn};
use crate::real::Entry;

/// The entry of such a function. What it calls of MPI itself belongs to it.
///
/// # Safety
///
/// `words` are what a program passed to the function of this entry.
pub unsafe fn pass(entry: &'static Entry, function: &'static str, words: &mut [usize]) -> usize {
    let mut turn = Turn::take();
    if let Some(turn) = &mut turn {
        gate::take_announced();
        if let State::Observing(observer) = turn.state() {
            observer.leave_out(function);
        }
    }
    // SAFETY: passed on as they came.
    unsafe { entry.call(words) }
}
