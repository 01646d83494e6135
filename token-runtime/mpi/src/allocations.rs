//! The entries that probes call where the program allocates and frees memory. It may do so before `MPI_Init` and on any of
//! its threads, so there is no guard but a lock of its own.

use std::sync::{Mutex, PoisonError};
use token_runtime::allocations::Ledger;

static LEDGER: Mutex<Ledger> = Mutex::new(Ledger::new());

fn with<T>(work: impl FnOnce(&mut Ledger) -> T) -> T {
    work(&mut LEDGER.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The most that the program has allocated at once so far, in bytes.
pub fn peak() -> u64 {
    with(|ledger| ledger.peak())
}

/// An object is about to be allocated; `replaces` is 1 where it takes the place of what it was before.
///
/// # Safety
///
/// Addresses of two 4-byte integers and an 8-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_allocate_(object: *const i32, replaces: *const i32, bytes: *const i64) {
    // SAFETY: the instrumenter passes the addresses of variables of the declared kinds, which live until the
    // call returns.
    let (object, replaces, bytes) = unsafe { (*object, *replaces, *bytes) };
    with(|ledger| ledger.allocate(object, replaces == 1, u64::try_from(bytes).unwrap_or(0)));
}

/// An object is about to be freed.
///
/// # Safety
///
/// `object` is the address of a 4-byte integer.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_free_(object: *const i32) {
    // SAFETY: the instrumenter passes the address of a variable of the declared kind, which lives until the
    // call returns.
    let object = unsafe { *object };
    with(|ledger| ledger.free(object));
}
