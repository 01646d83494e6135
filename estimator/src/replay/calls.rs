//! Calls as steps. A blocking call is a start and a wait; `MPI_Sendrecv` is `MPI_Irecv`, `MPI_Send`
//! and `MPI_Wait`; a wait for several requests is a sequence of waits in the order of the
//! call's array. Requests are in [`super::requests`].
//!
//! A call that cannot be replayed is an error with its place.

use super::collectives;
use super::lower::RankLowering;
use super::program::{
    Channel, ChannelTag, Pattern, RECEIVE_SLOT, SEND_SLOT, Sending, Signature, Size, Step,
};
use super::requests::{self, Completing};
use crate::EstimateError;
use base_data::program_data::{Call, ObservedMatch, Operand, Peer, SendMode, Tag, Transfer};
use base_data::{CallSiteId, RequestId};

/// Steps appended, or why not.
pub(super) type Lowered = Result<(), EstimateError>;

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
            let reason = format!(
                "rank {} aborted here when it was recorded; there is no run to predict",
                rank.rank
            );
            Err(rank.error(site, reason))
        }
        Call::Send {
            mode,
            transfer,
            request,
        } => send(rank, site, *mode, transfer, *request),
        Call::Receive {
            transfer,
            request,
            observed,
        } => receive(rank, site, transfer, *request, *observed),
        Call::SendReceive {
            send,
            receive,
            observed,
        } => {
            post_receive(rank, site, receive, RECEIVE_SLOT, false, *observed)?;
            post_send(rank, site, SendMode::Standard, send, SEND_SLOT, true)?;
            finish(rank, SEND_SLOT, true);
            finish(rank, RECEIVE_SLOT, false);
            Ok(())
        }
        Call::Wait {
            completion,
            requests,
            completed,
            observed,
        } => requests::wait(
            rank,
            site,
            &Completing {
                completion: *completion,
                requests,
                completed,
                observed,
            },
        ),
        Call::Test { completed, .. } => {
            if completed.is_empty() {
                collectives::proceed(rank);
            }
            requests::complete(rank, site, completed, &[])
        }
        Call::Probe {
            transfer,
            blocking,
            observed,
        } => probe(rank, site, transfer, *blocking, *observed),
        Call::MakePersistent {
            send,
            transfer,
            request,
        } => requests::make(rank, site, *send, transfer, *request),
        Call::StartPersistent { requests } => requests::start(rank, site, requests),
        Call::Collective { .. } => collectives::lower(rank, site, call),
        Call::MakeCommunicator { parent, .. } => {
            collectives::make_communicator(rank, site, *parent)
        }
    }
}

fn send(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    mode: SendMode,
    transfer: &Transfer,
    request: Option<RequestId>,
) -> Lowered {
    if let Some(request) = request {
        return start_send(rank, site, mode, transfer, request);
    }
    post_send(rank, site, mode, transfer, SEND_SLOT, true)?;
    finish(rank, SEND_SLOT, true);
    Ok(())
}

/// Starts to send.
pub(super) fn start_send(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    mode: SendMode,
    transfer: &Transfer,
    request: RequestId,
) -> Lowered {
    let slot = requests::slot(rank, site, request)?;
    post_send(rank, site, mode, transfer, slot, false)
}

fn receive(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    request: Option<RequestId>,
    observed: Option<ObservedMatch>,
) -> Lowered {
    if let Some(request) = request {
        return requests::start_receive(rank, site, transfer, request, observed);
    }
    post_receive(rank, site, transfer, RECEIVE_SLOT, true, observed)?;
    finish(rank, RECEIVE_SLOT, true);
    Ok(())
}

/// A probe that waited, or found a message; one that found none takes no time, except for collectives that proceed in it.
fn probe(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    blocking: bool,
    observed: Option<ObservedMatch>,
) -> Lowered {
    if !blocking && observed.is_none() {
        collectives::proceed(rank);
        return Ok(());
    }
    // A slice whose messages are not matched knows that it found one, not which.
    let observed = observed.filter(|found| found.source >= 0 && found.tag >= 0);
    let step = match source_of(rank, site, transfer, observed)? {
        Source::NoObserver => return Ok(()),
        Source::Channel(channel) => Step::Probe {
            channel: rank.tables.channels.number(channel),
        },
        Source::Any(pattern) => Step::ProbeAny {
            pattern: rank.tables.patterns.number(pattern),
        },
    };
    rank.push(step);
    Ok(())
}

/// Waits for a slot; `blocking` if by the call that started the transfer.
pub(super) fn finish(rank: &mut RankLowering<'_>, slot: u32, blocking: bool) {
    rank.push(Step::Finish {
        slot,
        blocking,
        collective: false,
    });
}

fn post_send(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    mode: SendMode,
    transfer: &Transfer,
    slot: u32,
    blocking: bool,
) -> Lowered {
    let communicator = rank.communicator(site, transfer.communicator)?;
    let destination = match transfer.peer {
        Peer::Null => {
            // The call still has a request that is waited for.
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
    let channel = Channel {
        communicator,
        source,
        destination,
        tag: ChannelTag::Value(tag),
    };
    let bytes = bytes(rank, site, transfer)?;
    let size = Size {
        link: (rank.target.link)(source, destination),
        bytes,
        sending: sending(mode),
    };
    let (channel, size) = (
        rank.tables.channels.number(channel),
        rank.tables.sizes.number(size),
    );
    rank.push(Step::Send {
        channel,
        size,
        slot,
        blocking,
    });
    Ok(())
}

fn sending(mode: SendMode) -> Sending {
    match mode {
        SendMode::Standard | SendMode::Ready => Sending::Standard,
        SendMode::Synchronous => Sending::Synchronous,
        SendMode::Buffered => Sending::Buffered,
    }
}

/// Starts to receive into a slot.
pub(super) fn post_receive(
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

/// The step that starts to receive.
pub(super) fn receive_step(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    slot: u32,
    blocking: bool,
    observed: Option<ObservedMatch>,
) -> Result<Step, EstimateError> {
    let source = source_of(rank, site, transfer, observed)?;
    let own = rank.rank.0;
    let from = match source {
        Source::NoObserver => return Ok(Step::NoTransfer { slot }),
        Source::Channel(channel) => channel.source,
        Source::Any(pattern) => match pattern.source {
            Some(source) => source,
            None => likely_source(own, rank.data.ranks),
        },
    };
    let (link, bytes) = ((rank.target.link)(from, own), bytes(rank, site, transfer)?);
    let size = rank.tables.sizes.number(Size {
        link,
        bytes,
        sending: Sending::Standard,
    });
    Ok(match source {
        Source::NoObserver => Step::NoTransfer { slot },
        Source::Channel(channel) => Step::Receive {
            channel: rank.tables.channels.number(channel),
            size,
            slot,
            blocking,
        },
        Source::Any(pattern) => Step::ReceiveAny {
            pattern: rank.tables.patterns.number(pattern),
            size,
            slot,
            blocking,
        },
    })
}

/// A rank whose link stands for that of the message that a wildcard will get: starting to receive takes time before that is
/// known. A message is seldom from the rank itself, and most often from the first rank, or to it.
pub(super) fn likely_source(own: u32, ranks: u32) -> u32 {
    if own == 0 { ranks.saturating_sub(1) } else { 0 }
}

/// Where a receive or a probe looks for its message.
#[derive(Clone, Copy)]
enum Source {
    /// `MPI_PROC_NULL`.
    NoObserver,
    Channel(Channel),
    Any(Pattern),
}

fn source_of(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    observed: Option<ObservedMatch>,
) -> Result<Source, EstimateError> {
    let communicator = rank.communicator(site, transfer.communicator)?;
    // A wildcard receives from whom it received when the program was recorded.
    let source = match (transfer.peer, observed) {
        (Peer::Null, _) => return Ok(Source::NoObserver),
        (Peer::Rank(operand), _) => Some(operand),
        (Peer::Any, found) => found.map(|found| Operand::Constant(found.source)),
    };
    let source = source
        .map(|source| world_rank(rank, site, transfer.communicator, source))
        .transpose()?;
    let tag = match (transfer.tag, observed) {
        (Tag::Value(operand), _) => Some(rank.value(site, operand)?),
        (Tag::Any, found) => found.map(|found| found.tag),
    };
    Ok(match (source, tag) {
        (Some(source), Some(tag)) => {
            let (destination, tag) = (rank.rank.0, ChannelTag::Value(tag));
            Source::Channel(Channel {
                communicator,
                source,
                destination,
                tag,
            })
        }
        (source, tag) => Source::Any(Pattern {
            communicator,
            source,
            tag,
        }),
    })
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

fn bytes(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
) -> Result<u64, EstimateError> {
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
        rank.error(
            site,
            format!(
                "rank {} transfers {count} elements; expected at least 0",
                rank.rank
            ),
        )
    })?;
    let datatype = rank.data.datatypes.get(datatype as usize).ok_or_else(|| {
        rank.error(
            site,
            format!("datatype {datatype} is not in the program data; record the program again"),
        )
    })?;
    Ok(count.saturating_mul(datatype.bytes()))
}

/// Appends what all ranks must agree on; gives its number.
pub(super) fn sign(rank: &mut RankLowering<'_>, signature: Signature) -> u32 {
    let signature = rank.tables.signatures.number(signature);
    rank.push(Step::Collective { signature });
    signature
}
