//! Collective operations as messages. An *algorithm* makes a schedule: which messages each rank of a communicator sends
//! and receives, in order. One algorithm per file; [`COLLECTIVES`] lists them. Which one an MPI library chooses is in
//! [`selection`].
//!
//! A schedule knows nothing of times, sites or matching: it is expanded by the replay with the protocol of ordinary
//! messages.

mod allgather_bruck;
mod allgather_direct;
mod allgather_linear;
mod allgather_neighbor_exchange;
mod allgather_recursive_doubling;
mod allgather_ring;
mod allreduce_linear;
mod allreduce_rabenseifner;
mod allreduce_rabenseifner_windows;
mod allreduce_recursive_doubling;
mod allreduce_ring;
mod allreduce_segmented_ring;
mod alltoall_ascending;
mod alltoall_bruck;
mod alltoall_linear;
mod alltoall_linear_sync;
mod alltoall_pairwise;
mod alltoall_pairwise_xor;
mod alltoall_scattered;
mod barrier_dissemination;
mod barrier_double_ring;
mod barrier_linear;
mod barrier_recursive_doubling;
mod barrier_tree;
mod broadcast_binary;
mod broadcast_binomial;
mod broadcast_binomial_high;
mod broadcast_binomial_swapped;
mod broadcast_chain;
mod broadcast_chain_swapped;
mod broadcast_knomial;
mod broadcast_linear;
mod broadcast_pipeline;
mod broadcast_scatter;
mod broadcast_scatter_recursive_doubling;
mod broadcast_scatter_ring;
mod broadcast_split_binary;
mod fold;
mod gather_binomial;
mod gather_in_order;
mod gather_linear;
mod gather_linear_sync;
mod halving;
mod measured;
mod passing_on;
mod reduce_binary;
mod reduce_binomial;
mod reduce_binomial_swapped;
mod reduce_chain;
mod reduce_chain_swapped;
mod reduce_in_order_binary;
mod reduce_knomial;
mod reduce_linear;
mod reduce_pipeline;
mod reduce_rabenseifner;
mod reduce_rabenseifner_windows;
mod reduce_scatter_butterfly;
mod reduce_scatter_pairwise;
mod reduce_scatter_recursive_doubling;
mod reduce_scatter_recursive_halving;
mod reduce_scatter_ring;
mod scan_linear;
mod scan_recursive_doubling;
mod scatter_binomial;
mod scatter_in_order;
mod scatter_linear;
pub mod selection;
mod step;
mod swapped;
pub mod traffic;
mod tree;
mod two_level;
mod two_level_pipelined;
mod two_steps;
mod windows;

#[cfg(test)]
mod proof;

pub use measured::{Measurement, measured_time};
pub use step::{
    Arrival, Blocks, DataPart, Effect, Inner, Operation, Parameters, Received, Sent, Step, Within,
};

use base_data::program_data::CollectiveKind::{self, *};
use step::power_below;

/// A row of [`COLLECTIVES`].
pub struct CollectiveAlgorithm {
    /// The operation.
    pub kind: CollectiveKind,
    /// Name of the algorithm.
    pub name: &'static str,
    /// Where it can be used.
    pub limit: Limit,
    /// Steps of one rank.
    pub schedule: fn(&Operation<'_>) -> Vec<Step>,
}

/// For which cases an algorithm is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// For all.
    None,
    /// For a power of two of ranks.
    PowerOfTwo,
    /// For an even number of ranks.
    Even,
    /// For at least as many elements as the largest power of two of ranks.
    ElementPerRank,
}

impl Limit {
    /// Whether an algorithm can be used.
    pub fn allows(self, ranks: u32, elements: u64) -> bool {
        match self {
            Limit::None => true,
            Limit::PowerOfTwo => ranks.is_power_of_two(),
            // A single rank sends nothing, so every schedule fits.
            Limit::Even => ranks == 1 || ranks.is_multiple_of(2),
            Limit::ElementPerRank => elements >= u64::from(power_below(ranks)),
        }
    }
}

const fn row(
    kind: CollectiveKind,
    name: &'static str,
    limit: Limit,
    schedule: fn(&Operation<'_>) -> Vec<Step>,
) -> CollectiveAlgorithm {
    CollectiveAlgorithm {
        kind,
        name,
        limit,
        schedule,
    }
}

/// The algorithms.
#[rustfmt::skip]
pub static COLLECTIVES: &[CollectiveAlgorithm] = &[
    row(Barrier, "dissemination", Limit::None, barrier_dissemination::schedule),
    row(Barrier, "recursive-doubling", Limit::None, barrier_recursive_doubling::schedule),
    row(Barrier, "linear", Limit::None, barrier_linear::schedule),
    row(Barrier, "double-ring", Limit::None, barrier_double_ring::schedule),
    row(Barrier, "tree", Limit::None, barrier_tree::schedule),
    row(Barrier, "two-level", Limit::None, two_level::barrier),
    row(Barrier, "two-level-three-barriers", Limit::None, two_level::three_barriers),
    row(Broadcast, "binomial", Limit::None, broadcast_binomial::schedule),
    row(Broadcast, "binomial-high", Limit::None, broadcast_binomial_high::schedule),
    row(Broadcast, "scatter-ring", Limit::None, broadcast_scatter_ring::schedule),
    row(Broadcast, "scatter-recursive-doubling", Limit::PowerOfTwo, broadcast_scatter_recursive_doubling::schedule),
    row(Broadcast, "scatter-ring-elements", Limit::None, broadcast_scatter_ring::between_elements),
    row(Broadcast, "scatter-recursive-doubling-elements", Limit::None, broadcast_scatter_recursive_doubling::between_elements),
    row(Broadcast, "linear", Limit::None, broadcast_linear::schedule),
    row(Broadcast, "chain", Limit::None, broadcast_chain::schedule),
    row(Broadcast, "pipeline", Limit::None, broadcast_pipeline::schedule),
    row(Broadcast, "binary", Limit::None, broadcast_binary::schedule),
    row(Broadcast, "split-binary", Limit::None, broadcast_split_binary::schedule),
    row(Broadcast, "k-nomial", Limit::None, broadcast_knomial::schedule),
    row(Broadcast, "binomial-swapped", Limit::None, broadcast_binomial_swapped::schedule),
    row(Broadcast, "chain-swapped", Limit::None, broadcast_chain_swapped::schedule),
    row(Broadcast, "two-level", Limit::None, two_level::broadcast),
    row(Broadcast, "two-level-root-first", Limit::None, two_level::broadcast_root_first),
    row(Broadcast, "two-level-by-place", Limit::None, two_level::broadcast_by_place),
    row(Broadcast, "two-level-pipelined", Limit::None, two_level_pipelined::broadcast),
    row(Reduce, "binomial", Limit::None, reduce_binomial::schedule),
    row(Reduce, "rabenseifner", Limit::ElementPerRank, reduce_rabenseifner::schedule),
    row(Reduce, "rabenseifner-windows", Limit::ElementPerRank, reduce_rabenseifner_windows::schedule),
    row(Reduce, "linear", Limit::None, reduce_linear::schedule),
    row(Reduce, "chain", Limit::None, reduce_chain::schedule),
    row(Reduce, "pipeline", Limit::None, reduce_pipeline::schedule),
    row(Reduce, "binary", Limit::None, reduce_binary::schedule),
    row(Reduce, "in-order-binary", Limit::None, reduce_in_order_binary::schedule),
    row(Reduce, "k-nomial", Limit::None, reduce_knomial::schedule),
    row(Reduce, "binomial-swapped", Limit::None, reduce_binomial_swapped::schedule),
    row(Reduce, "chain-swapped", Limit::None, reduce_chain_swapped::schedule),
    row(Reduce, "two-level", Limit::None, two_level::reduce),
    row(Reduce, "two-level-root-last", Limit::None, two_level::reduce_root_last),
    row(Reduce, "two-level-by-place", Limit::None, two_level::reduce_by_place),
    row(Reduce, "two-level-pipelined", Limit::None, two_level_pipelined::reduce),
    row(Allreduce, "recursive-doubling", Limit::None, allreduce_recursive_doubling::schedule),
    row(Allreduce, "rabenseifner", Limit::ElementPerRank, allreduce_rabenseifner::schedule),
    row(Allreduce, "rabenseifner-windows", Limit::ElementPerRank, allreduce_rabenseifner_windows::schedule),
    row(Allreduce, "ring", Limit::None, allreduce_ring::schedule),
    row(Allreduce, "ring-next-first", Limit::None, allreduce_ring::next_first),
    row(Allreduce, "segmented-ring", Limit::None, allreduce_segmented_ring::schedule),
    row(Allreduce, "linear", Limit::None, allreduce_linear::schedule),
    row(Allreduce, "reduce-broadcast", Limit::None, two_steps::reduce_broadcast),
    row(Allreduce, "two-level", Limit::None, two_level::allreduce),
    row(Allreduce, "two-level-pipelined", Limit::None, two_level_pipelined::allreduce),
    row(Gather, "binomial", Limit::None, gather_binomial::schedule),
    row(Gather, "linear", Limit::None, gather_linear::schedule),
    row(Gather, "in-order", Limit::None, gather_in_order::schedule),
    row(Gather, "linear-sync", Limit::None, gather_linear_sync::schedule),
    row(Gather, "two-level", Limit::None, two_level::gather),
    row(Scatter, "binomial", Limit::None, scatter_binomial::schedule),
    row(Scatter, "linear", Limit::None, scatter_linear::schedule),
    row(Scatter, "in-order", Limit::None, scatter_in_order::schedule),
    row(Scatter, "two-level", Limit::None, two_level::scatter),
    row(Allgather, "ring", Limit::None, allgather_ring::schedule),
    row(Allgather, "recursive-doubling", Limit::PowerOfTwo, allgather_recursive_doubling::schedule),
    row(Allgather, "bruck", Limit::None, allgather_bruck::schedule),
    row(Allgather, "neighbor-exchange", Limit::Even, allgather_neighbor_exchange::schedule),
    row(Allgather, "linear", Limit::None, allgather_linear::schedule),
    row(Allgather, "gather-broadcast", Limit::None, two_steps::gather_broadcast),
    row(Allgather, "direct", Limit::None, allgather_direct::schedule),
    row(Allgather, "two-level", Limit::None, two_level::allgather),
    row(Alltoall, "pairwise", Limit::None, alltoall_pairwise::schedule),
    row(Alltoall, "pairwise-xor", Limit::None, alltoall_pairwise_xor::schedule),
    row(Alltoall, "scattered", Limit::None, alltoall_scattered::schedule),
    row(Alltoall, "bruck", Limit::None, alltoall_bruck::schedule),
    row(Alltoall, "linear", Limit::None, alltoall_linear::schedule),
    row(Alltoall, "ascending", Limit::None, alltoall_ascending::schedule),
    row(Alltoall, "linear-sync", Limit::None, alltoall_linear_sync::schedule),
    row(ReduceScatter, "recursive-halving", Limit::None, reduce_scatter_recursive_halving::schedule),
    row(ReduceScatter, "pairwise", Limit::None, reduce_scatter_pairwise::schedule),
    row(ReduceScatter, "ring", Limit::None, reduce_scatter_ring::schedule),
    row(ReduceScatter, "butterfly", Limit::None, reduce_scatter_butterfly::schedule),
    row(ReduceScatter, "butterfly-equal-blocks", Limit::None, reduce_scatter_butterfly::of_equal_blocks),
    row(ReduceScatter, "recursive-doubling", Limit::None, reduce_scatter_recursive_doubling::schedule),
    row(ReduceScatter, "reduce-scatter", Limit::None, two_steps::reduce_scatter),
    row(Scan, "recursive-doubling", Limit::None, scan_recursive_doubling::inclusive),
    row(Scan, "linear", Limit::None, scan_linear::inclusive),
    row(ExclusiveScan, "recursive-doubling", Limit::None, scan_recursive_doubling::exclusive),
    row(ExclusiveScan, "linear", Limit::None, scan_linear::exclusive),
];

/// The algorithm of this name.
pub fn algorithm(kind: CollectiveKind, name: &str) -> Option<&'static CollectiveAlgorithm> {
    COLLECTIVES
        .iter()
        .find(|algorithm| algorithm.kind == kind && algorithm.name == name)
}

/// The algorithms of a collective.
pub fn algorithms(kind: CollectiveKind) -> impl Iterator<Item = &'static CollectiveAlgorithm> {
    COLLECTIVES
        .iter()
        .filter(move |algorithm| algorithm.kind == kind)
}
