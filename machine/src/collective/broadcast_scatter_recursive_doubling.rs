//! Broadcast by a binomial scatter and an allgather by recursive doubling, for a power of two of ranks: partners are 1,
//! 2, 4, … apart, and each exchange doubles what they have.

use super::broadcast_scatter::{chunks, in_bytes, scatter};
use super::passing_on::{Role, roles};
use super::step::{Arrival, Operation, Step};

/// Steps of one rank for a power of two of ranks, as MPICH cuts the operand.
pub fn schedule(operation: &Operation<'_>) -> Vec<Step> {
    between_elements(&in_bytes(operation))
}

/// Steps of one rank for any number of ranks, as Open MPI 4.1's `scatter_allgather`
/// (ompi/mca/coll/base/coll_base_bcast.c) cuts the operand. Ranks of a group without a partner in the other get what
/// that sent from the ranks that have one.
pub fn between_elements(operation: &Operation<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    if operation.bytes == 0 {
        return steps;
    }
    scatter(operation, &mut steps);
    let (own, ranks) = (operation.relative(), operation.ranks);
    let mut bit = 1;
    while bit < ranks {
        let partner = own ^ bit;
        // Both have the chunks of the subtree that begins where the bits below are 0.
        let (own_group, other_group) = (own & !(bit - 1), partner & !(bit - 1));
        let arriving = chunks(
            operation,
            other_group,
            bit.min(ranks - other_group.min(ranks)),
        );
        if partner < ranks {
            let sent = chunks(operation, own_group, bit.min(ranks - own_group));
            let to = operation.absolute(partner);
            steps.push(Step::swap(to, sent, arriving, Arrival::STORE));
        }
        for role in roles(own, bit, ranks) {
            steps.push(match role {
                Role::Send(to) => Step::send(operation.absolute(to), arriving),
                Role::Receive(from) => Step::receive(operation.absolute(from), arriving),
            });
        }
        bit *= 2;
    }
    steps
}
