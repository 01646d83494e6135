//! The loops with communication that a rank is in, the variants executed in each, and the time spent.
//! `stopping_rule` determines whether their times are known well enough.

use std::time::Duration;

/// What the iterations of a loop work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterations {
    /// The same data, or unknown.
    Alike,
    /// Different data each.
    OverData,
}

/// A loop that was entered.
#[derive(Debug)]
struct ActiveLoop {
    id: u32,
    iterations: Iterations,
    /// Whether blocks may be executed in it whose work changes while loops run.
    has_iteration_dependent_work: bool,
    iteration: u64,
    entered: Duration,
    /// Variants executed in it, a bit each; those of loops inside it come when these are left.
    variants: Vec<u64>,
    /// The same in order of first execution, each with the number of iterations begun by then.
    seen: Vec<(u32, u64)>,
}

impl ActiveLoop {
    fn executed(&mut self, variant: u32) {
        let (word, bit) = (variant as usize / 64, variant % 64);
        if self.variants.len() <= word {
            self.variants.resize(word + 1, 0);
        }
        if self.variants[word] >> bit & 1 == 0 {
            self.variants[word] |= 1 << bit;
            self.seen.push((variant, self.iteration));
        }
    }
}

/// The loops around what is executed now, outermost first.
#[derive(Debug)]
pub(super) struct Loops {
    active: Vec<ActiveLoop>,
    /// Counts entries and ends of loops, from 1.
    phase: u64,
    /// Time spent in each loop, by id.
    spent: Vec<Duration>,
}

/// An iteration that is about to begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Iteration {
    /// Its number, from 0.
    pub(super) number: u64,
    /// Loops around its own.
    pub(super) around: usize,
    /// What the iterations work on.
    pub(super) iterations: Iterations,
    /// Whether blocks may be executed in its loop whose work changes while loops run.
    pub(super) has_iteration_dependent_work: bool,
    /// Time spent in its loop, over all the loop's instances.
    pub(super) spent: Duration,
}

impl Default for Loops {
    fn default() -> Self {
        Self {
            active: Vec::new(),
            phase: 1,
            spent: Vec::new(),
        }
    }
}

impl Loops {
    /// The number of the current interval between entries and ends of loops: what was executed
    /// in it before need not be noted again.
    #[inline(always)]
    pub(super) fn phase(&self) -> u64 {
        self.phase
    }

    /// A variant was executed in the innermost loop. Returns the number of the interval.
    pub(super) fn executed(&mut self, variant: u32) -> u64 {
        if let Some(innermost) = self.active.last_mut() {
            innermost.executed(variant);
        }
        self.phase
    }

    /// A loop is about to be entered. Its last instance is over, but loops entered since then may be around
    /// this one: a procedure called in them that was called before them, too.
    pub(super) fn enter(&mut self, id: u32, iterations: Iterations, now: Duration) {
        // No probe marks the exit of a loop: its instance ends when it is entered again, or when a loop around it goes on.
        if let Some(at) = self.active.iter().rposition(|active| active.id == id) {
            self.leave(at);
        }
        self.phase += 1;
        let (variants, seen) = (Vec::new(), Vec::new());
        let has_iteration_dependent_work = false;
        self.active.push(ActiveLoop {
            id,
            iterations,
            has_iteration_dependent_work,
            iteration: 0,
            entered: now,
            variants,
            seen,
        });
    }

    /// Whether any was entered. That one is over is known when the one around it goes on.
    pub(super) fn is_any_active(&self) -> bool {
        !self.active.is_empty()
    }

    /// Blocks may be executed in a loop whose work changes while loops run.
    pub(super) fn has_iteration_dependent_work(&mut self, id: u32) {
        self.active
            .iter_mut()
            .filter(|active| active.id == id)
            .for_each(|active| active.has_iteration_dependent_work = true);
    }

    /// The next iteration of a loop is about to begin; `None` for a loop that was not entered.
    pub(super) fn next(&mut self, id: u32, now: Duration) -> Option<Iteration> {
        self.leave_to(id);
        let around = self.active.len().checked_sub(1)?;
        let active = self.active.last_mut().filter(|active| active.id == id)?;
        if self.spent.len() <= id as usize {
            self.spent.resize(id as usize + 1, Duration::ZERO);
        }
        // Per iteration, because the exit of the loop is not marked: the time after it must not count.
        self.spent[id as usize] += now.saturating_sub(active.entered);
        active.entered = now;
        active.iteration += 1;
        let (number, spent) = (active.iteration - 1, self.spent[id as usize]);
        let (iterations, has_iteration_dependent_work) =
            (active.iterations, active.has_iteration_dependent_work);
        Some(Iteration {
            number,
            around,
            iterations,
            has_iteration_dependent_work,
            spent,
        })
    }

    /// The variants executed in the innermost loop, in order of first execution.
    pub(super) fn variants(&self) -> impl Iterator<Item = u32> + '_ {
        self.active
            .last()
            .into_iter()
            .flat_map(|active| active.seen.iter().map(|&(variant, _)| variant))
    }

    /// Those that came up in the later half of its iterations only.
    pub(super) fn recent(&self) -> impl Iterator<Item = u32> + '_ {
        let seen = self.active.last().into_iter().flat_map(|active| {
            active
                .seen
                .iter()
                .map(|&(variant, begun)| (variant, 2 * begun > active.iteration))
        });
        seen.filter(|&(_, is_recent)| is_recent)
            .map(|(variant, _)| variant)
    }

    /// Loops entered after loop `id` are over. A loop that was never entered ends nothing.
    fn leave_to(&mut self, id: u32) {
        if let Some(at) = self.active.iter().rposition(|active| active.id == id) {
            while self.active.len() > at + 1 {
                self.leave(self.active.len() - 1);
            }
        }
    }

    /// A loop is over; what was executed in it was executed in the one around it, too.
    fn leave(&mut self, at: usize) {
        self.phase += 1;
        let left = self.active.remove(at);
        let Some(around) = at.checked_sub(1).and_then(|at| self.active.get_mut(at)) else {
            return;
        };
        left.seen
            .iter()
            .for_each(|&(variant, _)| around.executed(variant));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_loop_variants_belong_to_the_outer_loop() {
        let mut loops = Loops::default();
        loops.executed(3);
        loops.enter(1, Iterations::Alike, Duration::ZERO);
        loops.executed(2);
        loops.enter(2, Iterations::Alike, Duration::ZERO);
        loops.executed(70);
        assert_eq!(loops.variants().collect::<Vec<_>>(), [70]);
        loops.enter(2, Iterations::Alike, Duration::ZERO);
        assert_eq!(loops.variants().count(), 0, "another instance");
        loops.next(1, Duration::ZERO);
        assert_eq!(loops.variants().collect::<Vec<_>>(), [2, 70]);
    }

    #[test]
    fn reentered_loop_nests_in_the_current_loops() {
        let mut loops = Loops::default();
        let enter = |loops: &mut Loops, id| loops.enter(id, Iterations::Alike, Duration::ZERO);
        enter(&mut loops, 7);
        loops.executed(1);
        enter(&mut loops, 2);
        enter(&mut loops, 7);
        loops.executed(3);
        assert_eq!(
            loops
                .next(2, Duration::ZERO)
                .map(|next| (next.number, next.around)),
            Some((0, 0))
        );
        assert_eq!(loops.variants().collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn loop_time_accumulates_over_instances() {
        let mut loops = Loops::default();
        let mut seen = Vec::new();
        for start in [10, 100] {
            loops.enter(4, Iterations::Alike, Duration::from_nanos(start));
            for now in [start + 1, start + 5] {
                let next = loops.next(4, Duration::from_nanos(now)).unwrap();
                seen.push((next.number, next.around, next.spent.as_nanos()));
            }
        }
        assert_eq!(seen, [(0, 0, 1), (1, 0, 5), (0, 0, 6), (1, 0, 10)]);
        assert_eq!(loops.next(9, Duration::ZERO), None);
    }
}
