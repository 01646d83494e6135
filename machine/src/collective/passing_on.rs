//! Recursive doubling among any number of ranks, as Open MPI 4.1 does it: where the other group of ranks is cut off by the
//! end of the communicator, only the first ranks of a group have a partner, and pass on what they received to the others,
//! by recursive halving inside the group (ompi/mca/coll/base/coll_base_bcast.c and coll_base_reduce_scatter_block.c).

/// What a rank does with what arrived from the other group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Sends it to a rank.
    Send(u32),
    /// Receives it from a rank.
    Receive(u32),
}

/// What a rank does, in order, after the exchange between groups of `size` ranks. Nothing if all have a partner, or if
/// the other group would begin behind the last rank.
pub(super) fn roles(rank: u32, size: u32, ranks: u32) -> Vec<Role> {
    let other_group = (rank ^ size) & !(size - 1);
    let mut roles = Vec::new();
    if other_group >= ranks || other_group + size <= ranks {
        return roles;
    }
    let with_partner = ranks - other_group;
    let mut bit = size / 2;
    while bit > 0 {
        let other = rank ^ bit;
        // The first rank of these 2 `bit` ones that has not received anything yet.
        let lacking = (rank & !(2 * bit - 1)) + with_partner;
        if rank < lacking && other >= lacking {
            roles.push(Role::Send(other));
        } else if other < lacking && rank >= lacking {
            roles.push(Role::Receive(other));
        }
        bit /= 2;
    }
    roles
}
