//! Functions that move data between ranks or files, wait for other ranks, or make communicators, and
//! are not in the table of MPI functions: an observation that misses calls of them says so. Others
//! that are not in the table (groups, datatypes, attributes, …) only compute.
//!
//! The build script reads this, too.

/// Functions of the table that the observer does not understand: what the token runtime records of a call of one is
/// more than an entry.
pub const NOT_OBSERVED: &[&str] = &[
    "MPI_Allgather_init",
    "MPI_Allgatherv_init",
    "MPI_Allreduce_init",
    "MPI_Alltoall_init",
    "MPI_Alltoallv_init",
    "MPI_Alltoallw",
    "MPI_Alltoallw_init",
    "MPI_Barrier_init",
    "MPI_Bcast_init",
    "MPI_Comm_create_group",
    "MPI_Comm_idup",
    "MPI_Comm_idup_with_info",
    "MPI_Exscan_init",
    "MPI_Gather_init",
    "MPI_Gatherv_init",
    "MPI_Ialltoallw",
    "MPI_Ineighbor_allgather",
    "MPI_Ineighbor_allgatherv",
    "MPI_Ineighbor_alltoall",
    "MPI_Ineighbor_alltoallv",
    "MPI_Ineighbor_alltoallw",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgather_init",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_allgatherv_init",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoall_init",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallv_init",
    "MPI_Neighbor_alltoallw",
    "MPI_Neighbor_alltoallw_init",
    "MPI_Reduce_init",
    "MPI_Reduce_scatter_block_init",
    "MPI_Reduce_scatter_init",
    "MPI_Scan_init",
    "MPI_Scatter_init",
    "MPI_Scatterv_init",
];

/// Whether the observer understands a function of the table.
pub fn is_understood(name: &str) -> bool {
    !NOT_OBSERVED.contains(&name) && !is_listed(name)
}

/// Whether a function is in one of the lists of groups.
pub fn is_listed(name: &str) -> bool {
    UNSUPPORTED
        .iter()
        .chain(WAITING)
        .any(|group| group.names.contains(&name))
}

/// Functions with as many arguments.
pub struct Group {
    /// Arguments in C.
    pub arguments: usize,
    /// Texts among them, whose lengths Fortran passes behind all others.
    pub texts: usize,
    /// Standard names.
    pub names: &'static [&'static str],
}

/// Functions that may wait for other ranks, or are called again and again until something has
/// happened, and that no stream needs.
pub const WAITING: &[Group] = &[
    Group {
        arguments: 2,
        texts: 0,
        names: &["MPI_Buffer_detach"],
    },
    Group {
        arguments: 3,
        texts: 0,
        names: &["MPI_Request_get_status"],
    },
];

/// All of those that are left out, and those of the table whose counts are too large for an integer (`MPI_Send_c`).
pub const UNSUPPORTED: &[Group] = &[
    Group {
        arguments: 1,
        texts: 0,
        names: &[
            "MPI_Win_complete",
            "MPI_Win_flush_all",
            "MPI_Win_flush_local_all",
            "MPI_Win_free",
            "MPI_Win_unlock_all",
            "MPI_Win_wait",
            "MPI_File_close",
            "MPI_File_sync",
        ],
    },
    Group {
        arguments: 2,
        texts: 0,
        names: &[
            "MPI_Win_fence",
            "MPI_Win_flush",
            "MPI_Win_flush_local",
            "MPI_Win_lock_all",
            "MPI_Win_test",
            "MPI_Win_unlock",
            "MPI_File_set_size",
            "MPI_File_preallocate",
            "MPI_Pready",
            "MPI_Comm_join",
        ],
    },
    Group {
        arguments: 2,
        texts: 1,
        names: &["MPI_File_delete"],
    },
    Group {
        arguments: 3,
        texts: 0,
        names: &[
            "MPI_Win_create_dynamic",
            "MPI_Win_post",
            "MPI_Win_start",
            "MPI_File_read_at_all_end",
            "MPI_File_write_at_all_end",
            "MPI_File_read_all_end",
            "MPI_File_write_all_end",
            "MPI_File_read_ordered_end",
            "MPI_File_write_ordered_end",
            "MPI_File_seek_shared",
            "MPI_Pready_range",
            "MPI_Pready_list",
            "MPI_Parrived",
        ],
    },
    Group {
        arguments: 4,
        texts: 0,
        names: &[
            "MPI_Win_lock",
            "MPI_File_read_all_begin",
            "MPI_File_write_all_begin",
            "MPI_File_read_ordered_begin",
            "MPI_File_write_ordered_begin",
        ],
    },
    Group {
        arguments: 5,
        texts: 0,
        names: &[
            "MPI_File_read",
            "MPI_File_read_all",
            "MPI_File_write",
            "MPI_File_write_all",
            "MPI_File_iread",
            "MPI_File_iwrite",
            "MPI_File_iread_all",
            "MPI_File_iwrite_all",
            "MPI_File_read_shared",
            "MPI_File_write_shared",
            "MPI_File_iread_shared",
            "MPI_File_iwrite_shared",
            "MPI_File_read_ordered",
            "MPI_File_write_ordered",
            "MPI_File_read_at_all_begin",
            "MPI_File_write_at_all_begin",
            "MPI_Mprobe",
            "MPI_Mrecv",
            "MPI_Imrecv",
            "MPI_Grequest_start",
        ],
    },
    Group {
        arguments: 5,
        texts: 1,
        names: &[
            "MPI_File_open",
            "MPI_Comm_create_from_group",
            "MPI_Comm_accept",
            "MPI_Comm_connect",
        ],
    },
    Group {
        arguments: 6,
        texts: 0,
        names: &[
            "MPI_Win_allocate",
            "MPI_Win_allocate_shared",
            "MPI_Win_create",
            "MPI_File_read_at",
            "MPI_File_read_at_all",
            "MPI_File_write_at",
            "MPI_File_write_at_all",
            "MPI_File_iread_at",
            "MPI_File_iwrite_at",
            "MPI_File_iread_at_all",
            "MPI_File_iwrite_at_all",
            "MPI_Improbe",
        ],
    },
    Group {
        arguments: 6,
        texts: 1,
        names: &["MPI_File_set_view"],
    },
    Group {
        arguments: 7,
        texts: 0,
        names: &["MPI_Compare_and_swap", "MPI_Fetch_and_op"],
    },
    Group {
        arguments: 8,
        texts: 0,
        names: &["MPI_Get", "MPI_Put"],
    },
    Group {
        arguments: 8,
        texts: 1,
        names: &["MPI_Intercomm_create_from_groups"],
    },
    Group {
        arguments: 8,
        texts: 2,
        names: &["MPI_Comm_spawn"],
    },
    Group {
        arguments: 9,
        texts: 0,
        names: &[
            "MPI_Accumulate",
            "MPI_Rget",
            "MPI_Rput",
            "MPI_Isendrecv_replace",
            "MPI_Psend_init",
            "MPI_Precv_init",
        ],
    },
    Group {
        arguments: 9,
        texts: 2,
        names: &["MPI_Comm_spawn_multiple"],
    },
    Group {
        arguments: 10,
        texts: 0,
        names: &["MPI_Raccumulate"],
    },
    Group {
        arguments: 12,
        texts: 0,
        names: &["MPI_Get_accumulate", "MPI_Isendrecv"],
    },
    Group {
        arguments: 13,
        texts: 0,
        names: &["MPI_Rget_accumulate"],
    },
];
