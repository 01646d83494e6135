//! A rank that runs alone: what is only recorded takes nobody; what could be left for it by others is taken
//! once it is there (`collectives::alone`); anything else takes others, and the ranks cannot run alone.

use crate::failure::{Failure, Outcome};
use crate::process::Process;
use token_runtime::alone::{Board, TOO_EARLY};
use token_runtime::ending::Ending;

/// What a rank that runs alone knows besides itself.
pub struct Lone {
    pub board: Board,
    /// Whether it is run again if it comes to a call too early.
    pub may_come_again: bool,
}

/// The call takes other ranks.
pub fn not_alone() -> Failure {
    Failure::Fatal(Ending::NotAlone)
}

impl Process {
    /// Before anything that takes other ranks.
    pub fn meet_others(&self) -> Outcome {
        if self.lone.is_some() { Err(not_alone()) } else { Ok(()) }
    }
}

impl Lone {
    /// What is there, or the end of this process, which comes again when more is.
    pub fn once_there<T>(&self, found: Option<T>) -> Result<T, Failure> {
        match found {
            Some(found) => Ok(found),
            // SAFETY: ends the process at once; destructors and the program's own end are not to run.
            None if self.may_come_again => unsafe { libc::_exit(TOO_EARLY) },
            None => Err(not_alone()),
        }
    }
}
