//! Cray MPICH's choice, as far as its man page intro_mpi(3) documents it: broadcasts by a tree in two levels whatever the
//! length (MPICH_BCAST_ONLY_TREE), allreduces up to a length and reductions in two levels. Names and defaults are those that
//! 8.1.17 prints with MPICH_ENV_DISPLAY=1. MPICH's rules stand for the rest, since 8.x is derived from MPICH 3.4.
//!
//! Not documented are the shape of the trees beyond their radix, and the algorithms behind MPICH_ALLTOALL_SHORT_MSG,
//! MPICH_ALLGATHER_VSHORT_MSG, MPICH_GATHERV_SHORT_MSG and MPICH_SHARED_MEM_COLL_OPT.

use super::{Case, Level, Library, Rule, Threshold, mpich};
use crate::collective::Parameters;
use base_data::program_data::CollectiveKind;

/// MPICH_BCAST_INTERNODE_RADIX and MPICH_BCAST_INTRANODE_RADIX.
const RADIX: u64 = 4;
/// MPICH_ALLREDUCE_MAX_SMP_SIZE, bytes.
const LONGEST_OF_TWO_LEVELS: u64 = 262_144;

/// The rule of Cray MPICH for a case.
pub(super) fn rule(library: &Library, case: &Case<'_>) -> Rule {
    let is_set = |threshold, default| library.threshold(threshold, default) != 0;
    let has_levels = case.ranks_share_nodes() && !case.form.is_nonblocking;
    match case.kind {
        CollectiveKind::Broadcast
            if !case.form.is_nonblocking && is_set(Threshold::BroadcastOnlyTree, 1) =>
        {
            if has_levels {
                return Rule::new("two-level", "intro_mpi: MPICH_BCAST_ONLY_TREE");
            }
            let threshold = match case.level {
                Level::Node => Threshold::BroadcastRadixInside,
                Level::Leaders | Level::All => Threshold::BroadcastRadixBetween,
            };
            Rule {
                parameters: Parameters {
                    radix: library.threshold(threshold, RADIX) as u32,
                    ..Parameters::default()
                },
                ..Rule::new("k-nomial", "intro_mpi: MPICH_BCAST_ONLY_TREE")
            }
        }
        CollectiveKind::Allreduce if has_levels && case.commutes => {
            let longest = library.threshold(Threshold::AllreduceTwoLevels, LONGEST_OF_TWO_LEVELS);
            if case.bytes <= longest && !is_set(Threshold::AllreduceOneLevel, 0) {
                Rule::new(
                    "two-level",
                    "intro_mpi: at most MPICH_ALLREDUCE_MAX_SMP_SIZE",
                )
            } else {
                mpich::of_one_level(library, case)
            }
        }
        CollectiveKind::Reduce if has_levels && case.commutes => {
            if is_set(Threshold::ReduceOneLevel, 0) {
                mpich::of_one_level(library, case)
            } else {
                Rule::new(
                    "two-level-root-last",
                    "intro_mpi: MPICH_REDUCE_NO_SMP is not set",
                )
            }
        }
        _ => mpich::rule(library, case),
    }
}

/// Its variables, and what they set.
pub(super) const VARIABLES: &[(&str, Threshold)] = &[
    ("MPICH_BCAST_ONLY_TREE", Threshold::BroadcastOnlyTree),
    (
        "MPICH_BCAST_INTERNODE_RADIX",
        Threshold::BroadcastRadixBetween,
    ),
    (
        "MPICH_BCAST_INTRANODE_RADIX",
        Threshold::BroadcastRadixInside,
    ),
    (
        "MPICH_ALLREDUCE_MAX_SMP_SIZE",
        Threshold::AllreduceTwoLevels,
    ),
    ("MPICH_ALLREDUCE_NO_SMP", Threshold::AllreduceOneLevel),
    ("MPICH_REDUCE_NO_SMP", Threshold::ReduceOneLevel),
    (
        "MPICH_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE",
        Threshold::ReduceScatterLong,
    ),
    ("MPICH_ALLTOALLV_THROTTLE", Threshold::AlltoallThrottle),
];

/// MPICH_ALLTOALLV_THROTTLE.
pub(super) const THROTTLE: u32 = 8;
