//! The forms of completion loops, in the order in which they are tried.

use crate::ir::StatementId;
use crate::nondeterminism::completion_loops::{self, CompletionLoop};
use crate::nondeterminism::mpi_outputs::Readers;
use crate::nondeterminism::waitsome_loops;

/// The completion loop around a call, if there is one: no other statement in it communicates, control leaves it only at
/// its end or at the end of the run, and it handles each request once.
pub(crate) fn completion_loop(readers: &Readers, wait: StatementId) -> Option<CompletionLoop> {
    match completion_loops::waitany_loop(readers, wait) {
        Some(found) => Some(found),
        None => waitsome_loops::completion_loop(readers, wait),
    }
}
