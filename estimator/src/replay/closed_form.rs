//! Iterations added at once. Where the complete state of a replay, relative to the clocks, is that of up
//! to [`LONGEST_PERIOD`] iterations ago, all further ones repeat them: as many as every loop
//! has left are added in one step, exact to the picosecond.
//!
//! Ranks pause at the ends of iterations of watched loops, the innermost first. Once no other rank can go
//! on, that is a *tick*: the state is compared with one that was kept, and all go on for one
//! iteration. States are kept at ticks 1, 2, 4, 8, … of a loop (after Brent) and compared with those
//! of the next [`LONGEST_PERIOD`] ticks; in between ranks run without pausing. So a loop that never
//! repeats costs a few ticks, and one that settles late is still found.
//!
//! Why this is exact: the result of a replay does not depend on the order in which ranks go on. From
//! equal states the same steps lead to equal states, as long as no loop comes to its end.
//!
//! [`super::snapshot`] defines states. Blocks with random times, and reads of clocks in a loop, switch the closed
//! form off: their iterations do not repeat.

use super::dataflow::BlockTimes;
use super::observer::Observer;
use super::program::Steps;
use super::snapshot::{PausePoint, Snapshot};
use super::workspace::Workspace;

/// Longest period that is looked for, in ticks.
const LONGEST_PERIOD: u64 = 8;
/// After so many ticks in a row that found nothing, a replay is no longer watched: its loops are many
/// and do not repeat.
const MOST_FUTILE_TICKS: u32 = 2000;

/// The watch over a replay's loops.
#[derive(Debug, Default)]
pub(super) struct ClosedForm {
    /// By level of loops.
    watches: Vec<Watch>,
    futile: u32,
}

/// The watch over loops of one level.
#[derive(Debug, Default)]
struct Watch {
    /// Where the first of the ranks that pause is: another loop, or the same one entered again, is
    /// watched anew.
    pause_point: PausePoint,
    /// Iterations since then.
    ticks: u64,
    /// Iterations from one look to the next.
    stride: u64,
    kept: Snapshot,
    /// The tick of the kept state; 0 for none.
    kept_at: u64,
}

impl ClosedForm {
    /// Resumes the ranks that pause at the innermost loops; false if none pauses.
    pub(super) fn resume<T: BlockTimes, O: Observer>(
        &mut self,
        steps: &Steps,
        work: &mut Workspace,
        times: &T,
        observer: &mut O,
    ) -> bool {
        // Innermost first: its iterations are the shortest, and outer loops pause again once the inner one
        // has ended.
        let Some(level) = work.paused.iter().rposition(|ranks| !ranks.is_empty()) else {
            return false;
        };
        let permits = self.tick(level, steps, work, times, observer);
        let Workspace {
            paused,
            ranks,
            ready,
            ..
        } = work;
        for rank in paused[level].drain(..) {
            ranks[rank as usize].open.permits = permits;
            ready.push_back(rank);
        }
        true
    }

    /// Looks at the state; gives the iterations until the next look.
    fn tick<T: BlockTimes, O: Observer>(
        &mut self,
        level: usize,
        steps: &Steps,
        work: &mut Workspace,
        times: &T,
        observer: &mut O,
    ) -> u32 {
        // The largest number of permits: ranks pause only every four billion iterations from here on.
        if self.futile > MOST_FUTILE_TICKS {
            return u32::MAX;
        }
        self.futile += 1;
        if self.watches.len() <= level {
            self.watches.resize_with(level + 1, Watch::default);
        }
        let watch = &mut self.watches[level];
        // The lowest rank stands for all, so that the choice does not depend on the order of pausing.
        let first = work.paused[level].iter().min().copied().unwrap_or(0);
        if !watch.pause_point.is(work, first) {
            watch.pause_point.set(work, first);
            (watch.ticks, watch.kept_at, watch.stride) = (0, 0, 1);
        }
        watch.ticks += watch.stride;
        if watch.is_near()
            && observer.is_as_marked(level)
            && let Some(change) = watch.kept.change(steps, work, times)
        {
            change.repeat(&watch.kept, work);
            observer.repeat(level, change.periods);
            (watch.ticks, watch.kept_at, watch.stride) = (0, 0, 1);
            self.futile = 0;
            return u32::try_from(change.iterations_left).unwrap_or(u32::MAX);
        }
        // Brent's cycle detection: a state kept at a power of two lies in the cycle sooner or later, and the
        // comparisons after it find any period up to the longest.
        if watch.ticks.is_power_of_two() {
            watch.kept.keep(work, times);
            watch.kept_at = watch.ticks;
            observer.mark(level);
        }
        // Near the kept state every tick is compared; otherwise ranks run on to the next power of two.
        watch.stride = match watch.ticks - watch.kept_at {
            0..LONGEST_PERIOD => 1,
            _ => (watch.ticks.next_power_of_two() - watch.ticks).min(u32::MAX.into()),
        };
        watch.stride as u32
    }
}

impl Watch {
    /// Whether the kept state is less than the longest period ago.
    fn is_near(&self) -> bool {
        self.kept_at > 0 && self.ticks - self.kept_at <= LONGEST_PERIOD
    }
}
