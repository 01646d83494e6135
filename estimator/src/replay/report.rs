//! The sentences of the matching pass: each error with its place, ranks and count.

use super::cycles::cycles;
use super::findings::{Finding, Severity};
use super::matching::{CollectiveCall, Disagreeing, Truncated};
use super::observer::MessageEndpoint;
use super::program::{ChannelTag, Signature, Steps};
use super::workspace::{BlockedRank, Outcome, Unmatched};
use base_data::CallSiteId;
use base_data::block_table::BlockTable;
use std::collections::{BTreeMap, BTreeSet};

/// Ranks of a cycle that are named behind the first.
const LONGEST_CIRCLE: usize = 5;

/// Words findings.
pub(super) struct Report<'a> {
    pub(super) steps: &'a Steps,
    pub(super) table: &'a BlockTable,
}

impl Report<'_> {
    fn place(&self, site: u32) -> String {
        self.table.site_place(CallSiteId(site))
    }

    /// Calls of a collective that do not agree.
    pub(super) fn disagreeing(
        &self,
        (first, other): &(CollectiveCall, CollectiveCall),
        found: &Disagreeing,
    ) -> Finding {
        let signature =
            |call: &CollectiveCall| describe(&self.steps.signatures[call.signature as usize]);
        let text = format!(
            "{}: rank {} calls {} where rank {} calls {} at {}{}; all ranks of a communicator must call the \
             same collective with the same root and length",
            self.place(first.site),
            found.ranks.0,
            signature(first),
            found.ranks.1,
            signature(other),
            self.place(other.site),
            often(found.times),
        );
        error(&[first.site, other.site], text)
    }

    /// A receive that is too short for its message.
    pub(super) fn truncated(
        &self,
        (receive, send): &(MessageEndpoint, MessageEndpoint),
        found: &Truncated,
    ) -> Finding {
        let bytes = |side: &MessageEndpoint| self.steps.sizes[side.size as usize].bytes;
        let text = format!(
            "{}: rank {} receives at most {} bytes, but rank {} sends {} bytes at {}{}; make the receive's count \
             at least the send's",
            self.place(receive.site),
            found.channel.destination,
            bytes(receive),
            found.channel.source,
            bytes(send),
            self.place(send.site),
            often(found.times),
        );
        error(&[receive.site, send.site], text)
    }

    /// The ranks of a deadlock: those in a cycle, cycles of the same places together, then the
    /// others, those of one pair of places together.
    pub(super) fn stuck(
        &self,
        outcome: &Outcome,
        relevant: &dyn Fn(u32) -> bool,
        unmatched: &[Unmatched],
    ) -> Vec<Finding> {
        let at: BTreeMap<u32, &BlockedRank> = outcome
            .stuck
            .iter()
            .map(|stuck| (stuck.rank, stuck))
            .collect();
        let relevant = || outcome.stuck.iter().filter(|stuck| relevant(stuck.channel));
        let cycles = cycles(
            &relevant()
                .map(|stuck| (stuck.rank, self.partner(stuck)))
                .collect(),
        );
        // Thousands of ranks may deadlock in pairs at the same two calls: one finding counts them.
        let mut alike: BTreeMap<Vec<u32>, Vec<&Vec<u32>>> = BTreeMap::new();
        for cycle in &cycles {
            alike
                .entry(cycle.iter().map(|rank| at[rank].site).collect())
                .or_default()
                .push(cycle);
        }
        // The rest waits for a rank that waits itself, or that has ended.
        let in_cycle: BTreeSet<u32> = cycles.iter().flatten().copied().collect();
        let mut groups: BTreeMap<(u32, Option<u32>), Vec<&BlockedRank>> = BTreeMap::new();
        for stuck in relevant().filter(|stuck| !in_cycle.contains(&stuck.rank)) {
            let partner = at.get(&self.partner(stuck)).map(|partner| partner.site);
            groups.entry((stuck.site, partner)).or_default().push(stuck);
        }
        let cycles = alike.iter().map(|(sites, cycles)| {
            let first: Vec<&BlockedRank> = cycles[0].iter().map(|rank| at[rank]).collect();
            self.cycle(sites, &first, cycles.len())
        });
        let others = groups
            .iter()
            .map(|(&(site, partner), stuck)| self.waits_for_ever(site, partner, stuck, unmatched));
        cycles.chain(others).collect()
    }

    /// The rank that a stuck rank waits for.
    fn partner(&self, stuck: &BlockedRank) -> u32 {
        let channel = &self.steps.channels[stuck.channel as usize];
        if stuck.sends {
            channel.destination
        } else {
            channel.source
        }
    }

    /// What a stuck rank waits for.
    fn awaited(&self, stuck: &BlockedRank) -> String {
        let partner = self.partner(stuck);
        match (self.steps.channels[stuck.channel as usize].tag, stuck.sends) {
            (ChannelTag::Collective | ChannelTag::Started(_), _) => {
                format!("for rank {partner} in a collective")
            }
            (ChannelTag::Value(tag), false) => {
                format!("for a message with tag {tag} from rank {partner}")
            }
            (ChannelTag::Value(tag), true) => {
                format!("for rank {partner} to receive a message with tag {tag}")
            }
        }
    }

    fn cycle(&self, sites: &[u32], stuck: &[&BlockedRank], times: usize) -> Finding {
        let link = |stuck: &&BlockedRank| {
            format!(
                ", rank {} at {} {}",
                stuck.rank,
                self.place(stuck.site),
                self.awaited(stuck)
            )
        };
        let (first, rest) = (stuck[0], &stuck[1..]);
        let mut text = format!(
            "{}: rank {} waits for ever {}",
            self.place(first.site),
            first.rank,
            self.awaited(first)
        );
        text.extend(rest.iter().take(LONGEST_CIRCLE).map(link));
        text.push_str(&match stuck.len() {
            1 => ", that is for itself".into(),
            length if length > LONGEST_CIRCLE + 1 => {
                format!(
                    ", and so on through {length} ranks back to rank {}",
                    first.rank
                )
            }
            length => format!(": a cycle of {length} ranks"),
        });
        if times > 1 {
            let more = match times - 1 {
                1 => "1 more cycle".into(),
                many => format!("{many} more cycles"),
            };
            text.push_str(&format!(" ({more} like this)"));
        }
        let mut places: Vec<u32> = sites.to_vec();
        let mut known = BTreeSet::new();
        // Ranks of a cycle often wait at the same place; each place is named once, in the order of the
        // cycle.
        places.retain(|site| known.insert(*site));
        error(&places, text)
    }

    fn waits_for_ever(
        &self,
        site: u32,
        partner_site: Option<u32>,
        stuck: &[&BlockedRank],
        unmatched: &[Unmatched],
    ) -> Finding {
        let first = stuck[0];
        let (mut sites, there) = match partner_site {
            Some(other) => (
                vec![site, other],
                format!("waits itself at {}", self.place(other)),
            ),
            None => (vec![site], "has ended".into()),
        };
        let others = match stuck.len() {
            1 => String::new(),
            count => format!(" ({} more ranks wait likewise)", count - 1),
        };
        let near = unmatched
            .iter()
            .find(|side| side.sent != first.sends && self.is_near(side.channel, first.channel));
        let near = near.map(|side| {
            sites.push(side.site);
            self.near(side)
        });
        let text = format!(
            "{}: rank {} waits for ever {}; rank {} {there}{}{others}",
            self.place(site),
            first.rank,
            self.awaited(first),
            self.partner(first),
            near.unwrap_or_default(),
        );
        error(&sites, text)
    }

    /// Whether two channels have the same ends, so that one may be meant for the other.
    fn is_near(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|channel| &self.steps.channels[channel as usize]);
        (one.source, one.destination) == (other.source, other.destination)
            && !one.tag.is_collective()
            && !other.tag.is_collective()
    }

    /// A message, or a receive, that may be what is missing: same ranks, another tag or communicator.
    fn near(&self, side: &Unmatched) -> String {
        let channel = &self.steps.channels[side.channel as usize];
        let tag = match channel.tag {
            ChannelTag::Value(tag) => format!("tag {tag}"),
            ChannelTag::Collective | ChannelTag::Started(_) => "no tag".into(),
        };
        let (rank, does) = if side.sent {
            (channel.source, "sends")
        } else {
            (channel.destination, "receives")
        };
        let place = self.place(side.site);
        format!(
            "; at {place} rank {rank} {does} a message with {tag} on communicator {}",
            channel.communicator
        )
    }

    /// Messages without the other side, those of one place together.
    pub(super) fn unmatched(
        &self,
        unmatched: &[Unmatched],
        relevant: &dyn Fn(u32) -> bool,
    ) -> Vec<Finding> {
        // The first channel of a place stands for the others, which are counted.
        let mut groups: BTreeMap<(u32, bool), (u32, u64)> = BTreeMap::new();
        for side in unmatched.iter().filter(|side| relevant(side.channel)) {
            groups
                .entry((side.site, side.sent))
                .or_insert((side.channel, 0))
                .1 += 1;
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
            Finding {
                severity: Severity::Warning,
                sites: vec![CallSiteId(site)],
                sentence: text,
            }
        };
        groups.into_iter().map(sentence).collect()
    }
}

fn error(sites: &[u32], sentence: String) -> Finding {
    let sites = sites.iter().map(|&site| CallSiteId(site)).collect();
    Finding {
        severity: Severity::Error,
        sites,
        sentence,
    }
}

fn often(times: u64) -> String {
    if times > 1 {
        format!(" ({times} times)")
    } else {
        String::new()
    }
}

/// `MPI_Bcast`-like wording of a signature: kind, root, length.
fn describe(signature: &Signature) -> String {
    let Some(kind) = signature.kind else {
        return "the making of a communicator".into();
    };
    let started = if signature.started {
        "nonblocking "
    } else {
        ""
    };
    let kind = format!("{started}{}", format!("{kind:?}").to_lowercase());
    match signature.root {
        Some(root) => format!("{kind} of {} bytes with root {root}", signature.bytes),
        None => format!("{kind} of {} bytes", signature.bytes),
    }
}
