//! Sends, receives, probes and persistent requests.

use crate::arguments::{Buffer, Int, Out, Status};
use crate::entries::entries;
use crate::transfers;

entries! {
    choice Send = transfers::send: (buf: Buffer, count: Int, datatype: Int, dest: Int, tag: Int, comm: Int);
    choice Recv = transfers::receive: (
        buf: Buffer, count: Int, datatype: Int, source: Int, tag: Int, comm: Int, status: Status
    );
    choice Sendrecv = transfers::send_receive: (
        sendbuf: Buffer, sendcount: Int, sendtype: Int, dest: Int, sendtag: Int,
        recvbuf: Buffer, recvcount: Int, recvtype: Int, source: Int, recvtag: Int,
        comm: Int, status: Status
    );
    choice Isend = transfers::start_send: (
        buf: Buffer, count: Int, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out
    );
    choice Irecv = transfers::start_receive: (
        buf: Buffer, count: Int, datatype: Int, source: Int, tag: Int, comm: Int, request: Out
    );
}
