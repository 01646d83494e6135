//! Calls as steps. A blocking call is a start and a wait; `MPI_Sendrecv` is `MPI_Irecv`, `MPI_Send`
//! and `MPI_Wait`; a wait for several requests is one wait after the other, in the order of the
//! call's array.
//!
//! What this version cannot replay is refused with the place of the call.

use super::collectives;
use super::lower::{RankLowering, WildcardReceive};
use super::program::{
    Channel, ChannelTag, FIRST_REQUEST_SLOT, RECEIVE_SLOT, SEND_SLOT, Signature, Size, Step,
};
use crate::EstimateError;
use base_data::program_data::{Call, Completion, ObservedMatch, Operand, Peer, SendMode, Tag, Transfer};
use base_data::{CallSiteId, RequestId};

type Lowered = Result<(), EstimateError>;

/// Appends the steps of a call.
pub(super) fn lower(rank: &mut RankLowering<'_>, site: CallSiteId, call: &Call) -> Lowered {
    match call {
        Call::Init => rank.push(Step::Begin),
        Call::Finalize => rank.push(Step::End),
        _ => {
            rank.push(Step::Enter { site: site.0 });
            return entered(rank, site, call);
        }
    }
    Ok(())
}

fn entered(rank: &mut RankLowering<'_>, site: CallSiteId, call: &Call) -> Lowered {
    match call {
        Call::Init | Call::Finalize => Ok(()),
        Call::Abort => {
            let reason =
                format!("rank {} aborted here when it was recorded; there is no run to predict", rank.rank);
            Err(rank.error(site, reason))
        }
        Call::Send { mode, transfer, request } => send(rank, site, *mode, transfer, *request),
        Call::Receive { transfer, request, observed } => receive(rank, site, transfer, *request, *observed),
        Call::SendReceive { send, receive, observed } => {
            post_receive(rank, site, receive, RECEIVE_SLOT, false, *observed)?;
            post_send(rank, site, send, SEND_SLOT, true)?;
            finish(rank, SEND_SLOT, true);
            finish(rank, RECEIVE_SLOT, false);
            Ok(())
        }
        Call::Wait { completion: Completion::All, requests, observed, .. } => {
            wait(rank, site, requests, observed)
        }
        Call::Wait { completion: Completion::Any | Completion::Some, .. } => {
            not_yet(rank, site, "a wait for any or some of several requests")
        }
        Call::Test { .. } => not_yet(rank, site, "a test for completion"),
        Call::Probe { .. } => not_yet(rank, site, "MPI_Probe"),
        Call::MakePersistent { .. } | Call::StartPersistent { .. } => {
            not_yet(rank, site, "a persistent request")
        }
        Call::Collective { .. } => collectives::lower(rank, site, call),
        Call::MakeCommunicator { parent, .. } => collectives::make_communicator(rank, site, *parent),
    }
}

/// Refuses a call that this version does not know how to replay.
pub(super) fn not_yet(rank: &RankLowering<'_>, site: CallSiteId, what: &str) -> Lowered {
    Err(rank.error(
        site,
        format!(
            "{what} cannot be predicted by this version; rewrite the call or leave it out of the program"
        ),
    ))
}

fn send(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    mode: SendMode,
    transfer: &Transfer,
    request: Option<RequestId>,
) -> Lowered {
    match mode {
        // A ready send goes as a standard one: its receive is posted.
        SendMode::Standard | SendMode::Ready => {}
        SendMode::Synchronous => return not_yet(rank, site, "a synchronous send"),
        SendMode::Buffered => return not_yet(rank, site, "a buffered send"),
    }
    match request {
        Some(request) => {
            let slot = request_slot(rank, site, request)?;
            post_send(rank, site, transfer, slot, false)
        }
        None => {
            post_send(rank, site, transfer, SEND_SLOT, true)?;
            finish(rank, SEND_SLOT, true);
            Ok(())
        }
    }
}

fn receive(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    request: Option<RequestId>,
    observed: Option<ObservedMatch>,
) -> Lowered {
    let Some(request) = request else {
        post_receive(rank, site, transfer, RECEIVE_SLOT, true, observed)?;
        finish(rank, RECEIVE_SLOT, true);
        return Ok(());
    };
    let slot = request_slot(rank, site, request)?;
    if is_wildcard(transfer) && observed.is_none() {
        let step = rank.out.steps.len();
        rank.wildcards.insert(request, WildcardReceive { step, site, transfer: *transfer, slot });
        rank.push(Step::NoTransfer { slot });
        return Ok(());
    }
    post_receive(rank, site, transfer, slot, false, observed)
}

fn is_wildcard(transfer: &Transfer) -> bool {
    transfer.peer == Peer::Any || transfer.tag == Tag::Any && transfer.peer != Peer::Null
}

/// More requests at once than any program has: what is above is a broken file, not a program.
const MOST_REQUESTS: u32 = 1 << 22;

/// The slot of a request, which is thereby known to exist.
fn request_slot(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    request: RequestId,
) -> Result<u32, EstimateError> {
    if request.0 >= MOST_REQUESTS {
        return Err(rank.error(
            site,
            format!("request {request} is beyond the {MOST_REQUESTS} that are kept; record again"),
        ));
    }
    let slot = FIRST_REQUEST_SLOT + request.0;
    rank.out.slots = rank.out.slots.max(slot + 1);
    Ok(slot)
}

fn wait(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    requests: &[RequestId],
    observed: &[ObservedMatch],
) -> Lowered {
    let mut got = observed.iter();
    for &request in requests {
        if let Some(receive) = rank.wildcards.remove(&request) {
            let found = got.next().copied().ok_or_else(|| rank.wildcard_error(receive.site))?;
            let step = receive_step(rank, receive.site, &receive.transfer, receive.slot, false, Some(found))?;
            rank.out.steps[receive.step] = step;
        }
        let slot = request_slot(rank, site, request)?;
        finish(rank, slot, false);
    }
    Ok(())
}

/// Waits for a slot; `blocking` if by the call that started the transfer.
fn finish(rank: &mut RankLowering<'_>, slot: u32, blocking: bool) {
    rank.push(Step::Finish { slot, blocking, collective: false });
}

fn post_send(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    slot: u32,
    blocking: bool,
) -> Lowered {
    let communicator = rank.communicator(site, transfer.communicator)?;
    let destination = match transfer.peer {
        Peer::Null => {
            rank.push(Step::NoTransfer { slot });
            return Ok(());
        }
        Peer::Any => return Err(rank.error(site, "sends to MPI_ANY_SOURCE; name the receiver")),
        Peer::Rank(operand) => world_rank(rank, site, transfer.communicator, operand)?,
    };
    let tag = match transfer.tag {
        Tag::Value(operand) => rank.value(site, operand)?,
        Tag::Any => return Err(rank.error(site, "sends with MPI_ANY_TAG; name the tag")),
    };
    let source = rank.rank.0;
    let channel = Channel { communicator, source, destination, tag: ChannelTag::Value(tag) };
    let size = Size { link: (rank.target.link)(source, destination), bytes: bytes(rank, site, transfer)? };
    let (channel, size) = (rank.tables.channels.number(channel), rank.tables.sizes.number(size));
    rank.push(Step::Send { channel, size, slot, blocking });
    Ok(())
}

fn post_receive(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    slot: u32,
    blocking: bool,
    observed: Option<ObservedMatch>,
) -> Lowered {
    let step = receive_step(rank, site, transfer, slot, blocking, observed)?;
    rank.push(step);
    Ok(())
}

fn receive_step(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    slot: u32,
    blocking: bool,
    observed: Option<ObservedMatch>,
) -> Result<Step, EstimateError> {
    let communicator = rank.communicator(site, transfer.communicator)?;
    let source = match (transfer.peer, observed) {
        (Peer::Null, _) => return Ok(Step::NoTransfer { slot }),
        (Peer::Rank(operand), _) => operand,
        (Peer::Any, Some(found)) => Operand::Constant(found.source),
        (Peer::Any, None) => return Err(rank.wildcard_error(site)),
    };
    let source = world_rank(rank, site, transfer.communicator, source)?;
    let tag = match (transfer.tag, observed) {
        (Tag::Value(operand), _) => rank.value(site, operand)?,
        (Tag::Any, Some(found)) => found.tag,
        (Tag::Any, None) => return Err(rank.wildcard_error(site)),
    };
    let destination = rank.rank.0;
    let channel = Channel { communicator, source, destination, tag: ChannelTag::Value(tag) };
    let size = Size { link: (rank.target.link)(source, destination), bytes: bytes(rank, site, transfer)? };
    let (channel, size) = (rank.tables.channels.number(channel), rank.tables.sizes.number(size));
    Ok(Step::Receive { channel, size, slot, blocking })
}

/// World rank of a partner given as rank of a communicator.
fn world_rank(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    communicator: Operand,
    peer: Operand,
) -> Result<u32, EstimateError> {
    let communicator = rank.communicator(site, communicator)?;
    let peer = rank.value(site, peer)?;
    rank.groups.world_rank(communicator, peer, rank.rank.0).ok_or_else(|| {
        let size = rank.groups.size(communicator);
        let own = rank.rank;
        rank.error(
            site,
            format!(
                "rank {own} names partner {peer} in a communicator of {size} ranks; expected 0 to {}",
                i64::from(size) - 1
            ),
        )
    })
}

fn bytes(rank: &RankLowering<'_>, site: CallSiteId, transfer: &Transfer) -> Result<u64, EstimateError> {
    element_bytes(rank, site, transfer.count, transfer.datatype)
}

/// Bytes of `count` elements of a datatype.
pub(super) fn element_bytes(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    count: Operand,
    datatype: u32,
) -> Result<u64, EstimateError> {
    let count = rank.value(site, count)?;
    let count = u64::try_from(count).map_err(|_| {
        rank.error(site, format!("rank {} transfers {count} elements; expected at least 0", rank.rank))
    })?;
    let datatype = rank.data.datatypes.get(datatype as usize).ok_or_else(|| {
        rank.error(site, format!("datatype {datatype} is not in the program data; record the program again"))
    })?;
    Ok(count.saturating_mul(datatype.bytes()))
}

/// Appends what all ranks must agree on.
pub(super) fn sign(rank: &mut RankLowering<'_>, signature: Signature) {
    let signature = rank.tables.signatures.number(signature);
    rank.push(Step::Collective { signature });
}
