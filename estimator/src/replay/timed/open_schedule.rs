//! A started collective of a rank, with the position in its schedule: the same in all replays in the order of time.

use super::super::program::{Step, Steps};

/// The schedule of a collective that a rank has started.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenSchedule {
    /// Its number in the rank's list.
    pub(super) number: u32,
    /// The next step.
    pub(super) next: u32,
}

impl OpenSchedule {
    /// A schedule of which nothing is done yet.
    pub(super) fn begun(number: u32) -> Self {
        Self { number, next: 0 }
    }

    /// The next step; `None` if the schedule is over.
    pub(super) fn next_step(self, steps: &Steps, rank: u32) -> Option<Step> {
        let list = steps.ranks[rank as usize].list as usize;
        let schedule = &steps.lists[list].schedules[self.number as usize];
        schedule.get(self.next as usize).copied()
    }
}
