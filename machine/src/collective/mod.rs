//! Schedules of collective operations: which messages each rank of a communicator sends and
//! receives, in order. One algorithm per file; [`COLLECTIVES`] lists them.
//!
//! A schedule knows nothing of times, sites or matching: it is expanded by the replay with the
//! protocol of ordinary messages.

pub mod allreduce_recursive_doubling;
pub mod barrier_dissemination;
pub mod broadcast_binomial;
pub mod reduce_binomial;

#[cfg(test)]
mod check;

use base_data::program_data::CollectiveKind;

/// One step of a rank, in ranks of the communicator. Every message has the length of the whole
/// operand of the collective (nothing for a barrier).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sends what it has.
    Send {
        /// To whom.
        to: u32,
    },
    /// Receives.
    Receive {
        /// From whom.
        from: u32,
    },
    /// Sends what it has and receives, at once, as `MPI_Sendrecv` does.
    Exchange {
        /// To whom.
        to: u32,
        /// From whom.
        from: u32,
    },
    /// Combines what was received last with what it has.
    Combine,
}

/// A row of [`COLLECTIVES`].
pub struct CollectiveAlgorithm {
    /// The operation.
    pub kind: CollectiveKind,
    /// Name of the algorithm.
    pub name: &'static str,
    /// Steps of one rank: its rank, the size of the communicator, the root (0 where there is none).
    pub schedule: fn(u32, u32, u32) -> Vec<Step>,
}

/// The algorithms.
pub static COLLECTIVES: &[CollectiveAlgorithm] = &[
    CollectiveAlgorithm {
        kind: CollectiveKind::Barrier,
        name: "dissemination",
        schedule: barrier_dissemination::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::Broadcast,
        name: "binomial-tree",
        schedule: broadcast_binomial::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::Reduce,
        name: "binomial-tree",
        schedule: reduce_binomial::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::Allreduce,
        name: "recursive-doubling",
        schedule: allreduce_recursive_doubling::schedule,
    },
];

/// What an algorithm may be chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveCase<'a> {
    /// The operation.
    pub kind: CollectiveKind,
    /// Size of the communicator.
    pub ranks: u32,
    /// Bytes of the operand.
    pub bytes: u64,
    /// MPI library of the platform; empty where it is not known.
    pub library: &'a str,
}

/// The algorithm for a case: the first row of [`COLLECTIVES`] for the operation, whatever size and
/// library, as long as there is one algorithm for each. `None` for operations without one.
pub fn select(case: &CollectiveCase<'_>) -> Option<&'static CollectiveAlgorithm> {
    COLLECTIVES.iter().find(|algorithm| algorithm.kind == case.kind)
}

/// The rank as counted from the root, and back: trees are written for root 0.
fn relative(rank: u32, root: u32, ranks: u32) -> u32 {
    (rank + ranks - root) % ranks
}

fn absolute(relative: u32, root: u32, ranks: u32) -> u32 {
    (relative + root) % ranks
}
