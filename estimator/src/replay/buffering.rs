//! Standard sends that end only because the MPI library buffers them: a replay in which nothing takes time and sends
//! above the library's eager limit wait for their receives. If ranks wait for each other in it, the program is unsafe
//! (MPI 4.1, section 3.5), and an estimate in which no send waits is of a run that may never end.

use super::dataflow::{LinkScales, Replay};
use super::matching::{ZeroTimes, untimed_replay};
use super::observer::NoObserver;
use super::program::{MachineSide, Sending, Size, Steps};
use super::report::Report;
use super::workspace::Workspace;
use crate::trace_sites::LazyTable;
use base_data::comm_data::LinkClass;
use base_data::{CallSiteId, Time};
use machine::Pu;
use machine::network::{CallCosts, Protocol};

/// What of the program relies on buffers.
pub(crate) struct Buffered {
    /// Sends that wait for each other at the first deadlock.
    pub(crate) messages: usize,
    /// Their lengths together.
    pub(crate) bytes: u64,
    /// The least limit that one of them exceeds.
    pub(crate) limit: u64,
    /// The kind of link with this limit.
    pub(crate) link: LinkClass,
    /// Where the first rank of them waits.
    pub(crate) place: String,
    /// Who waits for whom.
    pub(crate) cycle: String,
}

/// The first deadlock of the program if standard sends longer than `limit` of their link wait for their receives.
/// `knows` says for which links the network model has a limit of its own.
pub(crate) fn needed(
    steps: &Steps,
    table: &LazyTable<'_>,
    limit: &dyn Fn(LinkClass) -> u64,
    knows: &dyn Fn(LinkClass) -> bool,
) -> Option<Buffered> {
    let waits = |size: &Size| {
        size.sending == Sending::Standard && !knows(size.link) && size.bytes > limit(size.link)
    };
    // The replay below needs to know every match, and is of no use where no send would wait.
    if !steps.open_wildcards.is_empty() || !steps.sizes.iter().any(waits) {
        return None;
    }
    let cost = |size: &Size| match size.sending {
        Sending::Synchronous => CallCosts::FREE.synchronous(Protocol::Eager),
        Sending::Standard if waits(size) => CallCosts::FREE.synchronous(Protocol::Eager),
        Sending::Standard | Sending::Buffered | Sending::Free => CallCosts::FREE,
    };
    let machine = MachineSide {
        pus: vec![Pu(0); steps.ranks.len()],
        costs: steps.sizes.iter().map(cost).collect(),
        combine: vec![Time::ZERO; steps.local_times.len()],
    };
    let mut replay = Replay {
        steps,
        machine: &machine,
        scales: LinkScales::ONE,
        times: ZeroTimes,
        observer: NoObserver,
    };
    let mut work = Workspace::default();
    let (outcome, unmatched) = untimed_replay(&mut replay, &mut work);
    let sends: Vec<_> = outcome.stuck.iter().filter(|stuck| stuck.sends).collect();
    let first = sends.first()?;
    let waiting = unmatched.iter().filter(|side| side.sent);
    let exceeding: Vec<&Size> = waiting
        .filter(|side| sends.iter().any(|stuck| stuck.channel == side.channel))
        .map(|side| &steps.sizes[side.size as usize])
        // Synchronous sends wait whatever the limit is.
        .filter(|size| size.bytes > limit(size.link))
        .collect();
    let link = exceeding
        .iter()
        .map(|size| size.link)
        .min_by_key(|link| limit(*link))
        .unwrap_or_default();
    let table = table.get();
    let cycle = Report { steps, table }.stuck(&outcome, &|_| true, &[]);
    Some(Buffered {
        messages: sends.len(),
        bytes: exceeding.iter().map(|size| size.bytes).sum(),
        limit: limit(link),
        link,
        place: table.site_place(CallSiteId(first.site)),
        cycle: cycle
            .into_iter()
            .next()
            .map(|finding| finding.sentence)
            .unwrap_or_default(),
    })
}
