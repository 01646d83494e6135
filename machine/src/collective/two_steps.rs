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
        let of_step = Operation {
            root: 0,
            bytes: operand,
            parameters: Parameters {
                radix: inner.map_or(2, |inner| inner.radix),
                ..Parameters::default()
            },
            ..*operation
        };
        let name = inner.map_or("linear", |inner: Inner| inner.algorithm);
        if let Some(algorithm) = super::algorithm(kind, name) {
            steps.extend((algorithm.schedule)(&of_step));
        }
    }
    steps
}
