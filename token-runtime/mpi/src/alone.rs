//! A rank that runs alone: what is only recorded takes nobody; what could be left for it by others is taken
//! once it is there (`collectives::alone`); anything else takes others, and the ranks cannot run alone.

use crate::failure::{Failure, Outcome};
use crate::process::Process;
use token_runtime::alone::{Board, HAS_LEFT, Meeting, TOO_EARLY};
use token_runtime::ending::Ending;

/// What a rank that runs alone knows besides itself.
pub struct Lone {
    pub board: Board,
    /// Whether it is run again if it comes to a call too early.
    pub may_come_again: bool,
    /// The call that it is run for, to leave there what others wait for; `None` if it is run to its end.
    pub goal: Option<Meeting>,
}

/// The call takes other ranks.
pub fn not_alone() -> Failure {
    Failure::Fatal(Ending::NotAlone)
}

impl Process {
    /// Before anything that takes other ranks.
    pub fn meet_others(&self) -> Outcome {
        if self.is_alone() { Err(not_alone()) } else { Ok(()) }
    }
}

impl Lone {
    /// The rank has left what it gives in a call; if it was run for that, its process ends.
    pub fn has_left(&self, meeting: Meeting) {
        if self.goal == Some(meeting) {
            // SAFETY: ends the process at once; destructors and the program's own end are not to run.
            unsafe { libc::_exit(HAS_LEFT) }
        }
    }

    /// The end of a process that came to a call too early; it comes again when more is there.
    pub fn came_too_early(&self) -> Failure {
        if self.may_come_again {
            // SAFETY: ends the process at once; destructors and the program's own end are not to run.
            unsafe { libc::_exit(TOO_EARLY) }
        }
        not_alone()
    }
}
