//! Open MPI's choice: the fixed rules of component *tuned* ([`super::open_mpi_tables`]), those of *basic* for the
//! collectives that tuned leaves out (gatherv, scatterv, scans), those of *libnbc* for nonblocking ones
//! ([`super::open_mpi_nonblocking`]), and from 5.0 on those of *han* where ranks share nodes, which has the higher priority.
//!
//! [`name_of`] says which of our algorithms performs each of tuned's, and where tuned itself falls back to another.

use super::open_mpi_tables as tables;
use super::{Case, Forms, Library, Rule, Threshold, open_mpi_nonblocking};
use crate::collective::{Limit, Parameters};
use base_data::program_data::CollectiveKind;

/// coll_tuned_bcast_knomial_radix.
const KNOMIAL_RADIX: u32 = 4;
/// coll_tuned_init_chain_fanout.
const CHAINS: u32 = 4;

/// coll_tuned_priority, above which that of han must be.
const PRIORITY_OF_TUNED: u64 = 30;
/// coll_han_priority of 5.x; it was 0 in 4.1, below tuned's.
const PRIORITY_OF_HAN: u64 = 35;
/// coll_han_bcast_segsize, coll_han_reduce_segsize and coll_han_allreduce_segsize.
const SEGMENT_OF_HAN: u64 = 65_536;

/// The rule of Open MPI for a case.
pub(super) fn rule(library: &Library, case: &Case<'_>) -> Rule {
    if case.form.is_nonblocking {
        return open_mpi_nonblocking::rule(library, case);
    }
    if let Some(rule) = han(library, case) {
        return rule;
    }
    tuned(case)
}

/// The rule of component han (ompi/mca/coll/han of 5.0.8), if it performs the collective itself: where ranks share nodes but not
/// all one, the nodes have equally many ranks, and operands may be combined in any order. It passes all else on.
fn han(library: &Library, case: &Case<'_>) -> Option<Rule> {
    let has_priority =
        library.threshold(Threshold::HanPriority, PRIORITY_OF_HAN) > PRIORITY_OF_TUNED;
    let is_used = library.is_at_least(5, 0)
        && !library.is_without_han
        && has_priority
        && !case.form.has_counts
        && case.ranks_share_nodes()
        && !case.ranks_are_on_one_node();
    if !is_used {
        return None;
    }
    let is_equal = case.nodes_are_equal();
    // The first arm that fits counts. Forced numbers stand before the default, which takes any number.
    let (algorithm, segment) = match (case.kind, library.han_algorithm(case.kind)) {
        (CollectiveKind::Barrier, _) => ("two-level-three-barriers", None),
        (CollectiveKind::Broadcast, 2) if is_equal => ("two-level-by-place", None),
        (CollectiveKind::Broadcast, _) if is_equal => {
            ("two-level-pipelined", Some(Threshold::HanBroadcastSegment))
        }
        (CollectiveKind::Reduce | CollectiveKind::Allreduce, REPRODUCIBLE) => return None,
        (CollectiveKind::Reduce, 2) if is_equal && case.commutes => ("two-level-by-place", None),
        (CollectiveKind::Reduce, _) if is_equal && case.commutes => {
            ("two-level-pipelined", Some(Threshold::HanReduceSegment))
        }
        (CollectiveKind::Allreduce, 2) if case.commutes => ("two-level", None),
        (CollectiveKind::Allreduce, _) if case.commutes => {
            ("two-level-pipelined", Some(Threshold::HanAllreduceSegment))
        }
        (CollectiveKind::Gather | CollectiveKind::Scatter | CollectiveKind::Allgather, _)
            if is_equal =>
        {
            ("two-level", None)
        }
        (_, _) => return None,
    };
    let of = |threshold| library.threshold(threshold, SEGMENT_OF_HAN);
    Some(Rule {
        parameters: Parameters {
            segment: segment.map_or(0, of),
            ..Parameters::default()
        },
        ..Rule::new(algorithm, "han: ranks share nodes")
    })
}

/// Number of han's algorithm that leaves reductions to tuned.
const REPRODUCIBLE: u8 = 3;

/// The names of `coll_han_use_<name>_algorithm` in the order of their numbers (coll_han_algorithms.c of 5.0.8). For gather,
/// scatter and allgather all send the same messages.
pub(super) const HAN: &[(&str, CollectiveKind, &[&str])] = &[
    ("barrier", CollectiveKind::Barrier, &["default", "simple"]),
    (
        "bcast",
        CollectiveKind::Broadcast,
        &["default", "intra", "simple"],
    ),
    (
        "reduce",
        CollectiveKind::Reduce,
        &["default", "intra", "simple", "reproducible"],
    ),
    (
        "allreduce",
        CollectiveKind::Allreduce,
        &["default", "intra", "simple", "reproducible"],
    ),
    (
        "gather",
        CollectiveKind::Gather,
        &["default", "intra", "simple"],
    ),
    (
        "scatter",
        CollectiveKind::Scatter,
        &["default", "intra", "simple"],
    ),
    (
        "allgather",
        CollectiveKind::Allgather,
        &["default", "intra", "simple"],
    ),
];

/// The fixed rules of component tuned.
fn tuned(case: &Case<'_>) -> Rule {
    let has_counts = case.form.has_counts;
    let table = match case.kind {
        CollectiveKind::Gather | CollectiveKind::Scatter if has_counts => {
            return Rule::new("in-order", "basic: each rank knows its own count alone");
        }
        CollectiveKind::Scan | CollectiveKind::ExclusiveScan => {
            return Rule::new("linear", "basic: always");
        }
        CollectiveKind::Barrier => tables::BARRIER,
        CollectiveKind::Broadcast => tables::BCAST,
        CollectiveKind::Reduce if !case.commutes => tables::REDUCE_ORDERED,
        CollectiveKind::Reduce => tables::REDUCE,
        CollectiveKind::Allreduce if !case.commutes => tables::ALLREDUCE_ORDERED,
        CollectiveKind::Allreduce => tables::ALLREDUCE,
        CollectiveKind::Gather => tables::GATHER,
        CollectiveKind::Scatter => tables::SCATTER,
        CollectiveKind::Allgather if has_counts => tables::ALLGATHERV,
        CollectiveKind::Allgather => tables::ALLGATHER,
        CollectiveKind::Alltoall if has_counts => tables::ALLTOALLV,
        CollectiveKind::Alltoall => tables::ALLTOALL,
        CollectiveKind::ReduceScatter if !case.commutes => tables::REDUCE_SCATTER_ORDERED,
        CollectiveKind::ReduceScatter if case.form.is_block => tables::REDUCE_SCATTER_BLOCK,
        CollectiveKind::ReduceScatter => tables::REDUCE_SCATTER,
    };
    // Blocks of MPI_Reduce_scatter may differ, so tuned looks up their sum.
    let bytes = if case.kind == CollectiveKind::ReduceScatter && !case.form.is_block {
        case.total
    } else {
        case.bytes
    };
    let number = look_up(table, case.ranks, bytes);
    let name = name_of(case, number);
    Rule {
        parameters: parameters_of(case.kind, number),
        ..Rule::new(name, "fixed rules of component tuned, by ranks and bytes")
    }
}

fn look_up(table: tables::Table, ranks: u32, bytes: u64) -> u8 {
    // The largest value of a type stands for no bound, so it includes itself.
    for (fewer_ranks, row) in table {
        if ranks < *fewer_ranks || *fewer_ranks == u32::MAX {
            for (fewer_bytes, number) in *row {
                if bytes < *fewer_bytes || *fewer_bytes == u64::MAX {
                    return *number;
                }
            }
        }
    }
    1
}

/// The number of an algorithm's name in MCA parameters; ompi/mca/coll/tuned/coll_tuned_*_decision.c of 4.1.4.
pub(super) fn number_of(kind: CollectiveKind, forms: Forms, name: &str) -> Option<u8> {
    let names = names(kind, forms);
    let place = names.iter().position(|known| *known == name);
    let number = match place {
        Some(place) => place,
        None => name.parse().ok().filter(|&number| number < names.len())?,
    };
    u8::try_from(number).ok()
}

/// The names of MCA parameters in the order of their numbers; 0 leaves the choice to the rules. Some forms of a
/// collective have parameters of their own.
pub(super) fn names(kind: CollectiveKind, forms: Forms) -> &'static [&'static str] {
    match kind {
        CollectiveKind::Allgather if forms == Forms::WITH_COUNTS => {
            &["ignore", "default", "bruck", "ring", "neighbor", "two_proc"]
        }
        CollectiveKind::Alltoall if forms == Forms::WITH_COUNTS => {
            &["ignore", "basic_linear", "pairwise"]
        }
        CollectiveKind::ReduceScatter if forms == Forms::OF_BLOCKS => &[
            "ignore",
            "basic_linear",
            "recursive_doubling",
            "recursive_halving",
            "butterfly",
        ],
        CollectiveKind::Barrier => &[
            "ignore",
            "linear",
            "double_ring",
            "recursive_doubling",
            "bruck",
            "two_proc",
            "tree",
        ],
        CollectiveKind::Broadcast => &[
            "ignore",
            "basic_linear",
            "chain",
            "pipeline",
            "split_binary_tree",
            "binary_tree",
            "binomial",
            "knomial",
            "scatter_allgather",
            "scatter_allgather_ring",
        ],
        CollectiveKind::Reduce => &[
            "ignore",
            "linear",
            "chain",
            "pipeline",
            "binary",
            "binomial",
            "in-order_binary",
            "rabenseifner",
        ],
        CollectiveKind::Allreduce => &[
            "ignore",
            "basic_linear",
            "nonoverlapping",
            "recursive_doubling",
            "ring",
            "segmented_ring",
            "rabenseifner",
        ],
        CollectiveKind::Gather => &["ignore", "basic_linear", "binomial", "linear_sync"],
        CollectiveKind::Scatter => &["ignore", "basic_linear", "binomial", "linear_nb"],
        CollectiveKind::Allgather => &[
            "ignore",
            "linear",
            "bruck",
            "recursive_doubling",
            "ring",
            "neighbor",
            "two_proc",
        ],
        CollectiveKind::Alltoall => &[
            "ignore",
            "linear",
            "pairwise",
            "modified_bruck",
            "linear_sync",
            "two_proc",
        ],
        CollectiveKind::ReduceScatter => &[
            "ignore",
            "non-overlapping",
            "recursive_halving",
            "ring",
            "butterfly",
        ],
        CollectiveKind::Scan | CollectiveKind::ExclusiveScan => {
            &["ignore", "linear", "recursive_doubling"]
        }
    }
}

/// Our algorithm for a number of tuned, by ompi/mca/coll/base/coll_base_*.c of 4.1.4. Where those switch to a simpler
/// algorithm for few elements, so does this. A pair of ranks exchanges (*two_proc*).
pub(super) fn name_of(case: &Case<'_>, number: u8) -> &'static str {
    let has_element_per_rank = case.elements >= u64::from(case.ranks);
    let suits_halving = case.commutes && Limit::ElementPerRank.allows(case.ranks, case.elements);
    match (case.kind, number) {
        (CollectiveKind::Barrier, 1) => "linear",
        (CollectiveKind::Barrier, 2) => "double-ring",
        (CollectiveKind::Barrier, 3 | 5) => "recursive-doubling",
        (CollectiveKind::Barrier, 6) => "tree",
        (CollectiveKind::Barrier, _) => "dissemination",
        (CollectiveKind::Broadcast, 1) => "linear",
        (CollectiveKind::Broadcast, 2) => "chain",
        (CollectiveKind::Broadcast, 3) => "pipeline",
        (CollectiveKind::Broadcast, 4) => "split-binary",
        (CollectiveKind::Broadcast, 5) => "binary",
        (CollectiveKind::Broadcast, 6) => "binomial-high",
        (CollectiveKind::Broadcast, 7) => "k-nomial",
        (CollectiveKind::Broadcast, _) if !has_element_per_rank => "linear",
        (CollectiveKind::Broadcast, 8) => "scatter-recursive-doubling-elements",
        (CollectiveKind::Broadcast, _) => "scatter-ring-elements",
        (CollectiveKind::Reduce, 1) => "linear",
        (CollectiveKind::Reduce, 2) => "chain",
        (CollectiveKind::Reduce, 3) => "pipeline",
        (CollectiveKind::Reduce, 4) => "binary",
        (CollectiveKind::Reduce, 6) => "in-order-binary",
        (CollectiveKind::Reduce, 7) if suits_halving => "rabenseifner-windows",
        (CollectiveKind::Reduce, 7) => "linear",
        (CollectiveKind::Reduce, _) => "binomial",
        (CollectiveKind::Allreduce, 1) => "linear",
        (CollectiveKind::Allreduce, 2) => "reduce-broadcast",
        (CollectiveKind::Allreduce, 4 | 5) if !has_element_per_rank => "recursive-doubling",
        (CollectiveKind::Allreduce, 4) => "ring",
        (CollectiveKind::Allreduce, 5) => "segmented-ring",
        (CollectiveKind::Allreduce, 6) if suits_halving => "rabenseifner-windows",
        (CollectiveKind::Allreduce, 6) => "linear",
        (CollectiveKind::Allreduce, _) => "recursive-doubling",
        (CollectiveKind::Gather, 1) => "in-order",
        (CollectiveKind::Gather, 3) => "linear-sync",
        (CollectiveKind::Gather, _) => "binomial",
        (CollectiveKind::Scatter, 1) => "in-order",
        (CollectiveKind::Scatter, 3) => "linear",
        (CollectiveKind::Scatter, _) => "binomial",
        (CollectiveKind::Allgather, _) => allgather_name(case, number),
        (CollectiveKind::Alltoall, 2 | 5) => "pairwise",
        (CollectiveKind::Alltoall, 3) => "bruck",
        (CollectiveKind::Alltoall, 4) => "linear-sync",
        (CollectiveKind::Alltoall, _) => "linear",
        (CollectiveKind::ReduceScatter, _) => reduce_scatter_name(case, number),
        (CollectiveKind::Scan | CollectiveKind::ExclusiveScan, 2) => "recursive-doubling",
        (CollectiveKind::Scan | CollectiveKind::ExclusiveScan, _) => "linear",
    }
}

/// `MPI_Reduce_scatter_block` numbers its algorithms otherwise than `MPI_Reduce_scatter`.
fn reduce_scatter_name(case: &Case<'_>, number: u8) -> &'static str {
    match (case.form.is_block, number) {
        (true, 2) => "recursive-doubling",
        (true, 3) if case.commutes => "recursive-halving",
        (true, 4) => "butterfly-equal-blocks",
        (false, 2) => "recursive-halving",
        (false, 3) => "ring",
        (false, 4) => "butterfly",
        (_, _) => "reduce-scatter",
    }
}

/// Numbers of allgather; of allgatherv 1 is linear, 2 Bruck, 3 ring, 4 neighbour exchange, 5 for a pair. Recursive
/// doubling and neighbour exchange fall back to Bruck and ring where the number of ranks does not allow them.
fn allgather_name(case: &Case<'_>, number: u8) -> &'static str {
    let number = match (case.form.has_counts, number) {
        (true, 3) => 4,
        (true, 4) => 5,
        (true, 5) => 6,
        (_, number) => number,
    };
    match number {
        1 => "gather-broadcast",
        2 => "bruck",
        3 if case.ranks.is_power_of_two() => "recursive-doubling",
        3 => "bruck",
        5 if case.ranks.is_multiple_of(2) => "neighbor-exchange",
        _ => "ring",
    }
}

/// Numbers that the rules pass to an algorithm: segments and fan-outs are left at 0 by them, which means none and one
/// chain.
pub(super) fn parameters_of(kind: CollectiveKind, number: u8) -> Parameters {
    let mut parameters = Parameters::default();
    match (kind, number) {
        (CollectiveKind::Broadcast, 7) => parameters.radix = KNOMIAL_RADIX,
        (CollectiveKind::Broadcast | CollectiveKind::Reduce, 2) => parameters.radix = 1,
        _ => {}
    }
    parameters
}

/// Numbers of an algorithm that a parameter forces: then as many chains as `coll_tuned_init_chain_fanout` says.
pub(super) fn forced_parameters_of(kind: CollectiveKind, number: u8) -> Parameters {
    let mut parameters = parameters_of(kind, number);
    if is_chain(kind, number) {
        parameters.radix = CHAINS;
    }
    parameters
}

/// Whether an algorithm is one of chains.
pub(super) fn is_chain(kind: CollectiveKind, number: u8) -> bool {
    matches!(kind, CollectiveKind::Broadcast | CollectiveKind::Reduce) && number == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_row_by_row() {
        assert_eq!(look_up(tables::ALLREDUCE, 2, 4), 4);
        assert_eq!(look_up(tables::ALLREDUCE, 8, 8191), 3);
        assert_eq!(look_up(tables::ALLREDUCE, 8, 8192), 6);
        assert_eq!(look_up(tables::BARRIER, 100_000, 0), 4);
    }

    #[test]
    fn names_and_numbers_are_understood() {
        let number = |name| number_of(CollectiveKind::Broadcast, Forms::BLOCKING, name);
        assert_eq!(number("knomial"), Some(7));
        assert_eq!(number("7"), Some(7));
        assert_eq!(number("99"), None);
    }
}
