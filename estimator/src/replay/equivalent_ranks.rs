//! Equivalent ranks: they execute the same steps on equally fast PUs, and where one of them exchanges messages with a rank, the
//! others do so with ranks that are equivalent to that one. Such ranks reach every step at the same time, so that one of them is
//! replayed for all: of a ring, a torus or a hypercube whose ranks have equal work, a single rank.
//!
//! This is the coarsest equitable partition of the graph of ranks and channels. Colour refinement finds it: ranks begin in one group
//! for each list of steps, and groups are split by the groups of the partners until none changes.
//!
//! It is exact under models in which no message delays another. Block times must not depend on the rank otherwise than by
//! its speed.

use super::program::{Channel, RankSteps, Step, Steps};
use super::workspace::{Outcome, RankOutcome};
use crate::numbered::Numbered;
use base_data::CommId;
use std::ops::Range;

/// Most rounds of the refinement. Symmetric patterns need one to three; a line of ranks needs half as many as ranks, and saves half
/// of them at most.
const MOST_ROUNDS: usize = 64;

/// Groups of equivalent ranks.
pub(crate) struct EquivalentRanks {
    /// By rank: its group.
    pub(crate) group_of: Vec<u32>,
    /// By group: its lowest rank.
    pub(crate) firsts: Vec<u32>,
    /// A program with one rank for each group.
    pub(crate) steps: Steps,
}

impl EquivalentRanks {
    /// The groups of a program's ranks, whose PUs have these speeds; `None` if there are more than half as many as ranks.
    pub(crate) fn of(steps: &Steps, speeds: &[f64]) -> Option<Self> {
        let ranks = steps.ranks.len();
        if steps.lists.len() * 2 > ranks || !steps.open_wildcards.is_empty() {
            return None;
        }
        let ends = channel_ends(steps)?;
        let mut first_groups: Numbered<(u32, u64)> = Numbered::default();
        let mut group_of: Vec<u32> = steps
            .ranks
            .iter()
            .zip(speeds)
            .map(|(rank, speed)| first_groups.number((rank.list, speed.to_bits())))
            .collect();
        let mut count = first_groups.values().len();
        for _ in 0..MOST_ROUNDS {
            if count * 2 > ranks {
                return None;
            }
            let mut groups: Numbered<Vec<u32>> = Numbered::default();
            let refined = (0..ranks)
                .map(|rank| groups.number(signature(steps, &ends, &group_of, rank)))
                .collect();
            let refined_count = groups.values().len();
            if refined_count == count {
                return Some(Self::with_groups(steps, &ends, group_of));
            }
            (group_of, count) = (refined, refined_count);
        }
        None
    }

    fn with_groups(steps: &Steps, ends: &[ChannelEnds], group_of: Vec<u32>) -> Self {
        let mut firsts: Vec<u32> = Vec::new();
        for (rank, &group) in (0..).zip(&group_of) {
            // Groups are numbered in the order of their first ranks.
            if group as usize == firsts.len() {
                firsts.push(rank);
            }
        }
        // A channel is named by the group of its sender, and its number there.
        let mut names: Numbered<(u32, u32)> = Numbered::default();
        let (mut channels, mut rank_channels, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
        for &rank in &firsts {
            ranks.push(RankSteps {
                list: steps.ranks[rank as usize].list,
                first_channel: rank_channels.len() as u32,
            });
            for &number in &steps.rank_channels[channels_of(steps, rank as usize)] {
                let channel = steps.channels[number as usize];
                let source = group_of[channel.source as usize];
                let name = names.number((source, ends[number as usize].source));
                if name as usize == channels.len() {
                    channels.push(Channel {
                        source,
                        destination: group_of[channel.destination as usize],
                        ..channel
                    });
                }
                rank_channels.push(name);
            }
        }
        let group_sizes = callers(steps, &ranks);
        let steps = Steps {
            ranks,
            rank_channels,
            channels,
            group_sizes,
            ..steps.clone()
        };
        Self {
            group_of,
            firsts,
            steps,
        }
    }

    /// The outcome of all ranks, from that of one rank for each group.
    pub(crate) fn outcome_of_all(&self, of_groups: Outcome, steps: &Steps) -> Outcome {
        let of_rank = |&group: &u32| -> RankOutcome { of_groups.ranks[group as usize] };
        let (messages, events) = steps.counts();
        Outcome {
            ranks: self.group_of.iter().map(of_rank).collect(),
            stuck: Vec::new(),
            messages,
            events,
            endless: None,
        }
    }
}

/// The numbers that sender and receiver have for a channel.
#[derive(Clone, Copy)]
struct ChannelEnds {
    source: u32,
    destination: u32,
}

/// No end: the rank does not use the channel.
const UNUSED: u32 = u32::MAX;

/// The ends of all channels; `None` if one of them has a single end, since its messages have no partner.
fn channel_ends(steps: &Steps) -> Option<Vec<ChannelEnds>> {
    let unused = ChannelEnds {
        source: UNUSED,
        destination: UNUSED,
    };
    let mut ends = vec![unused; steps.channels.len()];
    for rank in 0..steps.ranks.len() {
        for (own, &number) in (0..).zip(&steps.rank_channels[channels_of(steps, rank)]) {
            let channel = &steps.channels[number as usize];
            let ends = &mut ends[number as usize];
            if channel.source as usize == rank {
                ends.source = own;
            }
            if channel.destination as usize == rank {
                ends.destination = own;
            }
        }
    }
    let is_whole = |ends: &ChannelEnds| (ends.source == UNUSED) == (ends.destination == UNUSED);
    if ends.iter().all(is_whole) {
        Some(ends)
    } else {
        None
    }
}

/// Where the channels of a rank are in [`Steps::rank_channels`].
fn channels_of(steps: &Steps, rank: usize) -> Range<usize> {
    let start = steps.ranks[rank].first_channel as usize;
    let next = steps.ranks.get(rank + 1);
    let end = next.map_or(steps.rank_channels.len(), |next| {
        next.first_channel as usize
    });
    start..end
}

/// The group of a rank, and at each of its channels the group of the partner and the number that the channel has there.
fn signature(steps: &Steps, ends: &[ChannelEnds], group_of: &[u32], rank: usize) -> Vec<u32> {
    let mut signature = vec![group_of[rank]];
    for &number in &steps.rank_channels[channels_of(steps, rank)] {
        let (channel, ends) = (&steps.channels[number as usize], ends[number as usize]);
        // Both for messages to itself.
        if channel.source as usize == rank {
            signature.extend([group_of[channel.destination as usize], ends.destination]);
        }
        if channel.destination as usize == rank {
            signature.extend([group_of[channel.source as usize], ends.source]);
        }
    }
    signature
}

/// By communicator, how many of these ranks call collectives on it.
fn callers(steps: &Steps, ranks: &[RankSteps]) -> Vec<u32> {
    let mut sizes = vec![0; steps.group_sizes.len()];
    for rank in ranks {
        let mut called = vec![false; sizes.len()];
        for step in &steps.lists[rank.list as usize].steps {
            if let Step::Collective { signature } = step {
                called[steps.signatures[*signature as usize].communicator.index()] = true;
            }
        }
        for (size, is_called) in sizes.iter_mut().zip(called) {
            *size += u32::from(is_called);
        }
    }
    // Each rank has one of its own.
    if let Some(size) = sizes.get_mut(CommId::SELF.index()) {
        *size = 1;
    }
    sizes
}
