//! The set of all tasks: a task is a point with one value of each parameter. Tasks are numbered in the order in which the master
//! assigns them: the last parameter varies fastest, as the index of an innermost loop.

use super::TaskError;
use serde::Serialize;

/// Largest number of tasks: their times take 2 GiB, and a simulation some seconds.
const MOST_TASKS: u64 = 1 << 28;

/// Values of a parameter: `first`, `first + step`, … up to `last`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParameterRange {
    /// Name of the parameter, as in the table.
    pub name: String,
    /// Smallest value.
    pub first: i64,
    /// Largest value.
    pub last: i64,
    /// Distance of neighbouring values, at least 1.
    pub step: u64,
}

impl ParameterRange {
    /// Number of values.
    pub fn count(&self) -> u64 {
        // Saturated, a range of all whole numbers is still more than can be simulated.
        (self.last.abs_diff(self.first) / self.step).saturating_add(1)
    }

    /// Position of a value among all; `None` if the parameter never has it.
    pub fn position(&self, value: i64) -> Option<u64> {
        if value < self.first || value > self.last {
            return None;
        }
        let distance = value.abs_diff(self.first);
        if !distance.is_multiple_of(self.step) {
            return None;
        }
        Some(distance / self.step)
    }

    /// The value at a position below [`ParameterRange::count`].
    fn value(&self, position: u64) -> i64 {
        self.first.wrapping_add_unsigned(position * self.step)
    }

    /// `i = 1..10+3`, as the user writes it.
    pub fn text(&self) -> String {
        let values = format!("{} = {}..{}", self.name, self.first, self.last);
        if self.step == 1 {
            values
        } else {
            format!("{values}+{}", self.step)
        }
    }
}

/// All tasks of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskSpace {
    ranges: Vec<ParameterRange>,
}

impl TaskSpace {
    /// The tasks of all combinations of values.
    ///
    /// # Errors
    /// A range without values, one that does not end at its last value, or too many tasks.
    pub fn new(ranges: Vec<ParameterRange>) -> Result<Self, TaskError> {
        let mut tasks: u64 = 1;
        for range in &ranges {
            let text = range.text();
            if range.first > range.last || range.step == 0 {
                return Err(TaskError::Value(format!(
                    "{text} has no values; write NAME=FIRST..LAST or NAME=FIRST..LAST+STEP with a step of at least 1"
                )));
            }
            // Both ends must be measured, so the last value must be one of the parameter's.
            if range.position(range.last).is_none() {
                return Err(TaskError::Value(format!(
                    "{text} does not end at {}; give its last value",
                    range.last
                )));
            }
            let product = u128::from(tasks) * u128::from(range.count());
            match u64::try_from(product) {
                Ok(product) if product <= MOST_TASKS => tasks = product,
                Ok(_) | Err(_) => {
                    return Err(TaskError::Value(format!(
                        "the ranges of all parameters up to {text} make {product} tasks, more than the {MOST_TASKS} that can \
                         be simulated; give ranges with larger steps and tasks that stand for several"
                    )));
                }
            }
        }
        Ok(Self { ranges })
    }

    /// The ranges of the parameters, that of the outermost first.
    pub fn ranges(&self) -> &[ParameterRange] {
        &self.ranges
    }

    /// Number of tasks.
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(ParameterRange::count).product()
    }

    /// The number of the task at a point; `None` if a parameter never has its value.
    pub fn number(&self, point: &[i64]) -> Option<u64> {
        let mut number = 0;
        for (range, &value) in self.ranges.iter().zip(point) {
            number = number * range.count() + range.position(value)?;
        }
        Some(number)
    }

    /// The point of a task.
    pub fn point(&self, number: u64) -> Vec<i64> {
        let mut rest = number;
        let mut point = Vec::new();
        for range in self.ranges.iter().rev() {
            point.push(range.value(rest % range.count()));
            rest /= range.count();
        }
        point.reverse();
        point
    }

    /// `i = 5, j = 3`.
    pub(super) fn point_text<'a>(names: impl Iterator<Item = &'a str>, point: &[i64]) -> String {
        let mut parts = Vec::new();
        for (name, value) in names.zip(point) {
            parts.push(format!("{name} = {value}"));
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(name: &str, first: i64, last: i64, step: u64) -> ParameterRange {
        ParameterRange {
            name: name.into(),
            first,
            last,
            step,
        }
    }

    #[test]
    fn last_parameter_varies_fastest() {
        let space = TaskSpace::new(vec![range("i", -1, 1, 2), range("j", 5, 7, 1)]).unwrap();
        assert_eq!(space.count(), 6);
        let points: Vec<Vec<i64>> = (0..6).map(|number| space.point(number)).collect();
        assert_eq!(
            points,
            [[-1, 5], [-1, 6], [-1, 7], [1, 5], [1, 6], [1, 7]].map(Vec::from)
        );
        for (number, point) in (0..).zip(&points) {
            assert_eq!(space.number(point), Some(number));
        }
        assert_eq!(space.number(&[0, 5]), None);
        assert_eq!(space.number(&[1, 8]), None);
    }

    #[test]
    fn extreme_values_do_not_overflow() {
        let whole = range("i", i64::MIN, i64::MAX, u64::MAX);
        let space = TaskSpace::new(vec![whole]).unwrap();
        assert_eq!(space.count(), 2);
        assert_eq!(space.point(1), [i64::MAX]);
        assert_eq!(space.number(&[i64::MAX]), Some(1));
    }

    #[test]
    fn ranges_without_use_are_errors() {
        for (ranges, expected) in [
            (vec![range("i", 2, 1, 1)], "i = 2..1 has no values"),
            (vec![range("i", 1, 2, 0)], "i = 1..2+0 has no values"),
            (
                vec![range("i", 1, 10, 4)],
                "i = 1..10+4 does not end at 10; give its last value",
            ),
            (
                vec![range("i", 1, 1 << 20, 1), range("j", 0, 1 << 20, 1)],
                "make 1099512676352 tasks, more than the 268435456",
            ),
        ] {
            let error = TaskSpace::new(ranges).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
