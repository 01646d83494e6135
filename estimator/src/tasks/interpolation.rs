//! N-linear interpolation of task times (Mizutani et al., MSS, 2004, §3.2). Measured tasks form a grid: all
//! combinations of some values of each parameter, with the first and the last value of each. Equation 1 is applied one
//! parameter at a time:
//!
//! ```text
//! T_k(x) = (1 − p) · T_{k−1}(b) + p · T_{k−1}(u),   p = (x − B(x)) / (U(x) − B(x))
//! ```
//!
//! `B(x)` and `U(x)` are the nearest measured values at or below, and at or above `x`. The print has `p − 1` as the
//! weight of `b`, which would make measured times negative. On a measured value `p` is 0/0 there; it is 0 here, so that
//! measured times stay as they are.

use super::TaskError;
use super::table::TaskTable;
use super::task_space::{ParameterRange, TaskSpace};
use base_data::Time;

/// Measured times of all combinations of some values of each parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredGrid {
    names: Vec<String>,
    /// Measured values of each parameter, ascending.
    levels: Vec<Vec<i64>>,
    /// The last parameter varies fastest.
    seconds: Vec<f64>,
}

impl MeasuredGrid {
    /// Orders the tasks of a table.
    ///
    /// # Errors
    /// A task that is measured twice, and a missing combination of values.
    pub fn new(table: &TaskTable) -> Result<Self, TaskError> {
        let names = table.names().to_vec();
        let mut levels: Vec<Vec<i64>> = Vec::new();
        for parameter in 0..names.len() {
            let mut values: Vec<i64> = table.tasks().map(|task| task.point[parameter]).collect();
            values.sort_unstable();
            values.dedup();
            levels.push(values);
        }
        let mut numbered = Vec::with_capacity(table.len());
        for task in table.tasks() {
            numbered.push((number_in(&levels, task.point), task.line, task.seconds));
        }
        numbered.sort_unstable_by_key(|&(number, line, _)| (number, line));
        for (pair, expected) in numbered.windows(2).zip(1..) {
            let [(first, line, _), (second, again, _)] = [pair[0], pair[1]];
            if first == second {
                return Err(TaskError::at(
                    again,
                    format!("the same task as in line {line}; keep one of both"),
                ));
            }
            if second != expected && first == expected - 1 {
                return Err(missing(&names, &levels, expected));
            }
        }
        let combinations = combinations(&levels);
        match numbered.first() {
            Some((0, _, _)) if numbered.len() as u128 == combinations => {}
            Some((0, _, _)) => return Err(missing(&names, &levels, numbered.len() as u128)),
            Some(_) | None => return Err(missing(&names, &levels, 0)),
        }
        let seconds = numbered.iter().map(|&(_, _, seconds)| seconds).collect();
        Ok(Self {
            names,
            levels,
            seconds,
        })
    }

    /// Number of measured tasks.
    pub fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Whether there are none, which [`TaskTable::parse`] rejects.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }

    /// Sum of all measured times, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds.iter().sum()
    }
}

/// Saturated: tables never have as many lines.
fn combinations(levels: &[Vec<i64>]) -> u128 {
    let mut product: u128 = 1;
    for values in levels {
        product = product.saturating_mul(values.len() as u128);
    }
    product
}

/// The number of a point among all combinations of levels.
fn number_in(levels: &[Vec<i64>], point: &[i64]) -> u128 {
    let mut number: u128 = 0;
    for (values, value) in levels.iter().zip(point) {
        let position = values.partition_point(|level| level < value);
        number = number
            .saturating_mul(values.len() as u128)
            .saturating_add(position as u128);
    }
    number
}

fn missing(names: &[String], levels: &[Vec<i64>], number: u128) -> TaskError {
    let mut rest = number;
    let mut point = Vec::new();
    for values in levels.iter().rev() {
        let count = values.len() as u128;
        point.push(values[(rest % count) as usize]);
        rest /= count;
    }
    point.reverse();
    let shown = TaskSpace::point_text(names.iter().map(String::as_str), &point);
    TaskError::table(format!(
        "the task {shown} is missing; measured tasks must form a grid, all combinations of the values that each parameter \
         has in the table"
    ))
}

/// A value of a parameter between two measured ones.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Between {
    below: usize,
    above: usize,
    /// Weight of the upper value; 0 on a measured value.
    weight: f64,
}

/// Times of all tasks, in their order.
///
/// # Errors
/// Parameters of other names than the table's; measured values that a parameter never has; a first or last value that is not
/// measured, since nothing is extrapolated; and times that are too long.
pub fn interpolate(grid: &MeasuredGrid, space: &TaskSpace) -> Result<Vec<Time>, TaskError> {
    let ranges = space.ranges();
    if !ranges.iter().map(|range| &range.name).eq(&grid.names) {
        let known: Vec<String> = ranges.iter().map(ParameterRange::text).collect();
        return Err(TaskError::table(format!(
            "its parameters are {}, but the ranges are {}; give one for each parameter, in this order",
            grid.names.join(", "),
            known.join(", ")
        )));
    }
    let mut times = grid.seconds.clone();
    // Values of the parameters behind the present one, which have all their values already.
    let mut inner = 1;
    for (range, levels) in ranges.iter().zip(&grid.levels).rev() {
        let between = positions(range, levels)?;
        times = along(&times, levels.len(), &between, inner);
        inner *= between.len();
    }
    let mut rounded = Vec::with_capacity(times.len());
    let mut total = Time::ZERO;
    for seconds in times {
        let time = Time::from_seconds(seconds);
        total += time;
        rounded.push(time);
    }
    if total == Time::MAX {
        return Err(TaskError::table(
            "all tasks together take more than 9,000,000 s, the most that can be counted; look for a time in another unit \
             than seconds",
        ));
    }
    Ok(rounded)
}

/// The measured values around each value of a parameter.
fn positions(range: &ParameterRange, levels: &[i64]) -> Result<Vec<Between>, TaskError> {
    let text = range.text();
    let mut measured = Vec::new();
    for &level in levels {
        let Some(position) = range.position(level) else {
            return Err(TaskError::table(format!(
                "{} = {level} is measured, but the range is {text}; give the range of all tasks",
                range.name
            )));
        };
        measured.push(position);
    }
    let ends = [
        (range.first, measured.first()),
        (range.last, measured.last()),
    ];
    for (end, found) in ends {
        if found.copied() != range.position(end) {
            return Err(TaskError::table(format!(
                "{} = {end} is not measured, but the range is {text}; measure both ends of the range, since times are \
                 interpolated only",
                range.name
            )));
        }
    }
    let mut between = Vec::new();
    for (below, pair) in measured.windows(2).enumerate() {
        let distance = pair[1] - pair[0];
        for offset in 0..distance {
            between.push(Between {
                below,
                above: below + 1,
                weight: offset as f64 / distance as f64,
            });
        }
    }
    let last = measured.len() - 1;
    between.push(Between {
        below: last,
        above: last,
        weight: 0.0,
    });
    Ok(between)
}

/// Interpolates along one parameter with so many levels; `inner` is the number of values behind each of them.
fn along(times: &[f64], levels: usize, between: &[Between], inner: usize) -> Vec<f64> {
    let mut found = Vec::with_capacity(times.len() / levels * between.len());
    for block in times.chunks_exact(levels * inner) {
        for place in between {
            let below = &block[place.below * inner..][..inner];
            if place.weight == 0.0 {
                found.extend_from_slice(below);
                continue;
            }
            let above = &block[place.above * inner..][..inner];
            for (below, above) in below.iter().zip(above) {
                found.push((1.0 - place.weight) * below + place.weight * above);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(text: &str) -> Result<MeasuredGrid, TaskError> {
        MeasuredGrid::new(&TaskTable::parse(text)?)
    }

    fn range(name: &str, first: i64, last: i64, step: u64) -> ParameterRange {
        ParameterRange {
            name: name.into(),
            first,
            last,
            step,
        }
    }

    /// Figure 1 of the paper: ten tasks, of which 1, 4, 7 and 10 are measured.
    #[test]
    fn one_parameter() {
        let grid = grid("i,seconds\n10,4\n1,1\n7,1\n4,7\n").unwrap();
        let space = TaskSpace::new(vec![range("i", 1, 10, 1)]).unwrap();
        let times = interpolate(&grid, &space).unwrap();
        let expected = [1.0, 3.0, 5.0, 7.0, 5.0, 3.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(times, expected.map(Time::from_seconds));
    }

    #[test]
    fn grids_and_ranges_that_do_not_fit_are_reported() {
        let square = "i,j,seconds\n1,1,1\n1,3,1\n5,1,1\n5,3,1\n";
        let of_ranges = |ranges: Vec<ParameterRange>| {
            interpolate(&grid(square).unwrap(), &TaskSpace::new(ranges).unwrap()).unwrap_err()
        };
        let j = || range("j", 1, 3, 1);
        let errors = [
            (
                grid("i,j,seconds\n1,1,1\n1,2,1\n2,2,1\n").unwrap_err(),
                "the task i = 2, j = 1 is missing",
            ),
            (
                grid("i,j,seconds\n1,2,1\n2,1,1\n2,2,1\n").unwrap_err(),
                "the task i = 1, j = 1 is missing",
            ),
            (
                grid("i,j,seconds\n1,1,1\n1,2,1\n2,1,1\n").unwrap_err(),
                "the task i = 2, j = 2 is missing",
            ),
            (
                grid("i,seconds\n1,1\n2,1\n1,3\n").unwrap_err(),
                "the same task as in line 2",
            ),
            (
                of_ranges(vec![range("i", 1, 6, 1), j()]),
                "i = 6 is not measured, but the range is i = 1..6",
            ),
            (
                of_ranges(vec![range("i", 1, 4, 1), j()]),
                "i = 5 is measured, but the range is i = 1..4",
            ),
            (
                of_ranges(vec![range("i", 1, 7, 3), j()]),
                "i = 5 is measured, but the range is i = 1..7+3",
            ),
            (
                of_ranges(vec![j(), range("i", 1, 5, 1)]),
                "its parameters are i, j, but the ranges are j = 1..3, i = 1..5",
            ),
        ];
        for (error, expected) in errors {
            assert!(error.to_string().contains(expected), "{error}");
        }
        let long = grid("i,seconds\n1,6e6\n2,6e6\n").unwrap();
        let space = TaskSpace::new(vec![range("i", 1, 2, 1)]).unwrap();
        let error = interpolate(&long, &space).unwrap_err().to_string();
        assert!(error.contains("more than 9,000,000 s"), "{error}");
    }
}
