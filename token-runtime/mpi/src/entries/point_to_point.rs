//! Sends, receives, probes and persistent requests.

use crate::arguments::{Buffer, Count, Data, Int, Out, OutCount, OutWord, Partner, Status};
use crate::entries::entries;
use crate::{message_probe, receives, send_buffers, sends};

entries! {
    choice_large Send = sends::send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm)
    );
    choice_large Ssend = sends::synchronous_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm)
    );
    choice_large Rsend = sends::ready_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm)
    );
    choice_large Bsend = sends::buffered_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm)
    );
    choice_large Isend = sends::start_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Issend = sends::start_synchronous_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Irsend = sends::start_ready_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Ibsend = sends::start_buffered_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Send_init = sends::make_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Ssend_init = sends::make_synchronous_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Rsend_init = sends::make_ready_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Bsend_init = sends::make_buffered_send: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, tag, comm), request
    );
    choice_large Buffer_attach = send_buffers::attach: (buffer: Buffer, size: Count);
    every_large Buffer_detach = send_buffers::detach: (buffer_addr: OutWord, size: OutCount);
    every Buffer_flush = send_buffers::flush: ();
    every Buffer_iflush = send_buffers::start_flush: (request: Out);
    choice_large Comm_attach_buffer =
        send_buffers::attach_to_communicator: (comm: Int, buffer: Buffer, size: Count);
    every_large Comm_detach_buffer =
        send_buffers::detach_from_communicator: (comm: Int, buffer_addr: OutWord, size: OutCount);
    every Comm_flush_buffer = send_buffers::flush_of_communicator: (comm: Int);
    every Comm_iflush_buffer = send_buffers::start_flush_of_communicator: (comm: Int, request: Out);
    choice_large Session_attach_buffer =
        send_buffers::attach_to_session: (session: Int, buffer: Buffer, size: Count);
    every_large Session_detach_buffer =
        send_buffers::detach_from_session: (session: Int, buffer_addr: OutWord, size: OutCount);
    every Session_flush_buffer = send_buffers::flush_of_session: (session: Int);
    every Session_iflush_buffer = send_buffers::start_flush_of_session: (session: Int, request: Out);

    choice_large Recv = receives::receive: (
        buf: Buffer, count: Count, datatype: Int, source: Int, tag: Int, comm: Int, status: Status;
        Data::new(buf, count, datatype), Partner::new(source, tag, comm), status
    );
    choice_large Irecv = receives::start_receive: (
        buf: Buffer, count: Count, datatype: Int, source: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(source, tag, comm), request
    );
    choice_large Recv_init = receives::make_receive: (
        buf: Buffer, count: Count, datatype: Int, source: Int, tag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(source, tag, comm), request
    );
    choice_large Sendrecv = receives::send_receive: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, dest: Int, sendtag: Int, recvbuf: Buffer,
        recvcount: Count, recvtype: Int, source: Int, recvtag: Int, comm: Int, status: Status;
        Data::new(sendbuf, sendcount, sendtype), Partner::new(dest, sendtag, comm),
        Data::new(recvbuf, recvcount, recvtype), Partner::new(source, recvtag, comm), status
    );
    choice_large Sendrecv_replace = receives::send_receive_replace: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, sendtag: Int, source: Int,
        recvtag: Int, comm: Int, status: Status;
        Data::new(buf, count, datatype), Partner::new(dest, sendtag, comm),
        Partner::new(source, recvtag, comm), status
    );
    choice_large Isendrecv = receives::start_send_receive: (
        sendbuf: Buffer, sendcount: Count, sendtype: Int, dest: Int, sendtag: Int, recvbuf: Buffer,
        recvcount: Count, recvtype: Int, source: Int, recvtag: Int, comm: Int, request: Out;
        Data::new(sendbuf, sendcount, sendtype), Partner::new(dest, sendtag, comm),
        Data::new(recvbuf, recvcount, recvtype), Partner::new(source, recvtag, comm), request
    );
    choice_large Isendrecv_replace = receives::start_send_receive_replace: (
        buf: Buffer, count: Count, datatype: Int, dest: Int, sendtag: Int, source: Int,
        recvtag: Int, comm: Int, request: Out;
        Data::new(buf, count, datatype), Partner::new(dest, sendtag, comm),
        Partner::new(source, recvtag, comm), request
    );

    every Probe = message_probe::probe: (source: Int, tag: Int, comm: Int, status: Status);
    every Iprobe = message_probe::iprobe: (source: Int, tag: Int, comm: Int, flag: Out, status: Status);
    every Mprobe = message_probe::mprobe: (source: Int, tag: Int, comm: Int, message: Out, status: Status);
    every Improbe = message_probe::improbe: (
        source: Int, tag: Int, comm: Int, flag: Out, message: Out, status: Status
    );
    choice_large Mrecv = message_probe::mrecv: (
        buf: Buffer, count: Count, datatype: Int, message: Out, status: Status
    );
    choice_large Imrecv = message_probe::imrecv: (
        buf: Buffer, count: Count, datatype: Int, message: Out, request: Out
    );
}
