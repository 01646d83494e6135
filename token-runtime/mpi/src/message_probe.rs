//! `MPI_Probe` and its relatives: looking for a message before it is received, and taking it out of
//! the queue so that no other receive matches it.

use crate::arguments::{Buffer, Count, Data, Int, Out, Partner, Status};
use crate::completion::request_handle;
use crate::datatypes::data_location::DataLocation;
use crate::emulation::Emulated;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use crate::requests::{Receive, Request};
use crate::transfers::{self, Direction, Transfer};
use base_data::ids::RequestId;
use base_data::program_data::Call;
use token_runtime::kernel::point_to_point::{self, Message, Node};
use token_runtime::mpich::datatypes::BYTE;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{MESSAGE_NO_PROC, MESSAGE_NULL, PROC_NULL, class};

/// The first handle of a message that was taken out of its queue.
const FIRST_MESSAGE: i32 = 0xac40_0000u32 as i32;

/// A message that was taken out of its queue.
pub struct MatchedMessage {
    /// Its node; 0 if it is only recorded, or received in an emulation.
    node: Node,
    /// Its receive, in an emulation: it begins when the message is taken out.
    receive: Option<Request>,
    communicator: usize,
    envelope: Envelope,
}

/// What is looked for: a message of any length.
fn wanted(process: &Process, source: Int, tag: Int, comm: Int) -> Result<Transfer, Failure> {
    let any_length = Data::new(Buffer::At(std::ptr::null_mut()), Count(0), Int(BYTE));
    let partner = Partner::new(source, tag, comm);
    transfers::checked(process, Direction::In, any_length, partner)
}

fn envelope(message: &Message) -> Envelope {
    Envelope::new(message.source as i32, message.tag, message.bytes)
}

impl Process {
    /// What is found without asking the queue: a receive from MPI_PROC_NULL is empty, and what is only
    /// recorded is found at once.
    fn trivial_match(&self, transfer: &Transfer) -> Option<Envelope> {
        match transfer.partner {
            PROC_NULL => Some(Envelope::NULL),
            partner if self.is_only_recorded() => Some(Envelope::new(partner, transfer.tag, 0)),
            _ => None,
        }
    }

    fn find(&self, transfer: &Transfer) -> Option<Envelope> {
        point_to_point::probe(self.memory(), self.rank, self.wanted(transfer))
            .map(|found| envelope(&found))
    }

    /// Waits for a message; it stays in its queue.
    fn wait_for_message(&self, transfer: &Transfer) -> Result<Envelope, Failure> {
        if let Some(emulated) = &self.emulated
            && let Some(found) = self.probe_timed(emulated, transfer, true)?
        {
            return Ok(found);
        }
        loop {
            if let Some(found) = self.find(transfer) {
                return Ok(found);
            }
            if self.has_threads() {
                self.poll_until(|| self.find(transfer).is_some())?;
            } else {
                point_to_point::wait_for_message(self.memory(), self.rank);
                self.hand_over_token()?;
            }
        }
    }

    /// Looks for a message once, and again after the others had their turn.
    fn find_or_yield(&mut self, transfer: &Transfer) -> Result<Option<Envelope>, Failure> {
        if let Some(emulated) = self.emulated.clone() {
            return match self.probe_timed(&emulated, transfer, false)? {
                Some(found) => Ok(Some(found)),
                None => self.record_failed_poll().map(|()| None),
            };
        }
        if let Some(found) = self.find(transfer) {
            return Ok(Some(found));
        }
        self.yield_to_ranks()?;
        match self.find(transfer) {
            Some(found) => Ok(Some(found)),
            None => self.record_failed_poll().map(|()| None),
        }
    }

    fn record_probe(&mut self, transfer: &Transfer, blocking: bool, found: Option<Envelope>) {
        if found.is_none() && self.emulated.is_some() {
            // A failed probe takes no time in a replay, and a polling loop makes a great many.
            return;
        }
        let observed = found.filter(|_| transfer.partner != PROC_NULL);
        let observed = observed.map(|found| transfers::observed(found, transfer.first_partner));
        self.record(|stream| Call::Probe {
            transfer: transfer.recorded(Direction::In, stream),
            blocking,
            observed,
        });
    }

    /// Takes the message that was found out of its queue; gives its handle.
    fn extract_message(&mut self, transfer: &Transfer, found: Envelope) -> Result<i32, Failure> {
        if transfer.partner == PROC_NULL {
            return Ok(MESSAGE_NO_PROC);
        }
        let receive = match self.emulated.clone() {
            Some(emulated) => Some(self.receive_found(&emulated, transfer, found)?),
            None => None,
        };
        let node = match self.is_only_recorded() || receive.is_some() {
            true => 0,
            false => point_to_point::take(self.memory(), self.rank, self.wanted(transfer))
                .expect("it was found and no rank has run since"),
        };
        let matched_messages = MatchedMessage {
            node,
            receive,
            communicator: transfer.communicator,
            envelope: found,
        };
        let number = self.matched_messages.add(matched_messages);
        Ok(FIRST_MESSAGE.wrapping_add(number as i32))
    }

    /// Begins to receive the message that was found, so that no other receive gets it. Where its data go is known later.
    fn receive_found(
        &self,
        emulated: &Emulated,
        transfer: &Transfer,
        found: Envelope,
    ) -> Result<Request, Failure> {
        let found = Transfer {
            partner: found.source,
            tag: found.tag,
            count: found.bytes,
            datatype: self.datatype(BYTE)?.clone(),
            ..transfer.clone()
        };
        let nowhere = Receive {
            node: 0,
            place: None,
            count: found.count,
            datatype: found.datatype.clone(),
            wildcard: None,
            call_instance: None,
            call: self.call_word(),
        };
        self.start_timed_receive(emulated, &found, nowhere)
    }
}

pub fn probe(process: &mut Process, source: Int, tag: Int, comm: Int, status: Status) -> Outcome {
    let transfer = wanted(process, source, tag, comm)?;
    let found = match process.trivial_match(&transfer) {
        Some(found) => found,
        None => process.wait_for_message(&transfer)?,
    };
    process.record_probe(&transfer, true, Some(found));
    status.set(found);
    Ok(())
}

pub fn iprobe(
    process: &mut Process,
    source: Int,
    tag: Int,
    comm: Int,
    flag: Out,
    status: Status,
) -> Outcome {
    let transfer = wanted(process, source, tag, comm)?;
    let found = match process.trivial_match(&transfer) {
        Some(found) => Some(found),
        None => process.find_or_yield(&transfer)?,
    };
    process.record_probe(&transfer, false, found);
    flag.set(found.is_some().into());
    found.into_iter().for_each(|found| status.set(found));
    Ok(())
}

pub fn mprobe(
    process: &mut Process,
    source: Int,
    tag: Int,
    comm: Int,
    message: Out,
    status: Status,
) -> Outcome {
    let transfer = wanted(process, source, tag, comm)?;
    let found = match process.trivial_match(&transfer) {
        Some(found) => found,
        None => process.wait_for_message(&transfer)?,
    };
    message.set(process.extract_message(&transfer, found)?);
    process.record_probe(&transfer, true, Some(found));
    status.set(found);
    Ok(())
}

pub fn improbe(
    process: &mut Process,
    source: Int,
    tag: Int,
    comm: Int,
    flag: Out,
    message: Out,
    status: Status,
) -> Outcome {
    let transfer = wanted(process, source, tag, comm)?;
    let found = match process.trivial_match(&transfer) {
        Some(found) => Some(found),
        None => process.find_or_yield(&transfer)?,
    };
    flag.set(found.is_some().into());
    message.set(match found {
        Some(found) => process.extract_message(&transfer, found)?,
        None => MESSAGE_NULL,
    });
    process.record_probe(&transfer, false, found);
    found.into_iter().for_each(|found| status.set(found));
    Ok(())
}

/// The receive of a message that was taken out of its queue, and what the recording says it receives.
fn receive_matched_message(
    rank: &mut Process,
    (buffer, count, datatype): (Buffer, Count, Int),
    message: Out,
) -> Result<(Request, Option<Transfer>), Failure> {
    let handle = message.get();
    if handle == MESSAGE_NO_PROC {
        message.set(MESSAGE_NULL);
        return Ok((Request::Done(Envelope::NULL), None));
    }
    let Some(matched_messages) = rank
        .matched_messages
        .remove(handle.wrapping_sub(FIRST_MESSAGE) as u32)
    else {
        return wrong(
            class::REQUEST,
            format!("{handle:#x} is no message that MPI_Mprobe has found"),
        );
    };
    let transfer = Transfer {
        first_partner: rank
            .communicator(matched_messages.communicator)
            .partner_place(0),
        communicator: matched_messages.communicator,
        partner: matched_messages.envelope.source,
        tag: matched_messages.envelope.tag,
        count: process::count(count.0)?,
        datatype: rank.datatype(datatype.0)?.clone(),
    };
    message.set(MESSAGE_NULL);
    if let Some(Request::Timed(started)) = matched_messages.receive {
        let place = DataLocation::of(buffer)?;
        let Request::Receive(receive) = rank.receive_of_node(0, &transfer, &place)? else {
            return Ok((Request::Done(matched_messages.envelope), Some(transfer)));
        };
        return Ok((Request::Timed(started.into_place(receive)), Some(transfer)));
    }
    if matched_messages.node == 0 {
        return Ok((Request::Done(matched_messages.envelope), Some(transfer)));
    }
    point_to_point::accept(rank.memory(), matched_messages.node);
    let receive =
        rank.receive_of_node(matched_messages.node, &transfer, &DataLocation::of(buffer)?)?;
    Ok((receive, Some(transfer)))
}

pub fn mrecv(
    process: &mut Process,
    buf: Buffer,
    count: Count,
    datatype: Int,
    message: Out,
    status: Status,
) -> Outcome {
    let (receive, transfer) = receive_matched_message(process, (buf, count, datatype), message)?;
    let envelope = process.wait_now(receive)?;
    if let Some(transfer) = transfer {
        process.record(|stream| Call::Receive {
            transfer: transfer.recorded(Direction::In, stream),
            request: None,
            observed: None,
        });
    }
    status.set(envelope);
    Ok(())
}

pub fn imrecv(
    process: &mut Process,
    buf: Buffer,
    count: Count,
    datatype: Int,
    message: Out,
    request: Out,
) -> Outcome {
    let (receive, transfer) = receive_matched_message(process, (buf, count, datatype), message)?;
    let number = process.requests.add(receive);
    if let Some(transfer) = transfer {
        process.record(|stream| Call::Receive {
            transfer: transfer.recorded(Direction::In, stream),
            request: Some(RequestId(number)),
            observed: None,
        });
    }
    request.set(request_handle(number));
    Ok(())
}
