//! Whether a representative has left the way of its recording: what it is fed may never end a loop that others' data end.
//! A loop around its call sites may run longer than the recording assumed; one that nothing ends calls again and again.
//!
//! Not here: loops that are left early, which end by themselves (`measure`), and ranks that make no calls at all (`host`).

use super::Ticket;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Times as often as it was recorded that a call may be made outside loops that can be left early.
const TIMES: u64 = 10;
/// What is allowed beside the budgets of two loops, one in the other.
const GRACE: Duration = Duration::from_secs(2);

/// How often calls were recorded on a rank, by site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded(BTreeMap<u32, u64>);

impl Recorded {
    /// A call was made so many times more.
    pub fn add(&mut self, site: u32, times: u64) {
        let known = self.0.entry(site).or_default();
        *known = known.saturating_add(times);
    }
}

/// What tells whether a rank is astray.
#[derive(Clone, Debug, Default)]
pub struct Way {
    recorded: Recorded,
    /// Longest time that only calls are made that were not recorded.
    patience: Duration,
    /// When they began.
    since: Option<Duration>,
}

impl Way {
    /// Of a rank for which this was recorded, if one loop may take this `budget`.
    pub fn new(recorded: Recorded, budget: Duration) -> Self {
        Self { recorded, patience: budget.saturating_mul(2) + GRACE, since: None }
    }

    /// A call begins; whether the rank is astray. `may_leave`: a loop around it may be one that is left early. Of sites that
    /// were never recorded nothing is known.
    pub fn is_left(&mut self, ticket: Ticket, may_leave: bool, now: impl FnOnce() -> Duration) -> bool {
        let Some(&recorded) = self.recorded.0.get(&ticket.site) else { return false };
        let number = ticket.number as u64;
        if number < recorded {
            self.since = None;
            return false;
        }
        let now = now();
        let since = *self.since.get_or_insert(now);
        !may_leave && number >= recorded.saturating_mul(TIMES) || now.saturating_sub(since) > self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tickets;
    use super::*;

    /// The number of the first call of site 7 at which a rank is astray, a call each second; 3 were recorded.
    fn first_astray(may_leave: bool, budget: u64) -> Option<u64> {
        let mut recorded = Recorded::default();
        [1, 2].into_iter().for_each(|times| recorded.add(7, times));
        let (mut way, mut tickets) = (Way::new(recorded, Duration::from_secs(budget)), Tickets::default());
        (0..1000).find(|&second| way.is_left(tickets.take(7), may_leave, || Duration::from_secs(second)))
    }

    #[test]
    fn more_calls_than_were_recorded_lead_astray_if_they_do_not_end() {
        assert_eq!(first_astray(false, 100), Some(30), "ten times as many");
        assert_eq!(first_astray(true, 100), Some(3 + 203), "two budgets, and what is allowed beside them");
        assert_eq!(first_astray(false, 0), Some(3 + 3));
    }

    #[test]
    fn a_recorded_call_is_the_way_again_and_unknown_sites_tell_nothing() {
        let mut recorded = Recorded::default();
        [7, 8].into_iter().for_each(|site| recorded.add(site, 1));
        let (mut way, mut tickets) = (Way::new(recorded, Duration::ZERO), Tickets::default());
        let mut left = |site, second| way.is_left(tickets.take(site), true, || Duration::from_secs(second));
        assert_eq!(
            [(7, 0), (7, 1), (8, 90), (7, 100), (9, 200)].map(|(site, now)| left(site, now)),
            [false; 5]
        );
        assert!(left(7, 103));
    }
}
