//! The fixed decision rules of Open MPI's component *tuned* as numbers: ompi/mca/coll/tuned/coll_tuned_decision_fixed.c,
//! equal in 4.1.0, 4.1.4, 4.1.6, 5.0.0 and 5.0.8. Each row is for communicators of fewer ranks than its first number; in
//! it, each pair is for fewer bytes than its first number and names the algorithm as the component numbers it.

/// Rows by number of ranks, pairs by number of bytes.
pub(super) type Table = &'static [(u32, &'static [(u64, u8)])];

/// All numbers of ranks.
const ALL: u32 = u32::MAX;
/// All numbers of bytes.
const MORE: u64 = u64::MAX;

/// For the collective `allreduce_ordered`; `_ordered`: operations that do not commute.
pub(super) const ALLREDUCE_ORDERED: Table = &[
    (4, &[(131072, 3), (MORE, 1)]),
    (8, &[(MORE, 3)]),
    (16, &[(1048576, 3), (MORE, 2)]),
    (128, &[(MORE, 3)]),
    (256, &[(131072, 2), (524288, 3), (MORE, 2)]),
    (512, &[(4096, 2), (524288, 3), (MORE, 2)]),
    (ALL, &[(2048, 2), (MORE, 3)]),
];
/// For the collective `allreduce`; `_ordered`: operations that do not commute.
pub(super) const ALLREDUCE: Table = &[
    (
        4,
        &[
            (8, 4),
            (4096, 3),
            (8192, 4),
            (16384, 3),
            (65536, 4),
            (262144, 5),
            (MORE, 6),
        ],
    ),
    (8, &[(16, 4), (8192, 3), (MORE, 6)]),
    (16, &[(8192, 3), (MORE, 6)]),
    (32, &[(64, 5), (4096, 3), (MORE, 6)]),
    (64, &[(128, 5), (MORE, 6)]),
    (128, &[(262144, 3), (MORE, 6)]),
    (256, &[(131072, 2), (262144, 3), (MORE, 6)]),
    (512, &[(4096, 2), (MORE, 6)]),
    (2048, &[(2048, 2), (16384, 3), (MORE, 6)]),
    (4096, &[(2048, 2), (4096, 5), (16384, 3), (MORE, 6)]),
    (ALL, &[(2048, 2), (16384, 5), (32768, 3), (MORE, 6)]),
];
/// For the collective `alltoall`; `_ordered`: operations that do not commute.
pub(super) const ALLTOALL: Table = &[
    (
        3,
        &[
            (2, 2),
            (4, 5),
            (16, 2),
            (64, 5),
            (256, 2),
            (4096, 5),
            (32768, 2),
            (262144, 4),
            (1048576, 5),
            (MORE, 2),
        ],
    ),
    (
        8,
        &[
            (8192, 4),
            (16384, 1),
            (65536, 4),
            (524288, 1),
            (1048576, 2),
            (MORE, 1),
        ],
    ),
    (16, &[(262144, 4), (MORE, 1)]),
    (
        32,
        &[
            (4, 4),
            (512, 3),
            (8192, 4),
            (32768, 1),
            (262144, 4),
            (524288, 1),
            (MORE, 4),
        ],
    ),
    (64, &[(512, 3), (524288, 1), (MORE, 4)]),
    (
        128,
        &[(1024, 3), (2048, 1), (4096, 4), (262144, 1), (MORE, 2)],
    ),
    (256, &[(1024, 3), (2048, 4), (262144, 1), (MORE, 2)]),
    (512, &[(1024, 3), (8192, 4), (32768, 1), (MORE, 2)]),
    (
        1024,
        &[
            (512, 3),
            (8192, 4),
            (16384, 1),
            (131072, 4),
            (262144, 1),
            (MORE, 2),
        ],
    ),
    (
        2048,
        &[
            (512, 3),
            (1024, 4),
            (2048, 1),
            (16384, 4),
            (262144, 1),
            (MORE, 4),
        ],
    ),
    (
        4096,
        &[(1024, 3), (4096, 4), (8192, 1), (131072, 4), (MORE, 1)],
    ),
    (
        ALL,
        &[
            (2048, 3),
            (8192, 4),
            (16384, 1),
            (32768, 4),
            (65536, 1),
            (MORE, 4),
        ],
    ),
];
/// For the collective `alltoallv`; `_ordered`: operations that do not commute.
pub(super) const ALLTOALLV: Table = &[
    (4, &[(MORE, 2)]),
    (64, &[(MORE, 1)]),
    (128, &[(MORE, 2)]),
    (256, &[(MORE, 1)]),
    (1024, &[(MORE, 2)]),
    (ALL, &[(MORE, 1)]),
];
/// For the collective `barrier`; `_ordered`: operations that do not commute.
pub(super) const BARRIER: Table = &[
    (4, &[(MORE, 3)]),
    (8, &[(MORE, 1)]),
    (64, &[(MORE, 3)]),
    (256, &[(MORE, 4)]),
    (512, &[(MORE, 6)]),
    (1024, &[(MORE, 4)]),
    (4096, &[(MORE, 6)]),
    (ALL, &[(MORE, 4)]),
];
/// For the collective `bcast`; `_ordered`: operations that do not commute.
pub(super) const BCAST: Table = &[
    (
        4,
        &[
            (32, 3),
            (256, 5),
            (512, 3),
            (1024, 7),
            (32768, 1),
            (131072, 5),
            (262144, 2),
            (524288, 1),
            (1048576, 6),
            (MORE, 5),
        ],
    ),
    (
        8,
        &[
            (64, 5),
            (128, 6),
            (2048, 5),
            (8192, 6),
            (1048576, 1),
            (MORE, 2),
        ],
    ),
    (
        16,
        &[
            (8, 7),
            (64, 5),
            (4096, 7),
            (16384, 5),
            (32768, 6),
            (MORE, 1),
        ],
    ),
    (32, &[(4096, 7), (1048576, 6), (MORE, 8)]),
    (64, &[(2048, 6), (MORE, 7)]),
    (128, &[(MORE, 7)]),
    (
        256,
        &[(2, 6), (16384, 5), (32768, 1), (65536, 5), (MORE, 7)],
    ),
    (1024, &[(16384, 7), (32768, 4), (MORE, 7)]),
    (2048, &[(524288, 7), (MORE, 8)]),
    (4096, &[(262144, 7), (MORE, 8)]),
    (ALL, &[(8192, 7), (16384, 5), (262144, 7), (MORE, 8)]),
];
/// For the collective `reduce_ordered`; `_ordered`: operations that do not commute.
pub(super) const REDUCE_ORDERED: Table = &[
    (4, &[(8, 6), (MORE, 1)]),
    (8, &[(MORE, 1)]),
    (
        16,
        &[(1024, 6), (8192, 1), (16384, 6), (262144, 1), (MORE, 6)],
    ),
    (128, &[(MORE, 6)]),
    (256, &[(512, 6), (1024, 1), (MORE, 6)]),
    (ALL, &[(MORE, 6)]),
];
/// For the collective `reduce`; `_ordered`: operations that do not commute.
pub(super) const REDUCE: Table = &[
    (
        4,
        &[
            (8, 7),
            (16, 4),
            (32, 3),
            (262144, 1),
            (524288, 3),
            (1048576, 2),
            (MORE, 3),
        ],
    ),
    (
        8,
        &[
            (4096, 4),
            (65536, 2),
            (262144, 5),
            (524288, 1),
            (1048576, 5),
            (MORE, 1),
        ],
    ),
    (16, &[(8192, 4), (MORE, 5)]),
    (32, &[(4096, 4), (MORE, 5)]),
    (256, &[(MORE, 5)]),
    (512, &[(8192, 5), (16384, 6), (MORE, 5)]),
    (2048, &[(MORE, 5)]),
    (
        4096,
        &[(512, 5), (1024, 6), (8192, 5), (16384, 6), (MORE, 5)],
    ),
    (
        ALL,
        &[
            (16, 5),
            (32, 6),
            (1024, 5),
            (2048, 6),
            (8192, 5),
            (16384, 6),
            (MORE, 5),
        ],
    ),
];
/// For the collectives `reduce_scatter_ordered` and `reduce_scatter_block_ordered`; `_ordered`: operations that do not commute.
pub(super) const REDUCE_SCATTER_ORDERED: Table = &[(ALL, &[(MORE, 1)])];
/// For the collective `reduce_scatter`; `_ordered`: operations that do not commute.
pub(super) const REDUCE_SCATTER: Table = &[
    (4, &[(65536, 3), (131072, 4), (MORE, 3)]),
    (8, &[(8, 1), (262144, 2), (MORE, 3)]),
    (32, &[(262144, 2), (MORE, 3)]),
    (64, &[(64, 1), (2048, 2), (524288, 4), (MORE, 3)]),
    (128, &[(256, 1), (512, 2), (2048, 4), (4096, 2), (MORE, 4)]),
    (256, &[(256, 1), (512, 2), (MORE, 4)]),
    (512, &[(256, 1), (1024, 2), (MORE, 4)]),
    (
        1024,
        &[(512, 1), (2048, 2), (8192, 4), (16384, 2), (MORE, 4)],
    ),
    (
        2048,
        &[(512, 1), (4096, 2), (16384, 4), (32768, 2), (MORE, 4)],
    ),
    (4096, &[(512, 1), (4096, 2), (MORE, 4)]),
    (ALL, &[(1024, 1), (8192, 2), (MORE, 4)]),
];
/// For the collective `reduce_scatter_block`; `_ordered`: operations that do not commute.
pub(super) const REDUCE_SCATTER_BLOCK: Table = &[
    (
        4,
        &[
            (4, 2),
            (8, 4),
            (16, 3),
            (128, 4),
            (256, 3),
            (4096, 4),
            (8192, 3),
            (131072, 4),
            (MORE, 1),
        ],
    ),
    (
        8,
        &[
            (8, 3),
            (32, 2),
            (256, 4),
            (8192, 3),
            (16384, 4),
            (1048576, 3),
            (MORE, 1),
        ],
    ),
    (
        16,
        &[
            (4, 1),
            (32, 3),
            (128, 4),
            (524288, 3),
            (4194304, 1),
            (MORE, 4),
        ],
    ),
    (
        32,
        &[(32, 1), (524288, 3), (2097152, 1), (4194304, 3), (MORE, 4)],
    ),
    (ALL, &[(4, 3), (16, 1), (65536, 4), (262144, 1), (MORE, 4)]),
];
/// For the collective `allgather`; `_ordered`: operations that do not commute.
pub(super) const ALLGATHER: Table = &[
    (3, &[(MORE, 6)]),
    (32, &[(MORE, 3)]),
    (64, &[(1024, 3), (65536, 5), (MORE, 4)]),
    (128, &[(512, 3), (65536, 5), (MORE, 4)]),
    (
        256,
        &[(512, 3), (131072, 5), (524288, 4), (1048576, 5), (MORE, 4)],
    ),
    (
        512,
        &[
            (32, 3),
            (128, 2),
            (1024, 3),
            (131072, 5),
            (524288, 4),
            (1048576, 5),
            (MORE, 4),
        ],
    ),
    (1024, &[(64, 3), (256, 2), (2048, 3), (MORE, 5)]),
    (
        2048,
        &[
            (4, 3),
            (8, 2),
            (16, 3),
            (32, 2),
            (256, 3),
            (512, 2),
            (4096, 3),
            (MORE, 5),
        ],
    ),
    (4096, &[(32, 2), (128, 3), (512, 2), (4096, 3), (MORE, 5)]),
    (
        ALL,
        &[(2, 3), (8, 2), (16, 3), (512, 2), (4096, 3), (MORE, 5)],
    ),
];
/// For the collective `allgatherv`; `_ordered`: operations that do not commute.
pub(super) const ALLGATHERV: Table = &[
    (3, &[(2048, 3), (4096, 5), (8192, 3), (MORE, 5)]),
    (
        8,
        &[
            (256, 1),
            (4096, 4),
            (8192, 3),
            (16384, 4),
            (262144, 2),
            (MORE, 4),
        ],
    ),
    (16, &[(1024, 1), (MORE, 2)]),
    (32, &[(128, 1), (262144, 2), (MORE, 3)]),
    (64, &[(256, 1), (8192, 2), (MORE, 3)]),
    (128, &[(256, 1), (4096, 2), (MORE, 3)]),
    (256, &[(1024, 2), (65536, 4), (MORE, 3)]),
    (512, &[(1024, 2), (MORE, 3)]),
    (
        1024,
        &[(512, 2), (1024, 1), (4096, 2), (1048576, 4), (MORE, 3)],
    ),
    (ALL, &[(4096, 2), (MORE, 4)]),
];
/// For the collective `gather`; `_ordered`: operations that do not commute.
pub(super) const GATHER: Table = &[
    (
        4,
        &[
            (2, 3),
            (4, 1),
            (32768, 2),
            (65536, 1),
            (131072, 2),
            (MORE, 3),
        ],
    ),
    (
        8,
        &[(1024, 2), (8192, 1), (32768, 2), (262144, 1), (MORE, 3)],
    ),
    (256, &[(MORE, 2)]),
    (512, &[(2048, 2), (8192, 1), (MORE, 2)]),
    (ALL, &[(MORE, 2)]),
];
/// For the collective `scatter`; `_ordered`: operations that do not commute.
pub(super) const SCATTER: Table = &[
    (4, &[(2, 3), (131072, 1), (262144, 3), (MORE, 1)]),
    (
        8,
        &[
            (2048, 2),
            (4096, 1),
            (8192, 2),
            (32768, 1),
            (1048576, 3),
            (MORE, 1),
        ],
    ),
    (16, &[(16384, 2), (1048576, 3), (MORE, 1)]),
    (32, &[(16384, 2), (32768, 1), (MORE, 3)]),
    (64, &[(512, 2), (8192, 3), (16384, 2), (MORE, 3)]),
    (ALL, &[(512, 2), (MORE, 3)]),
];
