//! Point-to-point transfers: what sends and receives have in common. Sends take the data at once (into
//! the heap), receives are posted and completed by the calls that wait for them.

use crate::arguments::{Data, Partner};
use crate::call_cache::CallKey;
use crate::datatypes::Type;
use crate::datatypes::data_location::DataLocation;
use crate::event_stream::RankEventStream;
use crate::failure::{Failure, wrong};
use crate::process::{self, Level, Process};
use crate::requests::{Receive, Request, Sent};
use base_data::program_data::{ObservedMatch, Operand, Peer, SendMode, Tag, Transfer as Recorded};
use std::rc::Rc;
use token_runtime::kernel::point_to_point::{self, Message, Node, Wanted};
use token_runtime::mpich::datatypes::BYTE;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{ANY_SOURCE, ANY_TAG, DATATYPE_NULL, PROC_NULL, class};

/// A checked transfer.
#[derive(Clone)]
pub struct Transfer {
    pub communicator: usize,
    /// Rank of the communicator, `PROC_NULL` or `ANY_SOURCE`.
    pub partner: i32,
    pub tag: i32,
    pub count: u64,
    pub datatype: Rc<Type>,
    /// Place of the first partner among all members of the communicator: not 0 on intercommunicators only,
    /// which recordings know as one group.
    pub first_partner: u32,
}

/// What sets sends and receives apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Out,
    In,
}

impl Transfer {
    /// Bytes of data.
    pub fn bytes(&self) -> u64 {
        self.datatype.bytes(self.count)
    }

    /// Whether it takes a message from any source or with any tag.
    pub fn is_wildcard(&self) -> bool {
        self.partner == ANY_SOURCE || self.tag == ANY_TAG && self.partner != PROC_NULL
    }

    /// As the recording writes it.
    pub fn recorded(&self, direction: Direction, stream: &mut RankEventStream) -> Recorded {
        let tag = match direction {
            Direction::In if self.tag == ANY_TAG => Tag::Any,
            Direction::In | Direction::Out => Tag::Value(Operand::Constant(i64::from(self.tag))),
        };
        Recorded {
            peer: match self.partner {
                PROC_NULL => Peer::Null,
                ANY_SOURCE => Peer::Any,
                rank => Peer::Rank(Operand::Constant(
                    i64::from(rank) + i64::from(self.first_partner),
                )),
            },
            tag,
            count: Operand::Constant(self.count as i64),
            datatype: stream.datatype_of(&self.datatype),
            communicator: stream.communicator(self.communicator),
        }
    }

    /// What the recording says a wildcard got.
    pub fn observed(&self, process: &Process, envelope: Envelope) -> Option<ObservedMatch> {
        // A call that is only recorded matches no message.
        if !self.is_wildcard() || process.is_only_recorded() {
            return None;
        }
        Some(observed(envelope, self.first_partner))
    }
}

/// What a wildcard receive got; its first partner has this place among all members of its communicator.
pub fn observed(envelope: Envelope, first_partner: u32) -> ObservedMatch {
    let source = i64::from(envelope.source) + i64::from(first_partner);
    ObservedMatch {
        source,
        tag: i64::from(envelope.tag),
    }
}

/// The arguments that identify a transfer among those of the same call site.
#[inline]
pub fn words(data: Data, partner: Partner) -> [u64; 5] {
    [
        data.count.0 as u64,
        data.datatype.0 as u64,
        partner.rank.0 as u64,
        partner.tag.0 as u64,
        partner.comm.0 as u64,
    ]
}

/// Checks the arguments of a transfer.
pub fn checked(
    process: &Process,
    direction: Direction,
    data: Data,
    partner: Partner,
) -> Result<Transfer, Failure> {
    let communicator = process.communicator_index(partner.comm.0)?;
    let count = process::count(data.count.0)?;
    let (partner, tag) = (partner.rank.0, partner.tag.0);
    // An empty message to or from MPI_PROC_NULL needs no datatype.
    let is_empty = partner == PROC_NULL && count == 0 && data.datatype.0 == DATATYPE_NULL;
    let datatype_handle = if is_empty { BYTE } else { data.datatype.0 };
    let datatype = process.datatype(datatype_handle)?.clone();
    let is_rank = process
        .communicator(communicator)
        .world_rank(i64::from(partner))
        .is_some();
    // MPI_ANY_SOURCE and MPI_ANY_TAG are for receives alone.
    let is_any_source = partner == ANY_SOURCE && direction == Direction::In;
    if !(is_rank || partner == PROC_NULL || is_any_source) {
        let size = process.communicator(communicator).partners().len();
        return wrong(
            class::RANK,
            format!(
                "rank {partner} is none of the communicator's 0 to {}",
                size - 1
            ),
        );
    }
    if tag < 0 && partner != PROC_NULL && !(tag == ANY_TAG && direction == Direction::In) {
        return wrong(
            class::TAG,
            format!("the tag is {tag}; it must not be negative"),
        );
    }
    process.set_peer(partner);
    process.set_tag(tag);
    let first_partner = process.communicator(communicator).partner_place(0);
    Ok(Transfer {
        communicator,
        partner,
        tag,
        count,
        datatype,
        first_partner,
    })
}

/// What a receive that is only recorded is said to have got.
pub fn unmatched_envelope(partner: i32, tag: i32) -> Envelope {
    match partner {
        PROC_NULL => Envelope::NULL,
        partner => Envelope::new(partner, tag, 0),
    }
}

impl Process {
    /// Identifies a call that starts a transfer: its arguments and its request.
    #[inline]
    pub fn start_key(&self, data: Data, partner: Partner) -> Option<CallKey> {
        let [count, datatype, partner, tag, comm] = words(data, partner);
        self.call_key([
            count,
            datatype,
            partner,
            tag,
            comm,
            self.requests.next_number().into(),
        ])
    }

    /// Sends the data, unless no receiver needs them. A synchronous send is complete when its message is
    /// taken, all others at once.
    pub fn deliver(
        &self,
        mode: SendMode,
        transfer: &Transfer,
        place: &DataLocation,
    ) -> Result<Request, Failure> {
        if mode == SendMode::Buffered {
            self.check_attached(transfer.communicator, transfer.bytes())?;
        }
        if transfer.partner == PROC_NULL || self.is_only_recorded() {
            return Ok(Request::Done(Envelope::EMPTY));
        }
        if let Some(replay) = &self.replay {
            self.record_own_send(replay, transfer, place)?;
            return Ok(Request::Done(Envelope::EMPTY));
        }
        self.require_other_ranks()?;
        let sender = match mode {
            SendMode::Synchronous if self.emulated.is_none() => {
                self.allocate_or_wait(|| point_to_point::synchronous(self.memory(), self.rank))?
            }
            SendMode::Standard | SendMode::Synchronous | SendMode::Ready | SendMode::Buffered => 0,
        };
        let communicator = self.communicator(transfer.communicator);
        let receiver = communicator.partners()[transfer.partner as usize];
        let message = Message {
            context: communicator.context,
            source: communicator.rank,
            tag: transfer.tag,
            bytes: transfer.bytes(),
            payload: self.packed_from(place, transfer.count, &transfer.datatype)?,
            signature: transfer.datatype.data.signature_word(transfer.count),
            sender,
            number: self.sent.get() + 1,
            call: self.call_word(),
        };
        self.sent.set(message.number);
        self.allocate_or_wait(|| point_to_point::send(self.memory(), receiver, message))?;
        if let Some(emulated) = &self.emulated {
            return Ok(self.start_timed_send(emulated, mode, receiver, &message));
        }
        Ok(if sender == 0 {
            Request::Sent(Sent { receiver, message })
        } else {
            Request::Send(sender)
        })
    }

    /// Posts a receive.
    pub fn posted(&self, transfer: &Transfer, place: &DataLocation) -> Result<Request, Failure> {
        if transfer.partner == PROC_NULL || self.is_only_recorded() {
            return Ok(Request::Done(unmatched_envelope(
                transfer.partner,
                transfer.tag,
            )));
        }
        if let Some(replay) = self.replay.clone() {
            return self.post_replayed_receive(replay, transfer, place);
        }
        self.require_other_ranks()?;
        let receive = |node| self.receive_of_node(node, transfer, place);
        let checked = receive(0)?;
        if let (Some(emulated), Request::Receive(receive)) = (&self.emulated, checked) {
            return self.start_timed_receive(emulated, transfer, receive);
        }
        let wanted = self.wanted(transfer);
        let request = receive(
            self.allocate_or_wait(|| point_to_point::post(self.memory(), self.rank, wanted))?,
        )?;
        Ok(match request {
            Request::Receive(receive) => Request::Receive(Receive {
                call_instance: self.call_instance(),
                ..receive
            }),
            Request::Done(_)
            | Request::Sent(_)
            | Request::Send(_)
            | Request::Pending(_)
            | Request::Timed(_)
            | Request::Persistent(..) => request,
        })
    }

    /// The receive of a node, for messages that were taken out of their queue.
    pub fn receive_of_node(
        &self,
        node: Node,
        transfer: &Transfer,
        place: &DataLocation,
    ) -> Result<Request, Failure> {
        let wants_data = transfer.bytes() > 0 && self.current.level == Level::Payload;
        let place = if wants_data {
            place.check(transfer.count, &transfer.datatype)?;
            Some(place.clone())
        } else {
            None
        };
        let wildcard = if transfer.is_wildcard() {
            Some(transfer.first_partner)
        } else {
            None
        };
        Ok(Request::Receive(Receive {
            node,
            place,
            count: transfer.count,
            datatype: transfer.datatype.clone(),
            wildcard,
            call_instance: None,
            call: self.call_word(),
        }))
    }

    /// What a receive or probe asks for.
    pub fn wanted(&self, transfer: &Transfer) -> Wanted {
        let tag = if transfer.tag == ANY_TAG {
            None
        } else {
            Some(transfer.tag)
        };
        Wanted {
            context: self.communicator(transfer.communicator).context,
            source: u32::try_from(transfer.partner).ok(),
            tag,
        }
    }

    /// Waits for a request of this call and completes it.
    pub fn wait_now(&mut self, request: Request) -> Result<Envelope, Failure> {
        self.wait_for_all(std::iter::once(&request))?;
        self.complete(request)
    }
}
