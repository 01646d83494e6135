//! Collectives made of two others, each performed as the library chooses for it ([`Inner`]): Open MPI's `nonoverlapping`
//! allreduce is a reduction and a broadcast, its `non-overlapping` reduce-scatter a reduction and a scatter, its linear
//! allgather a gather and a broadcast. Rank 0 is the root of both.

use super::step::{Inner, Operation, Parameters, Step};
use base_data::program_data::CollectiveKind;

/// Allreduce: reduction, broadcast.
pub fn reduce_broadcast(operation: &Operation<'_>) -> Vec<Step> {
    let kinds = [CollectiveKind::Reduce, CollectiveKind::Broadcast];
    steps(operation, operation.bytes, kinds)
}

/// Reduce-scatter: reduction of all blocks as one operand, scatter.
pub fn reduce_scatter(operation: &Operation<'_>) -> Vec<Step> {
    let kinds = [CollectiveKind::Reduce, CollectiveKind::Scatter];
    steps(operation, all_blocks(operation), kinds)
}

/// Allgather: gather, broadcast of all blocks as one operand.
pub fn gather_broadcast(operation: &Operation<'_>) -> Vec<Step> {
    let kinds = [CollectiveKind::Gather, CollectiveKind::Broadcast];
    steps(operation, all_blocks(operation), kinds)
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
    let kinds = match (kind, algorithm) {
        (CollectiveKind::Allreduce, "reduce-broadcast") => {
            [CollectiveKind::Reduce, CollectiveKind::Broadcast]
        }
        (CollectiveKind::ReduceScatter, "reduce-scatter") => {
            [CollectiveKind::Reduce, CollectiveKind::Scatter]
        }
        (CollectiveKind::Allgather, "gather-broadcast") => {
            [CollectiveKind::Gather, CollectiveKind::Broadcast]
        }
        _ => return None,
    };
    Some(kinds)
}
