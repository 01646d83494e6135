//! `mpiete emulate`: runs a program in virtual time on a described platform, and estimates the run that it makes there.

mod sampled;
mod sliced;

use crate::args::{EmulateArgs, Format, PlatformArgs};
use crate::input::ProgramInput;
use crate::study::{self, Study};
use crate::symbolization::Objects;
use crate::{
    clock_dependence, estimate, files, origin, platform, record, symbolization, trip_counts,
    workdir,
};
use anyhow::{Context, Result, anyhow, bail};
use base_data::Time;
use base_data::block_table::BlockTable;
use base_data::emulation::{Engine, TaskCall};
use base_data::estimate_file::Estimate;
use base_data::observation::{Observation, ObservedRank, ProcessorTime, Stretch};
use base_data::program_data::{RecordMethod, Variant};
use base_data::provenance::Provenance;
use estimator::emulation::Emulation;
use estimator::import::of_observation;
use std::collections::BTreeSet;
use std::path::Path;
use token_runtime::emulation::{SAMPLED_TASKS, SLICED_BLOCKS};
use token_runtime::host::{self, Launch, Mode, Output, Recording, TemporaryFolder};

/// First line of a file of compute times.
const TIMES_HEADER: &str = "mpiete compute-times 1";
/// From this relative difference on, the replay of the emulated run is reported as another than the run.
const REPORTED_DIFFERENCE: f64 = 0.01;

/// A program to be emulated.
pub struct Subject<'a> {
    /// The executable.
    pub program: &'a Path,
    /// Its name in reports.
    pub name: &'a str,
    pub ranks: u32,
    pub platform: &'a PlatformArgs,
    pub input: &'a ProgramInput,
    /// Whether it runs in the current folder and prints there.
    pub in_place: bool,
    /// Whether each rank is started as a process of its own.
    pub spawn: bool,
    /// Compute times instead of measured ones, by rank.
    pub given: Option<&'a [Vec<Time>]>,
    /// File with what ranks do with calls of the sampled procedure.
    pub tasks: Option<&'a Path>,
    /// Of a slice: where it comes from, and the times of its blocks.
    pub slice: Option<Slice<'a>>,
}

/// A slice to be emulated.
#[derive(Clone, Copy)]
pub struct Slice<'a> {
    /// Its study.
    pub study: &'a Study,
    /// Folder with the times of its blocks, rank by rank.
    pub times: &'a Path,
}

/// An emulated run.
pub struct EmulatedRun {
    /// Its calls, with the times that its ranks computed on this computer.
    pub observation: Observation,
    /// When the last rank ended, in virtual time.
    pub end: Time,
    /// Own computation by rank, stretch by stretch.
    computed: Vec<Vec<Time>>,
    /// Calls of the sampled procedure on all ranks.
    tasks: Vec<TaskCall>,
    /// Blocks of a slice that no time was given for.
    untimed: BTreeSet<Variant>,
}

/// Emulates a program and prints the estimate of the run.
pub fn emulate(arguments: &EmulateArgs) -> Result<()> {
    for output in [&arguments.output, &arguments.save_run]
        .into_iter()
        .flatten()
    {
        // Before the run, whose result would otherwise be lost.
        files::check_output(output)?;
    }
    if let Some(output) = &arguments.save_times {
        files::check_text_output(output)?;
    }
    let mut input = ProgramInput::read(&arguments.input)?;
    if let Some(sample) = &arguments.sample {
        let mut sampled = sampled::run(arguments, sample, &input)?;
        let warnings = std::mem::take(&mut sampled.warnings);
        return finish(arguments, &sampled.run, warnings, |result| {
            sampled.widen(result)
        });
    }
    match &arguments.sources[..] {
        [] => {}
        [folder] if folder.join(study::MARKER).is_file() => {
            let sliced = sliced::run(arguments, folder, &input)?;
            return finish(arguments, &sliced.run, sliced.warnings, |_| {});
        }
        [first, ..] => bail!(
            "{} is no study, whose slice could be emulated: prepare one with `mpiete prepare`, name a program after `--`, or execute \
             some tasks of these sources with --sample",
            first.display()
        ),
    }
    if input.arguments.is_empty() {
        bail!(
            "nothing to emulate: name a program after `--`: mpiete emulate -n {} -- ./program",
            arguments.ranks
        );
    }
    let program = input.arguments.remove(0);
    let given = match &arguments.replay_times {
        Some(path) => Some(read_times(path, arguments.ranks)?),
        None => None,
    };
    let subject = Subject {
        program: &record::find_runnable(&program)?,
        name: &program,
        ranks: arguments.ranks,
        platform: &arguments.platform,
        input: &input,
        in_place: arguments.in_place,
        spawn: arguments.spawn,
        given: given.as_deref(),
        tasks: None,
        slice: None,
    };
    let run = run(&subject)?;
    let warnings = clock_dependence::real_clock_note(subject.program, subject.name);
    finish(arguments, &run, warnings.into_iter().collect(), |_| {})
}

/// Writes what the arguments request of a run, and prints its estimate, with further warnings and what else is known of its
/// interval.
fn finish(
    arguments: &EmulateArgs,
    run: &EmulatedRun,
    warnings: Vec<String>,
    widen: impl FnOnce(&mut Estimate),
) -> Result<()> {
    if let Some(path) = &arguments.save_times {
        files::write_text(Some(path), &times_text(&run.computed))?;
    }
    if let Some(path) = &arguments.save_run {
        files::write(path, &run.observation)?;
    }
    let is_written = arguments.output.is_some();
    let mut result = estimate_of(run, &arguments.platform, is_written, arguments.format)?;
    // In front: they concern the run itself, on which all others depend.
    result.warnings.splice(0..0, warnings);
    widen(&mut result);
    if let Some(path) = &arguments.output {
        files::write(path, &result)?;
    }
    estimate::print(&result, arguments.format, arguments.verbose.detail())
}

/// The estimate of an emulated run.
///
/// # Errors
/// A run that is too long to be replayed, and those of an estimate.
pub fn estimate_of(
    run: &EmulatedRun,
    platform: &PlatformArgs,
    is_written: bool,
    format: Format,
) -> Result<Estimate> {
    let imported = of_observation(&run.observation).map_err(|reason| anyhow!(reason))?;
    let mut result = estimate::combine_for(
        &imported.program,
        &[imported.compute],
        platform,
        is_written,
        format,
    )?;
    let ends = result.per_rank.iter().map(|rank| rank.end);
    let end = ends.max().unwrap_or_default();
    let difference = (end.seconds() - run.end.seconds()).abs();
    if difference > REPORTED_DIFFERENCE * run.end.seconds() {
        result.warnings.insert(
            0,
            format!(
                "the emulated run ended after {}, the replay of its calls after {end}: the replay waits where the program polled, \
                 and so starts rendezvous and nonblocking collectives earlier",
                run.end
            ),
        );
    }
    result.warnings.push(
        "the order of messages is that of one emulated run, and no interval includes runs with another order. \
         Emulate several times to see how far they differ."
            .into(),
    );
    Ok(result)
}

/// Emulates a program, and reports how.
///
/// # Errors
/// A platform or model that cannot be emulated, and a program that fails.
pub fn run(subject: &Subject<'_>) -> Result<EmulatedRun> {
    let (ranks, input) = (subject.ranks, subject.input);
    let target = platform::resolve(subject.platform, ranks)?;
    let mut engine = Emulation::new(&target, subject.platform.model.as_deref(), ranks)?;
    // Removed when this function returns.
    let copied = if subject.in_place {
        None
    } else {
        Some(workdir::copy(input.workdir.as_deref())?)
    };
    let work = copied
        .as_ref()
        .map_or(Path::new("."), TemporaryFolder::path);
    let settings = record::RunSettings {
        mode: Mode::Emulate,
        spawn: subject.spawn,
        ..record::RunSettings::default()
    };
    let mut environment = Vec::new();
    if let Some(tasks) = subject.tasks {
        let path = tasks.to_string_lossy().into_owned();
        environment.push((SAMPLED_TASKS.to_string(), path));
    }
    if let Some(slice) = subject.slice {
        let path = slice.times.to_string_lossy().into_owned();
        environment.push((SLICED_BLOCKS.to_string(), path));
    }
    let table = subject.slice.map(|slice| &slice.study.table);
    let launch = Launch {
        environment,
        given_times: subject.given,
        notice: Some(notice),
        output: if subject.in_place {
            Output::Inherit
        } else {
            Output::Discard
        },
        ..record::launch_in(subject.program, ranks, settings, table, input, work)?
    };
    let recording = host::emulate(&launch, &mut engine).map_err(record::failure)?;
    for warning in &recording.warnings {
        report_once!("mpiete: {warning}");
    }
    let known = match subject.slice {
        Some(slice) => slice.study.provenance(),
        None => origin::now(),
    };
    let provenance = Provenance {
        program: subject.name.into(),
        ranks,
        input: Some(input.digest()),
        arguments: input.arguments.clone(),
        method: format!(
            "emulated on platform '{}' under model '{}'",
            target.name(),
            engine.model()
        ),
        ..known
    };
    let nodes = (0..ranks).map(|rank| engine.node(rank)).collect();
    let study = subject.slice.map(|slice| slice.study);
    emulated(recording, provenance, engine.end(), nodes, study)
}

/// Prints what an emulated run reports.
fn notice(sentence: &str) {
    report_once!("mpiete: {sentence}");
}

fn emulated(
    recording: Recording,
    provenance: Provenance,
    end: Time,
    nodes: Vec<u32>,
    study: Option<&Study>,
) -> Result<EmulatedRun> {
    let conditions: Vec<_> = recording
        .ranks
        .iter()
        .map(|rank| rank.conditions.clone())
        .collect();
    let objects = Objects::of(&recording.ranks);
    let mut program = token_runtime::classes::merge_program(
        recording.ranks,
        study.map_or_else(BlockTable::default, |study| study.table.clone()),
        provenance,
        RecordMethod::Unsliced,
    )?;
    symbolization::resolve(&mut program.table, &objects);
    if let Some(study) = study {
        program.assumptions.clone_from(&study.assumptions);
        trip_counts::append_iteration_counts(&mut program.assumptions, &conditions);
        program.slice_share = Some(study.slice_share);
    }
    let (mut ranks, mut computed) = (Vec::new(), Vec::new());
    let mut failed_polls = 0;
    let (mut tasks, mut untimed) = (Vec::new(), BTreeSet::new());
    for (rank, node) in recording.emulated.into_iter().zip(nodes) {
        failed_polls += rank.failed_polls;
        ranks.push(ObservedRank {
            host: format!("node-{node}"),
            processor: processor_times(&rank.times.gaps),
            ..rank.times
        });
        computed.push(rank.computed);
        tasks.extend(rank.tasks);
        untimed.extend(rank.untimed);
    }
    let total: Time = computed.iter().flatten().copied().sum();
    report!(
        "mpiete: emulated {} ranks in {:.3} s; they computed {:.3} s in all, and ended after {end} of virtual time; {failed_polls} polls found nothing",
        ranks.len(),
        recording.wall.as_secs_f64(),
        total.seconds(),
    );
    Ok(EmulatedRun {
        observation: Observation {
            program,
            ranks,
            ..Observation::default()
        },
        end,
        computed,
        tasks,
        untimed,
    })
}

/// The virtual clock measures the processor's time, so unusually long computation is no interruption.
fn processor_times(gaps: &[Time]) -> Vec<ProcessorTime> {
    let mut times = Vec::new();
    for (entry, &time) in (0..).zip(gaps) {
        if time > Time::ZERO {
            times.push(ProcessorTime {
                entry,
                stretch: Stretch::Gap,
                time,
            });
        }
    }
    times
}

/// Compute times as text: a line for each rank, in picoseconds.
fn times_text(computed: &[Vec<Time>]) -> String {
    let mut text = format!("{TIMES_HEADER}\n");
    for times in computed {
        let words: Vec<String> = times
            .iter()
            .map(|time| time.picoseconds().to_string())
            .collect();
        text.push_str(&words.join(" "));
        text.push('\n');
    }
    text
}

fn read_times(path: &Path, ranks: u32) -> Result<Vec<Vec<Time>>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let mut lines = text.lines();
    if lines.next() != Some(TIMES_HEADER) {
        bail!(
            "{name} contains no compute times; name a file that `mpiete emulate --save-times` wrote"
        );
    }
    let mut all = Vec::new();
    for (number, line) in lines.enumerate() {
        let mut times = Vec::new();
        for word in line.split_whitespace() {
            match word.parse::<i64>() {
                Ok(picoseconds) if picoseconds >= 0 => {
                    times.push(Time::from_picoseconds(picoseconds))
                }
                // Line 1 is the header, and `enumerate` begins with 0.
                Ok(_) | Err(_) => bail!(
                    "{name}, line {}: '{word}' is no time; expected picoseconds",
                    number + 2
                ),
            }
        }
        all.push(times);
    }
    if all.len() != ranks as usize {
        bail!(
            "{name} contains the times of {} ranks, but -n is {ranks}; emulate with as many ranks",
            all.len()
        );
    }
    Ok(all)
}
