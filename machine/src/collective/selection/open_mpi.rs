//! Open MPI's choice: the fixed rules of component *tuned* ([`super::open_mpi_tables`]), those of *basic* for the
//! collectives that tuned leaves out (gatherv, scatterv, scans), and from 5.0 on two levels where ranks share nodes, as
//! component *han* does, which has the higher priority there.
//!
//! Some algorithms of tuned have no schedule of their own here; [`name_of`] says what stands for them.

use super::open_mpi_tables as tables;
use super::{Case, Library, Rule};
use crate::collective::Parameters;
use base_data::program_data::CollectiveKind;

/// coll_tuned_bcast_knomial_radix.
const KNOMIAL_RADIX: u32 = 4;

/// The rule of Open MPI for a case.
pub(super) fn rule(library: &Library, case: &Case<'_>) -> Rule {
    let has_levels = matches!(
        case.kind,
        CollectiveKind::Barrier
            | CollectiveKind::Broadcast
            | CollectiveKind::Reduce
            | CollectiveKind::Allreduce
    );
    if library.is_at_least(5, 0)
        && has_levels
        && !case.form.is_nonblocking
        && case.ranks_share_nodes()
        && !case.ranks_are_on_one_node()
    {
        return Rule::new("two-level", "han: ranks share nodes");
    }
    let has_counts = case.form.has_counts;
    let table = match case.kind {
        CollectiveKind::Gather | CollectiveKind::Scatter if has_counts => {
            return Rule::new("linear", "basic: each rank knows its own count alone");
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
pub(super) fn number_of(kind: CollectiveKind, name: &str) -> Option<u8> {
    let names = names(kind);
    let place = names.iter().position(|known| *known == name);
    let number = match place {
        Some(place) => place,
        None => name.parse().ok().filter(|&number| number < names.len())?,
    };
    u8::try_from(number).ok()
}

/// The names of MCA parameters in the order of their numbers; 0 leaves the choice to the rules.
pub(super) fn names(kind: CollectiveKind) -> &'static [&'static str] {
    match kind {
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

/// Our algorithm for a number of tuned. Not its own: barrier *tree* (recursive doubling stands for it), broadcast
/// *split_binary_tree* (binary), reduction *in-order_binary* (binary), gather *linear_sync* (in order), scatter
/// *linear_nb* (linear), allreduce *nonoverlapping* and *basic_linear* (recursive doubling), *segmented_ring* (ring),
/// all-to-all *linear_sync* (linear), reduce-scatter *non-overlapping* and *butterfly* (recursive halving).
/// A pair of ranks exchanges (*two_proc*).
pub(super) fn name_of(case: &Case<'_>, number: u8) -> &'static str {
    match (case.kind, number) {
        (CollectiveKind::Barrier, 1) => "linear",
        (CollectiveKind::Barrier, 2) => "double-ring",
        (CollectiveKind::Barrier, 3 | 5 | 6) => "recursive-doubling",
        (CollectiveKind::Barrier, _) => "dissemination",
        (CollectiveKind::Broadcast, 1) => "linear",
        (CollectiveKind::Broadcast, 2) => "chain",
        (CollectiveKind::Broadcast, 3) => "pipeline",
        (CollectiveKind::Broadcast, 4 | 5) => "binary",
        (CollectiveKind::Broadcast, 6) => "binomial-high",
        (CollectiveKind::Broadcast, 7) => "k-nomial",
        (CollectiveKind::Broadcast, 8) if case.ranks.is_power_of_two() => {
            "scatter-recursive-doubling"
        }
        (CollectiveKind::Broadcast, _) => "scatter-ring",
        (CollectiveKind::Reduce, 1) => "linear",
        (CollectiveKind::Reduce, 2) => "chain",
        (CollectiveKind::Reduce, 3) => "pipeline",
        (CollectiveKind::Reduce, 4 | 6) => "binary",
        (CollectiveKind::Reduce, 7) => "rabenseifner",
        (CollectiveKind::Reduce, _) => "binomial",
        (CollectiveKind::Allreduce, 4 | 5) => "ring",
        (CollectiveKind::Allreduce, 6) => "rabenseifner",
        (CollectiveKind::Allreduce, _) => "recursive-doubling",
        (CollectiveKind::Gather, 1) => "linear",
        (CollectiveKind::Gather, 3) => "in-order",
        (CollectiveKind::Gather, _) => "binomial",
        (CollectiveKind::Scatter, 1) => "in-order",
        (CollectiveKind::Scatter, 3) => "linear",
        (CollectiveKind::Scatter, _) => "binomial",
        (CollectiveKind::Allgather, _) => allgather_name(case, number),
        (CollectiveKind::Alltoall, 2) => "pairwise",
        (CollectiveKind::Alltoall, 3..=5) if case.form.has_counts => "linear",
        (CollectiveKind::Alltoall, 3) => "bruck",
        (CollectiveKind::Alltoall, 5) => "pairwise",
        (CollectiveKind::Alltoall, _) => "linear",
        (CollectiveKind::ReduceScatter, 3) => "ring",
        (CollectiveKind::ReduceScatter, _) => "recursive-halving",
        (CollectiveKind::Scan | CollectiveKind::ExclusiveScan, 2) => "recursive-doubling",
        (CollectiveKind::Scan | CollectiveKind::ExclusiveScan, _) => "linear",
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
        1 => "linear",
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
        assert_eq!(number_of(CollectiveKind::Broadcast, "knomial"), Some(7));
        assert_eq!(number_of(CollectiveKind::Broadcast, "7"), Some(7));
        assert_eq!(number_of(CollectiveKind::Broadcast, "99"), None);
    }
}
