//! Collectives made of two others, each performed as the library chooses for it ([`Inner`]): Open MPI's `nonoverlapping`
//! allreduce is a reduction and a broadcast, its `non-overlapping` reduce-scatter a reduction and a scatter, its linear
//! allgather a gather and a broadcast. Rank 0 is the root of both.

use super::step::{Inner, Operation, Parameters, Step};
use base_data::program_data::CollectiveKind;

const REDUCE_BROADCAST: [CollectiveKind; 2] = [CollectiveKind::Reduce, CollectiveKind::Broadcast];
const REDUCE_SCATTER: [CollectiveKind; 2] = [CollectiveKind::Reduce, CollectiveKind::Scatter];
const GATHER_BROADCAST: [CollectiveKind; 2] = [CollectiveKind::Gather, CollectiveKind::Broadcast];

/// Allreduce: reduction, broadcast.
pub fn reduce_broadcast(operation: &Operation<'_>) -> Vec<Step> {
    steps(operation, operation.bytes, REDUCE_BROADCAST)
}

/// Reduce-scatter: reduction of all blocks as one operand, scatter.
pub fn reduce_scatter(operation: &Operation<'_>) -> Vec<Step> {
    steps(operation, all_blocks(operation), REDUCE_SCATTER)
}

/// Allgather: gather, broadcast of all blocks as one operand.
pub fn gather_broadcast(operation: &Operation<'_>) -> Vec<Step> {
    steps(operation, all_blocks(operation), GATHER_BROADCAST)
}

fn all_blocks(operation: &Operation<'_>) -> u64 {
    operation.received.sum(0, operation.ranks, operation.ranks)
}

/// The steps of both, one behind the other; `operand` are the bytes of the one that has an operand.
fn steps(operation: &Operation<'_>, operand: u64, kinds: [CollectiveKind; 2]) -> Vec<Step> {
    let mut steps = Vec::new();
    for (kind, inner) in kinds.into_iter().zip(operation.parameters.inner) {
        // Without a choice, as in the data-flow proof, all messages go directly.
        let inner = inner.unwrap_or(Inner {
            algorithm: "linear",
            segment: 0,
            radix: 2,
        });
        let of_step = Operation {
            root: 0,
            bytes: operand,
            parameters: Parameters {
                segment: inner.segment,
                radix: inner.radix,
                ..Parameters::default()
            },
            ..*operation
        };
        if let Some(algorithm) = super::algorithm(kind, inner.algorithm) {
            steps.extend((algorithm.schedule)(&of_step));
        }
    }
    steps
}

/// The collectives that an algorithm is made of, if it is one of these.
pub(super) fn kinds(kind: CollectiveKind, algorithm: &str) -> Option<[CollectiveKind; 2]> {
    match (kind, algorithm) {
        (CollectiveKind::Allreduce, "reduce-broadcast") => Some(REDUCE_BROADCAST),
        (CollectiveKind::ReduceScatter, "reduce-scatter") => Some(REDUCE_SCATTER),
        (CollectiveKind::Allgather, "gather-broadcast") => Some(GATHER_BROADCAST),
        _ => None,
    }
}
