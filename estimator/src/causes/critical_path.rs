//! The critical path: what the last rank's end hangs on, back to the beginning. Each part of it is found
//! by one replay and put into the books by a second one, which is told where the path is.

use super::origins::Origins;
use super::path_tree::{Hop, Part, PathTree, Place};
use crate::EstimateError;
use crate::assemble::mean_replay;
use crate::replay::observer::{Observer, Stretch};
use crate::replay::workspace::{RankOutcome, Workspace};
use crate::setup::Setup;
use base_data::estimate_file::Activity;
use base_data::explanation::{CriticalPath, PathItem, PathShare, PathStay};
use base_data::{CallSiteId, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Hops kept at a time: some 250 MB.
pub(crate) const MOST_HOPS: usize = 1 << 22;

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
    most_hops: usize,
) -> Result<CriticalPath, EstimateError> {
    let last = super::slope::longest(ranks);
    let Some(section) = ranks.get(last) else { return Ok(CriticalPath::default()) };
    let mut books = PathBooks::new(section.begin, section.end - section.begin);
    let mut target = Place { rank: last as u32, at: section.end };
    loop {
        let part = find(setup, work, target, most_hops)?;
        let (shares, _) = mean_replay(setup, work, Stays::new(ranks.len(), &part, target, section.begin))?;
        books.add(&part, target, shares);
        match part.hops.first() {
            Some(first) if part.forgotten && first.from.at > section.begin => target = first.from,
            _ => return Ok(books.finish(last as u32)),
        }
    }
}

fn find(
    setup: &Setup<'_>,
    work: &mut Workspace,
    target: Place,
    most_hops: usize,
) -> Result<Part, EstimateError> {
    let tree = PathTree::new(target, most_hops);
    let origins = Origins::new(setup.steps, &setup.machine.costs, tree);
    let (found, _) = mean_replay(setup, work, origins)?;
    Ok(found.carrier.part(found.tip(target.rank)))
}

/// The stretches of a part between its hops, in the order of time, from `begin` on.
fn stays(part: &Part, target: Place, begin: Time) -> Vec<PathStay> {
    let mut stays = Vec::with_capacity(part.hops.len() + 1);
    let mut from = (!part.forgotten).then_some(Time::ZERO);
    for hop in &part.hops {
        if let Some(from) = from {
            stays.push(PathStay { rank: hop.from.rank, from, to: hop.from.at });
        }
        from = Some(hop.to.at);
    }
    let from = from.unwrap_or(target.at);
    stays.push(PathStay { rank: target.rank, from, to: target.at });
    stays.retain(|stay| stay.to > begin);
    stays.iter_mut().for_each(|stay| stay.from = stay.from.max(begin));
    stays
}

type Shares = BTreeMap<PathItem, (u64, Time)>;

fn add(shares: &mut Shares, item: PathItem, count: u64, time: Time) {
    let sum = shares.entry(item).or_default();
    *sum = (sum.0 + count, sum.1 + time);
}

/// Books what ranks do while the path is on them.
struct Stays {
    ranks: Vec<RankStays>,
}

#[derive(Clone, Default)]
struct RankStays {
    /// From when to when, ascending.
    stays: Vec<[Time; 2]>,
    /// The first that is not over.
    next: usize,
    shares: Shares,
}

impl Stays {
    fn new(ranks: usize, part: &Part, target: Place, begin: Time) -> Self {
        let mut all = vec![RankStays::default(); ranks];
        for stay in stays(part, target, begin) {
            all[stay.rank as usize].stays.push([stay.from, stay.to]);
        }
        Self { ranks: all }
    }
}

impl Observer for Stays {
    const EVERY_EVENT: bool = true;

    fn began(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        state.next = 0;
        state.shares.clear();
    }

    fn spent(&mut self, stretch: Stretch) {
        let state = &mut self.ranks[stretch.rank as usize];
        while state.stays.get(state.next).is_some_and(|stay| stay[1] <= stretch.from) {
            state.next += 1;
        }
        let Some(&[from, to]) = state.stays.get(state.next) else { return };
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
struct PathBooks {
    begin: Time,
    length: Time,
    shares: Shares,
    changes: u64,
    /// The last part's first.
    drawn: Vec<Vec<PathStay>>,
}

impl PathBooks {
    fn new(begin: Time, length: Time) -> Self {
        Self { begin, length, shares: Shares::new(), changes: 0, drawn: Vec::new() }
    }

    fn add(&mut self, part: &Part, target: Place, of_stays: Stays) {
        for (item, (count, time)) in of_stays.ranks.into_iter().flat_map(|rank| rank.shares) {
            add(&mut self.shares, item, count, time);
        }
        for hop in part.hops.iter().filter(|hop| hop.to.at > self.begin) {
            add(&mut self.shares, item(hop), 1, hop.to.at - hop.from.at.max(self.begin));
            self.changes += u64::from(hop.from.rank != hop.to.rank);
        }
        self.drawn.push(merged(&stays(part, target, self.begin), self.resolution()));
    }

    fn resolution(&self) -> Time {
        Time::from_picoseconds(self.length.picoseconds() / STAYS)
    }

    fn finish(self, last_rank: u32) -> CriticalPath {
        let share = |(item, (count, time)): (PathItem, (u64, Time))| PathShare { item, count, time };
        let mut shares: Vec<PathShare> = self.shares.into_iter().map(share).collect();
        shares.sort_by_key(|share| (Reverse(share.time), share.item));
        let stays = self.drawn.into_iter().rev().flatten().collect();
        CriticalPath { length: self.length, last_rank, changes: self.changes, shares, stays }
    }
}

fn item(hop: &Hop) -> PathItem {
    let [send, receive] = hop.sites.map(CallSiteId);
    if hop.is_message { PathItem::Message { send, receive } } else { PathItem::Call(send) }
}

/// What can be looked at: stays of one rank that are nearer than the resolution are one, and one that is
/// over sooner than the resolution after the one before it is left out.
fn merged(stays: &[PathStay], resolution: Time) -> Vec<PathStay> {
    let mut merged: Vec<PathStay> = Vec::new();
    for stay in stays {
        match merged.last_mut() {
            Some(last) if last.rank == stay.rank && stay.from - last.to <= resolution => last.to = stay.to,
            Some(last) if stay.to - last.to < resolution => {}
            Some(_) | None => merged.push(*stay),
        }
    }
    merged
}
