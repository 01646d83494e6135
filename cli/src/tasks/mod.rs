//! `mpiete tasks`: master/worker programs from the times of some tasks.

mod ranges;
mod study;

pub use study::{TaskEstimate, TaskStudy};

use crate::args::{PlatformArgs, TasksArgs, TasksFormat};
use crate::sweep::vary::whole_numbers;
use crate::{files, platform, view};
use anyhow::{Result, anyhow, bail};
use base_data::Time;
use base_data::program_data::MOST_RANKS;
use estimator::tasks::{
    MasterWorker, MeasuredGrid, Simulation, TaskError, TaskSpace, TaskTable, check_sample,
    interpolate, random_sample,
};
use std::path::Path;

/// Estimates all combinations of ranks, masters and chunks, or prints a random sample of tasks.
pub fn tasks(arguments: &TasksArgs) -> Result<()> {
    if let Some(path) = &arguments.output {
        files::check_text_output(path)?;
    }
    let text = if let Some(count) = arguments.sample {
        sample(arguments, count)?
    } else {
        let study = study(arguments)?;
        match arguments.format {
            TasksFormat::Text => view::tasks::text(&study),
            TasksFormat::Csv => view::tasks::csv(&study),
            TasksFormat::Json => view::json::of("tasks", &study),
        }
    };
    files::write_text(arguments.output.as_deref(), &text)
}

/// A table without times of tasks that are drawn at random.
fn sample(arguments: &TasksArgs, count: u64) -> Result<String> {
    let table = read_table(&arguments.table)?;
    let space = TaskSpace::new(ranges::of_arguments(&arguments.range, &table)?)?;
    let points = random_sample(&space, count, arguments.seed)
        .map_err(|error| anyhow!("--sample {count}: {error}"))?;
    let mut text = table.names().join(",");
    text.push('\n');
    for point in points {
        let values: Vec<String> = point.iter().map(i64::to_string).collect();
        text += &values.join(",");
        text.push('\n');
    }
    Ok(text)
}

fn read_table(path: &Path) -> Result<TaskTable> {
    let name = path.display();
    let text = String::from_utf8(files::read_bytes(path)?)
        .map_err(|_| anyhow!("{name} is no text in UTF-8; give a table of task times"))?;
    TaskTable::parse(&text).map_err(|error| of_table(path, error))
}

/// The error with the place in the table that it concerns.
fn of_table(path: &Path, error: TaskError) -> anyhow::Error {
    let name = path.display();
    match error {
        TaskError::Table {
            line: Some(line),
            what,
        } => anyhow!("{name}:{line}: {what}"),
        TaskError::Table { line: None, what } => anyhow!("{name}: {what}"),
        TaskError::Value(_) | TaskError::Platform(_) => error.into(),
    }
}

/// Values of an option that lists numbers.
fn numbers(option: &str, text: &str, most: u64) -> Result<Vec<u64>> {
    let numbers = whole_numbers(text).map_err(|reason| anyhow!("{option} {text}: {reason}"))?;
    for (place, number) in numbers.iter().enumerate() {
        if !(1..=most).contains(number) {
            bail!("{option} {text}: write numbers from 1 to {most}, not {number}");
        }
        if numbers[..place].contains(number) {
            bail!("{option} {text}: {number} is given twice");
        }
    }
    Ok(numbers)
}

fn study(arguments: &TasksArgs) -> Result<TaskStudy> {
    let most_ranks = u64::from(MOST_RANKS);
    let ranks = arguments.ranks.as_deref().unwrap_or_default();
    let ranks = numbers("-n", ranks, most_ranks)?;
    let masters = numbers("--masters", &arguments.masters, most_ranks)?;
    let chunks = numbers("--chunk", &arguments.chunk, u64::MAX)?;
    let table = read_table(&arguments.table)?;
    let grid = MeasuredGrid::new(&table).map_err(|error| of_table(&arguments.table, error))?;
    let space = TaskSpace::new(ranges::of_arguments(&arguments.range, &table)?)?;
    let times = interpolate(&grid, &space).map_err(|error| of_table(&arguments.table, error))?;
    let check = match &arguments.check {
        None => None,
        Some(path) => {
            let sample = read_table(path)?;
            let checked = check_sample(&sample, &space, &times);
            Some(checked.map_err(|error| of_table(path, error))?)
        }
    };
    let mut study = TaskStudy {
        table: arguments.table.display().to_string(),
        platform: String::new(),
        model: String::new(),
        ranges: space.ranges().to_vec(),
        tasks: space.count(),
        measured: grid.len() as u64,
        measured_time: Time::from_seconds(grid.seconds()),
        total: times.iter().copied().sum(),
        check,
        varies: [ranks.len(), masters.len(), chunks.len()].map(|count| count > 1),
        estimates: Vec::new(),
        warnings: Vec::new(),
    };
    if check.is_none() && study.measured < study.tasks {
        study.warn(
            "the error of the interpolation is unknown: measure a random sample of tasks (--sample 256 prints one) and give its \
             times with --check",
        );
    }
    let platform_arguments = platform_arguments(arguments);
    for &ranks in &ranks {
        let ranks = u32::try_from(ranks)?;
        // The placement of ranks depends on their number.
        let target = platform::resolve(&platform_arguments, ranks)?;
        study.platform = target.name().into();
        for &masters in &masters {
            for &chunk in &chunks {
                let program = MasterWorker {
                    ranks,
                    masters: u32::try_from(masters)?,
                    tasks_per_message: chunk,
                    assignment: arguments.assignment_bytes,
                    result: arguments.result_bytes,
                };
                let model = arguments.model.as_deref();
                let simulation = Simulation::new(&program, study.tasks, &target, model)?;
                study.model = simulation.model().into();
                for warning in simulation.warnings() {
                    study.warn(warning);
                }
                study.estimates.push(TaskEstimate::new(
                    &program,
                    &simulation,
                    &times,
                    check.as_ref(),
                ));
            }
        }
    }
    if let Some(note) = platform::default_platform_note(&platform_arguments) {
        study.warn(&note);
    }
    study.mark_fastest();
    Ok(study)
}

/// The target in the form that other commands use. Draws are not used: task times have no distribution.
fn platform_arguments(arguments: &TasksArgs) -> PlatformArgs {
    PlatformArgs {
        platform: arguments.platform.clone(),
        comm: arguments.comm.clone(),
        scale: arguments.scale,
        model: arguments.model.clone(),
        draws: 0,
        seed: arguments.seed,
    }
}
