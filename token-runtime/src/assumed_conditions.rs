//! Conditions and bounds with assumptions: counts that replace them in the program probe, and their values in the
//! reference probe. The state of one rank, recorded as [`ConditionCount`].

use base_data::rank_recording::ConditionCount;
use std::collections::BTreeMap;

/// The conditions of one rank, by number.
#[derive(Debug, Default)]
pub struct AssumedConditions(BTreeMap<u32, AssumedCondition>);

#[derive(Clone, Debug, Default)]
struct AssumedCondition {
    count: ConditionCount,
    /// Evaluations, or iterations, since the repetition began.
    run: u64,
    /// Whether one has begun.
    is_open: bool,
    /// Whether iterations are counted, which no condition ends.
    counts_iterations: bool,
}

impl AssumedConditions {
    /// No conditions.
    pub const fn new() -> Self {
        AssumedConditions(BTreeMap::new())
    }

    fn get(&mut self, number: u32) -> &mut AssumedCondition {
        let count = ConditionCount {
            assumption: number,
            ..ConditionCount::default()
        };
        self.0.entry(number).or_insert(AssumedCondition {
            count,
            ..AssumedCondition::default()
        })
    }

    /// A repetition is about to begin.
    pub fn enter(&mut self, number: u32) {
        let condition = self.get(number);
        // The previous repetition may have ended without the condition, by a jump for example.
        condition.close(false);
        condition.is_open = true;
        condition.run = 0;
    }

    /// A loop is about to be entered of which iterations are counted: it may make none.
    pub fn enter_loop(&mut self, number: u32) {
        self.enter(number);
        self.get(number).counts_iterations = true;
    }

    /// Whether this evaluation is the last of so many, after which counting begins again.
    pub fn is_last_evaluation(&mut self, number: u32, evaluations: u64) -> bool {
        let condition = self.get(number);
        condition.run += 1;
        let is_last_evaluation = condition.run >= evaluations;
        if is_last_evaluation {
            condition.run = 0;
        }
        is_last_evaluation
    }

    /// A condition was computed; whether it ends a repetition.
    pub fn record_value(&mut self, number: u32, ends: bool) {
        self.begin_selection(number);
        if ends {
            self.record_branch(number);
        }
    }

    /// Whether a part of a condition ended a repetition of which iterations are counted.
    pub fn record_exit(&mut self, number: u32, ends: bool) {
        if ends {
            self.record_branch(number);
        }
    }

    /// A selection is about to be evaluated.
    pub fn begin_selection(&mut self, number: u32) {
        let condition = self.get(number);
        condition.is_open = true;
        condition.run += 1;
        condition.count.evaluations += 1;
    }

    /// It went the way that the assumption is about, which ends a repetition if that is assumed.
    pub fn record_branch(&mut self, number: u32) {
        let condition = self.get(number);
        condition.count.held += 1;
        condition.close(true);
    }

    /// An iteration begins.
    pub fn record_iteration(&mut self, number: u32) {
        let condition = self.get(number);
        condition.run += 1;
        condition.count.evaluations += 1;
    }

    /// What became of them.
    pub fn finish(&mut self) -> Vec<ConditionCount> {
        let all = std::mem::take(&mut self.0);
        all.into_values()
            .map(|condition| condition.with_last_repetition(false))
            .collect()
    }

    /// What has become of them until now: the repetitions that are under way are not ended.
    pub fn snapshot(&self) -> Vec<ConditionCount> {
        self.0
            .values()
            .map(|condition| condition.clone().with_last_repetition(true))
            .collect()
    }
}

impl AssumedCondition {
    /// Its count with the last repetition. One that is cut off was not ended, also where iterations are counted.
    fn with_last_repetition(mut self, is_cut_off: bool) -> ConditionCount {
        self.counts_iterations &= !is_cut_off;
        self.close(false);
        self.count
    }

    fn close(&mut self, ended: bool) {
        // Ended already by the condition, or never begun.
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let run = std::mem::take(&mut self.run);
        if ended || self.counts_iterations {
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
    fn evaluation_count_restarts_at_loop_entry() {
        let mut conditions = AssumedConditions::new();
        let mut test = |enter: bool| {
            if enter {
                conditions.enter(7);
            }
            conditions.is_last_evaluation(7, 3)
        };
        let answers = [false, false, false, false, true, false, false].map(&mut test);
        assert_eq!(answers, [false, false, true, false, false, false, true]);
        assert!([true, false, false].map(&mut test)[2]);
    }

    #[test]
    fn repetitions_are_counted_by_evaluations() {
        let mut conditions = AssumedConditions::new();
        for evaluations in [3, 5] {
            conditions.enter(0);
            (1..=evaluations).for_each(|i| conditions.record_value(0, i == evaluations));
        }
        conditions.enter(0);
        (0..9).for_each(|_| conditions.record_value(0, false));
        conditions.enter_loop(1);
        (0..4).for_each(|_| conditions.record_iteration(1));
        conditions.enter_loop(1);
        let snapshot = conditions.snapshot();
        assert_eq!((snapshot[1].ended, snapshot[1].unended), (Some((4, 4)), 0));
        conditions.record_iteration(1);
        assert_eq!(
            (
                conditions.snapshot()[1].ended,
                conditions.snapshot()[1].unended
            ),
            (Some((4, 4)), 1)
        );
        conditions.enter(1);
        let counts = conditions.finish();
        assert_eq!((counts[0].evaluations, counts[0].held), (17, 2));
        assert_eq!((counts[0].ended, counts[0].unended), (Some((3, 5)), 9));
        assert_eq!(counts[1].ended, Some((0, 4)));
    }
}
