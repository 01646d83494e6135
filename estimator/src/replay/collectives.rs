//! Collectives as messages: the schedules of [`machine::collective`], with the protocol of ordinary
//! messages, on channels of their own.
//!
//! The making of a communicator is replayed as what every MPI library does at least: all ranks of the
//! parent agree on a new context, an allreduce of [`AGREEMENT_BYTES`].

use super::calls::{element_bytes, not_yet, sign};
use super::lower::RankLowering;
use super::program::{Channel, ChannelTag, Combination, RECEIVE_SLOT, SEND_SLOT, Signature, Size, Step};
use crate::EstimateError;
use base_data::mpi::{BasicDatatype, ReduceOp};
use base_data::program_data::{Call, CollectiveKind, Counts, Operand};
use base_data::{CallSiteId, CommId};
use machine::collective::{self, CollectiveCase};

/// One 64-bit number: the next free context.
const AGREEMENT_BYTES: u64 = 8;

/// Appends the steps of a collective.
pub(super) fn lower(rank: &mut RankLowering<'_>, site: CallSiteId, call: &Call) -> Result<(), EstimateError> {
    let Call::Collective { kind, communicator, root, counts, datatype, reduce_op, request, .. } = call else {
        return Ok(());
    };
    if request.is_some() {
        return not_yet(rank, site, "a nonblocking collective");
    }
    let communicator = rank.communicator(site, *communicator)?;
    let (bytes, elements) = operand(rank, site, *kind, *counts, *datatype)?;
    let root = root_of(rank, site, communicator, *root)?;
    sign(rank, Signature { communicator, kind: Some(*kind), root, bytes });
    let combination =
        (*reduce_op).zip(elements).map(|(op, (element, elements))| Combination { op, element, elements });
    expand(rank, site, &Expansion { kind: *kind, communicator, root: root.unwrap_or(0), bytes, combination })
}

/// Appends the steps of making a communicator.
pub(super) fn make_communicator(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    parent: Operand,
) -> Result<(), EstimateError> {
    let communicator = rank.communicator(site, parent)?;
    let bytes = AGREEMENT_BYTES;
    sign(rank, Signature { communicator, kind: None, root: None, bytes });
    let combination =
        Some(Combination { op: ReduceOp::BitAnd, element: BasicDatatype::Integer(8), elements: 1 });
    expand(
        rank,
        site,
        &Expansion { kind: CollectiveKind::Allreduce, communicator, root: 0, bytes, combination },
    )
}

/// Bytes of the operand, and its basic elements.
fn operand(
    rank: &RankLowering<'_>,
    site: CallSiteId,
    kind: CollectiveKind,
    counts: Counts,
    datatype: u32,
) -> Result<(u64, Option<(BasicDatatype, u64)>), EstimateError> {
    if kind == CollectiveKind::Barrier {
        return Ok((0, None));
    }
    let count = match counts {
        Counts::Same(count) => count,
        Counts::PerRank(_) => {
            let reason = format!("{kind:?} with one count per rank cannot be predicted by this version");
            return Err(rank.error(site, reason));
        }
    };
    let bytes = element_bytes(rank, site, count, datatype)?;
    let element = rank.data.datatypes.get(datatype as usize).and_then(|datatype| datatype.runs.first());
    let elements = element.map(|(element, _, _)| (*element, bytes / element.bytes().max(1)));
    Ok((bytes, elements))
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
        rank.error(site, format!("rank {} names root {value} in a communicator of {size} ranks", rank.rank))
    })
}

/// A collective to be expanded.
struct Expansion {
    kind: CollectiveKind,
    communicator: CommId,
    root: u32,
    bytes: u64,
    combination: Option<Combination>,
}

fn expand(rank: &mut RankLowering<'_>, site: CallSiteId, what: &Expansion) -> Result<(), EstimateError> {
    let ranks = rank.groups.size(what.communicator);
    let Some(own) = rank.groups.position(what.communicator, rank.rank.0) else {
        let reason = format!("rank {} is no member of the communicator of this call", rank.rank);
        return Err(rank.error(site, reason));
    };
    let case = CollectiveCase { kind: what.kind, ranks, bytes: what.bytes, library: rank.target.library };
    let Some(algorithm) = collective::select(&case) else {
        return not_yet(rank, site, &format!("collective {:?}", what.kind));
    };
    for step in (algorithm.schedule)(own, ranks, what.root) {
        match step {
            collective::Step::Send { to } => {
                message(rank, what, to, true, true);
                finish(rank, SEND_SLOT, true);
            }
            collective::Step::Receive { from } => {
                message(rank, what, from, false, true);
                finish(rank, RECEIVE_SLOT, true);
            }
            collective::Step::Exchange { to, from } => {
                message(rank, what, from, false, false);
                message(rank, what, to, true, true);
                finish(rank, SEND_SLOT, true);
                finish(rank, RECEIVE_SLOT, false);
            }
            collective::Step::Combine => combine(rank, what),
        }
    }
    Ok(())
}

fn finish(rank: &mut RankLowering<'_>, slot: u32, blocking: bool) {
    rank.push(Step::Finish { slot, blocking, collective: true });
}

fn combine(rank: &mut RankLowering<'_>, what: &Expansion) {
    if let Some(combination) = what.combination {
        let combine = rank.tables.combinations.number(combination);
        rank.push(Step::Combine { combine });
    }
}

/// Starts one message of the schedule to or from `partner`, a rank of the communicator.
fn message(rank: &mut RankLowering<'_>, what: &Expansion, partner: u32, sends: bool, blocking: bool) {
    let own = rank.rank.0;
    let partner = rank.groups.world_rank(what.communicator, i64::from(partner), own).unwrap_or(own);
    let (source, destination) = if sends { (own, partner) } else { (partner, own) };
    let tag = ChannelTag::Collective;
    let channel = Channel { communicator: what.communicator, source, destination, tag };
    let size = Size { link: (rank.target.link)(source, destination), bytes: what.bytes };
    let (channel, size) = (rank.tables.channels.number(channel), rank.tables.sizes.number(size));
    rank.push(if sends {
        Step::Send { channel, size, slot: SEND_SLOT, blocking }
    } else {
        Step::Receive { channel, size, slot: RECEIVE_SLOT, blocking }
    });
}
