//! Who waits because somebody else comes late: the part of each wait that passes before the other side
//! is there at all, by pairs of calls.
//!
//! Within a collective a rank waits for messages that other ranks could not send before they had
//! entered it, or before those had that they wait for themselves. So each message of a schedule brings
//! along the latest entry that it hangs on: the late root of a broadcast, the last rank of a barrier.

use super::origins::{Carrier, Ended, Side};
use crate::replay::workspace::RankOutcome;
use base_data::explanation::{LateSide, Lateness};
use base_data::{CallSiteId, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A rank's entry into a collective.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    at: Time,
    rank: u32,
    site: u32,
}

/// Books lateness within the section.
pub(crate) struct LatenessBooks<'a> {
    /// When each rank is inside.
    sections: &'a [RankOutcome],
    found: BTreeMap<(LateSide, u32, u32), Lateness>,
}

impl<'a> LatenessBooks<'a> {
    /// Empty books; `sections` say when each rank is inside the section.
    pub(crate) fn new(sections: &'a [RankOutcome]) -> Self {
        Self { sections, found: BTreeMap::new() }
    }

    /// All of it, the longest first.
    pub(crate) fn finish(self) -> Vec<Lateness> {
        let mut found: Vec<Lateness> = self.found.into_values().collect();
        found.sort_by_key(|late| (Reverse(late.time), late.late, late.site, late.other));
        found
    }

    fn book(&mut self, late: LateSide, ended: &Ended<'_, Entry>, other: Entry) {
        let end = ended.end;
        let time = (other.at - end.from).min(end.waiting);
        let section = &self.sections[end.rank as usize];
        if time <= Time::ZERO || end.from < section.begin || end.to > section.end {
            return;
        }
        let nothing = Lateness {
            late,
            site: CallSiteId(end.site),
            other: CallSiteId(other.site),
            waits: 0,
            time: Time::ZERO,
            longest: Time::ZERO,
            rank: end.rank,
            late_rank: other.rank,
        };
        let sum = self.found.entry((late, end.site, other.site)).or_insert(nothing);
        sum.waits += 1;
        sum.time += time;
        let is_first = (Reverse(time), end.rank) < (Reverse(sum.longest), sum.rank);
        if is_first {
            (sum.longest, sum.rank, sum.late_rank) = (time, end.rank, other.rank);
        }
    }
}

fn call(side: &Side<Entry>) -> Entry {
    Entry { at: side.at, rank: side.rank, site: side.site }
}

impl Carrier for LatenessBooks<'_> {
    type Tip = Entry;

    fn entered(&mut self, tip: &mut Entry, rank: u32, site: u32, at: Time) {
        *tip = Entry { at, rank, site };
    }

    fn ended(&mut self, tip: &mut Entry, ended: &Ended<'_, Entry>) {
        let Some(other) = &ended.other else { return };
        if !ended.collective {
            let late = if ended.sends { LateSide::Receiver } else { LateSide::Sender };
            return self.book(late, ended, call(other));
        }
        self.book(LateSide::Collective, ended, other.tip);
        if other.tip.at > tip.at {
            *tip = other.tip;
        }
    }
}
