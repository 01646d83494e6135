//! `mpiete emulate --sample`: an emulation in which a few tasks are executed and the times of the others are interpolated.
//!
//! Five emulations of the program, none of which computes all tasks. The first skips all tasks in no time, and so shows
//! which there are. The second executes a grid of tasks, and a second sample that is drawn at random among the others. The
//! third skips all tasks, each in its measured or interpolated time. The last two do the same with the ends of the interval
//! that the random sample gives for interpolated times.

use super::{EmulatedRun, Subject};
use crate::args::EmulateArgs;
use crate::compile::{self, Compiler};
use crate::input::ProgramInput;
use crate::study::Probe;
use crate::view::numbers;
use crate::{clock_dependence, predict, prepare, project};
use anyhow::{Context, Result, anyhow, bail};
use base_data::Time;
use base_data::emulation::{SampledTasks, TaskCall};
use base_data::estimate_file::Estimate;
use estimator::tasks::{
    LEAST_SAMPLE, MeasuredGrid, ParameterRange, ResidualTotal, TaskSpace, TaskTable, interpolate,
    random_numbers,
};
use instrumenter::plan::sampled as plan;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::host::TemporaryFolder;
use token_runtime::termination;

/// The emulation with interpolated times.
pub(super) struct SampledRun {
    pub(super) run: EmulatedRun,
    pub(super) warnings: Vec<String>,
    /// When the run ends with the ends of the interval of interpolated times; `None` if all tasks were executed.
    pub(super) bounds: Option<[Time; 2]>,
}

impl SampledRun {
    /// Adds the error of interpolated times to the interval of the estimate.
    pub(super) fn widen(&self, result: &mut Estimate) {
        let Some(ends) = self.bounds else {
            return;
        };
        // Longer tasks may be distributed better and end earlier, so the ends may be out of order.
        let below = (self.run.end - ends[0].min(ends[1])).max(Time::ZERO);
        let above = (ends[0].max(ends[1]) - self.run.end).max(Time::ZERO);
        // Sample and draws are independent, so their distances add as squares.
        let distance = |drawn: Time, of_sample: Time| {
            let drawn = drawn.max(Time::ZERO).picoseconds() as f64;
            let sum = drawn.hypot(of_sample.picoseconds() as f64);
            Time::from_picoseconds(sum.round() as i64)
        };
        let low = distance(result.headline - result.p10, below);
        let high = distance(result.p90 - result.headline, above);
        result.p10 = (result.headline - low).max(Time::ZERO);
        result.p90 = result.headline + high;
        result.add_source("sampled tasks", below + above);
    }
}

/// Analyses and compiles the program, and emulates it with sampled tasks.
pub(super) fn run(
    arguments: &EmulateArgs,
    sample: &str,
    input: &ProgramInput,
) -> Result<SampledRun> {
    let (procedure, most) = parse(sample)?;
    predict::report_progress("analyzing");
    let project = project::load(&arguments.project())?;
    let planned = plan::sampled(&project.sources, &project.analysis, procedure);
    let planned = planned.map_err(|reason| anyhow!("--sample: {reason}"))?;
    let mut warnings = Vec::new();
    if let Some(dependence) = &planned.dependence {
        if !arguments.results_unused {
            bail!(
                "--sample: {procedure} cannot be left out, since MPI calls may depend on what it computes: {dependence} (`mpiete analyze --why` \
                 prints the whole dependence); if they do not, because only other parts of a message or an array are used, add \
                 --results-unused"
            );
        }
        warnings.push(format!(
            "the run may be another one if an MPI call depends on what {procedure} computes, which --results-unused excludes: {dependence}"
        ));
    }
    let folder = TemporaryFolder::create("sample-").context("nothing was run")?;
    let study_folder = folder.path().join("study");
    std::fs::create_dir(&study_folder)
        .with_context(|| format!("{} cannot be made", study_folder.display()))?;
    let study = prepare::write_profiled(&project, &planned.plan, None, &study_folder)?;
    predict::report_progress("compiling the program");
    let compiler = Compiler::find(&study)?;
    let program = compile::binary(&study_folder, &study, Probe::Profile, &compiler)?;
    warnings.extend(clock_dependence::real_clock_note(&program, &study.name));
    let file = folder.path().join("tasks");
    let emulate = |tasks: &SampledTasks, what: &str| {
        predict::report_progress(what);
        termination::write(&file, tasks)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        super::run(&Subject {
            program: &program,
            name: &study.name,
            ranks: arguments.ranks,
            platform: &arguments.platform,
            input,
            in_place: false,
            spawn: arguments.spawn,
            given: None,
            tasks: Some(&file),
            slice: None,
        })
    };

    let listed = emulate(&SampledTasks::Execute(Vec::new()), "listing the tasks")?;
    let tasks = Tasks::of(procedure, &planned.parameters, &listed.tasks)?;
    let grid = tasks.sample(most)?;
    let drawn = tasks.random_sample(&grid, most, arguments.platform.seed);
    let mut points = [&grid[..], &drawn].concat();
    points.sort();
    let executed = emulate(&SampledTasks::Execute(points), "executing the sample")?;
    let times = TaskTimes::of(&tasks, &grid, &drawn, measured(&executed.tasks))?;
    let last = emulate(
        &SampledTasks::Replay(times.with_factor(times.factor)),
        "emulating with the times of the tasks",
    )?;
    let mut bounds = None;
    if times.is_interpolated() {
        let end = |factor: f64| {
            let tasks = SampledTasks::Replay(times.with_factor(factor));
            let run = emulate(&tasks, "emulating with the error of these times")?;
            anyhow::Ok(run.end)
        };
        bounds = Some([end(times.lower)?, end(times.upper)?]);
    }
    let own: Time = last.computed.iter().flatten().copied().sum();
    let sampled: Time = executed.tasks.iter().filter_map(|call| call.time).sum();
    let summary = summary(&tasks, &times, [grid.len(), drawn.len()], sampled, own);
    report!("mpiete: {summary}");
    if times.is_interpolated() {
        warnings.push(format!(
            "computation that uses results of tasks takes the time that it takes without them, since most tasks were skipped: {summary}"
        ));
    }
    Ok(SampledRun {
        run: last,
        warnings,
        bounds,
    })
}

/// What was executed, what was skipped, and how long all tasks take. The grid and the random sample have so many tasks, which
/// took `sampled`; beside tasks, all ranks compute for `own`.
fn summary(
    tasks: &Tasks<'_>,
    times: &TaskTimes<'_>,
    [grid, drawn]: [usize; 2],
    sampled: Time,
    own: Time,
) -> String {
    let total = times.total(times.factor);
    let skipped = (total - sampled).max(Time::ZERO);
    let share_of = |part| numbers::percent(numbers::share(part, total + own));
    let bounds = if times.is_interpolated() {
        format!(
            " (80 % between {} and {})",
            times.total(times.lower),
            times.total(times.upper)
        )
    } else {
        String::new()
    };
    format!(
        "{} of {} tasks of {} were executed ({grid} on a grid, {drawn} at random), {sampled} together; {} of the run's computation \
         was skipped (all tasks are {} of it); all tasks take {total}{bounds}, as interpolated over {}",
        grid + drawn,
        tasks.points.len(),
        tasks.procedure,
        share_of(skipped),
        share_of(total),
        tasks.parameters()
    )
}

fn parse(sample: &str) -> Result<(&str, usize)> {
    let parsed = sample.split_once('=').and_then(|(name, count)| {
        let count: usize = count.trim().parse().ok()?;
        Some((name.trim(), count))
    });
    match parsed {
        Some((name, count)) if !name.is_empty() && count > 0 => Ok((name, count)),
        Some(_) | None => bail!(
            "--sample '{sample}' names no procedure and number of tasks; write --sample PROCEDURE=K, as --sample compute_task=16"
        ),
    }
}

/// The mean time of each task that was executed.
fn measured(calls: &[TaskCall]) -> BTreeMap<Vec<i64>, Time> {
    let mut all: BTreeMap<&[i64], Vec<Time>> = BTreeMap::new();
    for call in calls {
        if let Some(time) = call.time {
            all.entry(&call.point).or_default().push(time);
        }
    }
    let mut means = BTreeMap::new();
    for (point, times) in all {
        let total: Time = times.iter().copied().sum();
        means.insert(point.to_vec(), total.scaled(1.0 / times.len() as f64));
    }
    means
}

/// The tasks of a program.
struct Tasks<'a> {
    procedure: &'a str,
    /// Arguments that differ between tasks: place among the arguments, and values.
    varied: Vec<(usize, ParameterRange)>,
    /// Values of these arguments, ascending.
    values: Vec<Vec<i64>>,
    /// How often each task is called, by all arguments.
    points: BTreeMap<Vec<i64>, u64>,
}

impl<'a> Tasks<'a> {
    fn of(procedure: &'a str, names: &[String], calls: &[TaskCall]) -> Result<Self> {
        let mut points: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
        for call in calls {
            *points.entry(call.point.clone()).or_default() += 1;
        }
        if points.is_empty() {
            bail!(
                "--sample: the program calls {procedure} never between MPI_Init and MPI_Finalize; name the procedure of its tasks"
            );
        }
        let (mut varied, mut values) = (Vec::new(), Vec::new());
        for (place, name) in names.iter().enumerate() {
            let own: BTreeSet<i64> = points.keys().map(|point| point[place]).collect();
            let own: Vec<i64> = own.into_iter().collect();
            let (Some(&first), Some(&last)) = (own.first(), own.last()) else {
                continue;
            };
            if first == last {
                continue;
            }
            // The largest step of which all distances are multiples, so that the range contains every value.
            let distances = own.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
            let step = distances.fold(0, greatest_common_divisor);
            let name = name.clone();
            varied.push((
                place,
                ParameterRange {
                    name,
                    first,
                    last,
                    step,
                },
            ));
            values.push(own);
        }
        if varied.is_empty() {
            bail!(
                "--sample: all calls of {procedure} have the same {}, so nothing says which task a call computes; pass its number",
                names.join(", ")
            );
        }
        Ok(Self {
            procedure,
            varied,
            values,
            points,
        })
    }

    fn parameters(&self) -> String {
        let texts: Vec<String> = self.varied.iter().map(|(_, range)| range.text()).collect();
        texts.join(", ")
    }

    /// A grid of tasks, as even as it can be, with the first and the last value of each argument.
    fn sample(&self, most: usize) -> Result<Vec<Vec<i64>>> {
        let dimensions = self.varied.len() as u32;
        // The first and the last value of each argument; the bound keeps the shift within its width.
        let least = 1usize << dimensions.min(20);
        if most < least {
            bail!(
                "--sample {}={most}: {} arguments differ between tasks ({}), so at least {least} tasks are executed: those with the first \
                 and the last value of each",
                self.procedure,
                dimensions,
                self.parameters()
            );
        }
        let mut levels: Vec<Vec<i64>> =
            self.values.iter().map(|values| spread(values, 2)).collect();
        // The argument with the fewest chosen values gets more, as long as the grid does not exceed the number.
        loop {
            let mut best: Option<usize> = None;
            let size: usize = levels.iter().map(Vec::len).product();
            for (place, chosen) in levels.iter().enumerate() {
                let count = chosen.len();
                // The size of the grid with one more value of this argument.
                let fits = size / count * (count + 1) <= most && count < self.values[place].len();
                if fits && best.is_none_or(|best| count < levels[best].len()) {
                    best = Some(place);
                }
            }
            let Some(place) = best else { break };
            levels[place] = spread(&self.values[place], levels[place].len() + 1);
        }
        self.grid(&levels)
    }

    /// All combinations of values, as arguments of calls.
    fn grid(&self, levels: &[Vec<i64>]) -> Result<Vec<Vec<i64>>> {
        let Some((first, _)) = self.points.first_key_value() else {
            return Ok(Vec::new());
        };
        // Any task serves: arguments that do not differ are equal in all of them.
        let mut points = vec![first.clone()];
        for ((place, _), values) in self.varied.iter().zip(levels) {
            let mut more = Vec::new();
            for point in &points {
                for &value in values {
                    let mut point = point.clone();
                    point[*place] = value;
                    more.push(point);
                }
            }
            points = more;
        }
        points.sort();
        for point in &points {
            if !self.points.contains_key(point) {
                bail!(
                    "--sample: the program never calls {} with {}; times can be interpolated only if tasks with all combinations \
                     of arguments exist",
                    self.procedure,
                    self.text_of(point)
                );
            }
        }
        Ok(points)
    }

    fn text_of(&self, point: &[i64]) -> String {
        let one = |(place, range): &(usize, ParameterRange)| {
            format!("{} = {}", range.name, point[*place])
        };
        let words: Vec<String> = self.varied.iter().map(one).collect();
        words.join(", ")
    }

    /// The values of the arguments that differ.
    fn varied_of(&self, point: &[i64]) -> Vec<i64> {
        self.varied.iter().map(|(place, _)| point[*place]).collect()
    }

    /// The time of every task, ascending by arguments.
    fn times(&self, measured: &BTreeMap<Vec<i64>, Time>) -> Result<Vec<(Vec<i64>, Time)>> {
        let names: Vec<&str> = self
            .varied
            .iter()
            .map(|(_, range)| range.name.as_str())
            .collect();
        let mut text = format!("{},seconds\n", names.join(","));
        for (point, time) in measured {
            let mut words: Vec<String> = Vec::new();
            for value in self.varied_of(point) {
                words.push(value.to_string());
            }
            text += &format!("{},{:e}\n", words.join(","), time.seconds());
        }
        // The reader of `mpiete tasks` checks the table, so both commands interpolate alike.
        let table = TaskTable::parse(&text)?;
        let grid = MeasuredGrid::new(&table)?;
        let ranges = self.varied.iter().map(|(_, range)| range.clone()).collect();
        let space = TaskSpace::new(ranges)?;
        let interpolated = interpolate(&grid, &space)?;
        let mut times = Vec::new();
        for point in self.points.keys() {
            let number = space.number(&self.varied_of(point));
            let time = number.and_then(|number| interpolated.get(number as usize));
            times.push((point.clone(), time.copied().unwrap_or_default()));
        }
        Ok(times)
    }

    /// About so many of the tasks that are not on the grid, drawn at random; all of them if there are not more.
    fn random_sample(&self, grid: &[Vec<i64>], count: usize, seed: u64) -> Vec<Vec<i64>> {
        let others = self.others(grid);
        let count = (count as u64).max(LEAST_SAMPLE);
        if others.len() as u64 <= count {
            return others.into_iter().cloned().collect();
        }
        let numbers = random_numbers(others.len() as u64, count, seed);
        let point = |number: u64| others[number as usize].clone();
        numbers.into_iter().map(point).collect()
    }

    /// The tasks that are not on the grid, ascending by arguments.
    fn others(&self, grid: &[Vec<i64>]) -> Vec<&Vec<i64>> {
        let grid: BTreeSet<&Vec<i64>> = grid.iter().collect();
        let points = self.points.keys();
        points.filter(|point| !grid.contains(point)).collect()
    }
}

/// Times of all tasks: measured ones, and interpolated ones, all of which are off by a factor that the random sample estimates.
/// It is the factor of `mpiete tasks --check`, except that measured times are left as they are.
struct TaskTimes<'a> {
    tasks: &'a Tasks<'a>,
    /// Ascending by arguments.
    interpolated: Vec<(Vec<i64>, Time)>,
    measured: BTreeMap<Vec<i64>, Time>,
    factor: f64,
    /// Ends of the interval that contains the factor with a probability of 80 %.
    lower: f64,
    upper: f64,
}

impl<'a> TaskTimes<'a> {
    fn of(
        tasks: &'a Tasks<'a>,
        grid: &[Vec<i64>],
        drawn: &[Vec<i64>],
        measured: BTreeMap<Vec<i64>, Time>,
    ) -> Result<Self> {
        let mut on_grid = BTreeMap::new();
        for point in grid.iter().chain(drawn) {
            let Some(&time) = measured.get(point) else {
                bail!(
                    "--sample: the program calls {} with {} only if tasks take no time; its tasks depend on how long they take, so they \
                     cannot be sampled",
                    tasks.procedure,
                    tasks.text_of(point)
                );
            };
            on_grid.insert(point.clone(), time);
        }
        on_grid.retain(|point, _| grid.binary_search(point).is_ok());
        let mut times = Self {
            tasks,
            interpolated: tasks.times(&on_grid)?,
            measured,
            factor: 1.0,
            lower: 1.0,
            upper: 1.0,
        };
        if times.is_interpolated() {
            times.correct(grid, drawn)?;
        }
        Ok(times)
    }

    /// Whether there are tasks that were not executed.
    fn is_interpolated(&self) -> bool {
        self.measured.len() < self.interpolated.len()
    }

    /// Computes the factor from residuals of the random sample, the only known ones of the tasks that are not on the grid.
    fn correct(&mut self, grid: &[Vec<i64>], drawn: &[Vec<i64>]) -> Result<()> {
        let others = self.tasks.others(grid);
        let (mut residuals, mut known, mut unmeasured) = (Vec::new(), 0.0, 0.0);
        for (number, &point) in (0..).zip(&others) {
            let calls = self.tasks.points[point] as f64;
            let place = self
                .interpolated
                .binary_search_by(|(known, _)| known.cmp(point));
            let interpolated = place.map_or(0.0, |place| self.interpolated[place].1.seconds());
            if drawn.binary_search(point).is_err() {
                unmeasured += calls * interpolated;
                continue;
            }
            let residual = calls * (self.measured[point].seconds() - interpolated);
            residuals.push((number, residual));
            known += residual;
        }
        if unmeasured == 0.0 {
            bail!(
                "--sample: the tasks of {} on the grid took no time, so nothing follows for the others; sample more tasks",
                self.tasks.procedure
            );
        }
        let all = ResidualTotal::of(others.len() as u64, &residuals);
        let factor = 1.0 + (all.seconds - known) / unmeasured;
        let half_width = all.half_width / unmeasured;
        // No task takes less than no time.
        self.factor = factor.max(0.0);
        self.lower = (factor - half_width).max(0.0);
        self.upper = (factor + half_width).max(0.0);
        Ok(())
    }

    /// The time of each task, ascending by arguments.
    fn with_factor(&self, factor: f64) -> Vec<(Vec<i64>, Time)> {
        let mut times = Vec::new();
        for (point, interpolated) in &self.interpolated {
            let measured = self.measured.get(point).copied();
            let time = measured.unwrap_or_else(|| interpolated.scaled(factor));
            times.push((point.clone(), time));
        }
        times
    }

    /// The time of all calls together.
    fn total(&self, factor: f64) -> Time {
        let mut total = Time::ZERO;
        for (point, time) in self.with_factor(factor) {
            total += time.times(self.tasks.points[&point]);
        }
        total
    }
}

/// So many of the values, with the first and the last, in even distances of their places.
fn spread(values: &[i64], count: usize) -> Vec<i64> {
    let count = count.clamp(2, values.len().max(2));
    let last = values.len() - 1;
    // Rounded to the nearest place; the ends are exact.
    let place = |number: usize| (number * last + (count - 1) / 2) / (count - 1);
    let mut chosen: Vec<i64> = (0..count).map(|number| values[place(number)]).collect();
    chosen.dedup();
    chosen
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(points: &[[i64; 2]]) -> Vec<TaskCall> {
        let call = |point: &[i64; 2]| TaskCall {
            point: point.to_vec(),
            time: None,
        };
        points.iter().map(call).collect()
    }

    fn square(side: i64) -> Vec<TaskCall> {
        let mut points = Vec::new();
        for row in 1..=side {
            for column in 1..=side {
                points.push([row, 2 * column]);
            }
        }
        calls(&points)
    }

    fn names() -> Vec<String> {
        vec!["row".into(), "column".into()]
    }

    #[test]
    fn a_sample_contains_the_ends_of_each_argument() {
        let calls = square(7);
        let tasks = Tasks::of("task", &names(), &calls).unwrap();
        assert_eq!(tasks.parameters(), "row = 1..7, column = 2..14+2");
        let sample = tasks.sample(6).unwrap();
        assert_eq!(sample.len(), 6);
        for corner in [[1, 2], [1, 14], [7, 2], [7, 14]] {
            assert!(sample.contains(&corner.to_vec()), "{sample:?}");
        }
        assert_eq!(tasks.sample(1000).unwrap().len(), 49);
        let error = tasks.sample(3).unwrap_err().to_string();
        assert!(error.contains("at least 4 tasks"), "{error}");
    }

    #[test]
    fn times_between_sampled_tasks_are_interpolated() {
        let calls = square(3);
        let tasks = Tasks::of("task", &names(), &calls).unwrap();
        let mut measured = BTreeMap::new();
        for point in tasks.sample(4).unwrap() {
            let time = Time::from_nanoseconds(1000 * (point[0] + point[1]));
            measured.insert(point, time);
        }
        let times = tasks.times(&measured).unwrap();
        assert_eq!(times.len(), 9);
        for (point, time) in &times {
            assert_eq!(*time, Time::from_nanoseconds(1000 * (point[0] + point[1])));
        }
    }

    /// Tasks of even rows take 3 ms instead of the 2 ms of those on the grid.
    #[test]
    fn random_sample_corrects_interpolated_times() {
        let mut listed = Vec::new();
        for row in 1..=41 {
            listed.push([row, 0]);
        }
        let called = [calls(&listed), calls(&listed)].concat();
        let tasks = Tasks::of("task", &names(), &called).unwrap();
        let grid = tasks.sample(3).unwrap();
        assert_eq!(grid, [vec![1, 0], vec![21, 0], vec![41, 0]]);
        let drawn = tasks.random_sample(&grid, 20, 7);
        assert_eq!(drawn, tasks.random_sample(&grid, 20, 7));
        assert_ne!(drawn, tasks.random_sample(&grid, 20, 8));
        assert_eq!(drawn.len(), 20);
        assert!(drawn.iter().all(|point| !grid.contains(point)), "{drawn:?}");
        let milliseconds = |count: i64| Time::from_nanoseconds(1_000_000 * count);
        let time_of = |row: i64| milliseconds(2 + i64::from(row % 2 == 0));
        let mut measured = BTreeMap::new();
        for point in grid.iter().chain(&drawn) {
            measured.insert(point.clone(), time_of(point[0]));
        }
        let times = TaskTimes::of(&tasks, &grid, &drawn, measured.clone()).unwrap();
        let truth: Time = (1..=41).map(time_of).sum();
        let [low, middle, high] =
            [times.lower, times.factor, times.upper].map(|factor| times.total(factor).seconds());
        let truth = 2.0 * truth.seconds();
        assert!(low < truth && truth < high, "{low} {truth} {high}");
        assert!((middle / truth - 1.0).abs() < 0.1, "{middle} {truth}");
        // Measured times stay as they are.
        for (point, time) in times.with_factor(5.0) {
            let expected = measured.get(&point).copied();
            assert_eq!(time, expected.unwrap_or(milliseconds(10)), "{point:?}");
        }
        // All tasks are executed where a sample would be no smaller.
        let all = tasks.random_sample(&grid, 38, 7);
        assert_eq!(all.len(), 38);
        measured.remove(&drawn[0]);
        let error = TaskTimes::of(&tasks, &grid, &drawn, measured)
            .err()
            .unwrap();
        assert!(
            error.to_string().contains("only if tasks take no time"),
            "{error}"
        );
    }

    #[test]
    fn arguments_without_all_combinations_are_refused() {
        let calls = calls(&[[1, 1], [1, 2], [2, 1]]);
        let tasks = Tasks::of("task", &names(), &calls).unwrap();
        let error = tasks.sample(4).unwrap_err().to_string();
        assert!(
            error.contains("never calls task with row = 2, column = 2"),
            "{error}"
        );
    }

    #[test]
    fn samples_without_a_number_are_refused() {
        assert_eq!(parse("compute_task=16").unwrap(), ("compute_task", 16));
        for sample in ["task", "=3", "task=", "task=0", "task=x"] {
            assert!(parse(sample).is_err(), "{sample}");
        }
    }
}
