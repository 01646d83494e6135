//! The matching pass: a replay in which nothing takes time, to check whether the calls fit
//! together before any time is computed. Standard sends are assumed not to wait for their receive.

use super::dataflow::{BlockTimes, LinkScales, MOST_REPLAYED_EVENTS, Replay};
use super::equivalent_ranks::EquivalentRanks;
use super::findings::{Finding, Severity};
use super::observer::{MessageEndpoint, Observer, Start};
use super::program::{Channel, MachineSide, Sending, Size, Step, Steps};
use super::report::Report;
use super::snapshot::again;
use super::timed::by_time;
use super::workspace::{Outcome, Unmatched, Workspace};
use base_data::block_table::BlockTable;
use base_data::{CallSiteId, CommId, Time};
use machine::network::{CallCosts, Delivery, Protocol, Sharing, TransferId};
use machine::{Message, NetworkModel, Pu};
use std::collections::{BTreeMap, VecDeque};

/// Checks the calls of a program. Where it depends on the order of arrival which message a receive gets,
/// there is nothing to check beforehand.
pub(crate) fn check(steps: &Steps, table: &BlockTable) -> Vec<Finding> {
    if !steps.open_wildcards.is_empty() {
        return open_wildcards(steps, table);
    }
    // Findings name ranks, so only a check without any is one of single ranks.
    if !steps.have_overlap()
        && let Some(equivalent) = EquivalentRanks::of(steps, &vec![1.0; steps.ranks.len()])
        && check_all(&equivalent.steps, table).is_empty()
    {
        return Vec::new();
    }
    check_all(steps, table)
}

fn check_all(steps: &Steps, table: &BlockTable) -> Vec<Finding> {
    let machine = MachineSide {
        pus: vec![Pu(0); steps.ranks.len()],
        costs: steps.sizes.iter().map(free).collect(),
        combine: vec![Time::ZERO; steps.local_times.len()],
    };
    let mut work = Workspace::default();
    let mut replay = Replay {
        steps,
        machine: &machine,
        scales: LinkScales::ONE,
        times: ZeroTimes,
        observer: Checker::new(steps),
    };
    let (outcome, unmatched) = untimed_replay(&mut replay, &mut work);
    if let Some(site) = outcome.endless {
        return vec![endless(steps, table, site)];
    }
    let checker = replay.observer;
    let report = Report { steps, table };
    let mut findings = checker.findings(&report);
    // Ranks that call different collectives wait for each other: the disagreement says why.
    let mismatched = !checker.disagreeing.is_empty();
    let relevant =
        |channel: u32| !mismatched || !steps.channels[channel as usize].tag.is_collective();
    findings.extend(report.stuck(&outcome, &relevant, &unmatched));
    // After a deadlock, messages are unmatched because ranks are stuck, which the findings already contain.
    if outcome.stuck.is_empty() {
        findings.extend(report.unmatched(&unmatched, &relevant));
    }
    findings
}

/// Why a replay was given up at a call.
pub(crate) fn endless(steps: &Steps, table: &BlockTable, site: CallSiteId) -> Finding {
    let (_, events) = steps.counts();
    let sentence = format!(
        "{}: the program has {events:.1e} events of calls and computations, and the iterations around this call do not \
         begin to repeat each other, so all events would have to be replayed; at most {MOST_REPLAYED_EVENTS:.1e} are \
         supported; reduce the number of iterations, or let ranks wait for each other in each of them",
        table.site_place(site)
    );
    Finding {
        severity: Severity::Error,
        sites: vec![site],
        sentence,
    }
}

/// What a message costs when nothing takes time; only who waits for whom stays.
fn free(size: &Size) -> CallCosts {
    match size.sending {
        // Buffered sends never wait for their receive, and standard ones are assumed to be buffered, too.
        Sending::Standard | Sending::Buffered | Sending::Free => CallCosts::FREE,
        Sending::Synchronous => CallCosts::FREE.synchronous(Protocol::Eager),
    }
}

/// What hinders a replay that does not know which message comes first, one finding per place.
pub(crate) fn open_wildcards(steps: &Steps, table: &BlockTable) -> Vec<Finding> {
    let finding = |&site: &CallSiteId| Finding {
        severity: Severity::Warning,
        sites: vec![site],
        sentence: format!(
            "{}: receives from MPI_ANY_SOURCE or with MPI_ANY_TAG, and the recording does not \
            contain the matched sender; it takes what arrives first by the predicted times, and \
            whether the calls match is not checked beforehand",
            table.site_place(site)
        ),
    };
    let senderless =
        (0..steps.ranks.len()).filter_map(|rank| without_sender(steps, table, rank as u32));
    senderless
        .chain(steps.open_wildcards.iter().map(finding))
        .collect()
}

/// Blocks that take no time.
pub(super) struct ZeroTimes;

impl BlockTimes for ZeroTimes {
    fn time(&mut self, _rank: u32, _variant: u32, _first: bool) -> Time {
        Time::ZERO
    }

    fn state(&self, _rank: u32) -> Option<u64> {
        Some(0)
    }
}

/// A network in which messages take no time and share nothing.
struct NoNetwork;

impl NetworkModel for NoNetwork {
    fn name(&self) -> &'static str {
        "none"
    }

    fn sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn costs(&self, _message: &Message) -> CallCosts {
        CallCosts::FREE
    }

    fn inject(&mut self, _message: &Message, _at: Time) -> TransferId {
        TransferId(0)
    }

    fn next_delivery(&mut self, _until: Time) -> Option<Delivery> {
        None
    }
}

/// Replays a program in which nothing takes time; gives the sides of messages whose other side never came, too.
pub(super) fn untimed_replay<O: Observer>(
    replay: &mut Replay<'_, ZeroTimes, O>,
    work: &mut Workspace,
) -> (Outcome, Vec<Unmatched>) {
    let steps = replay.steps;
    if !steps.have_overlap() {
        let outcome = replay.run(work);
        return (outcome, work.unmatched(steps.code()));
    }
    let outcome = by_time::run(
        replay,
        &mut NoNetwork,
        by_time::Rules::default(),
        &mut work.by_time,
    );
    (outcome, work.by_time.unmatched(steps))
}

/// Finds out beside another purpose whether the calls of a replay fit together, so that a program whose
/// calls do needs no replay of its own for that. Where they do not, [`check`] says why.
pub(crate) struct Balance<'a> {
    checker: Checker<'a>,
    /// Sends and receives that have been started and have not met.
    open: i64,
    /// As it was at the marks of the replay, by level.
    marks: Vec<i64>,
}

impl<'a> Balance<'a> {
    /// Nothing has happened yet.
    pub(crate) fn new(steps: &'a Steps) -> Self {
        Self {
            checker: Checker::new(steps),
            open: 0,
            marks: Vec::new(),
        }
    }

    /// Whether [`check`] has nothing to report of a replay that came to its end.
    pub(crate) fn fits(&self) -> bool {
        self.open == 0 && self.checker.truncated.is_empty() && self.checker.disagreeing.is_empty()
    }
}

impl Observer for Balance<'_> {
    #[inline]
    fn started(&mut self, _start: &Start) {
        self.open += 1;
    }

    #[inline]
    fn message_matched(
        &mut self,
        channel: &Channel,
        send: MessageEndpoint,
        receive: MessageEndpoint,
    ) {
        self.open -= 2;
        self.checker.message_matched(channel, send, receive);
    }

    fn collective(&mut self, rank: u32, site: u32, signature: u32) {
        self.checker.collective(rank, site, signature);
    }

    fn mark(&mut self, level: usize) {
        if self.marks.len() <= level {
            self.marks.resize(level + 1, 0);
        }
        self.marks[level] = self.open;
        self.checker.mark(level);
    }

    fn is_as_marked(&self, level: usize) -> bool {
        self.checker.is_as_marked(level)
    }

    fn repeat(&mut self, level: usize, times: u64) {
        let added = self.open - self.marks[level];
        self.open = self
            .open
            .saturating_add(added.saturating_mul(i64::try_from(times).unwrap_or(i64::MAX)));
        self.checker.repeat(level, times);
    }
}

/// A rank's call of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CollectiveCall {
    pub(super) site: u32,
    pub(super) signature: u32,
}

/// A collective that some ranks of a communicator have called and others not yet.
#[derive(Clone, Copy)]
struct OpenCollective {
    rank: u32,
    call: CollectiveCall,
    arrived: u32,
}

/// The collectives of one communicator: how many all ranks have called, and the others in order.
#[derive(Default)]
struct Collectives {
    closed: u64,
    open: VecDeque<OpenCollective>,
}

/// The first pair of ranks whose calls do not agree, and how many pairs there are.
#[derive(Clone, Copy)]
pub(super) struct Disagreeing {
    pub(super) ranks: (u32, u32),
    pub(super) times: u64,
}

/// The first message of its kind, and how many there are.
#[derive(Clone, Copy)]
pub(super) struct Truncated {
    pub(super) channel: Channel,
    pub(super) times: u64,
}

/// Compares the two sides of every message and the calls of every collective.
struct Checker<'a> {
    steps: &'a Steps,
    /// By communicator, and by rank for self.
    collectives: BTreeMap<(CommId, u32), Collectives>,
    /// Collectives called, by communicator and rank.
    called: BTreeMap<(CommId, u32), u64>,
    /// Messages longer than their receive, by receive and send.
    truncated: BTreeMap<(MessageEndpoint, MessageEndpoint), Truncated>,
    /// Pairs of calls that do not agree.
    disagreeing: BTreeMap<(CollectiveCall, CollectiveCall), Disagreeing>,
    /// As it was at the marks of the replay, by level.
    marks: Vec<CheckerSnapshot>,
}

/// The counts of a checker when a loop level was marked.
#[derive(Clone, Default)]
struct CheckerSnapshot {
    /// Whether some ranks had called a collective and others not yet.
    open: bool,
    closed: BTreeMap<(CommId, u32), u64>,
    called: BTreeMap<(CommId, u32), u64>,
    truncated: BTreeMap<(MessageEndpoint, MessageEndpoint), u64>,
    disagreeing: BTreeMap<(CollectiveCall, CollectiveCall), u64>,
}

impl CheckerSnapshot {
    fn of(checker: &Checker<'_>) -> Self {
        Self {
            open: checker.is_open(),
            closed: checker
                .collectives
                .iter()
                .map(|(&key, found)| (key, found.closed))
                .collect(),
            called: checker.called.clone(),
            truncated: checker
                .truncated
                .iter()
                .map(|(&key, found)| (key, found.times))
                .collect(),
            disagreeing: checker
                .disagreeing
                .iter()
                .map(|(&key, found)| (key, found.times))
                .collect(),
        }
    }
}

/// Adds `times` times what was counted since a snapshot.
fn repeat<'a, K: Ord + 'a>(
    counts: impl Iterator<Item = (&'a K, &'a mut u64)>,
    mark: &BTreeMap<K, u64>,
    times: u64,
) {
    for (key, count) in counts {
        *count = again(*count, mark.get(key).copied().unwrap_or(0), times);
    }
}

impl Observer for Checker<'_> {
    fn message_matched(
        &mut self,
        channel: &Channel,
        send: MessageEndpoint,
        receive: MessageEndpoint,
    ) {
        let bytes = |side: MessageEndpoint| self.steps.sizes[side.size as usize].bytes;
        if bytes(send) > bytes(receive) {
            let first = Truncated {
                channel: *channel,
                times: 0,
            };
            self.truncated.entry((receive, send)).or_insert(first).times += 1;
        }
    }

    fn collective(&mut self, rank: u32, site: u32, signature: u32) {
        let communicator = self.steps.signatures[signature as usize].communicator;
        let call = CollectiveCall { site, signature };
        // Each rank is alone in its self.
        let owner = if communicator == CommId::SELF {
            rank
        } else {
            0
        };
        let number = self.called.entry((communicator, rank)).or_insert(0);
        let Collectives { closed, open } =
            self.collectives.entry((communicator, owner)).or_default();
        // The n-th collective of a rank on a communicator belongs to the n-th of all others (MPI: collectives
        // are called in the same order). Closed ones have left the queue.
        let place = number.saturating_sub(*closed) as usize;
        *number += 1;
        match open.get_mut(place) {
            None => open.push_back(OpenCollective {
                rank,
                call,
                arrived: 1,
            }),
            Some(first) => {
                first.arrived += 1;
                if first.call.signature != signature {
                    let none = Disagreeing {
                        ranks: (first.rank, rank),
                        times: 0,
                    };
                    self.disagreeing
                        .entry((first.call, call))
                        .or_insert(none)
                        .times += 1;
                }
            }
        }
        let size = self.steps.group_sizes[communicator.index()];
        // In order: a rank that has called a later collective has called the front one before.
        while open.front().is_some_and(|first| first.arrived >= size) {
            open.pop_front();
            *closed += 1;
        }
    }

    fn mark(&mut self, level: usize) {
        if self.marks.len() <= level {
            self.marks.resize_with(level + 1, CheckerSnapshot::default);
        }
        self.marks[level] = CheckerSnapshot::of(self);
    }

    fn is_as_marked(&self, level: usize) -> bool {
        // `repeat` multiplies counts only: calls in the queue of an open collective would be lost.
        self.marks.get(level).is_some_and(|mark| !mark.open) && !self.is_open()
    }

    fn repeat(&mut self, level: usize, times: u64) {
        let mark = &self.marks[level];
        repeat(
            self.collectives
                .iter_mut()
                .map(|(key, found)| (key, &mut found.closed)),
            &mark.closed,
            times,
        );
        repeat(self.called.iter_mut(), &mark.called, times);
        repeat(
            self.truncated
                .iter_mut()
                .map(|(key, found)| (key, &mut found.times)),
            &mark.truncated,
            times,
        );
        let disagreeing = self
            .disagreeing
            .iter_mut()
            .map(|(key, found)| (key, &mut found.times));
        repeat(disagreeing, &mark.disagreeing, times);
    }
}

impl<'a> Checker<'a> {
    fn new(steps: &'a Steps) -> Self {
        Self {
            steps,
            collectives: BTreeMap::new(),
            called: BTreeMap::new(),
            truncated: BTreeMap::new(),
            disagreeing: BTreeMap::new(),
            marks: Vec::new(),
        }
    }

    /// Whether some ranks have called a collective and others of its communicator not yet.
    fn is_open(&self) -> bool {
        self.collectives
            .values()
            .any(|collectives| !collectives.open.is_empty())
    }

    fn findings(&self, report: &Report<'_>) -> Vec<Finding> {
        let disagreeing = self
            .disagreeing
            .iter()
            .map(|(calls, found)| report.disagreeing(calls, found));
        // Messages of collectives that do not agree differ in length because of that.
        let agreed = self.disagreeing.is_empty();
        // Both maps are ordered by call site: findings do not depend on the order of the replay.
        let truncated = self
            .truncated
            .iter()
            .filter(|(_, found)| agreed || !found.channel.tag.is_collective());
        let truncated = truncated.map(|(sides, found)| report.truncated(sides, found));
        disagreeing.chain(truncated).collect()
    }
}

/// A wildcard of a rank that no message goes to.
fn without_sender(steps: &Steps, table: &BlockTable, rank: u32) -> Option<Finding> {
    let mut site = 0;
    let wildcard = steps.of(rank as usize).iter().find(|step| {
        if let Step::Enter { site: entered } = step {
            site = *entered;
        }
        matches!(step, Step::ReceiveAny { .. } | Step::ProbeAny { .. })
    });
    let leads_here =
        |channel: &Channel| channel.destination == rank && !channel.tag.is_collective();
    if wildcard.is_none() || steps.channels.iter().any(leads_here) {
        return None;
    }
    let site = CallSiteId(site);
    let sentence = format!(
        "{}: rank {rank} receives from MPI_ANY_SOURCE or with MPI_ANY_TAG, but no rank sends to it",
        table.site_place(site)
    );
    Some(Finding {
        severity: Severity::Error,
        sites: vec![site],
        sentence,
    })
}

/// Why a replay under a model did not come to its end although the calls match: ranks wait for each
/// other where messages go by rendezvous.
pub(crate) fn deadlock(steps: &Steps, table: &BlockTable, outcome: &Outcome) -> Vec<Finding> {
    let mut findings = Report { steps, table }.stuck(outcome, &|_| true, &[]);
    for finding in &mut findings {
        finding
            .sentence
            .push_str("; the program relies on sends that do not wait for their receives");
    }
    findings
}
