//! Point-to-point transfers: sends take the data at once (into the heap), receives are posted and
//! completed by the calls that wait for them.

use crate::arguments::{Buffer, Int, Out, Status};
use crate::completion::{observed, request_handle};
use crate::datatypes::{Type, packing};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Level, Process, Stream};
use crate::requests::{Receive, Request};
use base_data::ids::RequestId;
use base_data::program_data::{Call, ObservedMatch, Operand, Peer, SendMode, Tag, Transfer as Recorded};
use std::rc::Rc;
use token_runtime::kernel::point_to_point::{self, Message, Wanted};
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{ANY_SOURCE, ANY_TAG, PROC_NULL, class};

/// A checked transfer.
#[derive(Clone)]
struct Transfer {
    communicator: usize,
    /// Rank of the communicator, `PROC_NULL` or `ANY_SOURCE`.
    partner: i32,
    tag: i32,
    count: u64,
    datatype: Rc<Type>,
}

/// What sets sends and receives apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Out,
    In,
}

impl Transfer {
    fn bytes(&self) -> u64 {
        self.datatype.bytes(self.count)
    }

    fn wildcard(&self) -> bool {
        self.partner == ANY_SOURCE || self.tag == ANY_TAG
    }

    fn recorded(&self, direction: Direction, stream: &mut Stream) -> Recorded {
        let tag = match direction {
            Direction::In if self.tag == ANY_TAG => Tag::Any,
            Direction::In | Direction::Out => Tag::Value(Operand::Constant(i64::from(self.tag))),
        };
        Recorded {
            peer: match self.partner {
                PROC_NULL => Peer::Null,
                ANY_SOURCE => Peer::Any,
                rank => Peer::Rank(Operand::Constant(i64::from(rank))),
            },
            tag,
            count: Operand::Constant(self.count as i64),
            datatype: stream.datatype_of(&self.datatype),
            communicator: Operand::Constant(self.communicator as i64),
        }
    }
}

fn transfer(
    process: &Process,
    direction: Direction,
    (count, datatype): (Int, Int),
    (partner, tag, comm): (Int, Int, Int),
) -> Result<Transfer, Failure> {
    let communicator = process.communicator_index(comm.0)?;
    let count = process::count(count.0)?;
    let datatype = process.datatype(datatype.0)?.clone();
    let (partner, tag) = (partner.0, tag.0);
    let known = process.communicator(communicator).world_rank(i64::from(partner)).is_some();
    if !(known || partner == PROC_NULL || partner == ANY_SOURCE && direction == Direction::In) {
        let size = process.communicator(communicator).size();
        return wrong(class::RANK, format!("rank {partner} is none of the communicator's 0 to {}", size - 1));
    }
    if tag < 0 && partner != PROC_NULL && !(tag == ANY_TAG && direction == Direction::In) {
        return wrong(class::TAG, format!("the tag is {tag}; it must not be negative"));
    }
    process.note_peer(partner);
    Ok(Transfer { communicator, partner, tag, count, datatype })
}

impl Process {
    /// Sends the data, unless nobody needs them.
    fn deliver(&self, transfer: &Transfer, buffer: Buffer) -> Outcome {
        if transfer.partner == PROC_NULL || self.is_only_recorded() {
            return Ok(());
        }
        let communicator = self.communicator(transfer.communicator);
        let receiver = communicator.group[transfer.partner as usize];
        let message = Message {
            context: communicator.context,
            source: communicator.rank,
            tag: transfer.tag,
            bytes: transfer.bytes(),
            payload: self.packed(buffer, transfer.count, &transfer.datatype)?,
        };
        self.with_room(|| point_to_point::send(self.memory(), receiver, message))
    }

    /// Posts a receive.
    fn posted(&self, transfer: &Transfer, buffer: Buffer) -> Result<Request, Failure> {
        if transfer.partner == PROC_NULL {
            return Ok(Request::Done(Envelope::NULL));
        }
        if self.is_only_recorded() {
            return Ok(Request::Done(Envelope { source: transfer.partner, tag: transfer.tag, bytes: 0 }));
        }
        let wanted = Wanted {
            context: self.communicator(transfer.communicator).context,
            source: u32::try_from(transfer.partner).ok(),
            tag: (transfer.tag != ANY_TAG).then_some(transfer.tag),
        };
        let wants_data = transfer.bytes() > 0 && self.current.level == Level::Payload;
        if wants_data {
            packing::address(buffer, transfer.count, &transfer.datatype)?;
        }
        let node = self.with_room(|| point_to_point::post(self.memory(), self.rank, wanted))?;
        Ok(Request::Receive(Receive {
            node,
            buffer: wants_data.then_some(buffer),
            count: transfer.count,
            datatype: transfer.datatype.clone(),
            wildcard: transfer.wildcard(),
        }))
    }

    /// Receives and waits.
    fn receive_now(&mut self, transfer: &Transfer, buffer: Buffer) -> Result<Envelope, Failure> {
        let request = self.posted(transfer, buffer)?;
        self.await_all(std::iter::once(&request))?;
        self.complete(request)
    }

    fn observed(&self, transfer: &Transfer, envelope: Envelope) -> Option<ObservedMatch> {
        let matched = transfer.wildcard() && !self.is_only_recorded() && transfer.partner != PROC_NULL;
        matched.then_some(observed(envelope))
    }
}

pub fn send(
    process: &mut Process,
    buf: Buffer,
    count: Int,
    datatype: Int,
    dest: Int,
    tag: Int,
    comm: Int,
) -> Outcome {
    let transfer = transfer(process, Direction::Out, (count, datatype), (dest, tag, comm))?;
    process.record(|stream| Call::Send {
        mode: SendMode::Standard,
        transfer: transfer.recorded(Direction::Out, stream),
        request: None,
    });
    process.deliver(&transfer, buf)
}

#[allow(clippy::too_many_arguments)]
pub fn start_send(
    process: &mut Process,
    buf: Buffer,
    count: Int,
    datatype: Int,
    dest: Int,
    tag: Int,
    comm: Int,
    request: Out,
) -> Outcome {
    let transfer = transfer(process, Direction::Out, (count, datatype), (dest, tag, comm))?;
    process.deliver(&transfer, buf)?;
    let number = process.requests.add(Request::Done(Envelope::EMPTY));
    process.record(|stream| Call::Send {
        mode: SendMode::Standard,
        transfer: transfer.recorded(Direction::Out, stream),
        request: Some(RequestId(number)),
    });
    request.set(request_handle(number));
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn receive(
    process: &mut Process,
    buf: Buffer,
    count: Int,
    datatype: Int,
    source: Int,
    tag: Int,
    comm: Int,
    status: Status,
) -> Outcome {
    let transfer = transfer(process, Direction::In, (count, datatype), (source, tag, comm))?;
    let envelope = process.receive_now(&transfer, buf)?;
    let observed = process.observed(&transfer, envelope);
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
    count: Int,
    datatype: Int,
    source: Int,
    tag: Int,
    comm: Int,
    request: Out,
) -> Outcome {
    let transfer = transfer(process, Direction::In, (count, datatype), (source, tag, comm))?;
    let posted = process.posted(&transfer, buf)?;
    let number = process.requests.add(posted);
    process.record(|stream| Call::Receive {
        transfer: transfer.recorded(Direction::In, stream),
        request: Some(RequestId(number)),
        observed: None,
    });
    request.set(request_handle(number));
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn send_receive(
    process: &mut Process,
    sendbuf: Buffer,
    sendcount: Int,
    sendtype: Int,
    dest: Int,
    sendtag: Int,
    recvbuf: Buffer,
    recvcount: Int,
    recvtype: Int,
    source: Int,
    recvtag: Int,
    comm: Int,
    status: Status,
) -> Outcome {
    let send = transfer(process, Direction::Out, (sendcount, sendtype), (dest, sendtag, comm))?;
    let receive = transfer(process, Direction::In, (recvcount, recvtype), (source, recvtag, comm))?;
    let posted = process.posted(&receive, recvbuf)?;
    process.deliver(&send, sendbuf)?;
    process.await_all(std::iter::once(&posted))?;
    let envelope = process.complete(posted)?;
    let observed = process.observed(&receive, envelope);
    process.record(|stream| Call::SendReceive {
        send: send.recorded(Direction::Out, stream),
        receive: receive.recorded(Direction::In, stream),
        observed,
    });
    status.set(envelope);
    Ok(())
}
