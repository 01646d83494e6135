//! Settings of Intel MPI that force algorithms: `I_MPI_ADJUST_<NAME> = NUMBER`, by table 3.4-1 of the reference manual of
//! Intel MPI 5.1. Later versions count presets and have added some behind these. Its own selection is not published.
//!
//! The topology-aware algorithms, Shumilin's and Plum's are not described there, so they have no schedule here.

use base_data::program_data::CollectiveKind;

/// What the names of the variables begin with.
pub(super) const PREFIX: &str = "I_MPI_ADJUST_";

/// A variable: a collective and its numbered algorithms.
pub(super) struct Variable {
    /// Its name behind [`PREFIX`].
    pub name: &'static str,
    pub kind: CollectiveKind,
    /// Whether it is about the form with a count per rank; `None` if there is one variable for all forms.
    pub has_counts: Option<bool>,
    /// Number, and our algorithm.
    pub algorithms: &'static [(u32, &'static str)],
}

const fn row(
    name: &'static str,
    kind: CollectiveKind,
    has_counts: Option<bool>,
    algorithms: &'static [(u32, &'static str)],
) -> Variable {
    Variable {
        name,
        kind,
        has_counts,
        algorithms,
    }
}

#[rustfmt::skip]
pub(super) const VARIABLES: &[Variable] = &[
    row("ALLGATHER", CollectiveKind::Allgather, Some(false), &[(1, "recursive-doubling"), (2, "bruck"), (3, "ring")]),
    row("ALLGATHERV", CollectiveKind::Allgather, Some(true), &[(2, "bruck"), (3, "ring")]),
    row("ALLREDUCE", CollectiveKind::Allreduce, None, &[(1, "recursive-doubling"), (2, "rabenseifner"), (3, "reduce-broadcast"), (8, "ring")]),
    row("ALLTOALL", CollectiveKind::Alltoall, Some(false), &[(1, "bruck"), (2, "linear"), (3, "pairwise")]),
    row("ALLTOALLV", CollectiveKind::Alltoall, Some(true), &[(1, "linear")]),
    row("BARRIER", CollectiveKind::Barrier, None, &[(1, "dissemination"), (2, "recursive-doubling"), (5, "tree")]),
    row("BCAST", CollectiveKind::Broadcast, None, &[(1, "binomial"), (2, "scatter-recursive-doubling"), (3, "scatter-ring"), (8, "k-nomial")]),
    row("GATHER", CollectiveKind::Gather, Some(false), &[(1, "binomial")]),
    row("REDUCE", CollectiveKind::Reduce, None, &[(2, "binomial"), (5, "rabenseifner")]),
    row("REDUCE_SCATTER", CollectiveKind::ReduceScatter, None, &[(1, "recursive-halving"), (2, "pairwise"), (3, "recursive-doubling"), (4, "reduce-scatter")]),
    row("SCAN", CollectiveKind::Scan, None, &[(1, "recursive-doubling")]),
    row("SCATTER", CollectiveKind::Scatter, Some(false), &[(1, "binomial")]),
];
