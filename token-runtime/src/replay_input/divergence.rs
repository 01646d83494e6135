//! Divergence of a representative from its recording: replayed messages may never satisfy the exit condition of a loop that real data end.
//! A loop around its call sites may run longer than the recording assumed; one that nothing ends calls again and again.
//!
//! `measure` handles loops that are left early, which always end; `host` handles ranks that make no calls at all.

use super::CallInstance;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Times as often as it was recorded that a call may be made outside loops that can be left early.
const MAX_EXCESS_FACTOR: u64 = 10;
/// What is allowed beside the budgets of two loops, one in the other.
const GRACE: Duration = Duration::from_secs(2);

/// How often calls were recorded on a rank, by site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCallCounts(BTreeMap<u32, u64>);

impl RecordedCallCounts {
    /// A call was made so many times more.
    pub fn add(&mut self, site: u32, times: u64) {
        let known = self.0.entry(site).or_default();
        *known = known.saturating_add(times);
    }
}

/// Compares the calls of a rank with its recording.
#[derive(Clone, Debug, Default)]
pub struct DivergenceMonitor {
    recorded: RecordedCallCounts,
    /// Longest time that only calls are made that were not recorded.
    unrecorded_limit: Duration,
    /// When they began.
    unrecorded_since: Option<Duration>,
}

impl DivergenceMonitor {
    /// Of a rank for which this was recorded, if one loop may take this `budget`.
    pub fn new(recorded: RecordedCallCounts, budget: Duration) -> Self {
        Self {
            recorded,
            unrecorded_limit: budget.saturating_mul(2) + GRACE,
            unrecorded_since: None,
        }
    }

    /// A call begins; returns whether the rank has diverged. `may_leave`: a loop around it may be one that is left early. Of sites that
    /// were never recorded nothing is known.
    pub fn has_diverged(
        &mut self,
        call_instance: CallInstance,
        may_leave: bool,
        now: impl FnOnce() -> Duration,
    ) -> bool {
        let Some(&recorded) = self.recorded.0.get(&call_instance.site) else {
            return false;
        };
        let number = call_instance.number as u64;
        if number < recorded {
            self.unrecorded_since = None;
            return false;
        }
        let now = now();
        let unrecorded_since = *self.unrecorded_since.get_or_insert(now);
        !may_leave && number >= recorded.saturating_mul(MAX_EXCESS_FACTOR)
            || now.saturating_sub(unrecorded_since) > self.unrecorded_limit
    }
}

#[cfg(test)]
mod tests {
    use super::super::CallCounters;
    use super::*;

    /// The number of the first call of site 7 at which a rank has diverged, a call each second; 3 were recorded.
    fn first_divergence(may_leave: bool, budget: u64) -> Option<u64> {
        let mut recorded = RecordedCallCounts::default();
        [1, 2].into_iter().for_each(|times| recorded.add(7, times));
        let (mut divergence, mut call_counters) = (
            DivergenceMonitor::new(recorded, Duration::from_secs(budget)),
            CallCounters::default(),
        );
        (0..1000).find(|&second| {
            divergence.has_diverged(call_counters.take(7), may_leave, || {
                Duration::from_secs(second)
            })
        })
    }

    #[test]
    fn excess_calls_diverge_after_the_limit() {
        assert_eq!(first_divergence(false, 100), Some(30), "ten times as many");
        assert_eq!(
            first_divergence(true, 100),
            Some(3 + 203),
            "two budgets, and what is allowed beside them"
        );
        assert_eq!(first_divergence(false, 0), Some(3 + 3));
    }

    #[test]
    fn recorded_call_resets_divergence_and_unknown_sites_are_ignored() {
        let mut recorded = RecordedCallCounts::default();
        [7, 8].into_iter().for_each(|site| recorded.add(site, 1));
        let (mut divergence, mut call_counters) = (
            DivergenceMonitor::new(recorded, Duration::ZERO),
            CallCounters::default(),
        );
        let mut left = |site, second| {
            divergence.has_diverged(call_counters.take(site), true, || {
                Duration::from_secs(second)
            })
        };
        assert_eq!(
            [(7, 0), (7, 1), (8, 90), (7, 100), (9, 200)].map(|(site, now)| left(site, now)),
            [false; 5]
        );
        assert!(left(7, 103));
    }
}
