//! Conditions and bounds of which something is assumed: counts in their place, and what becomes of them
//! where they are computed. State of one rank; [`ConditionCount`] is what it leaves.

use base_data::rank_recording::ConditionCount;
use std::collections::BTreeMap;

/// The conditions of one rank, by number.
#[derive(Debug, Default)]
pub struct Conditions(BTreeMap<u32, Condition>);

#[derive(Clone, Debug, Default)]
struct Condition {
    count: ConditionCount,
    /// Evaluations, or iterations, since the repetition began.
    run: u64,
    /// Whether one has begun.
    is_open: bool,
    /// Whether iterations are counted, which no condition ends.
    iterates: bool,
}

impl Conditions {
    /// No conditions.
    pub const fn new() -> Self {
        Conditions(BTreeMap::new())
    }

    fn get(&mut self, number: u32) -> &mut Condition {
        let count = ConditionCount { assumption: number, ..ConditionCount::default() };
        self.0.entry(number).or_insert(Condition { count, ..Condition::default() })
    }

    /// A repetition is about to begin.
    pub fn enter(&mut self, number: u32) {
        let condition = self.get(number);
        condition.close(false);
        condition.is_open = true;
        condition.run = 0;
    }

    /// A loop is about to be entered of which iterations are counted: it may make none.
    pub fn enter_loop(&mut self, number: u32) {
        self.enter(number);
        self.get(number).iterates = true;
    }

    /// Whether this evaluation is the last of so many, after which counting begins again.
    pub fn is_last(&mut self, number: u32, evaluations: u64) -> bool {
        let condition = self.get(number);
        condition.run += 1;
        let is_last = condition.run >= evaluations;
        if is_last {
            condition.run = 0;
        }
        is_last
    }

    /// A condition was computed; whether it ends a repetition.
    pub fn holds(&mut self, number: u32, holds: bool) {
        self.ask(number);
        if holds {
            self.choose(number);
        }
    }

    /// Whether a part of a condition ended a repetition of which iterations are counted.
    pub fn ends(&mut self, number: u32, ends: bool) {
        if ends {
            self.choose(number);
        }
    }

    /// A selection is about to be evaluated.
    pub fn ask(&mut self, number: u32) {
        let condition = self.get(number);
        condition.is_open = true;
        condition.run += 1;
        condition.count.evaluations += 1;
    }

    /// It went the way that the assumption is about, which ends a repetition if that is assumed.
    pub fn choose(&mut self, number: u32) {
        let condition = self.get(number);
        condition.count.held += 1;
        condition.close(true);
    }

    /// An iteration begins.
    pub fn iterate(&mut self, number: u32) {
        let condition = self.get(number);
        condition.run += 1;
        condition.count.evaluations += 1;
    }

    /// What became of them.
    pub fn finish(&mut self) -> Vec<ConditionCount> {
        let all = std::mem::take(&mut self.0);
        all.into_values().map(|condition| condition.finished(false)).collect()
    }

    /// What has become of them until now: the repetitions that are under way are not ended.
    pub fn so_far(&self) -> Vec<ConditionCount> {
        self.0.values().map(|condition| condition.clone().finished(true)).collect()
    }
}

impl Condition {
    /// Its count with the last repetition. One that is cut off was not ended, also where iterations are counted.
    fn finished(mut self, is_cut_off: bool) -> ConditionCount {
        self.iterates &= !is_cut_off;
        self.close(false);
        self.count
    }

    fn close(&mut self, ended: bool) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let run = std::mem::take(&mut self.run);
        if ended || self.iterates {
            let (least, most) = self.count.ended.unwrap_or((run, run));
            self.count.ended = Some((least.min(run), most.max(run)));
        } else {
            self.count.unended = self.count.unended.max(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_begins_again_after_its_last_evaluation_and_where_the_loop_is_entered() {
        let mut conditions = Conditions::new();
        let mut test = |enter: bool| {
            if enter {
                conditions.enter(7);
            }
            conditions.is_last(7, 3)
        };
        let answers = [false, false, false, false, true, false, false].map(&mut test);
        assert_eq!(answers, [false, false, true, false, false, false, true]);
        assert!([true, false, false].map(&mut test)[2]);
    }

    #[test]
    fn repetitions_are_told_by_their_evaluations() {
        let mut conditions = Conditions::new();
        for evaluations in [3, 5] {
            conditions.enter(0);
            (1..=evaluations).for_each(|i| conditions.holds(0, i == evaluations));
        }
        conditions.enter(0);
        (0..9).for_each(|_| conditions.holds(0, false));
        conditions.enter_loop(1);
        (0..4).for_each(|_| conditions.iterate(1));
        conditions.enter_loop(1);
        let so_far = conditions.so_far();
        assert_eq!((so_far[1].ended, so_far[1].unended), (Some((4, 4)), 0));
        conditions.iterate(1);
        assert_eq!((conditions.so_far()[1].ended, conditions.so_far()[1].unended), (Some((4, 4)), 1));
        conditions.enter(1);
        let counts = conditions.finish();
        assert_eq!((counts[0].evaluations, counts[0].held), (17, 2));
        assert_eq!((counts[0].ended, counts[0].unended), (Some((3, 5)), 9));
        assert_eq!(counts[1].ended, Some((0, 4)));
    }
}
