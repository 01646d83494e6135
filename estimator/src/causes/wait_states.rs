//! Wait states, late senders and late receivers: the part of each wait before the other side starts, by pairs of calls.
//!
//! Within a collective a rank waits for messages that other ranks could not send before they entered it, or before
//! the ranks entered it for which those wait. So the state of each message of a schedule is the latest entry on which
//! it depends: that of the late root of a broadcast, or of the last rank of a barrier.

use super::cause_propagation::{Ended, Propagation, TransferEndpoint};
use crate::replay::workspace::RankOutcome;
use base_data::explanation::{DelayedParty, WaitState};
use base_data::{CallSiteId, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A rank's entry into a call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallEntry {
    at: Time,
    rank: u32,
    site: u32,
}

/// Accounts for wait states within the section.
pub(crate) struct WaitStateAccounts<'a> {
    /// When each rank is inside.
    sections: &'a [RankOutcome],
    found: BTreeMap<(DelayedParty, u32, u32), WaitState>,
}

impl<'a> WaitStateAccounts<'a> {
    /// Empty accounts; `sections` contain the times at which each rank is inside the section.
    pub(crate) fn new(sections: &'a [RankOutcome]) -> Self {
        Self {
            sections,
            found: BTreeMap::new(),
        }
    }

    /// All of it, the longest first.
    pub(crate) fn finish(self) -> Vec<WaitState> {
        let mut found: Vec<WaitState> = self.found.into_values().collect();
        found.sort_by_key(|late| (Reverse(late.time), late.late, late.site, late.other));
        found
    }

    fn record(&mut self, late: DelayedParty, ended: &Ended<'_, CallEntry>, other: CallEntry) {
        let end = ended.end;
        // From the begin of the wait until the other's call: what the wait takes beyond that is the message,
        // not the late party.
        let time = (other.at - end.from).min(end.waiting);
        let section = &self.sections[end.rank as usize];
        if time <= Time::ZERO || end.from < section.begin || end.to > section.end {
            return;
        }
        let nothing = WaitState {
            late,
            site: CallSiteId(end.site),
            other: CallSiteId(other.site),
            waits: 0,
            time: Time::ZERO,
            longest: Time::ZERO,
            rank: end.rank,
            late_rank: other.rank,
        };
        let sum = self
            .found
            .entry((late, end.site, other.site))
            .or_insert(nothing);
        sum.waits += 1;
        sum.time += time;
        // Of equally long waits the lowest rank's, whatever the order of the replay.
        let is_first = (Reverse(time), end.rank) < (Reverse(sum.longest), sum.rank);
        if is_first {
            (sum.longest, sum.rank, sum.late_rank) = (time, end.rank, other.rank);
        }
    }
}

fn call(side: &TransferEndpoint<CallEntry>) -> CallEntry {
    CallEntry {
        at: side.at,
        rank: side.rank,
        site: side.site,
    }
}

impl Propagation for WaitStateAccounts<'_> {
    type PathState = CallEntry;

    fn entered(&mut self, state: &mut CallEntry, rank: u32, site: u32, at: Time) {
        *state = CallEntry { at, rank, site };
    }

    fn ended(&mut self, state: &mut CallEntry, ended: &Ended<'_, CallEntry>) {
        let Some(other) = &ended.other else { return };
        if !ended.collective {
            let late = if ended.sends {
                DelayedParty::Receiver
            } else {
                DelayedParty::Sender
            };
            return self.record(late, ended, call(other));
        }
        self.record(DelayedParty::Collective, ended, other.state);
        // The entry on which this rank's further messages of the collective depend.
        if other.state.at > state.at {
            *state = other.state;
        }
    }
}
