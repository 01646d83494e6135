//! Threads of a rank that call MPI at the same time. One is inside at a time, behind a lock; a call that
//! waits for other ranks lets the others in between polls. The token belongs to the process: while
//! one of its threads waits, others compute and call on.
//!
//! A rank whose threads may come later is never stuck for the dispatcher: with `MPI_THREAD_MULTIPLE` and
//! more than one thread a rank that waits stays runnable and looks again.

use crate::entry_guard;
use crate::failure::Outcome;
use crate::process::Process;
use crate::virtual_clock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::Duration;
use token_runtime::kernel::poll_timeout;

/// `MPI_THREAD_SERIALIZED`.
const SERIALIZED: i32 = 2;
/// `MPI_THREAD_MULTIPLE`.
const MULTIPLE: i32 = 3;
/// Failed polls after which a thread sleeps between polls, so that the threads it waits for can progress.
const SPIN_POLLS: u32 = 100;
const SLEEP: Duration = Duration::from_micros(50);

/// The level that `MPI_Init_thread` has answered.
static PROVIDED: AtomicI32 = AtomicI32::new(0);

/// What the program asked for is what it gets; gives the level.
pub fn provide(required: i32) -> i32 {
    // An emulated rank that waits computes nothing meanwhile, so its threads cannot call at the same time.
    let most = if virtual_clock::is_running() {
        SERIALIZED
    } else {
        MULTIPLE
    };
    let provided = required.clamp(0, most);
    PROVIDED.store(provided, Ordering::Relaxed);
    provided
}

/// The level that was provided.
pub fn provided() -> i32 {
    PROVIDED.load(Ordering::Relaxed)
}

/// Whether several threads may call at the same time.
pub fn are_allowed() -> bool {
    provided() == MULTIPLE
}

/// Lets one thread in at a time.
pub struct EntryLock {
    /// 0 open, 1 closed, 2 closed, and a thread may sleep on it.
    state: AtomicU32,
    /// Threads that wait for the closed lock.
    waiters: AtomicU32,
    relocked: AtomicBool,
}

impl EntryLock {
    /// An open one.
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
            waiters: AtomicU32::new(0),
            relocked: AtomicBool::new(false),
        }
    }

    /// Acquires the lock if it is open. Where threads may not call at the same time, plain loads and
    /// stores, which cost next to nothing, detect most violations.
    #[inline]
    pub fn try_lock(&self) -> bool {
        if are_allowed() {
            return self
                .state
                .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        }
        let is_open = self.state.load(Ordering::Relaxed) == 0;
        self.state.store(1, Ordering::Relaxed);
        is_open
    }

    /// Whether it is open, and one thread at most may come.
    #[inline(always)]
    pub fn is_free(&self) -> bool {
        !are_allowed() && self.state.load(Ordering::Relaxed) == 0
    }

    /// Goes in as soon as it is open.
    pub fn lock(&self) {
        self.waiters.fetch_add(1, Ordering::Relaxed);
        while self.state.swap(2, Ordering::Acquire) != 0 {
            // SAFETY: the word lives as long as the process; the call sleeps only while it is 2.
            unsafe {
                let forever: *const libc::timespec = std::ptr::null();
                libc::syscall(
                    libc::SYS_futex,
                    self.state.as_ptr(),
                    libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                    2,
                    forever,
                );
            }
        }
        self.waiters.fetch_sub(1, Ordering::Relaxed);
        self.relocked.store(true, Ordering::Relaxed);
    }

    /// Goes out.
    #[inline]
    pub fn unlock(&self) {
        if !are_allowed() {
            self.state.store(0, Ordering::Relaxed);
        } else if self.state.swap(0, Ordering::Release) == 2 {
            // SAFETY: the word is a static, so its address stays valid; waking does not access it.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.state.as_ptr(),
                    libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                    1,
                )
            };
        }
    }

    /// Releases the lock and acquires it again behind a waiting thread, if there is one.
    pub fn unlock_for_waiters(&self) {
        let has_waiters = self.waiters.load(Ordering::Relaxed) > 0;
        self.relocked.store(false, Ordering::Relaxed);
        self.unlock();
        while has_waiters
            && !self.relocked.load(Ordering::Relaxed)
            && self.waiters.load(Ordering::Relaxed) > 0
        {
            std::thread::yield_now();
        }
        self.lock();
    }
}

impl Process {
    /// Whether other threads of this rank may call while one waits.
    pub fn has_threads(&self) -> bool {
        are_allowed() && native::affinity::threads() > 1
    }

    /// Polls a condition until it holds, and lets other ranks and the other threads of
    /// this rank run between two polls. The condition must not borrow from what they may change.
    pub fn poll_until(&self, is_so: impl Fn() -> bool) -> Outcome {
        let mut polls = 0;
        while !is_so() {
            poll_timeout::mark_active(self.memory(), self.rank);
            self.yield_token()?;
            entry_guard::yield_to_threads(self);
            polls += 1;
            if polls > SPIN_POLLS {
                std::thread::sleep(SLEEP);
            }
        }
        Ok(())
    }
}
