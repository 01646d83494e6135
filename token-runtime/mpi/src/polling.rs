//! Calls that look whether something has happened and go on if not. They let the other ranks run, so
//! that it can happen; where nothing can ever happen any more, the run ends instead of polling on.

use crate::failure::{Failure, Outcome};
use crate::process::Process;
use base_data::compute_data::Unit;
use token_runtime::clock::Clock;
use token_runtime::ending::Ending;
use token_runtime::kernel::dispatcher;
use token_runtime::kernel::layout::header;

/// Weight of a poll that nobody else could run after, and of one that passed the token on, which
/// takes about that many times as long.
const ALONE: u64 = 1;
const PASSED_ON: u64 = 32;
/// Weight of polls in a row, without anything happening on any rank, after which nothing will: about
/// half a second of polling.
const ENDLESS: u64 = 2_000_000;
/// Picoseconds of computing before a poll that mean the rank does something else than poll; such polls
/// do not count.
const BUSY: f64 = 2e6;
/// The same in statements.
const BUSY_STATEMENTS: u64 = 1000;

impl Process {
    /// Passes the token on; this rank goes on when it comes back.
    pub fn let_others_run(&mut self) -> Outcome {
        self.meet_others()?;
        let next = dispatcher::next_after(self.memory(), self.rank);
        self.passed_on = next.is_some_and(|next| next != self.rank);
        if self.passed_on { self.pass_token() } else { Ok(()) }
    }

    /// A poll found nothing.
    pub fn found_nothing(&mut self) -> Outcome {
        if self.was_busy() || self.has_threads() {
            return Ok(());
        }
        let memory = self.memory();
        let weight = if self.passed_on { PASSED_ON } else { ALONE };
        if memory.add(header::IDLE_POLLS, weight) < ENDLESS {
            return Ok(());
        }
        Err(Failure::Fatal(Ending::EndlessPolling))
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
