//! Calls that look whether something has happened and go on if not. They let the other ranks run, so
//! that it can happen; where nothing can ever happen any more, the run ends instead of polling on.

use crate::failure::{Failure, Outcome};
use crate::local;
use crate::process::Process;
use base_data::compute_data::Unit;
use token_runtime::clock::Clock;
use token_runtime::ending::Ending;
use token_runtime::kernel::idle;

/// Picoseconds of computing before a poll that mean the rank does something else than poll; such polls
/// make up for idle ones.
const BUSY: f64 = 2e6;
/// The same in statements.
const BUSY_STATEMENTS: u64 = 1000;

impl Process {
    /// Passes the token on; this rank goes on when it comes back.
    pub fn let_others_run(&mut self) -> Outcome {
        self.meet_others()?;
        self.give_way()
    }

    /// A poll found nothing, although the others had their turn.
    pub fn found_nothing(&mut self) -> Outcome {
        if self.has_threads() {
            return Ok(());
        }
        let (busy, now) = (self.was_busy(), local::nanoseconds());
        if busy {
            idle::was_busy(self.memory(), now);
        } else if idle::looked(self.memory(), now) {
            return Err(Failure::Fatal(Ending::EndlessPolling));
        }
        Ok(())
    }

    /// Whether the rank has computed since its last call.
    fn was_busy(&mut self) -> bool {
        let ticks = self.gap as f64;
        match self.clock.unit() {
            Unit::Time => ticks * self.clock.picoseconds_per_tick() > BUSY,
            Unit::Statements => self.gap > BUSY_STATEMENTS,
        }
    }
}
