//! Point-to-point transfers: sends take the data at once (into the heap), receives are posted and
//! completed by the calls that wait for them.

use crate::arguments::{Buffer, Envelope, Int, Out, Status};
use crate::datatypes::Predefined;
use crate::failure::{Failure, Outcome, class, wrong};
use crate::process::{self, Level, Process, Stream};
use crate::segment::Segment;
use base_data::ids::RequestId;
use base_data::program_data::{
    Call, Completion, ObservedMatch, Operand, Peer, SendMode, Tag, Transfer as Recorded,
};
use token_runtime::kernel::point_to_point::{self, Message, Wanted};
use token_runtime::kernel::request::Request;
use token_runtime::kernel::{heap, slot};

const PROC_NULL: i32 = -1;
const ANY_SOURCE: i32 = -2;
const ANY_TAG: i32 = -1;
/// `MPI_REQUEST_NULL`, and the first of our own handles.
const REQUEST_NULL: i32 = 0x2c00_0000;
const FIRST_REQUEST: i32 = 0xac00_0000u32 as i32;

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

    /// Waits until all of these receives have their messages.
    fn await_all(&self, requests: impl Iterator<Item = Request>) -> Outcome {
        let nodes = requests.filter_map(|request| match request {
            Request::Receive { node, .. } => Some(node),
            Request::Send | Request::Recorded { .. } | Request::Nothing => None,
        });
        let things = point_to_point::wait_for(self.memory(), nodes);
        if things > 0 {
            slot::wait_for(self.memory(), self.rank, things);
            self.pass_token()?;
        }
        Ok(())
    }

    /// Completes a request whose message, if any, is here.
    fn complete(&self, request: Request) -> Result<Envelope, Failure> {
        match request {
            Request::Send => Ok(Envelope::EMPTY),
            Request::Nothing => Ok(Envelope::NULL),
            Request::Recorded { source, tag } => Ok(Envelope { source, tag, bytes: 0 }),
            Request::Receive { node, buffer, capacity, .. } => self.receive_into(node, buffer, capacity),
        }
    }

    fn receive_into(&self, node: u64, buffer: usize, capacity: u64) -> Result<Envelope, Failure> {
        let memory = self.memory();
        let Message { source, tag, bytes, payload, .. } =
            point_to_point::arrived(memory, node).expect("the rank was woken when the message came");
        if bytes > capacity {
            return Err(Failure::Fatal(token_runtime::ending::Ending::Failure(format!(
                "the message from rank {source} of the communicator with tag {tag} has {bytes} bytes, the receive takes {capacity} at most"
            ))));
        }
        if payload != 0 && buffer != 0 {
            // SAFETY: the program said that its buffer takes `capacity` bytes, and must not have
            // given it back before the receive is complete.
            unsafe { self.segment.copy_out(payload, buffer as *mut u8, bytes) };
        }
        point_to_point::retire(memory, node);
        Ok(Envelope { source: source as i32, tag, bytes })
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

fn observed(envelope: Envelope) -> ObservedMatch {
    ObservedMatch { source: i64::from(envelope.source), tag: i64::from(envelope.tag) }
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
    request.set(FIRST_REQUEST + number as i32);
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
    request.set(FIRST_REQUEST + number as i32);
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

pub fn wait(process: &mut Process, request: Out, status: Status) -> Outcome {
    complete_all(process, 1, request, status)
}

pub fn wait_all(process: &mut Process, count: Int, requests: Out, statuses: Status) -> Outcome {
    complete_all(process, process::count(count.0)? as usize, requests, statuses)
}

fn complete_all(process: &mut Process, count: usize, handles: Out, statuses: Status) -> Outcome {
    let mut numbers = std::mem::take(&mut process.scratch);
    numbers.clear();
    let outcome = find_all(process, count, handles, &mut numbers)
        .and_then(|()| process.await_all(numbers.iter().filter_map(|&number| process.requests.get(number))))
        .and_then(|()| finish_all(process, count, handles, statuses, &numbers));
    process.scratch = numbers;
    outcome
}

/// The numbers of the requests that are not null.
fn find_all(process: &Process, count: usize, handles: Out, numbers: &mut Vec<u32>) -> Outcome {
    for index in 0..count {
        let handle = handles.get_at(index);
        if handle == REQUEST_NULL {
            continue;
        }
        let number = handle.wrapping_sub(FIRST_REQUEST) as u32;
        if process.requests.get(number).is_none() {
            return wrong(class::REQUEST, format!("{handle:#x} is no request of this rank"));
        }
        numbers.push(number);
    }
    Ok(())
}

fn finish_all(
    process: &mut Process,
    count: usize,
    handles: Out,
    statuses: Status,
    numbers: &[u32],
) -> Outcome {
    let mut matches = Vec::new();
    for index in 0..count {
        let handle = handles.get_at(index);
        if handle == REQUEST_NULL {
            statuses.set_at(index, Envelope::EMPTY);
            continue;
        }
        let request = process.requests.remove(handle.wrapping_sub(FIRST_REQUEST) as u32);
        let Some(request) = request else {
            return wrong(class::REQUEST, format!("the request {handle:#x} stands twice in the array"));
        };
        let envelope = process.complete(request)?;
        if let Request::Receive { wildcard: true, .. } = request {
            matches.push(observed(envelope));
        }
        statuses.set_at(index, envelope);
        handles.set_at(index, REQUEST_NULL);
    }
    record_wait(process, numbers, matches);
    Ok(())
}

fn record_wait(process: &mut Process, numbers: &[u32], matches: Vec<ObservedMatch>) {
    if !matches.is_empty() {
        let requests = numbers.iter().map(|&number| RequestId(number)).collect();
        let completion = Completion::All;
        process.record(|_| Call::Wait { completion, requests, completed: Vec::new(), observed: matches });
    } else if let Some(stream) = &mut process.stream {
        let site = stream.site(process.current.announced, process.current.row);
        stream.recorder.wait_all(site, numbers);
    }
}
