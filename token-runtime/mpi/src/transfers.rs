//! Point-to-point transfers: sends take the data at once (into the heap), receives are posted and
//! completed by the calls that wait for them.

use crate::arguments::{Buffer, Int, Out, Status};
use crate::completion::{observed, request_handle};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Level, Process, Stream};
use crate::segment::Segment;
use base_data::ids::RequestId;
use base_data::program_data::{Call, ObservedMatch, Operand, Peer, SendMode, Tag, Transfer as Recorded};
use token_runtime::kernel::heap;
use token_runtime::kernel::point_to_point::{self, Message, Wanted};
use token_runtime::kernel::request::Request;
use token_runtime::mpich::datatypes::Predefined;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{ANY_SOURCE, ANY_TAG, PROC_NULL, class};

/// A checked transfer.
#[derive(Clone, Copy)]
struct Transfer {
    communicator: usize,
    /// Rank of the communicator, `PROC_NULL` or `ANY_SOURCE`.
    partner: i32,
    tag: i32,
    count: u64,
    at: usize,
    datatype: &'static Predefined,
}

/// What sets sends and receives apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Out,
    In,
}

impl Transfer {
    fn bytes(&self) -> u64 {
        self.count * self.datatype.extent
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
            datatype: stream.datatype(self.at, self.datatype),
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
    let (at, datatype) = process::datatype(datatype.0)?;
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
    Ok(Transfer { communicator, partner, tag, count, at, datatype })
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
            payload: self.payload(buffer, transfer.bytes())?,
        };
        self.with_room(|| point_to_point::send(self.memory(), receiver, message))
    }

    /// A block with a copy of the program's data; 0 if there are none or nobody needs them.
    fn payload(&self, buffer: Buffer, bytes: u64) -> Result<u64, Failure> {
        if bytes == 0 || self.current.level != Level::Payload {
            return Ok(0);
        }
        let from = address(buffer, bytes)?;
        let block = self.with_room(|| heap::allocate(self.memory(), Segment::words_for(bytes)))?;
        // SAFETY: the program says that its buffer has the elements of the call.
        unsafe { self.segment.copy_in(block, from, bytes) };
        Ok(block)
    }

    /// Posts a receive.
    fn posted(&self, transfer: &Transfer, buffer: Buffer) -> Result<Request, Failure> {
        if transfer.partner == PROC_NULL {
            return Ok(Request::Nothing);
        }
        if self.is_only_recorded() {
            return Ok(Request::Recorded { source: transfer.partner, tag: transfer.tag });
        }
        let wanted = Wanted {
            context: self.communicator(transfer.communicator).context,
            source: u32::try_from(transfer.partner).ok(),
            tag: (transfer.tag != ANY_TAG).then_some(transfer.tag),
        };
        let capacity = transfer.bytes();
        let wants_data = capacity > 0 && self.current.level == Level::Payload;
        let buffer = if wants_data { address(buffer, capacity)? as usize } else { 0 };
        let node = self.with_room(|| point_to_point::post(self.memory(), self.rank, wanted))?;
        Ok(Request::Receive { node, buffer, capacity, wildcard: transfer.wildcard() })
    }

    /// Receives and waits.
    fn receive_now(&self, transfer: &Transfer, buffer: Buffer) -> Result<Envelope, Failure> {
        let request = self.posted(transfer, buffer)?;
        self.await_all(std::iter::once(request))?;
        self.complete(request)
    }

    fn observed(&self, transfer: &Transfer, envelope: Envelope) -> Option<ObservedMatch> {
        let matched = transfer.wildcard() && !self.is_only_recorded() && transfer.partner != PROC_NULL;
        matched.then_some(observed(envelope))
    }
}

fn address(buffer: Buffer, bytes: u64) -> Result<*mut u8, Failure> {
    match buffer {
        Buffer::At(address) if !address.is_null() => Ok(address),
        Buffer::At(_) => wrong(class::BUFFER, format!("the buffer is a null pointer, for {bytes} bytes")),
        Buffer::InPlace => wrong(class::BUFFER, "MPI_IN_PLACE is for collectives only"),
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
    let number = process.requests.add(Request::Send);
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
    process.await_all(std::iter::once(posted))?;
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
