//! Open MPI's choice for nonblocking collectives: component *libnbc*, ompi/mca/coll/libnbc/nbc_*.c of 5.0.8. The conditions are
//! the same in 4.1.4. Component han uses it between nodes, too.

use super::{Case, Library, Rule, Threshold};
use crate::collective::step::power_below;
use crate::collective::{Inner, Parameters};
use base_data::program_data::CollectiveKind;

/// Bytes from which on an operand is long.
const LONG: u64 = 65_536;
/// Bytes from which on broadcasts have long segments.
const VERY_LONG: u64 = 524_288;
/// Ranks up to which a broadcast goes directly.
const FEW_RANKS: u32 = 4;
/// Bytes of a segment of a broadcast, below and from [`VERY_LONG`] on, and where an override forces the chain.
const SEGMENTS: (u64, u64) = (8192, 32_768);
const FORCED_SEGMENT: u64 = 16_384;
/// Bytes of a segment of a reduction.
const REDUCE_SEGMENT: u64 = 8192;

/// The rule of libnbc for a case.
pub(super) fn rule(library: &Library, case: &Case<'_>) -> Rule {
    let is_long = case.bytes >= LONG;
    match case.kind {
        CollectiveKind::Barrier => Rule::new("dissemination", "libnbc: always"),
        CollectiveKind::Broadcast => broadcast(library, case),
        CollectiveKind::Reduce if can_be_halved(case) && case.ranks > 2 => {
            Rule::new("rabenseifner-windows", "libnbc: an element per rank")
        }
        CollectiveKind::Reduce if case.ranks > FEW_RANKS || !is_long || !case.commutes => {
            Rule::new(
                "binomial-swapped",
                "libnbc: less than 65,536 bytes or more than 4 ranks",
            )
        }
        CollectiveKind::Reduce => segmented(
            "chain-swapped",
            "libnbc: at least 65,536 bytes",
            REDUCE_SEGMENT,
        ),
        CollectiveKind::Allreduce if case.ranks < FEW_RANKS || !is_long || !case.commutes => {
            reduce_broadcast("libnbc: less than 65,536 bytes or 4 ranks")
        }
        CollectiveKind::Allreduce if can_be_halved(case) => {
            Rule::new("rabenseifner-windows", "libnbc: at least 65,536 bytes")
        }
        CollectiveKind::Allreduce => {
            Rule::new("ring-next-first", "libnbc: fewer elements than ranks")
        }
        CollectiveKind::Gather | CollectiveKind::Scatter => Rule::new("linear", "libnbc: always"),
        CollectiveKind::Allgather => Rule::new("direct", "libnbc: always"),
        CollectiveKind::Alltoall => Rule::new("ascending", "libnbc: always"),
        CollectiveKind::ReduceScatter => Rule {
            parameters: with_inner(["binomial-swapped", "linear"]),
            ..Rule::new("reduce-scatter", "libnbc: always")
        },
        CollectiveKind::Scan | CollectiveKind::ExclusiveScan => {
            Rule::new("linear", "libnbc: always")
        }
    }
}

/// Unless coll_libnbc_ibcast_skip_dt_decision is 0, the length does not matter: it may differ between ranks where their types
/// do.
fn broadcast(library: &Library, case: &Case<'_>) -> Rule {
    if case.ranks <= FEW_RANKS {
        Rule::new("linear", "libnbc: at most 4 ranks")
    } else if library.threshold(Threshold::LibnbcBroadcastSkips, 1) != 0 {
        Rule::new("binomial-swapped", "libnbc: more than 4 ranks")
    } else if case.bytes < LONG {
        Rule::new("binomial-swapped", "libnbc: less than 65,536 bytes")
    } else if case.bytes < VERY_LONG {
        segmented("chain-swapped", "libnbc: at least 65,536 bytes", SEGMENTS.0)
    } else {
        segmented(
            "chain-swapped",
            "libnbc: at least 524,288 bytes",
            SEGMENTS.1,
        )
    }
}

/// Whether the operand has an element for each of a power of two of ranks.
fn can_be_halved(case: &Case<'_>) -> bool {
    case.commutes && case.elements >= u64::from(power_below(case.ranks))
}

fn segmented(algorithm: &'static str, reason: &'static str, segment: u64) -> Rule {
    Rule {
        parameters: Parameters {
            segment,
            ..Parameters::default()
        },
        ..Rule::new(algorithm, reason)
    }
}

fn reduce_broadcast(reason: &'static str) -> Rule {
    Rule {
        parameters: with_inner(["binomial-swapped"; 2]),
        ..Rule::new("reduce-broadcast", reason)
    }
}

fn with_inner(algorithms: [&'static str; 2]) -> Parameters {
    let inner = algorithms.map(|algorithm| {
        Some(Inner {
            algorithm,
            segment: 0,
            radix: 2,
        })
    });
    Parameters {
        inner,
        ..Parameters::default()
    }
}

/// The collectives whose algorithm a parameter `coll_libnbc_<name>_algorithm` forces, and its values in the order of their
/// numbers (coll_libnbc_component.c of 5.0.8); 0 leaves the choice to [`rule`].
pub(super) const PARAMETERS: &[(&str, CollectiveKind, &[&str])] = &[
    (
        "ibcast",
        CollectiveKind::Broadcast,
        &["ignore", "linear", "binomial", "chain", "knomial"],
    ),
    (
        "ireduce",
        CollectiveKind::Reduce,
        &["ignore", "chain", "binomial", "rabenseifner"],
    ),
    (
        "iallreduce",
        CollectiveKind::Allreduce,
        &[
            "ignore",
            "ring",
            "binomial",
            "rabenseifner",
            "recursive_doubling",
        ],
    ),
    (
        "iallgather",
        CollectiveKind::Allgather,
        &["ignore", "linear", "recursive_doubling"],
    ),
    (
        "iscan",
        CollectiveKind::Scan,
        &["ignore", "linear", "recursive_doubling"],
    ),
    (
        "iexscan",
        CollectiveKind::ExclusiveScan,
        &["ignore", "linear", "recursive_doubling"],
    ),
];

/// What a forced number stands for. Where libnbc itself falls back to another algorithm, so does this.
pub(super) fn forced(case: &Case<'_>, number: u8, parameters: &Parameters) -> Rule {
    let reason = "";
    let with_radix = |name| Rule {
        parameters: *parameters,
        ..Rule::new(name, reason)
    };
    match (case.kind, number) {
        (CollectiveKind::Broadcast, 2) => Rule::new("binomial-swapped", reason),
        (CollectiveKind::Broadcast, 3) => segmented("chain-swapped", reason, FORCED_SEGMENT),
        (CollectiveKind::Broadcast, 4) => with_radix("k-nomial"),
        (CollectiveKind::Reduce, 2) => Rule::new("binomial-swapped", reason),
        (CollectiveKind::Reduce, 3) if can_be_halved(case) && case.ranks > 2 => {
            Rule::new("rabenseifner-windows", reason)
        }
        (CollectiveKind::Reduce, _) => segmented("chain-swapped", reason, REDUCE_SEGMENT),
        (CollectiveKind::Allreduce, 2) => reduce_broadcast(reason),
        (CollectiveKind::Allreduce, 3) if can_be_halved(case) => {
            Rule::new("rabenseifner-windows", reason)
        }
        (CollectiveKind::Allreduce, 4) => Rule::new("recursive-doubling", reason),
        (CollectiveKind::Allreduce, _) => Rule::new("ring-next-first", reason),
        (CollectiveKind::Allgather, 2) if case.ranks.is_power_of_two() => {
            Rule::new("recursive-doubling", reason)
        }
        (CollectiveKind::Allgather, _) => Rule::new("direct", reason),
        (CollectiveKind::Scan | CollectiveKind::ExclusiveScan, 2) => {
            Rule::new("recursive-doubling", reason)
        }
        (_, _) => Rule::new("linear", reason),
    }
}
