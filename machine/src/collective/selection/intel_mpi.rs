//! Settings of Intel MPI that force algorithms: `I_MPI_ADJUST_<NAME> = NUMBER`, as the reference manual of Intel MPI 5.1
//! numbers them (table 3.4-1). Of that table, allgather, allreduce, all-to-all and barrier were read, reduce and
//! reduce-scatter in a quotation; the numbers of broadcast, gather, scatter and scan were not checked against it. Later
//! versions count presets and have added some behind these. Intel MPI's own selection is not published.
//!
//! The topology-aware algorithms, Shumilin's and Plum's are not described there, so they have no schedule here.

use super::Forms;
use base_data::program_data::CollectiveKind;

/// What the names of the variables begin with.
pub(super) const PREFIX: &str = "I_MPI_ADJUST_";

/// A variable: a collective and its numbered algorithms.
pub(super) struct Variable {
    /// Its name behind [`PREFIX`].
    pub name: &'static str,
    pub kind: CollectiveKind,
    /// The forms that it is about.
    pub forms: Forms,
    /// Number, and our algorithm.
    pub algorithms: &'static [(u32, &'static str)],
}

const fn row(
    name: &'static str,
    kind: CollectiveKind,
    forms: Forms,
    algorithms: &'static [(u32, &'static str)],
) -> Variable {
    Variable {
        name,
        kind,
        forms,
        algorithms,
    }
}

#[rustfmt::skip]
pub(super) const VARIABLES: &[Variable] = &[
    row("ALLGATHER", CollectiveKind::Allgather, Forms::WITHOUT_COUNTS, &[(1, "recursive-doubling"), (2, "bruck"), (3, "ring")]),
    row("ALLGATHERV", CollectiveKind::Allgather, Forms::WITH_COUNTS, &[(2, "bruck"), (3, "ring")]),
    row("ALLREDUCE", CollectiveKind::Allreduce, Forms::BLOCKING, &[(1, "recursive-doubling"), (2, "rabenseifner"), (3, "reduce-broadcast"), (8, "ring")]),
    row("ALLTOALL", CollectiveKind::Alltoall, Forms::WITHOUT_COUNTS, &[(1, "bruck"), (2, "linear"), (3, "pairwise")]),
    row("ALLTOALLV", CollectiveKind::Alltoall, Forms::WITH_COUNTS, &[(1, "linear")]),
    row("BARRIER", CollectiveKind::Barrier, Forms::BLOCKING, &[(1, "dissemination"), (2, "recursive-doubling"), (5, "tree")]),
    row("BCAST", CollectiveKind::Broadcast, Forms::BLOCKING, &[(1, "binomial"), (2, "scatter-recursive-doubling"), (3, "scatter-ring"), (8, "k-nomial")]),
    row("GATHER", CollectiveKind::Gather, Forms::WITHOUT_COUNTS, &[(1, "binomial")]),
    row("REDUCE", CollectiveKind::Reduce, Forms::BLOCKING, &[(2, "binomial"), (5, "rabenseifner")]),
    row("REDUCE_SCATTER", CollectiveKind::ReduceScatter, Forms::BLOCKING, &[(1, "recursive-halving"), (2, "pairwise"), (3, "recursive-doubling"), (4, "reduce-scatter")]),
    row("SCAN", CollectiveKind::Scan, Forms::BLOCKING, &[(1, "recursive-doubling")]),
    row("SCATTER", CollectiveKind::Scatter, Forms::WITHOUT_COUNTS, &[(1, "binomial")]),
];
