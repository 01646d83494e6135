//! Times of one variant in the order of its executions, for blocks whose work changes while the loops around them run.
//! What is kept is bounded: executions are taken together in parts of equal length, which doubles when there are too
//! many. Not here: the times of all executions together ([`super::samples`]).

use base_data::distribution::Distribution;
use base_data::rank_recording::CoursePart;

/// Parts that are kept.
const MOST_PARTS: usize = 64;
/// Values that are put into a part at once.
const AT_ONCE: usize = 64;

/// The later executions of a variant; the first one is none of them.
#[derive(Debug)]
pub(super) struct Course {
    /// Executions of a part.
    length: u64,
    /// Whole parts, in order.
    parts: Vec<Distribution>,
    /// The part that is not whole yet, how many executions it has so far, and values that are not in it yet.
    last: Distribution,
    executions: u64,
    values: Vec<i64>,
    /// Whether the first execution is still to come.
    is_new: bool,
    has_ended: bool,
}

impl Default for Course {
    fn default() -> Self {
        let (parts, last, values) = (Vec::new(), Distribution::default(), Vec::new());
        Self { length: 1, parts, last, executions: 0, values, is_new: true, has_ended: false }
    }
}

impl Course {
    /// One execution; without ticks one that was disturbed.
    pub(super) fn executed(&mut self, ticks: Option<u64>) {
        if std::mem::take(&mut self.is_new) || self.has_ended {
            return;
        }
        self.executions += 1;
        self.values.extend(ticks.map(|ticks| ticks as i64));
        if self.values.len() == AT_ONCE || self.executions == self.length {
            self.last = self.last.merged(&Distribution::of(std::mem::take(&mut self.values)));
        }
        if self.executions == self.length {
            self.executions = 0;
            self.parts.push(std::mem::take(&mut self.last));
        }
        if self.parts.len() == MOST_PARTS {
            self.parts = self.parts.chunks(2).map(|two| two[0].merged(&two[1])).collect();
            self.length *= 2;
        }
    }

    /// Nothing that is executed from now on has a number.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// All parts that have values, in the unit of the data.
    pub(super) fn parts(&self, scale: f64) -> Vec<CoursePart> {
        let last = self.last.merged(&Distribution::of(self.values.clone()));
        let lengths = std::iter::repeat_n(self.length, self.parts.len()).chain([self.executions]);
        let mut next = 1;
        let mut parts = Vec::new();
        for (times, length) in self.parts.iter().chain([&last]).zip(lengths) {
            if times.count > 0 {
                parts.push(CoursePart { first: next, last: next + length - 1, times: times.scaled(scale) });
            }
            next += length;
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(course: &Course) -> Vec<(u64, u64, f64)> {
        course.parts(2.0).iter().map(|part| (part.first, part.last, part.times.mean)).collect()
    }

    #[test]
    fn few_executions_stay_apart() {
        let mut course = Course::default();
        [Some(99), Some(1), Some(3), None, Some(5)].into_iter().for_each(|ticks| course.executed(ticks));
        assert_eq!(shown(&course), [(1, 1, 2.0), (2, 2, 6.0), (4, 4, 10.0)], "the first is none of them");
        course.end();
        course.executed(Some(7));
        assert_eq!(shown(&course).len(), 3);
    }

    #[test]
    fn many_are_taken_together_and_their_sum_is_kept() {
        let mut course = Course::default();
        (0..=1000).for_each(|number| course.executed(Some(number)));
        let parts = course.parts(1.0);
        assert!((MOST_PARTS / 2..=MOST_PARTS).contains(&parts.len()), "{}", parts.len());
        assert_eq!((parts[0].first, parts[parts.len() - 1].last), (1, 1000));
        for part in &parts {
            assert_eq!(part.times.mean, (part.first + part.last) as f64 / 2.0);
            assert_eq!(part.times.count, part.last - part.first + 1);
        }
    }
}
