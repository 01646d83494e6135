//! Null pointers where the standard wants numbers, arrays or places for results: a call that reads one
//! continues as if it contained zeros, writes nothing to it, and returns an error in the end. A call does not look
//! at an argument that is not significant, so arrays without elements may be null.

use crate::failure::{Outcome, wrong};
use std::sync::atomic::{AtomicBool, Ordering};
use token_runtime::mpich::class;

/// Whether the current call has met one. One thread at a time is in a call (`guard`).
static MET: AtomicBool = AtomicBool::new(false);

/// Whether an argument is a null pointer.
#[inline]
pub fn is<T>(argument: *const T) -> bool {
    if argument.is_null() {
        MET.store(true, Ordering::Relaxed);
    }
    argument.is_null()
}

/// Whether the current call has met one.
#[inline]
pub fn is_met() -> bool {
    MET.load(Ordering::Relaxed)
}

/// An error if the current call has met one; the next has met none.
pub fn none_met() -> Outcome {
    if !is_met() {
        return Ok(());
    }
    MET.store(false, Ordering::Relaxed);
    wrong(class::ARG, "an argument is a null pointer")
}
