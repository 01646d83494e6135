//! Receives, and sends and receives in one call.

use crate::arguments::{Data, Out, Partner, Status};
use crate::completion::request_handle;
use crate::datatypes::data_location::DataLocation;
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::{Request, Start};
use crate::transfers::{self, Direction, Transfer, unmatched_envelope};
use base_data::ids::RequestId;
use base_data::program_data::{Call, SendMode};

pub fn receive(process: &mut Process, data: Data, partner: Partner, status: Status) -> Outcome {
    let Some(key) = process.call_key(transfers::words(data, partner)) else {
        return receive_now(process, data, partner, status);
    };
    if !process.record_cached(&key) {
        return process.cached(&key, |process| receive_now(process, data, partner, status));
    }
    status.set(unmatched_envelope(partner.rank.0, partner.tag.0));
    Ok(())
}

fn receive_now(process: &mut Process, data: Data, partner: Partner, status: Status) -> Outcome {
    let transfer = transfers::checked(process, Direction::In, data, partner)?;
    let posted = process.posted(&transfer, &DataLocation::of(data.buffer)?)?;
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

pub fn start_receive(process: &mut Process, data: Data, partner: Partner, request: Out) -> Outcome {
    let Some(key) = process.start_key(data, partner) else {
        return start_now(process, data, partner, request);
    };
    if !process.record_cached(&key) {
        return process.cached(&key, |process| start_now(process, data, partner, request));
    }
    request.set(request_handle(process.requests.add(Request::Done(
        unmatched_envelope(partner.rank.0, partner.tag.0),
    ))));
    Ok(())
}

fn start_now(process: &mut Process, data: Data, partner: Partner, request: Out) -> Outcome {
    let transfer = transfers::checked(process, Direction::In, data, partner)?;
    let posted = process.posted(&transfer, &DataLocation::of(data.buffer)?)?;
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

pub fn make_receive(process: &mut Process, data: Data, partner: Partner, request: Out) -> Outcome {
    let transfer = transfers::checked(process, Direction::In, data, partner)?;
    let receives = Receives {
        transfer: transfer.clone(),
        place: DataLocation::of(data.buffer)?,
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
    fn wait_for_exchange(
        self,
        process: &mut Process,
        (sent, posted): (Request, Request),
        status: Status,
    ) -> Outcome {
        if process.emulated.is_some() {
            // Elsewhere the data of a standard send have been taken, so it is complete.
            process.wait_for_all([&sent, &posted].into_iter())?;
            process.complete(sent)?;
        }
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

    /// Sends the data before the receive is posted, so that both may use the same buffer. In an emulation a posted
    /// receive takes no data before the call waits for it, and is posted first, as MPI libraries do.
    fn started(
        &self,
        process: &Process,
        from: &DataLocation,
        to: &DataLocation,
    ) -> Result<(Request, Request), Failure> {
        if process.emulated.is_some() {
            let posted = process.posted(&self.receive, to)?;
            let sent = process.deliver(SendMode::Standard, &self.send, from)?;
            return Ok((sent, posted));
        }
        let sent = process.deliver(SendMode::Standard, &self.send, from)?;
        Ok((sent, process.posted(&self.receive, to)?))
    }
}

pub fn send_receive(
    process: &mut Process,
    send_data: Data,
    destination: Partner,
    receive_data: Data,
    source: Partner,
    status: Status,
) -> Outcome {
    let send = transfers::checked(process, Direction::Out, send_data, destination)?;
    let receive = transfers::checked(process, Direction::In, receive_data, source)?;
    let both = SendReceive { send, receive };
    let posted = both.started(
        process,
        &DataLocation::of(send_data.buffer)?,
        &DataLocation::of(receive_data.buffer)?,
    )?;
    both.wait_for_exchange(process, posted, status)
}

pub fn send_receive_replace(
    process: &mut Process,
    data: Data,
    destination: Partner,
    source: Partner,
    status: Status,
) -> Outcome {
    let send = transfers::checked(process, Direction::Out, data, destination)?;
    let receive = transfers::checked(process, Direction::In, data, source)?;
    let both = SendReceive { send, receive };
    let place = DataLocation::of(data.buffer)?;
    let posted = both.started(process, &place, &place)?;
    both.wait_for_exchange(process, posted, status)
}

pub fn start_send_receive(
    process: &mut Process,
    send_data: Data,
    destination: Partner,
    receive_data: Data,
    source: Partner,
    request: Out,
) -> Outcome {
    let send = transfers::checked(process, Direction::Out, send_data, destination)?;
    let receive = transfers::checked(process, Direction::In, receive_data, source)?;
    let both = SendReceive { send, receive };
    let posted = both.started(
        process,
        &DataLocation::of(send_data.buffer)?,
        &DataLocation::of(receive_data.buffer)?,
    )?;
    // Not waiting for its send is all that a started exchange has of it: it is complete as soon as the receive is.
    let (_, posted) = posted;
    process.refuse_emulated(
        "cannot be emulated: a nonblocking exchange has one request for two transfers",
    )?;
    both.record_started_exchange(process, posted, request);
    Ok(())
}

pub fn start_send_receive_replace(
    process: &mut Process,
    data: Data,
    destination: Partner,
    source: Partner,
    request: Out,
) -> Outcome {
    let send = transfers::checked(process, Direction::Out, data, destination)?;
    let receive = transfers::checked(process, Direction::In, data, source)?;
    let both = SendReceive { send, receive };
    let place = DataLocation::of(data.buffer)?;
    let posted = both.started(process, &place, &place)?;
    // Not waiting for its send is all that a started exchange has of it: it is complete as soon as the receive is.
    let (_, posted) = posted;
    process.refuse_emulated(
        "cannot be emulated: a nonblocking exchange has one request for two transfers",
    )?;
    both.record_started_exchange(process, posted, request);
    Ok(())
}
