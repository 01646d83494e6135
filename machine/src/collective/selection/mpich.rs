//! MPICH's choice.
//!
//! From 3.4 on a table that is compiled in decides (maint/tuning/coll/mpir/generic.json), equal in 3.4.3, 4.0.2, 4.1.2,
//! 4.2.3 and 4.3.2 but for the barrier, whose k-ary dissemination with k = 2 sends the same messages. The variables
//! `MPIR_CVAR_*_SHORT_MSG_SIZE` still exist there, without effect. With the device ch4, the default, a table of its own
//! (maint/tuning/coll/ch4/generic.json) puts two levels above it where ranks share nodes ([`of_two_levels`]).
//!
//! Before 3.4 the same algorithms are chosen in code (src/mpi/coll/*/*.c of 3.3) by the thresholds of those variables.

use super::{Case, Form, Library, Rule, Threshold, cray_mpich};
use crate::collective::Parameters;
use crate::collective::step::power_below;
use base_data::program_data::CollectiveKind;

/// MPIR_CVAR_ALLTOALL_THROTTLE: messages of an all-to-all that are under way at once.
const THROTTLE: u32 = 32;
/// MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE, bytes.
const PIPELINE: u64 = 32_768;
/// Ranks from which on long broadcasts are scattered and short all-to-alls combined.
const MANY_RANKS: u32 = 8;

/// The rule of MPICH for a case.
pub(super) fn rule(library: &Library, case: &Case<'_>) -> Rule {
    if case.ranks_share_nodes()
        && let Some(rule) = of_two_levels(library, case)
    {
        return rule;
    }
    of_one_level(library, case)
}

/// The rule where no two ranks share a node, or the library does not care.
pub(super) fn of_one_level(library: &Library, case: &Case<'_>) -> Rule {
    match case.kind {
        CollectiveKind::Barrier => Rule::new("dissemination", "always"),
        CollectiveKind::Broadcast => broadcast(library, case),
        CollectiveKind::Reduce => reduce(library, case),
        CollectiveKind::Allreduce => allreduce(library, case),
        CollectiveKind::Gather | CollectiveKind::Scatter if case.form.has_counts => {
            Rule::new("linear", "each rank knows its own count alone")
        }
        CollectiveKind::Gather | CollectiveKind::Scatter => Rule::new("binomial", "always"),
        CollectiveKind::Allgather => allgather(library, case),
        CollectiveKind::Alltoall => alltoall(library, case),
        CollectiveKind::ReduceScatter => reduce_scatter(library, case),
        CollectiveKind::Scan | CollectiveKind::ExclusiveScan => {
            Rule::new("recursive-doubling", "always")
        }
    }
}

/// The rule for ranks that share nodes, if it has two levels. Scans, which also have two where the ranks of each node are
/// consecutive, are taken as one level.
///
/// From 3.4 on with ch4: the compositions alpha, beta and gamma of maint/tuning/coll/ch4/generic.json (4.0.2; later versions
/// differ in allgather and all-to-all, whose beta sends the same messages). With ch3: maint/tuning/coll/mpir/generic.json,
/// whose `smp` algorithms are for no bytes but in a barrier. Before 3.4: MPIR_CVAR_ENABLE_SMP_* in src/mpi/coll/*/*.c of 3.3.2.
/// Nonblocking ones: `MPIR_Ibcast_intra_sched_smp` and `MPIR_Ireduce_intra_sched_smp`.
///
/// Inside a node ch4 copies through shared memory from the sixth call on, if it has one thread (posix_generic.json). That is no
/// exchange of messages; the algorithm of the first five calls stands for it.
fn of_two_levels(library: &Library, case: &Case<'_>) -> Option<Rule> {
    let reason = "ranks share nodes";
    if library.is_intel {
        return None;
    }
    if case.form.is_nonblocking {
        return match case.kind {
            CollectiveKind::Broadcast => Some(Rule::new("two-level", reason)),
            CollectiveKind::Reduce if case.commutes => {
                Some(Rule::new("two-level-root-last", reason))
            }
            _ => None,
        };
    }
    if case.kind == CollectiveKind::Barrier {
        return Some(Rule::new("two-level", reason));
    }
    let is_table = library.is_at_least(3, 4);
    if is_table && library.is_ch3 {
        return None;
    }
    match case.kind {
        CollectiveKind::Broadcast => broadcast_of_two_levels(library, case),
        CollectiveKind::Allreduce if is_table && case.ranks_are_on_one_node() => None,
        CollectiveKind::Allreduce if case.commutes => Some(Rule::new("two-level", reason)),
        CollectiveKind::Reduce if case.commutes && is_table && case.bytes > 2048 => Some(
            Rule::new("two-level", "ranks share nodes, more than 2,048 bytes"),
        ),
        CollectiveKind::Reduce if case.commutes => Some(Rule::new("two-level-root-last", reason)),
        _ => None,
    }
}

fn broadcast_of_two_levels(library: &Library, case: &Case<'_>) -> Option<Rule> {
    let is_table = library.is_at_least(3, 4);
    let threshold = |threshold, default| match is_table {
        true => default,
        false => library.threshold(threshold, default),
    };
    let short = threshold(Threshold::BroadcastShort, 12_288);
    let long = threshold(Threshold::BroadcastLong, 524_288);
    let many = threshold(Threshold::BroadcastRanks, MANY_RANKS.into());
    if u64::from(case.ranks) < many || case.bytes < short {
        Some(Rule::new(
            "two-level",
            "ranks share nodes, fewer than 8 ranks or less than 12,288 bytes",
        ))
    } else if case.ranks.is_power_of_two() && case.bytes < long {
        Some(Rule::new(
            "two-level-root-first",
            "ranks share nodes, 12,288 to 524,287 bytes, a power of two of ranks",
        ))
    } else {
        None
    }
}

fn broadcast(library: &Library, case: &Case<'_>) -> Rule {
    let short = library.threshold(Threshold::BroadcastShort, 12_288);
    let long = library.threshold(Threshold::BroadcastLong, 524_288);
    let many = library.threshold(Threshold::BroadcastRanks, MANY_RANKS.into());
    // The blocking table compares with <=, that of MPI_Ibcast with <, as do versions before 3.4.
    let with_equal = library.is_at_least(3, 4) && !case.form.is_nonblocking;
    let is_below = |limit: u64| case.bytes < limit || (with_equal && case.bytes == limit);
    if u64::from(case.ranks) < many {
        Rule::new("binomial", "fewer than 8 ranks")
    } else if is_below(short) {
        Rule::new("binomial", "at most 12,288 bytes")
    } else if case.ranks.is_power_of_two() && is_below(long) {
        Rule::new(
            "scatter-recursive-doubling",
            "more than 12,288 and at most 524,288 bytes, a power of two of ranks",
        )
    } else {
        Rule::new(
            "scatter-ring",
            "more than 524,288 bytes, or more than 12,288 and no power of two of ranks",
        )
    }
}

/// Whether an operand can be cut for the ranks, by its operation and number of elements.
fn can_be_cut(case: &Case<'_>) -> bool {
    // A user-defined operation may take a derived datatype, which cannot be cut.
    case.built_in && case.elements >= u64::from(power_below(case.ranks))
}

fn reduce(library: &Library, case: &Case<'_>) -> Rule {
    let short = library.threshold(Threshold::ReduceShort, 2048);
    if case.bytes <= short {
        Rule::new("binomial", "at most 2,048 bytes")
    } else if !can_be_cut(case) {
        Rule::new("binomial", UNCUT)
    } else {
        Rule::new("rabenseifner", "more than 2,048 bytes, an element per rank")
    }
}

const UNCUT: &str =
    "fewer elements than the largest power of two of ranks, or an operation of the program's own";

fn allreduce(library: &Library, case: &Case<'_>) -> Rule {
    // The table of MPI_Iallreduce has the threshold that versions before 3.4 use for both.
    let default = if library.is_at_least(3, 4) && !case.form.is_nonblocking {
        8
    } else {
        2048
    };
    let short = library.threshold(Threshold::AllreduceShort, default);
    if case.bytes <= short {
        Rule::new(
            "recursive-doubling",
            "short operand (8 bytes from 3.4 on, 2,048 before and nonblocking)",
        )
    } else if !can_be_cut(case) {
        Rule::new("recursive-doubling", UNCUT)
    } else {
        Rule::new("rabenseifner", "long operand, an element per rank")
    }
}

fn allgather(library: &Library, case: &Case<'_>) -> Rule {
    let short = library.threshold(Threshold::AllgatherShort, 81_920);
    let long = library.threshold(Threshold::AllgatherLong, 524_288);
    if case.ranks.is_power_of_two() && case.total < long {
        Rule::new(
            "recursive-doubling",
            "less than 524,288 bytes in all, a power of two of ranks",
        )
    } else if !case.ranks.is_power_of_two() && case.total < short {
        Rule::new(
            "bruck",
            "less than 81,920 bytes in all, no power of two of ranks",
        )
    } else {
        let segment = if case.form.has_counts && !case.form.is_nonblocking {
            library.threshold(Threshold::AllgathervPipeline, PIPELINE)
        } else {
            0
        };
        Rule {
            parameters: Parameters {
                segment,
                ..Parameters::default()
            },
            ..Rule::new("ring", "long data")
        }
    }
}

fn alltoall(library: &Library, case: &Case<'_>) -> Rule {
    let default = match library.is_cray && case.form.has_counts {
        true => cray_mpich::THROTTLE,
        false => THROTTLE,
    };
    let throttle = library.threshold(Threshold::AlltoallThrottle, default.into());
    let scattered = |reason| Rule {
        parameters: Parameters {
            outstanding: throttle as u32,
            ..Parameters::default()
        },
        ..Rule::new("scattered", reason)
    };
    if case.form.has_counts {
        return scattered("a count for each pair of ranks");
    }
    // ialltoall: Bruck up to 2,048 bytes in the table.
    let default = if case.form.is_nonblocking { 2048 } else { 256 };
    let short = library.threshold(Threshold::AlltoallShort, default);
    let medium = library.threshold(Threshold::AlltoallMedium, 32_768);
    // The table says comm_size<8. Of conditions that are tested at the call, as this one is, csel.c tests it as <= 8;
    // those that a communicator settles when it is made, as of a broadcast, as written. Recorded with 4.0.2: 8 ranks
    // send all blocks at once, 12 use Bruck.
    let many = if library.is_at_least(3, 4) {
        MANY_RANKS + 1
    } else {
        MANY_RANKS
    };
    if case.ranks >= many && case.bytes <= short {
        Rule::new(
            "bruck",
            "short blocks (256 bytes, nonblocking 2,048), more than 8 ranks",
        )
    } else if case.bytes <= medium {
        scattered("blocks of at most 32,768 bytes")
    } else {
        Rule::new("pairwise-xor", "blocks of more than 32,768 bytes")
    }
}

fn reduce_scatter(library: &Library, case: &Case<'_>) -> Rule {
    if !case.commutes {
        // MPICH's `noncommutative` is the butterfly whose blocks are sorted in advance.
        return if !case.form.has_counts && case.ranks.is_power_of_two() {
            Rule::new(
                "butterfly-equal-blocks",
                "operands in order, equal blocks, a power of two of ranks",
            )
        } else {
            Rule::new("recursive-doubling", "operands in order")
        };
    }
    let long = library.threshold(Threshold::ReduceScatterLong, 524_288);
    let total = if library.is_at_least(3, 4) && case.form.is_nonblocking && case.form.is_block {
        // csel.c leaves out the size of an element there, from 3.4.3 to 5.0.1.
        case.elements * u64::from(case.ranks)
    } else {
        case.total
    };
    if total < long {
        Rule::new("recursive-halving", "less than 524,288 bytes in all")
    } else {
        Rule::new("pairwise", "at least 524,288 bytes in all")
    }
}

/// The form of a collective that a name of MPICH's variables is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub kind: CollectiveKind,
    pub form: Form,
    /// Our name by MPICH's.
    pub algorithms: &'static [(&'static str, &'static str)],
}

const BLOCKING: Form = Form {
    has_counts: false,
    is_nonblocking: false,
    is_block: false,
};
const WITH_COUNTS: Form = Form {
    has_counts: true,
    ..BLOCKING
};

/// Collectives by the part of `MPIR_CVAR_<NAME>_INTRA_ALGORITHM`; src/mpi/coll/cvars.txt of 4.0.2.
pub(super) const NAMED: &[(&str, Named)] = &[
    (
        "BARRIER",
        named(
            CollectiveKind::Barrier,
            BLOCKING,
            &[
                ("dissemination", "dissemination"),
                ("k_dissemination", "dissemination"),
                ("recexch", "recursive-doubling"),
                ("smp", "two-level"),
            ],
        ),
    ),
    (
        "BCAST",
        named(
            CollectiveKind::Broadcast,
            BLOCKING,
            &[
                ("binomial", "binomial"),
                (
                    "scatter_recursive_doubling_allgather",
                    "scatter-recursive-doubling",
                ),
                ("scatter_ring_allgather", "scatter-ring"),
                ("smp", "two-level"),
            ],
        ),
    ),
    (
        "REDUCE",
        named(
            CollectiveKind::Reduce,
            BLOCKING,
            &[
                ("binomial", "binomial"),
                ("reduce_scatter_gather", "rabenseifner"),
                ("smp", "two-level"),
            ],
        ),
    ),
    (
        "ALLREDUCE",
        named(
            CollectiveKind::Allreduce,
            BLOCKING,
            &[
                ("recursive_doubling", "recursive-doubling"),
                ("reduce_scatter_allgather", "rabenseifner"),
                ("smp", "two-level"),
            ],
        ),
    ),
    (
        "GATHER",
        named(
            CollectiveKind::Gather,
            BLOCKING,
            &[("binomial", "binomial")],
        ),
    ),
    (
        "GATHERV",
        named(CollectiveKind::Gather, WITH_COUNTS, &[("linear", "linear")]),
    ),
    (
        "SCATTER",
        named(
            CollectiveKind::Scatter,
            BLOCKING,
            &[("binomial", "binomial")],
        ),
    ),
    (
        "SCATTERV",
        named(
            CollectiveKind::Scatter,
            WITH_COUNTS,
            &[("linear", "linear")],
        ),
    ),
    (
        "ALLGATHER",
        named(
            CollectiveKind::Allgather,
            BLOCKING,
            &[
                ("brucks", "bruck"),
                ("recursive_doubling", "recursive-doubling"),
                ("ring", "ring"),
            ],
        ),
    ),
    (
        "ALLGATHERV",
        named(
            CollectiveKind::Allgather,
            WITH_COUNTS,
            &[
                ("brucks", "bruck"),
                ("recursive_doubling", "recursive-doubling"),
                ("ring", "ring"),
            ],
        ),
    ),
    (
        "ALLTOALL",
        named(
            CollectiveKind::Alltoall,
            BLOCKING,
            &[
                ("brucks", "bruck"),
                ("pairwise", "pairwise-xor"),
                ("scattered", "scattered"),
            ],
        ),
    ),
    (
        "ALLTOALLV",
        named(
            CollectiveKind::Alltoall,
            WITH_COUNTS,
            &[("scattered", "scattered")],
        ),
    ),
    (
        "REDUCE_SCATTER",
        named(
            CollectiveKind::ReduceScatter,
            BLOCKING,
            &[
                ("recursive_halving", "recursive-halving"),
                ("pairwise", "pairwise"),
                ("recursive_doubling", "recursive-doubling"),
                ("noncommutative", "butterfly-equal-blocks"),
            ],
        ),
    ),
    (
        "REDUCE_SCATTER_BLOCK",
        named(
            CollectiveKind::ReduceScatter,
            Form {
                is_block: true,
                ..BLOCKING
            },
            &[
                ("recursive_halving", "recursive-halving"),
                ("pairwise", "pairwise"),
                ("recursive_doubling", "recursive-doubling"),
                ("noncommutative", "butterfly-equal-blocks"),
            ],
        ),
    ),
    (
        "SCAN",
        named(
            CollectiveKind::Scan,
            BLOCKING,
            &[("recursive_doubling", "recursive-doubling")],
        ),
    ),
    (
        "EXSCAN",
        named(
            CollectiveKind::ExclusiveScan,
            BLOCKING,
            &[("recursive_doubling", "recursive-doubling")],
        ),
    ),
];

const fn named(
    kind: CollectiveKind,
    form: Form,
    algorithms: &'static [(&'static str, &'static str)],
) -> Named {
    Named {
        kind,
        form,
        algorithms,
    }
}

/// Thresholds by the names of MPICH's variables, and whether versions from 3.4 on ignore them.
pub(super) const THRESHOLDS: &[(&str, Threshold, bool)] = &[
    (
        "MPIR_CVAR_BCAST_SHORT_MSG_SIZE",
        Threshold::BroadcastShort,
        true,
    ),
    (
        "MPIR_CVAR_BCAST_LONG_MSG_SIZE",
        Threshold::BroadcastLong,
        true,
    ),
    ("MPIR_CVAR_BCAST_MIN_PROCS", Threshold::BroadcastRanks, true),
    (
        "MPIR_CVAR_REDUCE_SHORT_MSG_SIZE",
        Threshold::ReduceShort,
        true,
    ),
    (
        "MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE",
        Threshold::AllreduceShort,
        true,
    ),
    (
        "MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE",
        Threshold::AllgatherShort,
        true,
    ),
    (
        "MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE",
        Threshold::AllgatherLong,
        true,
    ),
    (
        "MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE",
        Threshold::AlltoallShort,
        true,
    ),
    (
        "MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE",
        Threshold::AlltoallMedium,
        true,
    ),
    (
        "MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE",
        Threshold::ReduceScatterLong,
        true,
    ),
    (
        "MPIR_CVAR_ALLTOALL_THROTTLE",
        Threshold::AlltoallThrottle,
        false,
    ),
    (
        "MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE",
        Threshold::AllgathervPipeline,
        false,
    ),
];
