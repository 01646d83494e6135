//! The error of interpolated task times, from a second sample of tasks that are drawn at random. The paper's bound
//! (equations 2 and 3 of Mizutani et al., MSS, 2004) needs the total of all tasks, so it can be computed only where
//! nothing had to be predicted. `mpiete tasks` reads the sample from a table; `mpiete emulate --sample` executes it
//! beside the grid.
//!
//! Residuals, measured minus interpolated times, estimate how much the interpolated total is off, with a standard error. This is
//! the difference estimator of stratified sampling (Cochran, Sampling Techniques, 3rd edition, 1977, §5 and §7): with `N_h` tasks
//! and `n_h` drawn ones in stratum `h`,
//!
//! ```text
//! total = Σ interpolated + Σ_h N_h · mean_h,   error² = Σ_h N_h² · (1 − n_h / N_h) · variance_h / n_h
//! ```

use super::TaskError;
use super::table::TaskTable;
use super::task_space::TaskSpace;
use crate::random::{Random, normal_quantile};
use base_data::Time;
use serde::Serialize;
use std::collections::BTreeSet;

/// Tasks drawn from each stratum: the fewest that have a variance, so that there are as many strata as possible.
const PER_STRATUM: u64 = 2;
/// Fewest tasks of a sample: with fewer the standard error is itself unknown.
pub const LEAST_SAMPLE: u64 = 4;
/// Probability below the upper end of the interval, as in other estimates.
const UPPER_PROBABILITY: f64 = 0.9;

/// How much interpolated times are off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SampleCheck {
    /// Number of tasks in the sample.
    pub tasks: u64,
    /// Number of strata; 1 for a sample that was not drawn by [`random_sample`].
    pub strata: u64,
    /// Total of all tasks as the sample estimates it, relative to the interpolated one.
    pub factor: f64,
    /// Standard error of the factor.
    pub standard_error: f64,
    /// Lower end of the interval of the factor that contains it with a probability of 80 %.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

/// The tasks of a stratum.
struct Stratum {
    tasks: u64,
    residuals: Vec<f64>,
}

/// First task of a stratum of equally many tasks each.
fn stratum_begin(tasks: u64, strata: u64, stratum: u64) -> u64 {
    (u128::from(tasks) * u128::from(stratum) / u128::from(strata)) as u64
}

/// Points of about `count` tasks to measure, drawn at random: two in each of `count / 2` strata of consecutive tasks. The same
/// seed gives the same points.
///
/// # Errors
/// A sample of fewer than four tasks, or of more than there are.
pub fn random_sample(space: &TaskSpace, count: u64, seed: u64) -> Result<Vec<Vec<i64>>, TaskError> {
    let tasks = space.count();
    if count < LEAST_SAMPLE || count > tasks {
        return Err(TaskError::Value(format!(
            "a sample of {count} of {tasks} tasks is not possible; it has {LEAST_SAMPLE} tasks or more, and each at most once"
        )));
    }
    let numbers = random_numbers(tasks, count, seed);
    Ok(numbers
        .into_iter()
        .map(|number| space.point(number))
        .collect())
}

/// Numbers of about `count` of so many tasks, ascending, drawn as [`random_sample`] does. `count` is at least
/// [`LEAST_SAMPLE`], and `tasks` at least `count`.
pub fn random_numbers(tasks: u64, count: u64, seed: u64) -> Vec<u64> {
    let strata = count / PER_STRATUM;
    let mut random = Random::stream(&[seed]);
    let mut numbers = Vec::new();
    for stratum in 0..strata {
        let begin = stratum_begin(tasks, strata, stratum);
        let size = stratum_begin(tasks, strata, stratum + 1) - begin;
        let first = random.below(size);
        // One of the others: the numbers from the first one on are those behind it.
        let mut second = random.below(size - 1);
        if second >= first {
            second += 1;
        }
        numbers.push(begin + first.min(second));
        numbers.push(begin + first.max(second));
    }
    numbers
}

/// Compares interpolated times of all tasks with the measured times of a random sample.
///
/// # Errors
/// A table with other parameters, with a task that there is not or that is listed twice, or with too few tasks; and interpolated
/// times that are all 0, which no factor corrects.
pub fn check_sample(
    sample: &TaskTable,
    space: &TaskSpace,
    times: &[Time],
) -> Result<SampleCheck, TaskError> {
    let names: Vec<&str> = space
        .ranges()
        .iter()
        .map(|range| range.name.as_str())
        .collect();
    if sample.names() != names {
        return Err(TaskError::table(format!(
            "its parameters are {}, those of the measured tasks {}; use the same in the same order",
            sample.names().join(", "),
            names.join(", ")
        )));
    }
    let mut residuals = Vec::with_capacity(sample.len());
    let mut known = BTreeSet::new();
    for task in sample.tasks() {
        let shown = || TaskSpace::point_text(names.iter().copied(), task.point);
        let Some(number) = space.number(task.point) else {
            return Err(TaskError::at(
                task.line,
                format!(
                    "there is no task {}; draw the sample from the tasks of the program",
                    shown()
                ),
            ));
        };
        if !known.insert(number) {
            return Err(TaskError::at(
                task.line,
                format!("the task {} is listed twice; keep one of both", shown()),
            ));
        }
        residuals.push((number, task.seconds - times[number as usize].seconds()));
    }
    let tasks = residuals.len() as u64;
    if tasks < LEAST_SAMPLE {
        return Err(TaskError::table(format!(
            "a sample of {tasks} tasks has no standard error; measure {LEAST_SAMPLE} tasks or more"
        )));
    }
    let total: f64 = times.iter().map(|time| time.seconds()).sum();
    if total == 0.0 {
        return Err(TaskError::table(
            "the interpolated times of all tasks are 0, so no factor corrects them; measure a grid of tasks that take time",
        ));
    }
    residuals.sort_unstable_by_key(|&(number, _)| number);
    let missed = ResidualTotal::of(space.count(), &residuals);
    let factor = 1.0 + missed.seconds / total;
    let half_width = missed.half_width / total;
    Ok(SampleCheck {
        tasks,
        strata: missed.strata,
        // A sample of residuals may be longer than all tasks, but no task takes less than no time.
        factor: factor.max(0.0),
        standard_error: missed.standard_error / total,
        lower: (factor - half_width).max(0.0),
        upper: (factor + half_width).max(0.0),
    })
}

/// What the residuals of all tasks are together, as those of a sample show. In seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualTotal {
    /// Number of strata; 1 for a sample that was not drawn by [`random_numbers`].
    pub strata: u64,
    /// The sum over all tasks, those of the sample included.
    pub seconds: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Half of the interval that contains the sum with a probability of 80 %.
    pub half_width: f64,
}

impl ResidualTotal {
    /// Of so many tasks, from the residuals of [`LEAST_SAMPLE`] or more of them, ascending by number.
    pub fn of(tasks: u64, residuals: &[(u64, f64)]) -> Self {
        let strata = strata(tasks, residuals);
        let (mut seconds, mut variance) = (0.0, 0.0);
        for stratum in &strata {
            let (size, drawn) = (stratum.tasks as f64, stratum.residuals.len() as f64);
            let mean = stratum.residuals.iter().sum::<f64>() / drawn;
            let squares: f64 = stratum
                .residuals
                .iter()
                .map(|one| (one - mean).powi(2))
                .sum();
            seconds += size * mean;
            variance += size * size * (1.0 - drawn / size) * squares / (drawn - 1.0) / drawn;
        }
        let standard_error = variance.sqrt();
        let freedom = residuals.len() as u64 - strata.len() as u64;
        Self {
            strata: strata.len() as u64,
            seconds,
            standard_error,
            half_width: standard_error * student_quantile(freedom),
        }
    }
}

/// The strata of [`random_sample`] if each has its two tasks, and else a single one: tasks that were left out, or that were drawn
/// otherwise, are a simple random sample at best.
fn strata(tasks: u64, residuals: &[(u64, f64)]) -> Vec<Stratum> {
    let drawn = residuals.len() as u64;
    let strata = drawn / PER_STRATUM;
    let is_stratified = drawn.is_multiple_of(PER_STRATUM)
        && (0..).zip(residuals).all(|(position, &(number, _))| {
            let stratum = position / PER_STRATUM;
            let begin = stratum_begin(tasks, strata, stratum);
            let end = stratum_begin(tasks, strata, stratum + 1);
            (begin..end).contains(&number)
        });
    let values = |part: &[(u64, f64)]| part.iter().map(|&(_, residual)| residual).collect();
    if !is_stratified {
        return vec![Stratum {
            tasks,
            residuals: values(residuals),
        }];
    }
    let mut found = Vec::new();
    for (stratum, pair) in (0..strata).zip(residuals.chunks(PER_STRATUM as usize)) {
        let begin = stratum_begin(tasks, strata, stratum);
        found.push(Stratum {
            tasks: stratum_begin(tasks, strata, stratum + 1) - begin,
            residuals: values(pair),
        });
    }
    found
}

/// The value that a variable of Student's distribution is below with [`UPPER_PROBABILITY`]: Cornish and Fisher's expansion
/// (Abramowitz and Stegun, 26.7.5), within 2 % from 2 degrees of freedom on.
fn student_quantile(freedom: u64) -> f64 {
    let x = normal_quantile(UPPER_PROBABILITY);
    let freedom = freedom as f64;
    let first = (x.powi(3) + x) / 4.0;
    let second = (5.0 * x.powi(5) + 16.0 * x.powi(3) + 3.0 * x) / 96.0;
    x + first / freedom + second / freedom.powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::ParameterRange;

    fn space(tasks: i64) -> TaskSpace {
        let range = ParameterRange {
            name: "i".into(),
            first: 1,
            last: tasks,
            step: 1,
        };
        TaskSpace::new(vec![range]).unwrap()
    }

    fn table(rows: impl IntoIterator<Item = (i64, f64)>) -> TaskTable {
        let mut text = "i,seconds\n".to_string();
        for (i, seconds) in rows {
            text += &format!("{i},{seconds}\n");
        }
        TaskTable::parse(&text).unwrap()
    }

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [(2, 1.886), (5, 1.476), (30, 1.310), (1000, 1.282)] {
            let relative = student_quantile(freedom) / expected;
            assert!((relative - 1.0).abs() < 0.021, "{freedom}: {relative}");
        }
    }

    #[test]
    fn samples_have_two_tasks_in_each_stratum() {
        let space = space(1001);
        let points = random_sample(&space, 101, 7).unwrap();
        assert_eq!(points, random_sample(&space, 101, 7).unwrap());
        assert_ne!(points, random_sample(&space, 101, 8).unwrap());
        assert_eq!(points.len(), 100);
        let numbered: Vec<(u64, f64)> = points
            .iter()
            .map(|point| (space.number(point).unwrap(), 0.0))
            .collect();
        assert_eq!(strata(1001, &numbered).len(), 50);
        assert_eq!(strata(1001, &numbered[1..]).len(), 1);
        let whole = random_sample(&self::space(5), 5, 1).unwrap();
        assert_eq!(whole.len(), 4);
    }

    /// Residuals that rise with the number of the task: strata remove nearly all of their variance.
    #[test]
    fn strata_reduce_the_error() {
        let space = space(1000);
        let times = vec![Time::from_seconds(1.0); 1000];
        let points = random_sample(&space, 100, 3).unwrap();
        let sample = table(
            points
                .iter()
                .map(|point| (point[0], point[0] as f64 / 500.5)),
        );
        let check = check_sample(&sample, &space, &times).unwrap();
        assert_eq!((check.tasks, check.strata), (100, 50));
        assert!((check.factor - 1.0).abs() < 0.01, "{check:?}");
        assert!(check.lower < 1.0 && 1.0 < check.upper, "{check:?}");
        assert!(check.standard_error < 0.003, "{check:?}");
        let fewer = table(
            points[1..]
                .iter()
                .map(|point| (point[0], point[0] as f64 / 500.5)),
        );
        let check = check_sample(&fewer, &space, &times).unwrap();
        assert!(
            check.strata == 1 && check.standard_error > 0.03,
            "{check:?}"
        );
    }

    /// The interval contains the true total in about 80 % of many samples.
    #[test]
    fn interval_contains_the_total_as_often_as_promised() {
        let space = space(2000);
        let times = vec![Time::from_seconds(1.0); 2000];
        let mut random = Random::stream(&[11]);
        let measured: Vec<f64> = (0..2000).map(|_| 0.5 + random.unit()).collect();
        let truth = measured.iter().sum::<f64>() / 2000.0;
        let mut contained = 0;
        for seed in 0..400 {
            let points = random_sample(&space, 40, seed).unwrap();
            let sample = table(
                points
                    .iter()
                    .map(|point| (point[0], measured[point[0] as usize - 1])),
            );
            let check = check_sample(&sample, &space, &times).unwrap();
            if check.lower <= truth && truth <= check.upper {
                contained += 1;
            }
        }
        assert!((300..=340).contains(&contained), "{contained} of 400");
    }

    #[test]
    fn samples_that_do_not_fit_are_reported() {
        let times = vec![Time::from_seconds(1.0); 10];
        let other = TaskTable::parse("j,seconds\n1,1\n").unwrap();
        let free = vec![Time::ZERO; 10];
        let whole = table((1..5).map(|i| (i, 1.0)));
        for (sample, times, expected) in [
            (
                &other,
                &times,
                "its parameters are j, those of the measured tasks i",
            ),
            (&table([(11, 1.0)]), &times, "there is no task i = 11"),
            (
                &table([(1, 1.0), (1, 2.0)]),
                &times,
                "the task i = 1 is listed twice",
            ),
            (
                &table([(1, 1.0)]),
                &times,
                "a sample of 1 tasks has no standard error",
            ),
            (&whole, &free, "are 0, so no factor corrects them"),
        ] {
            let error = check_sample(sample, &space(10), times)
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
        let error = random_sample(&space(10), 11, 1).unwrap_err().to_string();
        assert!(error.contains("a sample of 11 of 10 tasks"), "{error}");
    }
}
