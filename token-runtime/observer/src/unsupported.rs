//! Calls of functions that are not in the table of MPI functions. They pass; those that should be in
//! the stream are counted. While one rank at a time computes, others may in all of them.

use crate::entry_lock::{self, ObserverLock, State};
use crate::observer::Observer;
use crate::real_functions::InterposedFunction;

/// The entry of a function that should be in the stream. What it calls of MPI itself belongs to it.
///
/// # Safety
///
/// `words` are what a program passed to the function of this entry.
pub unsafe fn pass(
    entry: &'static InterposedFunction,
    function: &'static str,
    words: &mut [usize],
) -> usize {
    let mut lock = ObserverLock::take();
    if let Some(lock) = &mut lock {
        entry_lock::take_announced();
        if let State::Observing(observer) = lock.state() {
            observer.count_unsupported(function);
            // SAFETY: the words are the arguments that the program passed to this entry's function, and go to
            // it unchanged.
            return unsafe { without_token(observer, entry, words) };
        }
    }
    // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
    // unchanged.
    unsafe { entry.call(words) }
}

/// The entry of a function that may wait and leaves nothing in the stream.
///
/// # Safety
///
/// As for [`pass`].
pub unsafe fn wait(entry: &'static InterposedFunction, words: &mut [usize]) -> usize {
    let mut lock = ObserverLock::take();
    if let Some(lock) = &mut lock
        && let State::Observing(observer) = lock.state()
    {
        // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
        // unchanged.
        return unsafe { without_token(observer, entry, words) };
    }
    // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
    // unchanged.
    unsafe { entry.call(words) }
}

/// # Safety
///
/// As for [`pass`].
unsafe fn without_token(
    observer: &mut Observer,
    entry: &InterposedFunction,
    words: &[usize],
) -> usize {
    // SAFETY: `words` belong to `entry` (see Safety); the closure runs once, in one of the branches below.
    let call = || unsafe { entry.call(words) };
    let Some(one_at_a_time) = &mut observer.one_at_a_time else {
        return call();
    };
    let moment = observer.times.now();
    let result = one_at_a_time.without_token(call);
    observer.times.count_unsupported(moment);
    result
}
