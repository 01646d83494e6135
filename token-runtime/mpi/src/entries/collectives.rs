//! Collectives, reductions within a rank, and user operations.

use crate::arguments::{Buffer, Int};
use crate::collectives;
use crate::entries::entries;

entries! {
    every Barrier = collectives::barrier: (comm: Int);
    choice Bcast = collectives::broadcast: (buffer: Buffer, count: Int, datatype: Int, root: Int, comm: Int);
    choice Reduce = collectives::reduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Int, datatype: Int, op: Int, root: Int, comm: Int
    );
    choice Allreduce = collectives::allreduce: (
        sendbuf: Buffer, recvbuf: Buffer, count: Int, datatype: Int, op: Int, comm: Int
    );
}
