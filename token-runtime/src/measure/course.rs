//! Times of one variant in the order of its executions, for blocks whose work changes while the loops around them run.
//! What is kept is bounded: when there are too many, neighbours that are most alike are taken together, so that an
//! execution that takes much longer than those around it keeps its place. Not here: the times of all executions
//! together ([`super::samples`]).

use base_data::distribution::Distribution;
use base_data::rank_recording::CoursePart;

/// Parts that are kept while a program runs, and to which they are then brought down.
const MOST_PARTS: usize = 8192;
const KEPT_PARTS: usize = MOST_PARTS / 2;
/// Parts that are written, and more only of what stands apart from its neighbours.
const FEW_PARTS: usize = 64;
/// Means of neighbours that differ by this, relative to the larger one, stand apart,
const APART: f64 = 0.25;
/// if this share of all that the rank was measured in would be moved from one to the other.
const MOVED: f64 = 1e-5;
/// Values of a part that are kept one by one.
const ONE_BY_ONE: usize = 64;

/// Executions one after the other that are taken together.
#[derive(Debug)]
struct Part {
    first: u64,
    last: u64,
    /// Those that were not disturbed.
    count: f64,
    sum: f64,
    /// Values that are still apart, and the others.
    values: Vec<i64>,
    times: Distribution,
}

impl Part {
    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// How many ticks are no longer where they were if two parts are taken together.
    fn moved(&self, next: &Part) -> f64 {
        (self.mean() - next.mean()).abs() * self.count * next.count / (self.count + next.count)
    }

    fn stands_apart_from(&self, next: &Part) -> bool {
        (self.mean() - next.mean()).abs() > APART * self.mean().max(next.mean())
    }

    fn join(&mut self, next: Part) {
        self.last = next.last;
        self.count += next.count;
        self.sum += next.sum;
        self.values.extend(next.values);
        self.times = self.times.merged(&next.times);
        if self.values.len() > ONE_BY_ONE {
            self.times = self.all();
            self.values = Vec::new();
        }
    }

    fn all(&self) -> Distribution {
        self.times.merged(&Distribution::of(self.values.clone()))
    }
}

/// The later executions of a variant; the first one is none of them.
#[derive(Debug)]
pub(super) struct Course {
    /// In order.
    parts: Vec<Part>,
    /// How many executions there were so far.
    executions: u64,
    /// Whether the first execution is still to come.
    is_new: bool,
    has_ended: bool,
}

impl Default for Course {
    fn default() -> Self {
        Self { parts: Vec::new(), executions: 0, is_new: true, has_ended: false }
    }
}

impl Course {
    /// One execution; without ticks one that was disturbed.
    pub(super) fn executed(&mut self, ticks: Option<u64>) {
        if std::mem::take(&mut self.is_new) || self.has_ended {
            return;
        }
        self.executions += 1;
        if let Some(ticks) = ticks {
            let (first, last) = (self.executions, self.executions);
            let (values, times) = (vec![ticks as i64], Distribution::default());
            self.parts.push(Part { first, last, count: 1.0, sum: ticks as f64, values, times });
        }
        if self.parts.len() == MOST_PARTS {
            bring_down(&mut self.parts, KEPT_PARTS, |_, _| true);
        }
    }

    /// Nothing that is executed from now on has a number.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// All parts, in the unit of the data; `whole` is what the rank was measured in, in ticks. A variant that was executed
    /// once has one part without times, which says that nothing is known of later executions.
    pub(super) fn parts(&mut self, whole: f64, scale: f64) -> Vec<CoursePart> {
        bring_down(&mut self.parts, FEW_PARTS, |part, next| {
            part.moved(next) <= MOVED * whole || !part.stands_apart_from(next)
        });
        let written =
            |part: &Part| CoursePart { first: part.first, last: part.last, times: part.all().scaled(scale) };
        let nothing_later = CoursePart { first: 0, last: 0, times: Distribution::default() };
        let is_one = self.executions == 0 && !self.is_new;
        self.parts.iter().map(written).chain(is_one.then_some(nothing_later)).collect()
    }
}

/// Takes neighbours together, those first of which least is moved, until there are no more than so many or none that may be.
fn bring_down(parts: &mut Vec<Part>, most: usize, may_join: impl Fn(&Part, &Part) -> bool) {
    while parts.len() > most {
        let pairs = parts.windows(2).enumerate().filter(|(_, pair)| may_join(&pair[0], &pair[1]));
        let mut pairs: Vec<(f64, usize)> =
            pairs.map(|(number, pair)| (pair[0].moved(&pair[1]), number)).collect();
        if pairs.is_empty() {
            return;
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        // What is left of the dearer half may be cheaper than these when they are larger.
        pairs.truncate(pairs.len().div_ceil(2));
        let mut joins = vec![false; parts.len() + 1];
        let mut excess = parts.len() - most;
        for (_, number) in pairs {
            let is_free =
                !joins[number + 1] && !joins[number] && (number + 2 > parts.len() || !joins[number + 2]);
            if excess > 0 && is_free {
                joins[number + 1] = true;
                excess -= 1;
            }
        }
        let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
        for (part, joins) in std::mem::take(parts).into_iter().zip(joins) {
            match joined.last_mut() {
                Some(before) if joins => before.join(part),
                Some(_) | None => joined.push(part),
            }
        }
        *parts = joined;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(course: &mut Course, whole: f64) -> Vec<(u64, u64, f64)> {
        course.parts(whole, 2.0).iter().map(|part| (part.first, part.last, part.times.mean)).collect()
    }

    #[test]
    fn of_a_single_execution_it_is_said_that_nothing_came_later() {
        assert!(Course::default().parts(9.0, 1.0).is_empty(), "none was executed");
        let parts = course_of(std::iter::empty()).parts(9.0, 1.0);
        let found: Vec<_> = parts.iter().map(|part| (part.first, part.last, part.times.count)).collect();
        assert_eq!(found, [(0, 0, 0)]);
    }

    fn course_of(later: impl Iterator<Item = u64>) -> Course {
        let mut course = Course::default();
        std::iter::once(99).chain(later).for_each(|ticks| course.executed(Some(ticks)));
        course
    }

    #[test]
    fn few_executions_stay_apart() {
        let mut course = Course::default();
        [Some(99), Some(1), Some(3), None, Some(5)].into_iter().for_each(|ticks| course.executed(ticks));
        let expected = [(1, 1, 2.0), (2, 2, 6.0), (4, 4, 10.0)];
        assert_eq!(shown(&mut course, 9.0), expected, "the first is none of them");
        course.end();
        course.executed(Some(7));
        assert_eq!(shown(&mut course, 9.0).len(), 3);
    }

    #[test]
    fn many_are_taken_together_and_their_sum_is_kept() {
        let mut course = course_of(2000..3000);
        let parts = course.parts(2.5e6, 1.0);
        assert!((FEW_PARTS / 2..=FEW_PARTS).contains(&parts.len()), "{}", parts.len());
        assert_eq!((parts[0].first, parts[parts.len() - 1].last), (1, 1000));
        for part in &parts {
            assert_eq!(part.times.mean, 1999.0 + (part.first + part.last) as f64 / 2.0);
            assert_eq!(part.times.count, part.last - part.first + 1);
        }
    }

    /// Every twentieth of a thousand, and of a hundred thousand.
    #[test]
    fn executions_that_stand_apart_keep_their_place() {
        for (all, every) in [(1000, 20), (100_000, 2000)] {
            let took = |number: u64| if number.is_multiple_of(every) { 5_000_000 } else { 1000 + number % 7 };
            let parts = course_of((1..=all).map(took)).parts(5e6 * (all / every) as f64, 1.0);
            let is_long = |part: &CoursePart| part.times.mean > 1007.0;
            let long = parts.iter().filter(|part| is_long(part)).map(|part| (part.first, part.last));
            assert!(long.eq((1..=all / every).map(|number| (number * every, number * every))));
            assert!(parts.len() as u64 <= 2 * all / every + 1, "{}", parts.len());
        }
    }

    #[test]
    fn what_is_too_little_to_matter_does_not_stand_apart() {
        let took = |number: u64| if number.is_multiple_of(20) { 5000 } else { 1000 };
        assert!(course_of((1..=2000).map(took)).parts(1e12, 1.0).len() <= FEW_PARTS);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut course = course_of((1..100_000).map(|number| 1000 + 1000 * (number % 2)));
        assert!(course.parts.len() < MOST_PARTS);
        let parts = course.parts(1.0, 1.0);
        assert!(parts.len() < MOST_PARTS);
        assert_eq!(parts.iter().map(|part| part.times.count).sum::<u64>(), 99_999);
    }
}
