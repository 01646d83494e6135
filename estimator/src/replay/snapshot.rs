//! The complete state of a replay at one moment, and whether a later one is the same but for the
//! clocks and the iterations that loops have left.
//!
//! Every rank may have moved by a time of its own, if those that used a channel in between have moved
//! by the same: then they go on to do so. A rank may have advanced in one of its open loops; those
//! inside that one must stand as they stood.

use super::dataflow::BlockTimes;
use super::program::Steps;
use super::queues::Queues;
use super::workspace::{OpenLoop, RankState, Slot, Workspace};
use base_data::Time;

/// The point at which a rank pauses: its loop, and the remaining iterations of the enclosing loops.
#[derive(Debug, Default)]
pub(super) struct PausePoint {
    rank: u32,
    next: u32,
    around: Vec<OpenLoop>,
}

impl PausePoint {
    pub(super) fn is(&self, work: &Workspace, rank: u32) -> bool {
        let state = &work.ranks[rank as usize];
        let around = around(&work.frames, state);
        let same =
            |(a, b): (&OpenLoop, &OpenLoop)| (a.start, a.remaining) == (b.start, b.remaining);
        (self.rank, self.next) == (rank, state.next)
            && self.around.len() == around.len()
            && self.around.iter().zip(around).all(same)
    }

    pub(super) fn set(&mut self, work: &Workspace, rank: u32) {
        let state = &work.ranks[rank as usize];
        (self.rank, self.next) = (rank, state.next);
        self.around.clear();
        self.around.extend_from_slice(around(&work.frames, state));
    }
}

/// The loops around a rank's innermost one, outermost first.
fn around<'a>(frames: &'a [OpenLoop], state: &RankState) -> &'a [OpenLoop] {
    &frames[state.first_frame as usize..(state.first_frame + state.depth) as usize]
}

/// A state.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    ranks: Vec<RankState>,
    frames: Vec<OpenLoop>,
    slots: Vec<Slot>,
    queues: Queues,
    /// State of the block times, by rank.
    times: Vec<u64>,
    messages: u64,
    events: u64,
}

/// How a later state differs, and how often that can happen again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// How often all of it can be added before some loop comes to its end.
    pub(super) periods: u64,
    /// Iterations that this loop then has left.
    pub(super) iterations_left: u64,
}

impl Change {
    /// The change is none so far.
    const NONE: Change = Change {
        periods: u64::MAX,
        iterations_left: u64::MAX,
    };

    /// A loop that has `remaining` iterations left makes `done` in each period.
    fn limit(&mut self, remaining: u64, done: u64) {
        // The last iteration leaves the loop: it is not like the others.
        // `remaining` counts further iterations, `done` is at least 1.
        let periods = remaining.saturating_sub(1) / done;
        if periods < self.periods {
            *self = Self {
                periods,
                iterations_left: remaining - periods * done,
            };
        }
    }
}

impl Snapshot {
    /// Keeps the present state.
    pub(super) fn keep<T: BlockTimes>(&mut self, work: &Workspace, times: &T) {
        self.ranks.clone_from(&work.ranks);
        self.frames.clone_from(&work.frames);
        self.slots.clone_from(&work.slots);
        self.queues.clone_from(&work.queues);
        self.times.clear();
        self.times
            .extend((0..work.ranks.len()).map(|rank| times.state(rank as u32).unwrap_or(0)));
        (self.messages, self.events) = (work.messages, work.events);
    }

    /// How the present state differs from this one, if what came in between can only come again.
    pub(super) fn change<T: BlockTimes>(
        &self,
        steps: &Steps,
        work: &Workspace,
        times: &T,
    ) -> Option<Change> {
        let mut change = Change::NONE;
        for rank in 0..work.ranks.len() {
            if times.state(rank as u32) != self.times.get(rank).copied() {
                return None;
            }
            self.compare_rank(steps, work, rank, &mut change)?;
        }
        let same = (0..work.queues.len()).all(|channel| self.has_same_queue(steps, work, channel));
        // Periods without a limit: no rank advanced in a loop, so nothing would end the repetition.
        let possible = change.periods > 0 && change.periods < u64::MAX;
        if same && possible { Some(change) } else { None }
    }

    fn compare_rank(
        &self,
        steps: &Steps,
        work: &Workspace,
        rank: usize,
        change: &mut Change,
    ) -> Option<()> {
        let (then, now) = (&self.ranks[rank], &work.ranks[rank]);
        let place = |state: &RankState| {
            (
                state.next,
                state.depth,
                state.site,
                state.waits,
                state.firsts,
            )
        };
        // Equal `firsts` mean that no variant was executed for the first time in between.
        if place(then) != place(now) || !self.has_same_slots(work, rank) {
            return None;
        }
        if let Some((open, done)) = self.advanced(work, rank)? {
            let (_, plain) = RankState::loop_of(open, &steps.code().ops);
            if !plain {
                return None;
            }
            change.limit(open.remaining, done);
        }
        Some(())
    }

    /// The open loop in which a rank has advanced, with the number of iterations.
    fn advanced<'w>(
        &self,
        work: &'w Workspace,
        rank: usize,
    ) -> Option<Option<(&'w OpenLoop, u64)>> {
        let (then, now) = (&self.ranks[rank], &work.ranks[rank]);
        let before = around(&self.frames, then).iter().chain([&then.open]);
        let after = around(&work.frames, now).iter().chain([&now.open]);
        let mut advanced = None;
        for (before, after) in before.zip(after) {
            if (before.start, before.end) != (after.start, after.end) {
                return None;
            }
            // More iterations left than before: the loop was entered again since.
            let done = before.remaining.checked_sub(after.remaining)?;
            match (done, advanced) {
                (0, _) => {}
                (_, None) => advanced = Some((after, done)),
                // One loop per rank, so that its remaining iterations alone limit the repetition.
                (_, Some(_)) => return None,
            }
        }
        Some(advanced)
    }

    fn moved(&self, work: &Workspace, rank: usize) -> Time {
        work.ranks[rank].clock - self.ranks[rank].clock
    }

    fn slots_of(&self, work: &Workspace, rank: usize) -> std::ops::Range<usize> {
        let first = work.ranks[rank].first_slot as usize;
        let end = work
            .ranks
            .get(rank + 1)
            .map_or(work.slots.len(), |next| next.first_slot as usize);
        first..end
    }

    fn has_same_slots(&self, work: &Workspace, rank: usize) -> bool {
        let moved = self.moved(work, rank);
        self.slots_of(work, rank).all(|slot| {
            let (then, now) = (&self.slots[slot], &work.slots[slot]);
            // A slot that was not used again keeps its absolute times; a new transfer's moved with the rank.
            let expected = if then.serial == now.serial {
                *then
            } else {
                later(then, moved)
            };
            expected
                == Slot {
                    serial: then.serial,
                    ..*now
                }
        })
    }

    fn has_same_queue(&self, steps: &Steps, work: &Workspace, channel: usize) -> bool {
        // Unused since: its entries are unchanged, and the ranks of its two ends may move by different times.
        if self.queues.uses(channel) == work.queues.uses(channel) {
            return true;
        }
        let ends = &steps.channels[channel];
        let moved = self.moved(work, ends.source as usize);
        let ((sent_then, then), (sent_now, now)) =
            (self.queues.waiting(channel), work.queues.waiting(channel));
        // Ends that drift apart would, some iterations later, wait for each other in another order.
        moved == self.moved(work, ends.destination as usize)
            && then.len() == now.len()
            && (sent_then == sent_now || then.len() == 0)
            && then.zip(now).all(|(then, now)| {
                (then.time + moved, then.post, then.rank) == (now.time, now.post, now.rank)
            })
    }
}

/// Counts of years of replaying: beyond this they only need to stay countable.
const MOST: u64 = 1 << 62;

/// A count that rises as it has risen since `then`, so many times more.
pub(crate) fn again(now: u64, then: u64, times: u64) -> u64 {
    now.saturating_add((now - then).saturating_mul(times))
        .min(MOST)
}

/// The same transfer at a later time.
fn later(slot: &Slot, by: Time) -> Slot {
    let mut slot = *slot;
    if let Some(completion) = &mut slot.completion {
        completion.at += by;
    }
    slot
}

impl Change {
    /// Lets what came since `kept` come [`Change::periods`] times more.
    pub(super) fn repeat(&self, kept: &Snapshot, work: &mut Workspace) {
        let by = |work: &Workspace, rank: usize| kept.moved(work, rank).times(self.periods);
        for channel in 0..work.queues.len() {
            // What waits belongs to the end that put it there; both have moved alike.
            let owner = work
                .queues
                .waiting(channel)
                .1
                .next()
                .map(|waiting| waiting.rank as usize);
            if let Some(owner) =
                owner.filter(|_| kept.queues.uses(channel) != work.queues.uses(channel))
            {
                let by = by(work, owner);
                work.queues.shift(channel, by);
            }
        }
        for rank in 0..work.ranks.len() {
            let by = by(work, rank);
            for slot in kept.slots_of(work, rank) {
                if kept.slots[slot].serial != work.slots[slot].serial {
                    work.slots[slot] = later(&work.slots[slot], by);
                }
            }
            self.advance(kept, work, rank);
            work.ranks[rank].clock += by;
        }
        work.messages = again(work.messages, kept.messages, self.periods);
        work.events = again(work.events, kept.events, self.periods);
    }

    fn advance(&self, kept: &Snapshot, work: &mut Workspace, rank: usize) {
        let state = &mut work.ranks[rank];
        let frames = state.first_frame as usize..(state.first_frame + state.depth) as usize;
        let before = kept.frames[frames.clone()]
            .iter()
            .chain([&kept.ranks[rank].open]);
        let after = work.frames[frames].iter_mut().chain([&mut state.open]);
        for (before, after) in before.zip(after) {
            after.remaining -= (before.remaining - after.remaining) * self.periods;
        }
    }
}
