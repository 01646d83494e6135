//! The critical path: what the last rank's end depends on, back to the beginning. One replay finds
//! each part of it, and a second one, which gets the path, accounts its time.

use super::cause_propagation::CausePropagation;
use super::critical_path_tree::{DependenceEdge, PathPoint, PathSuffix, PathTree};
use crate::EstimateError;
use crate::assemble::mean_replay;
use crate::replay::observer::{Observer, Stretch};
use crate::replay::workspace::{RankOutcome, Workspace};
use crate::setup::Setup;
use base_data::estimate_file::Activity;
use base_data::explanation::{CriticalPath, PathItem, PathSegment, PathShare};
use base_data::{CallSiteId, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Edges in memory at a time: about 250 MB.
pub(crate) const MOST_EDGES: usize = 1 << 22;

/// Stays that are kept to be looked at.
const STAYS: i64 = 8000;

/// The path to the end of the longest section among `ranks`, from that section's begin on.
///
/// # Errors
/// Those of making the network model.
pub(crate) fn critical_path(
    setup: &Setup<'_>,
    work: &mut Workspace,
    ranks: &[RankOutcome],
    most_edges: usize,
) -> Result<CriticalPath, EstimateError> {
    let last = super::slope::longest(ranks);
    let Some(section) = ranks.get(last) else {
        return Ok(CriticalPath::default());
    };
    let mut accounts = PathTimeAccounts::new(section.begin, section.end - section.begin);
    let mut target = PathPoint {
        rank: last as u32,
        at: section.end,
    };
    loop {
        let suffix = find(setup, work, target, most_edges)?;
        let (shares, _) = mean_replay(
            setup,
            work,
            PathSegments::new(ranks.len(), &suffix, target, section.begin),
        )?;
        accounts.add(&suffix, target, shares);
        match suffix.edges.first() {
            // The tree forgot what came before this edge. Another replay looks for the path to where it
            // begins.
            Some(first) if suffix.forgotten && first.from.at > section.begin => target = first.from,
            _ => return Ok(accounts.finish(last as u32)),
        }
    }
}

fn find(
    setup: &Setup<'_>,
    work: &mut Workspace,
    target: PathPoint,
    most_edges: usize,
) -> Result<PathSuffix, EstimateError> {
    let tree = PathTree::new(target, most_edges);
    let origins = CausePropagation::new(setup.steps, &setup.machine.costs, tree);
    let (found, _) = mean_replay(setup, work, origins)?;
    Ok(found.carrier.suffix(found.state(target.rank)))
}

/// The segments of a part between its edges, in the order of time, from `begin` on.
fn segments(suffix: &PathSuffix, target: PathPoint, begin: Time) -> Vec<PathSegment> {
    let mut segments = Vec::with_capacity(suffix.edges.len() + 1);
    // Of a part whose earlier edges were discarded, the begin is that of its first edge's end.
    let mut from = if suffix.forgotten {
        None
    } else {
        Some(Time::ZERO)
    };
    for edge in &suffix.edges {
        if let Some(from) = from {
            segments.push(PathSegment {
                rank: edge.from.rank,
                from,
                to: edge.from.at,
            });
        }
        from = Some(edge.to.at);
    }
    let from = from.unwrap_or(target.at);
    segments.push(PathSegment {
        rank: target.rank,
        from,
        to: target.at,
    });
    segments.retain(|stay| stay.to > begin);
    segments
        .iter_mut()
        .for_each(|stay| stay.from = stay.from.max(begin));
    segments
}

type Shares = BTreeMap<PathItem, (u64, Time)>;

fn add(shares: &mut Shares, item: PathItem, count: u64, time: Time) {
    let sum = shares.entry(item).or_default();
    *sum = (sum.0 + count, sum.1 + time);
}

/// Accounts the time of ranks while the path is on them.
struct PathSegments {
    ranks: Vec<RankPathSegments>,
}

#[derive(Clone, Default)]
struct RankPathSegments {
    /// From when to when, ascending.
    segments: Vec<[Time; 2]>,
    /// The first that is not over.
    next: usize,
    shares: Shares,
}

impl PathSegments {
    fn new(ranks: usize, suffix: &PathSuffix, target: PathPoint, begin: Time) -> Self {
        let mut all = vec![RankPathSegments::default(); ranks];
        for stay in segments(suffix, target, begin) {
            all[stay.rank as usize].segments.push([stay.from, stay.to]);
        }
        Self { ranks: all }
    }
}

impl Observer for PathSegments {
    const EVERY_EVENT: bool = true;

    fn began(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        state.next = 0;
        state.shares.clear();
    }

    fn spent(&mut self, stretch: Stretch) {
        let state = &mut self.ranks[stretch.rank as usize];
        while state
            .segments
            .get(state.next)
            .is_some_and(|stay| stay[1] <= stretch.from)
        {
            state.next += 1;
        }
        let Some(&[from, to]) = state.segments.get(state.next) else {
            return;
        };
        // A path begins and ends where stretches do, but for the section's begin, which another rank has.
        let time = stretch.to.min(to) - stretch.from.max(from);
        if time > Time::ZERO {
            let item = match stretch.activity {
                Activity::Block(block) => PathItem::Block(block),
                Activity::Site(site) => PathItem::Call(site),
            };
            add(&mut state.shares, item, 1, time);
        }
    }
}

/// Puts the parts together, the last one first.
struct PathTimeAccounts {
    begin: Time,
    length: Time,
    shares: Shares,
    changes: u64,
    /// The last part's first.
    drawn: Vec<Vec<PathSegment>>,
}

impl PathTimeAccounts {
    fn new(begin: Time, length: Time) -> Self {
        Self {
            begin,
            length,
            shares: Shares::new(),
            changes: 0,
            drawn: Vec::new(),
        }
    }

    fn add(&mut self, suffix: &PathSuffix, target: PathPoint, of_stays: PathSegments) {
        for (item, (count, time)) in of_stays.ranks.into_iter().flat_map(|rank| rank.shares) {
            add(&mut self.shares, item, count, time);
        }
        for edge in suffix.edges.iter().filter(|edge| edge.to.at > self.begin) {
            add(
                &mut self.shares,
                item(edge),
                1,
                edge.to.at - edge.from.at.max(self.begin),
            );
            self.changes += u64::from(edge.from.rank != edge.to.rank);
        }
        self.drawn.push(merged(
            &segments(suffix, target, self.begin),
            self.resolution(),
        ));
    }

    fn resolution(&self) -> Time {
        Time::from_picoseconds(self.length.picoseconds() / STAYS)
    }

    fn finish(self, last_rank: u32) -> CriticalPath {
        let share =
            |(item, (count, time)): (PathItem, (u64, Time))| PathShare { item, count, time };
        let mut shares: Vec<PathShare> = self.shares.into_iter().map(share).collect();
        shares.sort_by_key(|share| (Reverse(share.time), share.item));
        let segments = self.drawn.into_iter().rev().flatten().collect();
        CriticalPath {
            length: self.length,
            last_rank,
            changes: self.changes,
            shares,
            segments,
        }
    }
}

fn item(edge: &DependenceEdge) -> PathItem {
    let [send, receive] = edge.sites.map(CallSiteId);
    if edge.is_message {
        PathItem::Message { send, receive }
    } else {
        PathItem::Call(send)
    }
}

/// What can be looked at: stays of one rank that are nearer than the resolution are one, and one that is
/// over sooner than the resolution after the one before it is left out.
fn merged(segments: &[PathSegment], resolution: Time) -> Vec<PathSegment> {
    let mut merged: Vec<PathSegment> = Vec::new();
    for stay in segments {
        match merged.last_mut() {
            Some(last) if last.rank == stay.rank && stay.from - last.to <= resolution => {
                last.to = stay.to
            }
            Some(last) if stay.to - last.to < resolution => {}
            Some(_) | None => merged.push(*stay),
        }
    }
    merged
}
