//! The tree of all paths that may yet become critical: each rank carries the last hop that its time
//! hangs on, hops know the hop before them. What no rank carries any more is let go of from time to
//! time; if what is left is still too much, the oldest part is forgotten, and a further replay finds
//! it, up to where this one's memory began. So memory is bounded whatever the program does.

use super::origins::{Carrier, Ended, Visit};
use crate::causes::hop::Pieces;
use base_data::Time;

/// A place on a path: a rank at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) rank: u32,
    pub(crate) at: Time,
}

/// A wait on a path: from the call that it hung on to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) from: Place,
    pub(crate) to: Place,
    /// Calls of the send and of the receive; the same for what hangs on one call only.
    pub(crate) sites: [u32; 2],
    /// Whether a message passes; not so where a started call takes its own time to the end.
    pub(crate) is_message: bool,
}

/// A hop, numbered from 1, or where a path begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tip(u32);

const BEGINNING: Tip = Tip(0);
const FORGOTTEN: Tip = Tip(u32::MAX);

/// Finds the path to a place.
pub(crate) struct PathTree {
    target: Place,
    /// What the target's rank carries at the target's time, once that has passed.
    found: Option<Tip>,
    hops: Vec<(Tip, Hop)>,
    /// How many hops may be kept.
    most: usize,
    /// From how many on it is time to tidy.
    crowded: usize,
}

/// A path, or its last part.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// In the order of time.
    pub(crate) hops: Vec<Hop>,
    /// Whether what was before was forgotten.
    pub(crate) forgotten: bool,
}

impl PathTree {
    /// Looks for the path to `target`, keeping about `most` hops.
    pub(crate) fn new(target: Place, most: usize) -> Self {
        Self { target, found: None, hops: Vec::new(), most, crowded: most }
    }

    /// The path, where `last` is what the target's rank carries at the end of the replay.
    pub(crate) fn part(&self, last: Tip) -> Part {
        let mut tip = self.found.unwrap_or(last);
        let mut hops = Vec::new();
        while tip != BEGINNING && tip != FORGOTTEN {
            let (before, hop) = self.hops[tip.0 as usize - 1];
            hops.push(hop);
            tip = before;
        }
        hops.reverse();
        Part { hops, forgotten: tip == FORGOTTEN }
    }

    /// Which hops lead to one that is carried, and which are carried themselves.
    fn living(&self, visit: Visit<'_, Tip>) -> (Vec<bool>, Vec<bool>) {
        let mut carried = vec![false; self.hops.len()];
        visit(&mut |tip| {
            if *tip != BEGINNING && *tip != FORGOTTEN {
                carried[tip.0 as usize - 1] = true;
            }
        });
        let mut living = carried.clone();
        for index in (0..self.hops.len()).rev() {
            let before = self.hops[index].0;
            if living[index] && before != BEGINNING && before != FORGOTTEN {
                living[before.0 as usize - 1] = true;
            }
        }
        (living, carried)
    }

    /// Forgets the oldest of the living that are not carried, until half of what may be kept is left.
    fn thin(&self, living: &mut [bool], carried: &[bool]) {
        let alive = living.iter().filter(|alive| **alive).count();
        let mut surplus = if alive > self.most / 2 { alive - self.most / 4 } else { 0 };
        for (alive, carried) in living.iter_mut().zip(carried) {
            if surplus == 0 {
                return;
            }
            if *alive && !carried {
                *alive = false;
                surplus -= 1;
            }
        }
    }

    /// Keeps the living; gives the new number of each old one.
    fn keep(&mut self, living: &[bool]) -> Vec<Tip> {
        let mut numbers = vec![FORGOTTEN; living.len()];
        let mut kept = 0;
        for index in 0..living.len() {
            if living[index] {
                let (before, hop) = self.hops[index];
                self.hops[kept] = (renumbered(before, &numbers), hop);
                kept += 1;
                numbers[index] = Tip(kept as u32);
            }
        }
        self.hops.truncate(kept);
        numbers
    }
}

fn renumbered(tip: Tip, numbers: &[Tip]) -> Tip {
    if tip == BEGINNING || tip == FORGOTTEN { tip } else { numbers[tip.0 as usize - 1] }
}

impl Carrier for PathTree {
    type Tip = Tip;

    fn ended(&mut self, tip: &mut Tip, ended: &Ended<'_, Tip>) {
        let end = ended.end;
        if end.to > self.target.at {
            // Beyond the target nothing can be on the path to it.
            if end.rank == self.target.rank && self.found.is_none() {
                self.found = Some(*tip);
            }
            return;
        }
        let Some(cause) = ended.cause else { return };
        let origin = ended.origin(cause);
        let is_message = !matches!(cause.pieces, Pieces::Send | Pieces::Receive);
        if !is_message && origin.at == end.from {
            // A blocking call's own time: the rank has simply gone on.
            return;
        }
        let other = if is_message { ended.other.unwrap_or(ended.own) } else { ended.own };
        let sites = if ended.sends { [ended.own.site, other.site] } else { [other.site, ended.own.site] };
        let from = Place { rank: origin.rank, at: origin.at };
        let to = Place { rank: end.rank, at: end.to };
        self.hops.push((origin.tip, Hop { from, to, sites, is_message }));
        *tip = Tip(self.hops.len() as u32);
    }

    fn is_crowded(&self) -> bool {
        self.hops.len() >= self.crowded
    }

    fn tidy(&mut self, visit: Visit<'_, Tip>) {
        if let Some(found) = self.found {
            // Everything else is beside the path now.
            return self.keep_only(found, visit);
        }
        let (mut living, carried) = self.living(visit);
        self.thin(&mut living, &carried);
        let numbers = self.keep(&living);
        visit(&mut |tip| *tip = renumbered(*tip, &numbers));
        self.crowded = self.most.max(2 * self.hops.len());
    }
}

impl PathTree {
    fn keep_only(&mut self, found: Tip, visit: Visit<'_, Tip>) {
        let (living, _) = self.living(&mut |show| show(&mut { found }));
        let numbers = self.keep(&living);
        visit(&mut |tip| *tip = renumbered(*tip, &numbers));
        self.found = Some(renumbered(found, &numbers));
        self.crowded = self.most.max(2 * self.hops.len());
    }
}
