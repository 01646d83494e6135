//! The matching pass: a replay in which nothing takes time, to find out whether the calls fit
//! together before any time is asked for. Standard sends are taken to wait for nobody.

use super::dataflow::{BlockTimes, LinkScales, Outcome, Replay, Stuck, Unmatched, Workspace};
use super::findings::{Finding, Severity};
use super::observer::{Observer, Side};
use super::program::{Channel, ChannelTag, MachineSide, Signature, Steps};
use base_data::block_table::BlockTable;
use base_data::{CallSiteId, CommId, Time};
use machine::network::{CallCosts, Delivery, TransferId};
use machine::{Message, NetworkModel, Pu};
use std::collections::{BTreeMap, VecDeque};

/// Checks the calls of a program.
pub(crate) fn check(steps: &Steps, table: &BlockTable) -> Vec<Finding> {
    let machine = MachineSide {
        pus: vec![Pu(0); steps.ranks.len()],
        costs: vec![CallCosts::FREE; steps.sizes.len()],
        combine: vec![Time::ZERO; steps.combinations.len()],
    };
    let mut work = Workspace::default();
    let mut replay = Replay {
        steps,
        machine: &machine,
        network: &mut NoNetwork,
        scales: LinkScales::ONE,
        times: NoTimes,
        observer: Checker::new(steps),
    };
    let outcome = replay.run(&mut work);
    let checker = replay.observer;
    let report = Report { steps, table };
    let mut findings = checker.mismatches(&report);
    findings.extend(checker.truncations(&report));
    // Ranks that call different collectives wait for each other: the mismatch says why.
    let mismatched = checker.found_mismatch();
    let relevant =
        |channel: u32| !mismatched || steps.channels[channel as usize].tag != ChannelTag::Collective;
    findings.extend(report.stuck(&outcome, &relevant));
    if outcome.stuck.is_empty() {
        findings.extend(report.unmatched(work.unmatched(), &relevant));
    }
    findings
}

/// Delivers at once.
struct NoNetwork;

impl NetworkModel for NoNetwork {
    fn name(&self) -> &'static str {
        "none"
    }

    fn needs_global_order(&self) -> bool {
        false
    }

    fn costs(&self, _message: &Message) -> CallCosts {
        CallCosts::FREE
    }

    fn inject(&mut self, _message: &Message, _at: Time) -> TransferId {
        TransferId(0)
    }

    fn next_delivery(&mut self) -> Option<Delivery> {
        None
    }
}

struct NoTimes;

impl BlockTimes for NoTimes {
    fn time(&mut self, _rank: u32, _variant: u32, _first: bool) -> Time {
        Time::ZERO
    }
}

/// A collective that some ranks of a communicator have called and others not yet.
#[derive(Clone, Copy)]
struct OpenCollective {
    rank: u32,
    site: u32,
    signature: u32,
    arrived: u32,
}

/// Compares the two sides of every message and the calls of every collective.
struct Checker<'a> {
    steps: &'a Steps,
    /// By communicator: number of closed collectives, and the open ones in order.
    open: BTreeMap<(CommId, u32), (u64, VecDeque<OpenCollective>)>,
    /// Collectives called by (communicator, rank).
    called: BTreeMap<(CommId, u32), u64>,
    /// Messages longer than their receive, by sites and sizes.
    truncated: BTreeMap<(u32, u32, u32, u32), (Channel, u64)>,
    /// Pairs of calls that do not agree, by sites and signatures: ranks of the first and how often.
    mismatched: BTreeMap<(u32, u32, u32, u32), (u32, u32, u64)>,
}

impl Observer for Checker<'_> {
    fn met(&mut self, channel: &Channel, send: Side, receive: Side) {
        // Lengths of collectives are compared by what the ranks call, not message by message.
        if channel.tag != ChannelTag::Collective && self.bytes(send) > self.bytes(receive) {
            let key = (receive.site, send.site, receive.size, send.size);
            self.truncated.entry(key).or_insert((*channel, 0)).1 += 1;
        }
    }

    fn collective(&mut self, rank: u32, site: u32, signature: u32) {
        let communicator = self.steps.signatures[signature as usize].communicator;
        // Each rank is alone in its self.
        let owner = if communicator == CommId::SELF { rank } else { 0 };
        let number = self.called.entry((communicator, rank)).or_insert(0);
        let (closed, open) = self.open.entry((communicator, owner)).or_default();
        let place = (*number - (*closed).min(*number)) as usize;
        *number += 1;
        match open.get_mut(place) {
            None => open.push_back(OpenCollective { rank, site, signature, arrived: 1 }),
            Some(first) => {
                first.arrived += 1;
                if first.signature != signature {
                    let key = (first.site, site, first.signature, signature);
                    self.mismatched.entry(key).or_insert((first.rank, rank, 0)).2 += 1;
                }
            }
        }
        let size = self.steps.group_sizes[communicator.index()];
        while open.front().is_some_and(|first| first.arrived >= size) {
            open.pop_front();
            *closed += 1;
        }
    }
}

impl<'a> Checker<'a> {
    fn new(steps: &'a Steps) -> Self {
        let (open, called) = (BTreeMap::new(), BTreeMap::new());
        Self { steps, open, called, truncated: BTreeMap::new(), mismatched: BTreeMap::new() }
    }

    fn bytes(&self, side: Side) -> u64 {
        self.steps.sizes[side.size as usize].bytes
    }

    fn found_mismatch(&self) -> bool {
        !self.mismatched.is_empty()
    }

    fn mismatches(&self, report: &Report<'_>) -> Vec<Finding> {
        let sentence = |(&(first_site, site, first, second), &(first_rank, rank, times)): (
            &(u32, u32, u32, u32),
            &(u32, u32, u64),
        )| {
            let (a, b) = (&self.steps.signatures[first as usize], &self.steps.signatures[second as usize]);
            let text = format!(
                "{}: rank {first_rank} calls {} where rank {rank} calls {} at {}{}; all ranks of a communicator \
                 must call the same collective with the same root and length",
                report.place(first_site),
                describe(a),
                describe(b),
                report.place(site),
                often(times),
            );
            error(&[first_site, site], text)
        };
        self.mismatched.iter().map(sentence).collect()
    }

    fn truncations(&self, report: &Report<'_>) -> Vec<Finding> {
        let sentence = |(&(receive_site, send_site, receive, send), (channel, times)): (
            &(u32, u32, u32, u32),
            &(Channel, u64),
        )| {
            let bytes = |size: u32| self.steps.sizes[size as usize].bytes;
            let text = format!(
                "{}: rank {} receives at most {} bytes, but rank {} sends {} bytes at {}{}; make the receive's \
                 count at least the send's",
                report.place(receive_site),
                channel.destination,
                bytes(receive),
                channel.source,
                bytes(send),
                report.place(send_site),
                often(*times),
            );
            error(&[receive_site, send_site], text)
        };
        self.truncated.iter().map(sentence).collect()
    }
}

fn error(sites: &[u32], sentence: String) -> Finding {
    let sites = sites.iter().map(|&site| CallSiteId(site)).collect();
    Finding { severity: Severity::Error, sites, sentence }
}

fn often(times: u64) -> String {
    if times > 1 { format!(" ({times} times)") } else { String::new() }
}

/// `MPI_Bcast`-like wording of a signature: kind, root, length.
fn describe(signature: &Signature) -> String {
    let Some(kind) = signature.kind else { return "the making of a communicator".into() };
    let kind = format!("{kind:?}").to_lowercase();
    match signature.root {
        Some(root) => format!("{kind} of {} bytes with root {root}", signature.bytes),
        None => format!("{kind} of {} bytes", signature.bytes),
    }
}

/// Words findings.
struct Report<'a> {
    steps: &'a Steps,
    table: &'a BlockTable,
}

impl Report<'_> {
    fn place(&self, site: u32) -> String {
        self.table.site_place(CallSiteId(site))
    }

    /// Ranks that wait for ever, those of one pair of places together.
    fn stuck(&self, outcome: &Outcome, relevant: &dyn Fn(u32) -> bool) -> Vec<Finding> {
        let at: BTreeMap<u32, &Stuck> = outcome.stuck.iter().map(|stuck| (stuck.rank, stuck)).collect();
        let mut groups: BTreeMap<(u32, Option<u32>), Vec<&Stuck>> = BTreeMap::new();
        for stuck in outcome.stuck.iter().filter(|stuck| relevant(stuck.channel)) {
            let partner = at.get(&self.partner(stuck)).map(|partner| partner.site);
            groups.entry((stuck.site, partner)).or_default().push(stuck);
        }
        groups.iter().map(|(&(site, partner), stuck)| self.waits_for_ever(site, partner, stuck)).collect()
    }

    /// The rank that a stuck rank waits for.
    fn partner(&self, stuck: &Stuck) -> u32 {
        let channel = &self.steps.channels[stuck.channel as usize];
        if stuck.sends { channel.destination } else { channel.source }
    }

    fn waits_for_ever(&self, site: u32, partner_site: Option<u32>, stuck: &[&Stuck]) -> Finding {
        let first = stuck[0];
        let channel = &self.steps.channels[first.channel as usize];
        let partner = self.partner(first);
        let what = match (channel.tag, first.sends) {
            (ChannelTag::Collective, _) => format!("for rank {partner} in a collective"),
            (ChannelTag::Value(tag), false) => format!("for a message with tag {tag} from rank {partner}"),
            (ChannelTag::Value(tag), true) => {
                format!("for rank {partner} to receive a message with tag {tag}")
            }
        };
        let (sites, there) = match partner_site {
            Some(other) => (vec![site, other], format!("waits itself at {}", self.place(other))),
            None => (vec![site], "has ended without it".into()),
        };
        let others = match stuck.len() {
            1 => String::new(),
            count => format!(" ({} more ranks wait likewise)", count - 1),
        };
        let text =
            format!("{}: rank {} waits for ever {what}, which {there}{others}", self.place(site), first.rank);
        error(&sites, text)
    }

    /// Messages without the other side, those of one place together.
    fn unmatched(
        &self,
        unmatched: impl Iterator<Item = Unmatched>,
        relevant: &dyn Fn(u32) -> bool,
    ) -> Vec<Finding> {
        let mut groups: BTreeMap<(u32, bool), (u32, u64)> = BTreeMap::new();
        for side in unmatched.filter(|side| relevant(side.channel)) {
            groups.entry((side.site, side.sent)).or_insert((side.channel, 0)).1 += 1;
        }
        let sentence = |((site, sent), (channel, times)): ((u32, bool), (u32, u64))| {
            let channel = &self.steps.channels[channel as usize];
            let text = if sent {
                format!(
                    "{}: rank {} sends a message that rank {} never receives{}",
                    self.place(site),
                    channel.source,
                    channel.destination,
                    often(times),
                )
            } else {
                format!(
                    "{}: rank {} starts to receive a message that rank {} never sends{}",
                    self.place(site),
                    channel.destination,
                    channel.source,
                    often(times),
                )
            };
            Finding { severity: Severity::Warning, sites: vec![CallSiteId(site)], sentence: text }
        };
        groups.into_iter().map(sentence).collect()
    }
}

/// Why a replay under a model did not come to its end although the calls match: ranks wait for each
/// other where messages go by rendezvous.
pub(crate) fn deadlock(steps: &Steps, table: &BlockTable, outcome: &Outcome) -> Vec<Finding> {
    let mut findings = Report { steps, table }.stuck(outcome, &|_| true);
    for finding in &mut findings {
        finding.sentence.push_str("; the program relies on sends that do not wait for their receives");
    }
    findings
}
