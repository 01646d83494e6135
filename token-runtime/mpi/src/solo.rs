//! Solo execution of a rank: recorded calls need no other rank; a call that other ranks contribute to by files
//! completes once the files exist (`collectives::solo`); any other call needs the other ranks, and ends solo execution.

use crate::failure::{Failure, Outcome};
use crate::process::Process;
use token_runtime::solo::{CollectiveCall, ExchangeFolder, GOAL_REACHED, RETRY_LATER};
use token_runtime::termination::Termination;

/// What a rank that runs alone knows besides itself.
pub struct SoloRank {
    pub exchange_folder: ExchangeFolder,
    /// Whether it is run again if it comes to a call too early.
    pub may_retry: bool,
    /// The call that it is run for, to leave there what others wait for; `None` if it is run to its end.
    pub goal: Option<CollectiveCall>,
}

/// The call takes other ranks.
pub fn needs_other_ranks() -> Failure {
    Failure::Fatal(Termination::NeedsOtherRanks)
}

impl Process {
    /// Before anything that takes other ranks.
    pub fn require_other_ranks(&self) -> Outcome {
        if self.is_solo() {
            Err(needs_other_ranks())
        } else {
            Ok(())
        }
    }
}

impl SoloRank {
    /// The rank has left what it gives in a call; if it was run for that, its process ends.
    pub fn finish_goal(&self, collective_call: CollectiveCall) {
        if self.goal == Some(collective_call) {
            // SAFETY: `_exit` has no precondition. It skips destructors and exit handlers: this process is no complete run of a rank.
            unsafe { libc::_exit(GOAL_REACHED) }
        }
    }

    /// The end of a process that came to a call too early; it comes again when more is there.
    pub fn retry_later(&self) -> Failure {
        if self.may_retry {
            // SAFETY: `_exit` has no precondition. It skips destructors and exit handlers: this process is no complete run of a rank.
            unsafe { libc::_exit(RETRY_LATER) }
        }
        needs_other_ranks()
    }
}
