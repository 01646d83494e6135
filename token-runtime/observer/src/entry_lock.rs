//! Entry guard: at most one thread is inside an observed call. Nested calls on the same thread, from an MPI library, a
//! layer between or a program's own reduction operation, belong to that call and
//! pass through. A call of another thread passes through, too, and is reported at the end.

use crate::observer::Observer;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Where the program is.
pub enum State {
    /// `MPI_Init` has not been called.
    Before,
    /// In between.
    Observing(Box<Observer>),
    /// `MPI_Finalize` has been called, or this process is not observed.
    After,
}

struct Shared {
    state: UnsafeCell<State>,
    /// What a probe said of the next call: its site plus 1.
    announced: AtomicUsize,
}

// SAFETY: only the one thread that has a `ObserverLock` gets a reference to the state.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    state: UnsafeCell::new(State::Before),
    announced: AtomicUsize::new(0),
};
/// The thread that is inside an observed call; 0 if none is.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
static OVERLAPPED: AtomicBool = AtomicBool::new(false);

/// The right to look at the state; this thread is inside a call while it exists.
pub struct ObserverLock(());

impl ObserverLock {
    /// Enters, unless a thread, perhaps this one, is inside.
    #[inline]
    pub fn take() -> Option<Self> {
        // SAFETY: the call takes no addresses and returns a number.
        let thread = unsafe { libc::pthread_self() } as usize;
        match INSIDE.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Some(ObserverLock(())),
            Err(other) => {
                if other != thread {
                    OVERLAPPED.store(true, Ordering::Relaxed);
                }
                None
            }
        }
    }

    /// The state.
    #[inline]
    pub fn state(&mut self) -> &mut State {
        // SAFETY: there is one turn at a time, and it is borrowed as long as the reference lives.
        unsafe { &mut *SHARED.state.get() }
    }
}

impl Drop for ObserverLock {
    #[inline]
    fn drop(&mut self) {
        INSIDE.store(0, Ordering::Release);
    }
}

/// Whether this thread is inside an observed call.
pub fn is_inside() -> bool {
    // SAFETY: the call takes no addresses and returns a number.
    INSIDE.load(Ordering::Relaxed) == unsafe { libc::pthread_self() } as usize
}

/// Whether two threads were inside MPI at once.
pub fn overlapped() -> bool {
    OVERLAPPED.load(Ordering::Relaxed)
}

/// A probe announces the site of the next call.
pub fn announce(site: u32) {
    SHARED.announced.store(site as usize + 1, Ordering::Relaxed);
}

/// What was announced, once.
#[inline]
pub fn take_announced() -> Option<u32> {
    match SHARED.announced.load(Ordering::Relaxed) {
        0 => None,
        site => {
            SHARED.announced.store(0, Ordering::Relaxed);
            Some(site as u32 - 1)
        }
    }
}
