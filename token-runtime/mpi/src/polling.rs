//! Calls that look whether something has happened and go on if not. They let the other ranks run, so
//! that it can happen; where nothing can ever happen any more, the run ends instead of polling on.
//! A program that reads a clock between its polls may have had enough of them some day, so that is
//! something, too, that happens.

use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::program_clocks;
use base_data::compute_data::Unit;
use native::system_clock;
use token_runtime::clock::Clock;
use token_runtime::kernel::poll_timeout::{self, BetweenPolls};
use token_runtime::termination::Termination;

/// Picoseconds between two polls up to which the rank does next to nothing else.
const BUSY: f64 = 2e6;
/// The same in statements.
const BUSY_STATEMENTS: u64 = 1000;
/// Nanoseconds of work up to which a rank that was away for more than twice as long has slept: what
/// calls of the system take. More is work, however much other programs held it up.
const MAX_WORK_OF_SLEEPER: u64 = 100_000;

/// The clocks after the last failed poll of a rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastPoll {
    /// Processor time of the thread, in nanoseconds.
    processor: u64,
    /// How often the program had read a clock.
    readings: u64,
}

impl Process {
    /// Passes the token on; this rank continues when it has the token again.
    pub fn yield_to_ranks(&mut self) -> Outcome {
        self.require_other_ranks()?;
        self.yield_token()
    }

    /// A poll found nothing, although the others had their turn.
    pub fn record_failed_poll(&mut self) -> Outcome {
        if let Some(emulated) = &self.emulated
            && !emulated.is_quiet_for_ever()
        {
            // Other ranks go on in virtual time.
            poll_timeout::record_progress(self.memory());
            return Ok(());
        }
        if program_clocks::readings() != self.last_poll.readings {
            poll_timeout::record_progress(self.memory());
        }
        let processor = system_clock::thread_time().as_nanos() as u64;
        let between = self.between(processor.saturating_sub(self.last_poll.processor));
        let is_endless = if self.has_threads() {
            poll_timeout::mark_active(self.memory(), self.rank);
            false
        } else {
            let now = system_clock::monotonic().as_nanos() as u64;
            poll_timeout::failed_poll(self.memory(), self.rank, now, between)
        };
        self.last_poll = LastPoll {
            processor,
            readings: program_clocks::readings(),
        };
        if is_endless {
            Err(Failure::Fatal(Termination::EndlessPolling))
        } else {
            Ok(())
        }
    }

    /// What the rank did since its last call, of which the processor has worked for so many nanoseconds
    /// at most.
    fn between(&mut self, processor: u64) -> BetweenPolls {
        match self.clock.unit() {
            Unit::Statements if self.gap > BUSY_STATEMENTS => BetweenPolls::Work(self.gap),
            Unit::Statements => BetweenPolls::Nothing,
            Unit::Time => {
                let picoseconds = self.gap as f64 * self.clock.picoseconds_per_tick();
                let nanoseconds = (picoseconds / 1e3) as u64;
                match picoseconds > BUSY {
                    true if processor < MAX_WORK_OF_SLEEPER.min(nanoseconds / 2) => {
                        BetweenPolls::Sleep(nanoseconds)
                    }
                    true => BetweenPolls::Work(nanoseconds),
                    false => BetweenPolls::Nothing,
                }
            }
        }
    }
}
