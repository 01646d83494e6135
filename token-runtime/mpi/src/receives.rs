//! Receives, and sends and receives in one call.

use crate::arguments::{Buffer, Count, Int, Out, Status};
use crate::completion::request_handle;
use crate::datatypes::data_location::DataLocation;
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::{Request, Start};
use crate::transfers::{self, Direction, Transfer, unmatched_envelope};
use base_data::ids::RequestId;
use base_data::program_data::{Call, SendMode};

#[allow(clippy::too_many_arguments)]
pub fn receive(
    process: &mut Process,
    buf: Buffer,
    count: Count,
    datatype: Int,
    source: Int,
    tag: Int,
    comm: Int,
    status: Status,
) -> Outcome {
    let (data, partner) = ((count, datatype), (source, tag, comm));
    let Some(key) = process.call_key(transfers::words(data, partner)) else {
        return receive_now(process, buf, data, partner, status);
    };
    if !process.record_cached(&key) {
        return process.cached(&key, |process| {
            receive_now(process, buf, data, partner, status)
        });
    }
    status.set(unmatched_envelope(source.0, tag.0));
    Ok(())
}

fn receive_now(
    process: &mut Process,
    buf: Buffer,
    data: (Count, Int),
    partner: (Int, Int, Int),
    status: Status,
) -> Outcome {
    let transfer = transfers::checked(process, Direction::In, data, partner)?;
    let posted = process.posted(&transfer, &DataLocation::of(buf)?)?;
    let envelope = process.wait_now(posted)?;
    let observed = transfer.observed(process, envelope);
    process.record(|stream| Call::Receive {
        transfer: transfer.recorded(Direction::In, stream),
        request: None,
        observed,
    });
    status.set(envelope);
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn start_receive(
    process: &mut Process,
    buf: Buffer,
    count: Count,
    datatype: Int,
    source: Int,
    tag: Int,
    comm: Int,
    request: Out,
) -> Outcome {
    let (data, partner) = ((count, datatype), (source, tag, comm));
    let Some(key) = process.start_key(data, partner) else {
        return start_now(process, buf, data, partner, request);
    };
    if !process.record_cached(&key) {
        return process.cached(&key, |process| {
            start_now(process, buf, data, partner, request)
        });
    }
    request.set(request_handle(
        process
            .requests
            .add(Request::Done(unmatched_envelope(source.0, tag.0))),
    ));
    Ok(())
}

fn start_now(
    process: &mut Process,
    buf: Buffer,
    data: (Count, Int),
    partner: (Int, Int, Int),
    request: Out,
) -> Outcome {
    let transfer = transfers::checked(process, Direction::In, data, partner)?;
    let posted = process.posted(&transfer, &DataLocation::of(buf)?)?;
    let number = process.requests.add(posted);
    process.record(|stream| Call::Receive {
        transfer: transfer.recorded(Direction::In, stream),
        request: Some(RequestId(number)),
        observed: None,
    });
    request.set(request_handle(number));
    Ok(())
}

/// What a persistent receive does.
struct Receives {
    transfer: Transfer,
    place: DataLocation,
}

impl Start for Receives {
    fn start(&self, process: &mut Process) -> Result<Request, Failure> {
        process.posted(&self.transfer, &self.place)
    }
}

#[allow(clippy::too_many_arguments)]
pub fn make_receive(
    process: &mut Process,
    buf: Buffer,
    count: Count,
    datatype: Int,
    source: Int,
    tag: Int,
    comm: Int,
    request: Out,
) -> Outcome {
    let transfer = transfers::checked(
        process,
        Direction::In,
        (count, datatype),
        (source, tag, comm),
    )?;
    let receives = Receives {
        transfer: transfer.clone(),
        place: DataLocation::of(buf)?,
    };
    let number = process
        .requests
        .add(Request::Persistent(Box::new(receives), None));
    process.record(|stream| Call::MakePersistent {
        send: None,
        transfer: transfer.recorded(Direction::In, stream),
        request: RequestId(number),
    });
    request.set(request_handle(number));
    Ok(())
}

/// Both transfers of a call that sends and receives.
struct SendReceive {
    send: Transfer,
    receive: Transfer,
}

impl SendReceive {
    fn wait_for_exchange(self, process: &mut Process, posted: Request, status: Status) -> Outcome {
        let envelope = process.wait_now(posted)?;
        let observed = self.receive.observed(process, envelope);
        process.record(|stream| Call::SendReceive {
            send: self.send.recorded(Direction::Out, stream),
            receive: self.receive.recorded(Direction::In, stream),
            observed,
        });
        status.set(envelope);
        Ok(())
    }

    /// Recorded as a receive and a send that are started.
    fn record_started_exchange(self, process: &mut Process, posted: Request, request: Out) {
        let number = process.requests.add(posted);
        request.set(request_handle(number));
        let &[own, other] = &process.make_composite(number, 2)[..] else {
            return;
        };
        process.record(|stream| Call::Receive {
            transfer: self.receive.recorded(Direction::In, stream),
            request: Some(own),
            observed: None,
        });
        process.record(|stream| Call::Send {
            mode: SendMode::Standard,
            transfer: self.send.recorded(Direction::Out, stream),
            request: Some(other),
        });
    }

    /// Sends the data before the receive is posted, so that both may use the same buffer.
    fn started(
        &self,
        process: &Process,
        from: &DataLocation,
        to: &DataLocation,
    ) -> Result<Request, Failure> {
        process.deliver(SendMode::Standard, &self.send, from)?;
        process.posted(&self.receive, to)
    }
}

#[allow(clippy::too_many_arguments)]
pub fn send_receive(
    process: &mut Process,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: Int,
    dest: Int,
    sendtag: Int,
    recvbuf: Buffer,
    recvcount: Count,
    recvtype: Int,
    source: Int,
    recvtag: Int,
    comm: Int,
    status: Status,
) -> Outcome {
    let send = transfers::checked(
        process,
        Direction::Out,
        (sendcount, sendtype),
        (dest, sendtag, comm),
    )?;
    let receive = transfers::checked(
        process,
        Direction::In,
        (recvcount, recvtype),
        (source, recvtag, comm),
    )?;
    let both = SendReceive { send, receive };
    let posted = both.started(
        process,
        &DataLocation::of(sendbuf)?,
        &DataLocation::of(recvbuf)?,
    )?;
    both.wait_for_exchange(process, posted, status)
}

#[allow(clippy::too_many_arguments)]
pub fn send_receive_replace(
    process: &mut Process,
    buf: Buffer,
    count: Count,
    datatype: Int,
    dest: Int,
    sendtag: Int,
    source: Int,
    recvtag: Int,
    comm: Int,
    status: Status,
) -> Outcome {
    let send = transfers::checked(
        process,
        Direction::Out,
        (count, datatype),
        (dest, sendtag, comm),
    )?;
    let receive = transfers::checked(
        process,
        Direction::In,
        (count, datatype),
        (source, recvtag, comm),
    )?;
    let (both, place) = (SendReceive { send, receive }, DataLocation::of(buf)?);
    let posted = both.started(process, &place, &place)?;
    both.wait_for_exchange(process, posted, status)
}

#[allow(clippy::too_many_arguments)]
pub fn start_send_receive(
    process: &mut Process,
    sendbuf: Buffer,
    sendcount: Count,
    sendtype: Int,
    dest: Int,
    sendtag: Int,
    recvbuf: Buffer,
    recvcount: Count,
    recvtype: Int,
    source: Int,
    recvtag: Int,
    comm: Int,
    request: Out,
) -> Outcome {
    let send = transfers::checked(
        process,
        Direction::Out,
        (sendcount, sendtype),
        (dest, sendtag, comm),
    )?;
    let receive = transfers::checked(
        process,
        Direction::In,
        (recvcount, recvtype),
        (source, recvtag, comm),
    )?;
    let both = SendReceive { send, receive };
    let posted = both.started(
        process,
        &DataLocation::of(sendbuf)?,
        &DataLocation::of(recvbuf)?,
    )?;
    both.record_started_exchange(process, posted, request);
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn start_send_receive_replace(
    process: &mut Process,
    buf: Buffer,
    count: Count,
    datatype: Int,
    dest: Int,
    sendtag: Int,
    source: Int,
    recvtag: Int,
    comm: Int,
    request: Out,
) -> Outcome {
    let send = transfers::checked(
        process,
        Direction::Out,
        (count, datatype),
        (dest, sendtag, comm),
    )?;
    let receive = transfers::checked(
        process,
        Direction::In,
        (count, datatype),
        (source, recvtag, comm),
    )?;
    let (both, place) = (SendReceive { send, receive }, DataLocation::of(buf)?);
    let posted = both.started(process, &place, &place)?;
    both.record_started_exchange(process, posted, request);
    Ok(())
}
