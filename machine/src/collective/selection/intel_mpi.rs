//! Intel MPI's choice and settings, as far as its manuals document them.
//!
//! The thresholds that the reference manual of 5.1.3 gives for broadcasts (I_MPI_BCAST_MSG = 12288,524288 and
//! I_MPI_BCAST_NUM_PROCS = 8, with the algorithms binomial, recursive doubling and ring) are those of MPICH before 3.4, from
//! which it is derived; so the rules of MPICH 3.3 on one level stand for it ([`OF_MPICH`]). The tuning files of later versions
//! are not documented.
//!
//! `I_MPI_ADJUST_<NAME> = NUMBER[:CONDITIONS][;…]` forces algorithms, numbered as in the developer references of 2019 and 2021.8.
//! From 2021.13 on the numbers are presets, of which there are more than algorithms. A condition is a length or a range of
//! lengths, with `@` and a number of ranks or a range of them behind it. Not described there, and so without a schedule here,
//! are the topology-aware and NUMA-aware algorithms, Shumilin's and Plum's.

use super::{Forms, Range};
use base_data::program_data::CollectiveKind;

/// Version of MPICH whose rules stand for Intel MPI's.
pub(super) const OF_MPICH: (u32, u32) = (3, 3);
/// I_MPI_ADJUST_BCAST_KN_RADIX and I_MPI_ADJUST_REDUCE_KN_RADIX.
pub(super) const RADIX: u32 = 4;

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
    row("ALLGATHERV", CollectiveKind::Allgather, Forms::WITH_COUNTS, &[(1, "recursive-doubling"), (2, "bruck"), (3, "ring")]),
    row("ALLREDUCE", CollectiveKind::Allreduce, Forms::BLOCKING, &[(1, "recursive-doubling"), (2, "rabenseifner"), (3, "reduce-broadcast"), (8, "ring")]),
    row("ALLTOALL", CollectiveKind::Alltoall, Forms::WITHOUT_COUNTS, &[(1, "bruck"), (2, "linear"), (3, "pairwise")]),
    row("ALLTOALLV", CollectiveKind::Alltoall, Forms::WITH_COUNTS, &[(1, "linear")]),
    row("BARRIER", CollectiveKind::Barrier, Forms::BLOCKING, &[(1, "dissemination"), (2, "recursive-doubling"), (5, "tree")]),
    row("BCAST", CollectiveKind::Broadcast, Forms::BLOCKING, &[(1, "binomial"), (2, "scatter-recursive-doubling"), (3, "scatter-ring"), (8, "k-nomial")]),
    row("GATHER", CollectiveKind::Gather, Forms::WITHOUT_COUNTS, &[(1, "binomial")]),
    row("GATHERV", CollectiveKind::Gather, Forms::WITH_COUNTS, &[(1, "linear")]),
    row("REDUCE", CollectiveKind::Reduce, Forms::BLOCKING, &[(2, "binomial"), (5, "rabenseifner"), (7, "k-nomial")]),
    row("REDUCE_SCATTER", CollectiveKind::ReduceScatter, Forms::BLOCKING, &[(1, "recursive-halving"), (2, "pairwise"), (3, "recursive-doubling"), (4, "reduce-scatter")]),
    row("SCAN", CollectiveKind::Scan, Forms::BLOCKING, &[(1, "recursive-doubling")]),
    row("SCATTER", CollectiveKind::Scatter, Forms::WITHOUT_COUNTS, &[(1, "binomial")]),
    row("SCATTERV", CollectiveKind::Scatter, Forms::WITH_COUNTS, &[(1, "linear")]),
];

/// The numbers of a value, each with the bytes and ranks that it is for.
pub(super) fn parsed(value: &str) -> Option<Vec<(u32, Vec<Range>)>> {
    let mut parts = Vec::new();
    for part in value.split(';') {
        let (number, conditions) = part.split_once(':').unwrap_or((part, ""));
        let mut ranges = Vec::new();
        for condition in conditions.split(',').filter(|text| !text.is_empty()) {
            let (bytes, ranks) = condition.split_once('@').unwrap_or((condition, ""));
            let ranks = match ranks {
                "" => (0, u32::MAX),
                some => ends(some)?,
            };
            ranges.push(Range {
                bytes: ends(bytes)?,
                ranks,
            });
        }
        parts.push((number.trim().parse().ok()?, ranges));
    }
    Some(parts)
}

/// The ends of a number or range: `8`, `8-16`.
fn ends<N: std::str::FromStr + Copy>(text: &str) -> Option<(N, N)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}
