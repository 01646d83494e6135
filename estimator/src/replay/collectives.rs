//! Collectives as messages: the schedules of [`machine::collective`], with the protocol of ordinary
//! messages, on channels of their own. How long each message is says [`super::lengths`].
//!
//! A collective with a request sends and posts its first messages at the call, as far as its schedule
//! goes without waiting, and does the rest in the call that completes it: so do libraries without a
//! thread of their own.
//!
//! The making of a communicator is replayed as what every MPI library does at least: all ranks of the
//! parent agree on a new context, an allreduce of [`AGREEMENT_BYTES`].

use super::calls::{Lowered, sign};
use super::lengths::{Direction, Lengths};
use super::lower::RankLowering;
use super::program::{
    Channel, ChannelTag, Combination, RECEIVE_SLOT, SEND_SLOT, Sending, Signature, Size, Step,
};
use super::requests;
use crate::EstimateError;
use base_data::mpi::{BasicDatatype, ReduceOp};
use base_data::program_data::{Call, CollectiveKind, Operand};
use base_data::{CallSiteId, CommId, RequestId};
use machine::collective::{self, CollectiveCase, Part};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One 64-bit number: the next free context.
const AGREEMENT_BYTES: u64 = 8;

/// Appends the steps of a collective, or of its start.
pub(super) fn lower(rank: &mut RankLowering<'_>, site: CallSiteId, call: &Call) -> Lowered {
    let Call::Collective {
        kind,
        communicator,
        root,
        reduce_op,
        request,
        ..
    } = call
    else {
        return Ok(());
    };
    let communicator = rank.communicator(site, *communicator)?;
    let lengths = Lengths::of(rank, site, call)?;
    let root = root_of(rank, site, communicator, *root)?;
    let (kind, started) = (*kind, request.is_some());
    let bytes = lengths.agreed();
    let signature = sign(
        rank,
        Signature {
            communicator,
            kind: Some(kind),
            root,
            bytes,
            started,
        },
    );
    let schedule = schedule(
        rank,
        site,
        &Chosen {
            kind,
            communicator,
            root: root.unwrap_or(0),
            bytes,
        },
    )?;
    let tag = if started {
        ChannelTag::Started(signature)
    } else {
        ChannelTag::Collective
    };
    let what = Expansion {
        communicator,
        tag,
        lengths,
        reduce_op: *reduce_op,
    };
    match request {
        None => {
            expand(rank, &what, &schedule);
            Ok(())
        }
        Some(request) => start(rank, site, what, schedule, *request),
    }
}

/// Appends the steps of making a communicator.
pub(super) fn make_communicator(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    parent: Operand,
) -> Lowered {
    let communicator = rank.communicator(site, parent)?;
    let bytes = AGREEMENT_BYTES;
    sign(
        rank,
        Signature {
            communicator,
            kind: None,
            root: None,
            bytes,
            started: false,
        },
    );
    let chosen = Chosen {
        kind: CollectiveKind::Allreduce,
        communicator,
        root: 0,
        bytes,
    };
    let schedule = schedule(rank, site, &chosen)?;
    let lengths = Lengths::whole(bytes, BasicDatatype::Integer(8));
    let what = Expansion {
        communicator,
        tag: ChannelTag::Collective,
        lengths,
        reduce_op: Some(ReduceOp::BitAnd),
    };
    expand(rank, &what, &schedule);
    Ok(())
}

fn root_of(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    communicator: CommId,
    root: Option<Operand>,
) -> Result<Option<u32>, EstimateError> {
    let Some(operand) = root else { return Ok(None) };
    let value = rank.value(site, operand)?;
    let size = rank.groups.size(communicator);
    let root = u32::try_from(value).ok().filter(|&root| root < size);
    root.map(Some).ok_or_else(|| {
        rank.error(
            site,
            format!(
                "rank {} names root {value} in a communicator of {size} ranks",
                rank.rank
            ),
        )
    })
}

/// What an algorithm is chosen by.
struct Chosen {
    kind: CollectiveKind,
    communicator: CommId,
    root: u32,
    bytes: u64,
}

fn schedule(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    chosen: &Chosen,
) -> Result<Vec<collective::Step>, EstimateError> {
    let ranks = rank.groups.size(chosen.communicator);
    let Some(own) = rank.groups.position(chosen.communicator, rank.rank.0) else {
        let reason = format!(
            "rank {} is no member of the communicator of this call",
            rank.rank
        );
        return Err(rank.error(site, reason));
    };
    let case = CollectiveCase {
        kind: chosen.kind,
        ranks,
        bytes: chosen.bytes,
        library: rank.target.library,
    };
    let Some(algorithm) = collective::select(&case) else {
        return Err(rank.error(
            site,
            format!("no algorithm is known for collective {:?}", chosen.kind),
        ));
    };
    Ok((algorithm.schedule)(own, ranks, chosen.root))
}

/// A collective to be made into messages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expansion {
    communicator: CommId,
    tag: ChannelTag,
    lengths: Lengths,
    reduce_op: Option<ReduceOp>,
}

/// A collective under way: what the call that completes it has to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rest {
    what: Expansion,
    /// Of the messages under way.
    slots: Vec<u32>,
    schedule: Rc<[collective::Step]>,
}

/// The slots of messages that are under way between start and completion of a collective, by request:
/// for sending and for receiving.
pub(super) type StartedSlots = BTreeMap<RequestId, [u32; 2]>;

fn start(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    what: Expansion,
    schedule: Vec<collective::Step>,
    request: RequestId,
) -> Lowered {
    requests::slot(rank, site, request)?;
    let [sending, receiving] = started_slots(rank, request);
    let mut slots = Vec::new();
    if let Some((first, rest)) = schedule.split_first() {
        let (to, from) = ends(first);
        if let Some((from, part)) = from {
            message(
                rank,
                &what,
                Direction::Receive,
                (from, part),
                Some(receiving),
            );
            slots.push(receiving);
        }
        if let Some((to, part)) = to {
            message(rank, &what, Direction::Send, (to, part), Some(sending));
            slots.insert(0, sending);
        }
        let rest = Rest {
            what,
            slots,
            schedule: rest.into(),
        };
        rank.requests.collectives.insert(request, rest);
    } else {
        rank.requests.collectives.insert(
            request,
            Rest {
                what,
                slots,
                schedule: Rc::new([]),
            },
        );
    }
    Ok(())
}

/// Does the rest of a started collective.
pub(super) fn complete(rank: &mut RankLowering<'_>, rest: Rest) {
    for slot in rest.slots {
        rank.push(Step::Finish {
            slot,
            blocking: false,
            collective: true,
        });
    }
    expand(rank, &rest.what, &rest.schedule);
}

/// Slots of their own, above those of all requests of the stream.
fn started_slots(rank: &mut RankLowering<'_>, request: RequestId) -> [u32; 2] {
    if let Some(&slots) = rank.slots.get(&request) {
        return slots;
    }
    let above = rank.slots_of_requests() + 2 * rank.slots.len() as u32;
    let slots = [above, above + 1];
    rank.out.slots = rank.out.slots.max(above + 2);
    rank.slots.insert(request, slots);
    slots
}

/// A partner, and how much goes there or comes from there.
type End = (u32, Part);

/// Where a step of a schedule sends to and receives from.
fn ends(step: &collective::Step) -> (Option<End>, Option<End>) {
    match *step {
        collective::Step::Send { to, part } => (Some((to, part)), None),
        collective::Step::Receive { from, part } => (None, Some((from, part))),
        collective::Step::Exchange {
            to,
            sent,
            from,
            received,
        } => (Some((to, sent)), Some((from, received))),
        collective::Step::Combine(_) => (None, None),
    }
}

fn expand(rank: &mut RankLowering<'_>, what: &Expansion, schedule: &[collective::Step]) {
    for step in schedule {
        match *step {
            collective::Step::Send { to, part } => {
                message(rank, what, Direction::Send, (to, part), None);
                finish(rank, SEND_SLOT, true);
            }
            collective::Step::Receive { from, part } => {
                message(rank, what, Direction::Receive, (from, part), None);
                finish(rank, RECEIVE_SLOT, true);
            }
            collective::Step::Exchange {
                to,
                sent,
                from,
                received,
            } => {
                message(
                    rank,
                    what,
                    Direction::Receive,
                    (from, received),
                    Some(RECEIVE_SLOT),
                );
                message(rank, what, Direction::Send, (to, sent), None);
                finish(rank, SEND_SLOT, true);
                finish(rank, RECEIVE_SLOT, false);
            }
            collective::Step::Combine(part) => combine(rank, what, part),
        }
    }
}

fn finish(rank: &mut RankLowering<'_>, slot: u32, blocking: bool) {
    rank.push(Step::Finish {
        slot,
        blocking,
        collective: true,
    });
}

fn combine(rank: &mut RankLowering<'_>, what: &Expansion, part: Part) {
    if let Some(op) = what.reduce_op {
        let (element, elements) = what.lengths.elements(part);
        let combine = rank.tables.combinations.number(Combination {
            op,
            element,
            elements,
        });
        rank.push(Step::Combine { combine });
    }
}

/// Starts one message of the schedule to or from a rank of the communicator: into a slot, or as a
/// blocking call would.
fn message(
    rank: &mut RankLowering<'_>,
    what: &Expansion,
    way: Direction,
    (partner, part): (u32, Part),
    slot: Option<u32>,
) {
    let own = rank.rank.0;
    let partner = rank
        .groups
        .world_rank(what.communicator, i64::from(partner), own)
        .unwrap_or(own);
    let (source, destination) = match way {
        Direction::Send => (own, partner),
        Direction::Receive => (partner, own),
    };
    let channel = Channel {
        communicator: what.communicator,
        source,
        destination,
        tag: what.tag,
    };
    let (link, bytes) = (
        (rank.target.link)(source, destination),
        what.lengths.bytes(way, part),
    );
    let size = Size {
        link,
        bytes,
        sending: Sending::Standard,
    };
    let (channel, size) = (
        rank.tables.channels.number(channel),
        rank.tables.sizes.number(size),
    );
    let blocking = slot.is_none();
    rank.push(match way {
        Direction::Send => Step::Send {
            channel,
            size,
            slot: slot.unwrap_or(SEND_SLOT),
            blocking,
        },
        Direction::Receive => Step::Receive {
            channel,
            size,
            slot: slot.unwrap_or(RECEIVE_SLOT),
            blocking,
        },
    });
}
