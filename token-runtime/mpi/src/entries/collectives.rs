//! Collectives, reductions within a rank, and user operations.

use crate::arguments::{
    Aints, Blocks, Buffer, Count, Counts, Data, Displacements, Flag, Function, Int, Ints, Out,
    Reduction, TypedBlocks,
};
use crate::collectives;
use crate::collectives::operations;
use crate::entries::entries;

entries! {
    every Barrier = collectives::barrier: (comm: Int);
    choice_large Bcast = collectives::broadcast: (
        buffer: Buffer, count: Count, datatype: Int, root: Int, comm: Int;
        Data::new(buffer, count, datatype), root, comm
    );
    choice_large Gather = collectives::gather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, root: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), root, comm
    );
    choice_large Gatherv = collectives::gatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, root: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        root, comm
    );
    choice_large Scatter = collectives::scatter: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, root: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), root, comm
    );
    choice_large Scatterv = collectives::scatterv: (
        sendbuf: Buffer, sendcounts: Counts, displs: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcount: Count, recvtype: Int, root: Int, comm: Int;
        Blocks::new(sendbuf, sendcounts, displs, sendtype), Data::new(recvbuf, recvcount, recvtype),
        root, comm
    );
    choice_large Allgather = collectives::allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm
    );
    choice_large Allgatherv = collectives::allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        comm
    );
    choice_large Alltoall = collectives::alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm
    );
    choice_large Alltoallv = collectives::alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int;
        Blocks::new(sendbuf, sendcounts, sdispls, sendtype),
        Blocks::new(recvbuf, recvcounts, rdispls, recvtype), comm
    );
    choice_large Alltoallw = collectives::alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtypes: Ints,
        recvbuf: Buffer, recvcounts: Counts, rdispls: Displacements, recvtypes: Ints, comm: Int;
        TypedBlocks::new(sendbuf, sendcounts, sdispls, sendtypes),
        TypedBlocks::new(recvbuf, recvcounts, rdispls, recvtypes), comm
    );
    choice_large Reduce = collectives::reduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, root: Int,
        comm: Int;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), root, comm
    );
    choice_large Allreduce = collectives::allreduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm
    );
    choice_large Reduce_scatter = collectives::reduce_scatter: (
        sendbuf: Buffer, recvbuf: Buffer, recvcounts: Counts, datatype: Int, op: Int, comm: Int;
        Reduction::new(sendbuf, recvbuf, recvcounts, datatype, op), comm
    );
    choice_large Reduce_scatter_block = collectives::reduce_scatter_block: (
        sendbuf: Buffer, recvbuf: Buffer, recvcount: Count, datatype: Int, op: Int, comm: Int;
        Reduction::new(sendbuf, recvbuf, recvcount, datatype, op), comm
    );
    choice_large Scan = collectives::scan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm
    );
    choice_large Exscan = collectives::exscan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm
    );
    choice_large Neighbor_allgather = collectives::neighbor_allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm
    );
    choice_large Neighbor_allgatherv = collectives::neighbor_allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        comm
    );
    choice_large Neighbor_alltoall = collectives::neighbor_alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm
    );
    choice_large Neighbor_alltoallv = collectives::neighbor_alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int;
        Blocks::new(sendbuf, sendcounts, sdispls, sendtype),
        Blocks::new(recvbuf, recvcounts, rdispls, recvtype), comm
    );
    choice_large Neighbor_alltoallw = collectives::neighbor_alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Aints, sendtypes: Ints, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Aints, recvtypes: Ints, comm: Int;
        TypedBlocks::new(sendbuf, sendcounts, sdispls, sendtypes),
        TypedBlocks::new(recvbuf, recvcounts, rdispls, recvtypes), comm
    );

    every Ibarrier = collectives::start_barrier: (comm: Int, request: Out);
    choice_large Ibcast = collectives::start_broadcast: (
        buffer: Buffer, count: Count, datatype: Int, root: Int, comm: Int, request: Out;
        Data::new(buffer, count, datatype), root, comm, request
    );
    choice_large Igather = collectives::start_gather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, root: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), root,
        comm, request
    );
    choice_large Igatherv = collectives::start_gatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, root: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        root, comm, request
    );
    choice_large Iscatter = collectives::start_scatter: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, root: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), root,
        comm, request
    );
    choice_large Iscatterv = collectives::start_scatterv: (
        sendbuf: Buffer, sendcounts: Counts, displs: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcount: Count, recvtype: Int, root: Int, comm: Int, request: Out;
        Blocks::new(sendbuf, sendcounts, displs, sendtype), Data::new(recvbuf, recvcount, recvtype),
        root, comm, request
    );
    choice_large Iallgather = collectives::start_allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        request
    );
    choice_large Iallgatherv = collectives::start_allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        comm, request
    );
    choice_large Ialltoall = collectives::start_alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        request
    );
    choice_large Ialltoallv = collectives::start_alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int, request: Out;
        Blocks::new(sendbuf, sendcounts, sdispls, sendtype),
        Blocks::new(recvbuf, recvcounts, rdispls, recvtype), comm, request
    );
    choice_large Ialltoallw = collectives::start_alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtypes: Ints,
        recvbuf: Buffer, recvcounts: Counts, rdispls: Displacements, recvtypes: Ints, comm: Int,
        request: Out;
        TypedBlocks::new(sendbuf, sendcounts, sdispls, sendtypes),
        TypedBlocks::new(recvbuf, recvcounts, rdispls, recvtypes), comm, request
    );
    choice_large Ireduce = collectives::start_reduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, root: Int,
        comm: Int, request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), root, comm, request
    );
    choice_large Iallreduce = collectives::start_allreduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int,
        request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm, request
    );
    choice_large Ireduce_scatter = collectives::start_reduce_scatter: (
        sendbuf: Buffer, recvbuf: Buffer, recvcounts: Counts, datatype: Int, op: Int, comm: Int,
        request: Out;
        Reduction::new(sendbuf, recvbuf, recvcounts, datatype, op), comm, request
    );
    choice_large Ireduce_scatter_block = collectives::start_reduce_scatter_block: (
        sendbuf: Buffer, recvbuf: Buffer, recvcount: Count, datatype: Int, op: Int, comm: Int,
        request: Out;
        Reduction::new(sendbuf, recvbuf, recvcount, datatype, op), comm, request
    );
    choice_large Iscan = collectives::start_scan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int,
        request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm, request
    );
    choice_large Iexscan = collectives::start_exscan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int,
        request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm, request
    );
    choice_large Ineighbor_allgather = collectives::start_neighbor_allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        request
    );
    choice_large Ineighbor_allgatherv = collectives::start_neighbor_allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        comm, request
    );
    choice_large Ineighbor_alltoall = collectives::start_neighbor_alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        request
    );
    choice_large Ineighbor_alltoallv = collectives::start_neighbor_alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int, request: Out;
        Blocks::new(sendbuf, sendcounts, sdispls, sendtype),
        Blocks::new(recvbuf, recvcounts, rdispls, recvtype), comm, request
    );
    choice_large Ineighbor_alltoallw = collectives::start_neighbor_alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Aints, sendtypes: Ints, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Aints, recvtypes: Ints, comm: Int, request: Out;
        TypedBlocks::new(sendbuf, sendcounts, sdispls, sendtypes),
        TypedBlocks::new(recvbuf, recvcounts, rdispls, recvtypes), comm, request
    );

    every Barrier_init = collectives::make_barrier: (comm: Int, info: Int, request: Out);
    choice_large Bcast_init = collectives::make_broadcast: (
        buffer: Buffer, count: Count, datatype: Int, root: Int, comm: Int, info: Int, request: Out;
        Data::new(buffer, count, datatype), root, comm, info, request
    );
    choice_large Gather_init = collectives::make_gather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, root: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), root,
        comm, info, request
    );
    choice_large Gatherv_init = collectives::make_gatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, root: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        root, comm, info, request
    );
    choice_large Scatter_init = collectives::make_scatter: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, root: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), root,
        comm, info, request
    );
    choice_large Scatterv_init = collectives::make_scatterv: (
        sendbuf: Buffer, sendcounts: Counts, displs: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcount: Count, recvtype: Int, root: Int, comm: Int, info: Int, request: Out;
        Blocks::new(sendbuf, sendcounts, displs, sendtype), Data::new(recvbuf, recvcount, recvtype),
        root, comm, info, request
    );
    choice_large Allgather_init = collectives::make_allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        info, request
    );
    choice_large Allgatherv_init = collectives::make_allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        comm, info, request
    );
    choice_large Alltoall_init = collectives::make_alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        info, request
    );
    choice_large Alltoallv_init = collectives::make_alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int, info: Int,
        request: Out;
        Blocks::new(sendbuf, sendcounts, sdispls, sendtype),
        Blocks::new(recvbuf, recvcounts, rdispls, recvtype), comm, info, request
    );
    choice_large Alltoallw_init = collectives::make_alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtypes: Ints,
        recvbuf: Buffer, recvcounts: Counts, rdispls: Displacements, recvtypes: Ints, comm: Int,
        info: Int, request: Out;
        TypedBlocks::new(sendbuf, sendcounts, sdispls, sendtypes),
        TypedBlocks::new(recvbuf, recvcounts, rdispls, recvtypes), comm, info, request
    );
    choice_large Reduce_init = collectives::make_reduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, root: Int,
        comm: Int, info: Int, request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), root, comm, info, request
    );
    choice_large Allreduce_init = collectives::make_allreduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int,
        info: Int, request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm, info, request
    );
    choice_large Reduce_scatter_init = collectives::make_reduce_scatter: (
        sendbuf: Buffer, recvbuf: Buffer, recvcounts: Counts, datatype: Int, op: Int, comm: Int,
        info: Int, request: Out;
        Reduction::new(sendbuf, recvbuf, recvcounts, datatype, op), comm, info, request
    );
    choice_large Reduce_scatter_block_init = collectives::make_reduce_scatter_block: (
        sendbuf: Buffer, recvbuf: Buffer, recvcount: Count, datatype: Int, op: Int, comm: Int,
        info: Int, request: Out;
        Reduction::new(sendbuf, recvbuf, recvcount, datatype, op), comm, info, request
    );
    choice_large Scan_init = collectives::make_scan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int,
        info: Int, request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm, info, request
    );
    choice_large Exscan_init = collectives::make_exscan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int,
        info: Int, request: Out;
        Reduction::new(sendbuf, recvbuf, count, datatype, op), comm, info, request
    );
    choice_large Neighbor_allgather_init = collectives::make_neighbor_allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        info, request
    );
    choice_large Neighbor_allgatherv_init = collectives::make_neighbor_allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Blocks::new(recvbuf, recvcounts, displs, recvtype),
        comm, info, request
    );
    choice_large Neighbor_alltoall_init = collectives::make_neighbor_alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count,
        recvtype: Int, comm: Int, info: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Data::new(recvbuf, recvcount, recvtype), comm,
        info, request
    );
    choice_large Neighbor_alltoallv_init = collectives::make_neighbor_alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int, info: Int,
        request: Out;
        Blocks::new(sendbuf, sendcounts, sdispls, sendtype),
        Blocks::new(recvbuf, recvcounts, rdispls, recvtype), comm, info, request
    );
    choice_large Neighbor_alltoallw_init = collectives::make_neighbor_alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Aints, sendtypes: Ints, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Aints, recvtypes: Ints, comm: Int, info: Int, request: Out;
        TypedBlocks::new(sendbuf, sendcounts, sdispls, sendtypes),
        TypedBlocks::new(recvbuf, recvcounts, rdispls, recvtypes), comm, info, request
    );

    every_large_c Op_create = operations::create: (user_fn: Function, commute: Flag, op: Out);
    every Op_free = operations::free: (op: Out);
    every Op_commutative = operations::commutative: (op: Int, commute: Out);
    choice_large Reduce_local = operations::reduce_local: (
        inbuf: Buffer, inoutbuf: Buffer, count: Count, datatype: Int, op: Int
    );
}
