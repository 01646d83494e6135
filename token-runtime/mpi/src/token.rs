//! Token hand-over: one futex word per rank, in shared memory. A rank that waits sleeps in the
//! kernel and uses no time of the processor. A blocked rank that finds no runnable rank has detected a deadlock
//! (a cycle in the wait-for graph, or a wait for a rank that has ended).

use crate::failure::Failure;
use crate::process::Process;
use std::sync::atomic::Ordering;
use token_runtime::kernel::layout::header;
use token_runtime::kernel::{OutOfSharedMemory, dispatcher, heap, slot};
use token_runtime::termination::Termination;

impl Process {
    /// Gives the token to `rank`.
    pub fn grant_token(&self, rank: u32) {
        let word = slot::at(rank, slot::word::TURN);
        self.memory().word(word).store(1, Ordering::Release);
        // SAFETY: the address is inside the mapping; waking needs nothing else.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.segment.futex(word),
                libc::FUTEX_WAKE,
                1,
            );
        }
    }

    /// Sleeps until this rank gets the token.
    pub fn wait_for_token(&self) {
        let word = slot::at(self.rank, slot::word::TURN);
        while self.memory().word(word).swap(0, Ordering::Acquire) == 0 {
            let timeout: *const libc::timespec = std::ptr::null();
            // SAFETY: the address is inside the mapping; the call returns at once unless the word
            // is 0, and without a timeout only when woken or interrupted.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.segment.futex(word),
                    libc::FUTEX_WAIT,
                    0,
                    timeout,
                );
            }
        }
    }

    /// This rank is blocked: the next runnable rank gets the token. Returns when this rank has it again.
    pub fn hand_over_token(&self) -> Result<(), Failure> {
        self.require_other_ranks()?;
        self.show_communicator();
        if let Some(emulated) = &self.emulated {
            return match self.let_others_run(emulated)? || heap::raise_limit(self.memory()) {
                true => Ok(()),
                false => Err(Failure::Fatal(self.blocked_termination())),
            };
        }
        match dispatcher::next_after(self.memory(), self.rank) {
            Some(next) if next == self.rank => Ok(()),
            Some(next) => {
                self.grant_token(next);
                self.wait_for_token();
                Ok(())
            }
            None if heap::raise_limit(self.memory()) => self.hand_over_token(),
            None => Err(Failure::Fatal(self.blocked_termination())),
        }
    }

    /// This rank could go on; the next one that can, if there is any, has its turn first.
    pub fn yield_token(&self) -> Result<(), Failure> {
        if self.emulated.is_some() {
            // The engine lets ranks run in the order of their times.
            return Ok(());
        }
        match dispatcher::next_after(self.memory(), self.rank) {
            Some(next) if next != self.rank => self.hand_over_token(),
            Some(_) | None => Ok(()),
        }
    }

    /// Why no rank is runnable: the heap is full, or the program has a deadlock.
    fn blocked_termination(&self) -> Termination {
        if self.memory().get(header::MEMORY_WAITERS) > 0 {
            Termination::OutOfSharedMemory {
                bytes: self.memory().get(header::HEAP_USED) * 8,
            }
        } else {
            Termination::Deadlock
        }
    }

    /// Takes something from the heap; waits for room if there is none.
    pub fn allocate_or_wait<T>(
        &self,
        take: impl Fn() -> Result<T, OutOfSharedMemory>,
    ) -> Result<T, Failure> {
        loop {
            match take() {
                Ok(taken) => return Ok(taken),
                Err(OutOfSharedMemory { .. }) => {
                    slot::wait_for_memory(self.memory(), self.rank);
                    self.hand_over_token()?;
                }
            }
        }
    }
}
