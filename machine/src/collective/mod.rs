//! Schedules of collective operations: which messages each rank of a communicator sends and
//! receives, in order. One algorithm per file; [`COLLECTIVES`] lists them.
//!
//! A schedule knows nothing of times, sites or matching: it is expanded by the replay with the
//! protocol of ordinary messages.

pub mod allgather_ring;
pub mod allreduce_recursive_doubling;
pub mod alltoall_pairwise;
pub mod barrier_dissemination;
pub mod broadcast_binomial;
pub mod gather_linear;
pub mod reduce_binomial;
pub mod reduce_scatter_pairwise;
pub mod scan_recursive_doubling;
pub mod scatter_linear;

#[cfg(test)]
mod check;

use base_data::program_data::CollectiveKind;

/// How much of the collective's operand a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// All of it (nothing for a barrier).
    Whole,
    /// The block that belongs to this rank; of an all-to-all, what the sender has for the receiver.
    Block(u32),
}

/// One step of a rank, in ranks of the communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sends what it has.
    Send {
        /// To whom.
        to: u32,
        /// How much.
        part: Part,
    },
    /// Receives.
    Receive {
        /// From whom.
        from: u32,
        /// How much.
        part: Part,
    },
    /// Sends what it has and receives, at once, as `MPI_Sendrecv` does.
    Exchange {
        /// To whom.
        to: u32,
        /// How much goes there.
        sent: Part,
        /// From whom.
        from: u32,
        /// How much comes from there.
        received: Part,
    },
    /// Combines what was received last with what it has.
    Combine(Part),
}

impl Step {
    /// Sends the whole operand.
    fn send(to: u32) -> Self {
        Self::Send {
            to,
            part: Part::Whole,
        }
    }

    /// Receives the whole operand.
    fn receive(from: u32) -> Self {
        Self::Receive {
            from,
            part: Part::Whole,
        }
    }

    /// Sends and receives the whole operand.
    fn exchange(to: u32, from: u32) -> Self {
        Self::Exchange {
            to,
            sent: Part::Whole,
            from,
            received: Part::Whole,
        }
    }
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
    CollectiveAlgorithm {
        kind: CollectiveKind::Gather,
        name: "linear",
        schedule: gather_linear::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::Scatter,
        name: "linear",
        schedule: scatter_linear::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::Allgather,
        name: "ring",
        schedule: allgather_ring::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::Alltoall,
        name: "pairwise",
        schedule: alltoall_pairwise::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::ReduceScatter,
        name: "pairwise",
        schedule: reduce_scatter_pairwise::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::Scan,
        name: "recursive-doubling",
        schedule: scan_recursive_doubling::schedule,
    },
    CollectiveAlgorithm {
        kind: CollectiveKind::ExclusiveScan,
        name: "recursive-doubling",
        schedule: scan_recursive_doubling::schedule,
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
    COLLECTIVES
        .iter()
        .find(|algorithm| algorithm.kind == case.kind)
}

/// The rank as counted from the root, and back: trees are written for root 0.
fn relative(rank: u32, root: u32, ranks: u32) -> u32 {
    (rank + ranks - root) % ranks
}

fn absolute(relative: u32, root: u32, ranks: u32) -> u32 {
    (relative + root) % ranks
}
