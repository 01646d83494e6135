//! The three forms of each collective: a call that waits, one that starts a request, and one that makes
//! a persistent request. All plan in the same way.

use super::{data_movement, neighbourhood, reductions, rooted};
use crate::arguments::{Aints, Buffer, Count, Counts, Displacements, Int, Ints, Out};
use crate::completion::request_handle;
use crate::failure::Outcome;
use crate::process::Process;

/// An argument as a word that says all that what is recorded of the call depends on.
trait Word {
    /// `None` if a word cannot say it.
    fn word(&self) -> Option<u64>;
}

impl Word for Int {
    fn word(&self) -> Option<u64> {
        Some(self.0 as u64)
    }
}

impl Word for Count {
    fn word(&self) -> Option<u64> {
        Some(self.0 as u64)
    }
}

impl Word for Buffer {
    fn word(&self) -> Option<u64> {
        match self {
            Buffer::At(_) => Some(0),
            Buffer::InPlace => Some(1),
            Buffer::Section(_) => None,
        }
    }
}

macro_rules! lists {
    ($($kind:ident)+) => {$(
        impl Word for $kind {
            fn word(&self) -> Option<u64> {
                None
            }
        }
    )+};
}

lists! { Aints Counts Displacements Ints }

/// All words of a call.
#[inline]
fn words<const N: usize>(each: [Option<u64>; N]) -> Option<[u64; LONGEST]> {
    let mut words = [0; LONGEST];
    for (word, found) in words.iter_mut().zip(each) {
        *word = found?;
    }
    (N <= LONGEST).then_some(words)
}

/// Arguments of the longest call that words can tell.
const LONGEST: usize = 8;

macro_rules! forms {
    ($($now:ident, $later:ident, $again:ident = $plan:path: ($($name:ident: $kind:ty),* $(,)?);)+) => {$(
        #[allow(clippy::too_many_arguments)]
        pub fn $now(process: &mut Process, $($name: $kind),*) -> Outcome {
            process.execute_cached(words([$($name.word()),*]), |process| {
                let plan = $plan(process, $($name),*)?;
                process.execute(plan)
            })
        }

        #[allow(clippy::too_many_arguments)]
        pub fn $later(process: &mut Process, $($name: $kind,)* request: Out) -> Outcome {
            let plan = $plan(process, $($name),*)?;
            request.set(request_handle(process.start_collective(plan)?));
            Ok(())
        }

        #[allow(clippy::too_many_arguments)]
        pub fn $again(process: &mut Process, $($name: $kind,)* _info: Int, request: Out) -> Outcome {
            let plan = $plan(process, $($name),*)?;
            request.set(request_handle(process.make_collective(plan)?));
            Ok(())
        }
    )+};
}

forms! {
    barrier, start_barrier, make_barrier = data_movement::barrier: (comm: Int);
    broadcast, start_broadcast, make_broadcast = rooted::broadcast: (
        buffer: Buffer, count: Count, datatype: Int, root: Int, comm: Int
    );
    gather, start_gather, make_gather = rooted::gather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count, recvtype: Int,
        root: Int, comm: Int
    );
    gatherv, start_gatherv, make_gatherv = rooted::gatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, root: Int, comm: Int
    );
    scatter, start_scatter, make_scatter = rooted::scatter: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count, recvtype: Int,
        root: Int, comm: Int
    );
    scatterv, start_scatterv, make_scatterv = rooted::scatterv: (
        sendbuf: Buffer, sendcounts: Counts, displs: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcount: Count, recvtype: Int, root: Int, comm: Int
    );
    allgather, start_allgather, make_allgather = data_movement::allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count, recvtype: Int,
        comm: Int
    );
    allgatherv, start_allgatherv, make_allgatherv = data_movement::allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int
    );
    alltoall, start_alltoall, make_alltoall = data_movement::alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count, recvtype: Int,
        comm: Int
    );
    alltoallv, start_alltoallv, make_alltoallv = data_movement::alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int
    );
    alltoallw, start_alltoallw, make_alltoallw = data_movement::alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtypes: Ints, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtypes: Ints, comm: Int
    );

    reduce, start_reduce, make_reduce = reductions::reduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, root: Int, comm: Int
    );
    allreduce, start_allreduce, make_allreduce = reductions::allreduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int
    );
    reduce_scatter, start_reduce_scatter, make_reduce_scatter = reductions::reduce_scatter: (
        sendbuf: Buffer, recvbuf: Buffer, recvcounts: Counts, datatype: Int, op: Int, comm: Int
    );
    reduce_scatter_block, start_reduce_scatter_block, make_reduce_scatter_block =
        reductions::reduce_scatter_block: (
            sendbuf: Buffer, recvbuf: Buffer, recvcount: Count, datatype: Int, op: Int, comm: Int
        );
    scan, start_scan, make_scan = reductions::scan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int
    );
    exscan, start_exscan, make_exscan = reductions::exscan: (
        sendbuf: Buffer, recvbuf: Buffer, count: Count, datatype: Int, op: Int, comm: Int
    );

    neighbor_allgather, start_neighbor_allgather, make_neighbor_allgather = neighbourhood::allgather: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count, recvtype: Int,
        comm: Int
    );
    neighbor_allgatherv, start_neighbor_allgatherv, make_neighbor_allgatherv = neighbourhood::allgatherv: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcounts: Counts,
        displs: Displacements, recvtype: Int, comm: Int
    );
    neighbor_alltoall, start_neighbor_alltoall, make_neighbor_alltoall = neighbourhood::alltoall: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, recvbuf: Buffer, recvcount: Count, recvtype: Int,
        comm: Int
    );
    neighbor_alltoallv, start_neighbor_alltoallv, make_neighbor_alltoallv = neighbourhood::alltoallv: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Displacements, sendtype: Int, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Displacements, recvtype: Int, comm: Int
    );
    neighbor_alltoallw, start_neighbor_alltoallw, make_neighbor_alltoallw = neighbourhood::alltoallw: (
        sendbuf: Buffer, sendcounts: Counts, sdispls: Aints, sendtypes: Ints, recvbuf: Buffer,
        recvcounts: Counts, rdispls: Aints, recvtypes: Ints, comm: Int
    );
}
