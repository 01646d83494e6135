//! Meaning of each request number while a stream is lowered: a persistent transfer, a
//! started collective, a receive with a wildcard. All other requests are transfers in the slot of
//! their number, without further state.
//!
//! Calls that start and complete requests are replayed as recorded: a wait for any or some waits for
//! those that completed, a test that found nothing takes no time.

use super::calls::{self, Lowered};
use super::collectives;
use super::lower::RankLowering;
use super::program::FIRST_REQUEST_SLOT;
use crate::EstimateError;
use base_data::program_data::{Completion, ObservedMatch, Peer, SendMode, Tag, Transfer};
use base_data::{CallSiteId, RequestId};
use std::collections::BTreeMap;

/// Requests that are more than a transfer in a slot. Equal at two places of a stream if the same
/// entries mean the same from there on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Requests {
    persistent: BTreeMap<RequestId, Persistent>,
    /// Schedules of collectives under way.
    pub(super) collectives: BTreeMap<RequestId, u32>,
    /// Started receives whose source or tag is known only from the call that completes them.
    wildcards: BTreeMap<RequestId, Wildcard>,
}

/// What `MPI_Start` starts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Persistent {
    send: Option<SendMode>,
    transfer: Transfer,
}

/// A started receive with a wildcard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wildcard {
    /// Index of its step.
    step: usize,
    site: CallSiteId,
    transfer: Transfer,
    slot: u32,
}

impl Requests {
    /// The requests that stand for an equal receive as before, posted by another step: those that an
    /// iteration of a loop completes for the one before it.
    pub(super) fn rotated(&self, before: &Self) -> Option<Vec<RequestId>> {
        if self.persistent != before.persistent
            || self.collectives != before.collectives
            || !self.wildcards.keys().eq(before.wildcards.keys())
        {
            return None;
        }
        let pairs = || self.wildcards.iter().zip(before.wildcards.values());
        // Equal but for the step that posted it.
        let alike = |(now, then): (&Wildcard, &Wildcard)| {
            Wildcard {
                step: then.step,
                ..*now
            } == *then
        };
        let moved = || pairs().filter(|((_, now), then)| now.step != then.step);
        if !pairs().all(|((_, now), then)| alike((now, then))) {
            return None;
        }
        Some(moved().map(|((&id, _), _)| id).collect())
    }
}

/// Limit of requests at once, above that of any program: a higher number comes from a broken file and would allocate as
/// many slots.
const MOST_REQUESTS: u32 = 1 << 22;

/// The slot of a request, which is thereby known to exist.
pub(super) fn slot(
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
    rank.open.list.slots = rank.open.list.slots.max(slot + 1);
    Ok(slot)
}

/// Makes a persistent request: nothing moves yet.
pub(super) fn make(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    send: Option<SendMode>,
    transfer: &Transfer,
    request: RequestId,
) -> Lowered {
    // Checks the number, and gives the list a slot for it.
    slot(rank, site, request)?;
    rank.open.requests.persistent.insert(
        request,
        Persistent {
            send,
            transfer: *transfer,
        },
    );
    Ok(())
}

/// Starts persistent requests.
pub(super) fn start(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    requests: &[RequestId],
) -> Lowered {
    for request in requests {
        let Some(made) = rank.open.requests.persistent.get(request).copied() else {
            let reason = format!(
                "rank {} starts request {request}, which is not persistent; record again",
                rank.rank
            );
            return Err(rank.error(site, reason));
        };
        match made.send {
            Some(mode) => calls::start_send(rank, site, mode, &made.transfer, *request)?,
            None => start_receive(rank, site, &made.transfer, *request, None)?,
        }
    }
    Ok(())
}

/// Starts to receive; what a wildcard gets may be known only later.
pub(super) fn start_receive(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    transfer: &Transfer,
    request: RequestId,
    observed: Option<ObservedMatch>,
) -> Lowered {
    let slot = slot(rank, site, request)?;
    if is_wildcard(transfer) && observed.is_none() {
        let step = rank.open.list.steps.len();
        rank.open.requests.wildcards.insert(
            request,
            Wildcard {
                step,
                site,
                transfer: *transfer,
                slot,
            },
        );
    }
    calls::post_receive(rank, site, transfer, slot, false, observed)
}

fn is_wildcard(transfer: &Transfer) -> bool {
    // From MPI_PROC_NULL nothing comes, whatever its tag.
    transfer.peer == Peer::Any || transfer.tag == Tag::Any && transfer.peer != Peer::Null
}

/// What a wait or a test did: the requests it names, those that it completed, what wildcards got.
pub(super) struct Completing<'a> {
    pub(super) completion: Completion,
    pub(super) requests: &'a [RequestId],
    pub(super) completed: &'a [RequestId],
    pub(super) observed: &'a [ObservedMatch],
}

/// Completes what a waiting call completed when it was recorded.
pub(super) fn wait(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    call: &Completing<'_>,
) -> Lowered {
    let done = match call.completion {
        Completion::All => call.requests,
        Completion::Any | Completion::Some
            if call.completed.is_empty() && !call.requests.is_empty() =>
        {
            let reason = "waits for any or some of several requests and the recording does not \
                contain which completed, on which the control flow may depend; record the program \
                again, or name them with completed=";
            return Err(rank.error(site, reason));
        }
        Completion::Any | Completion::Some => call.completed,
    };
    complete(rank, site, done, call.observed)
}

/// Completes requests in this order.
pub(super) fn complete(
    rank: &mut RankLowering<'_>,
    site: CallSiteId,
    requests: &[RequestId],
    observed: &[ObservedMatch],
) -> Lowered {
    let mut got = observed.iter();
    for &request in requests {
        // Only wildcards report what they matched, so `observed` has one entry for each of them, in order.
        if let Some(receive) = rank.open.requests.wildcards.remove(&request)
            && let Some(found) = got.next()
        {
            resolve(rank, receive, *found)?;
        }
        let slot = slot(rank, site, request)?;
        match rank.open.requests.collectives.remove(&request) {
            Some(schedule) => collectives::complete(rank, schedule),
            None => calls::finish(rank, slot, false),
        }
    }
    Ok(())
}

/// Stores which message a started receive matched.
fn resolve(rank: &mut RankLowering<'_>, receive: Wildcard, found: ObservedMatch) -> Lowered {
    let Wildcard {
        step,
        site,
        transfer,
        slot,
    } = receive;
    rank.open.list.steps[step] =
        calls::receive_step(rank, site, &transfer, slot, false, Some(found))?;
    rank.open.got.insert(step, found);
    Ok(())
}

/// Stores in receives of a loop the message that the next iteration reports: the same as for those before the loop.
pub(super) fn resolve_rotated(
    rank: &mut RankLowering<'_>,
    rotated: &[RequestId],
    before: &Requests,
) -> Lowered {
    for request in rotated {
        let found = before
            .wildcards
            .get(request)
            .and_then(|receive| rank.open.got.get(&receive.step))
            .copied();
        if let (Some(found), Some(&receive)) = (found, rank.open.requests.wildcards.get(request)) {
            resolve(rank, receive, found)?;
        }
    }
    Ok(())
}
