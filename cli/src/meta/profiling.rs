//! Values of profiling directives: the program is copied with code that measures them, compiled and run, and the accumulators of
//! its ranks are read.

use super::c_profiling::{self, CProgram};
use crate::args::{MetaArgs, ProfilingArgs};
use crate::build::{self, Language, command_line};
use crate::compile::{self, Compiler, OPENMP};
use crate::failure::ProgramFailed;
use crate::input::ProgramInput;
use crate::project::{self, Project};
use crate::record::{self, RunSettings};
use crate::study::Probe;
use crate::view::numbers;
use crate::{files, predict, prepare, workdir};
use ::meta::profile::{Clock, Profile, Sample, text_of};
use ::meta::syntax::{self, Directive};
use ::meta::{Arguments, MetaProgram};
use anyhow::{Context, Result, anyhow, bail};
use base_data::profiling::{Quantity, Reduction};
use instrumenter::c_profile;
use instrumenter::plan::profile::{self as plan, LoopKind, ProfileClock, Step};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use token_runtime::host::{Mode, TemporaryFolder};

/// The profile that the arguments request: of a run, or of a file.
pub(super) fn profile(
    arguments: &MetaArgs,
    program: &MetaProgram,
    values: &Arguments,
) -> Result<Option<Profile>> {
    let given = &arguments.profiling;
    if let Some(path) = &given.profile_from {
        let bytes = files::read_bytes(path)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| anyhow!("{} is no profile: it is no text", path.display()))?;
        let profile =
            Profile::from_text(&text).map_err(|reason| anyhow!("{}: {reason}", path.display()))?;
        return Ok(Some(profile));
    }
    if !given.is_run() {
        for (is_given, option) in [
            (given.profile_output.is_some(), "--profile-output"),
            (given.launch.is_some(), "--launch"),
            (!given.input.arguments.is_empty(), "arguments after --"),
        ] {
            if is_given {
                bail!("{option} has no effect without a program to profile; add --profile PROJECT");
            }
        }
        return Ok(None);
    }
    if let Some(path) = &given.profile_output {
        files::check_text_output(path)?;
    }
    let profile = run(arguments, program, values)?;
    if let Some(path) = &given.profile_output {
        files::write_text(Some(path), &profile.to_text())?;
    }
    Ok(Some(profile))
}

/// What a user must know of the values: notes for the report.
pub(super) fn notes(program: &MetaProgram, profile: &Profile, ranks: u32) -> Vec<String> {
    let mut notes = Vec::new();
    let run = numbers::ranks(profile.ranks);
    if ranks != profile.ranks {
        notes.push(format!(
            "the values of directives are those of all ranks together, since they were measured on {run}; profile with \
             -n {ranks} for the values of each rank"
        ));
    }
    for (directive, _) in program.directives() {
        let name = text_of(directive);
        let Some(samples) = profile.directives.get(&name) else {
            continue;
        };
        if samples.is_empty() {
            notes.push(format!(
                "{name} has no value: its place was reached on none of {run}"
            ));
            continue;
        }
        // The first value alone stands for all of them.
        let varies =
            |sample: &&Sample| sample.range.is_some_and(|(least, largest)| least < largest);
        if let Some(sample) = samples.values().find(varies)
            && let Some((least, largest)) = sample.range
        {
            notes.push(format!(
                "{name} is the first of {} values from {} to {}; averageOf, maxOf or minOf takes all of them",
                sample.executions,
                short(least),
                short(largest)
            ));
        }
    }
    notes
}

/// A number in few digits.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 {
        format!("{value}")
    } else {
        format!("{value:.4e}")
    }
}

/// Profiles the program.
fn run(arguments: &MetaArgs, program: &MetaProgram, values: &Arguments) -> Result<Profile> {
    let given = &arguments.profiling;
    let directives = program.directives();
    if directives.is_empty() {
        bail!(
            "the meta-program has no directive to measure; leave out --profile, or write one such as \
             getTime.averageOf(FUNCTION)"
        );
    }
    let ranks = arguments.ranks.or_else(|| program.parallel_ranks(values));
    if ranks.is_none() && given.launch.is_none() {
        bail!(
            "the profiled program needs a number of ranks, which is not known before the PARALLEL; give it with -n N"
        );
    }
    let input = ProgramInput::read(&given.input)?;
    predict::report_progress("analyzing");
    let folder = TemporaryFolder::create("profile-").context("nothing was run")?;
    let values = folder.path().join("values");
    std::fs::create_dir(&values).with_context(|| format!("{} cannot be made", values.display()))?;
    let clock = match given.launch {
        // Ranks that share a processing unit wait for each other; ranks of a real MPI may wait by polling.
        None => ProfileClock::Processor,
        Some(_) => ProfileClock::Elapsed,
    };
    let preparation = Preparation {
        given,
        program,
        directives: &directives,
        folder: folder.path(),
        values: &values.to_string_lossy(),
        clock,
    };
    let (name, binary) = preparation.binary()?;
    predict::report_progress("profiling");
    match &given.launch {
        None => {
            let ranks = ranks.unwrap_or(1);
            let settings = RunSettings {
                mode: Mode::Token,
                // The processor time of a forked rank does not begin where the program does.
                spawn: measures_time(&directives),
                ..RunSettings::default()
            };
            record::start(&binary, ranks, settings, None, &input)?;
        }
        Some(command) => launch(command, &binary, &input)?,
    }
    let profile = collect(&values, &name, clock, &directives)?;
    if let Some(ranks) = arguments.ranks
        && ranks != profile.ranks
    {
        bail!(
            "--launch started {}, but -n is {ranks}; use one number",
            numbers::ranks(profile.ranks)
        );
    }
    Ok(profile)
}

fn measures_time(directives: &[(&Directive, ::meta::Span)]) -> bool {
    directives
        .iter()
        .any(|(one, _)| one.quantity == Quantity::Time)
}

/// The compilation of a profiled program.
struct Preparation<'a> {
    given: &'a ProfilingArgs,
    program: &'a MetaProgram,
    directives: &'a [(&'a Directive, ::meta::Span)],
    folder: &'a Path,
    /// Folder that ranks write their values to.
    values: &'a str,
    clock: ProfileClock,
}

impl Preparation<'_> {
    /// Name and path of the compiled program.
    fn binary(&self) -> Result<(String, PathBuf)> {
        let given = self.given;
        let include = self.folder.join("include");
        let program = match &given.from_build {
            None => match c_profiling::named_sources(&given.profile)? {
                None => return self.fortran(project::load(&given.project())?),
                Some(paths) => {
                    self.write_headers(&include)?;
                    CProgram::of_sources(&paths, given, &include)?
                }
            },
            Some(command) => {
                let named = given.program.as_deref();
                let built = build::run_of(command, named, &[Language::Fortran, Language::C])?;
                if built.calls_mpi_from(&[Language::Fortran]) {
                    return self.fortran(project::load_built(&given.project(), built)?);
                }
                self.write_headers(&include)?;
                CProgram::of_build(built, given)?
            }
        };
        let directives: Vec<plan::Directive> = self.requests(&|name| name.to_string());
        let profiled = c_profile::profiled(&program.files, &directives);
        let profiled = profiled.map_err(|refusal| self.refused(refusal))?;
        self.warn_of_threads(program.has_threads());
        let library = profiled.library(self.values, self.clock);
        let binary = program.compile(&profiled, &library, &include, self.folder)?;
        Ok((program.name, binary))
    }

    fn write_headers(&self, include: &Path) -> Result<()> {
        std::fs::create_dir_all(include)
            .with_context(|| format!("{} cannot be made", include.display()))?;
        for (name, text) in token_runtime::headers::ALL {
            files::write_bytes(&include.join(name), text.as_bytes())?;
        }
        Ok(())
    }

    fn fortran(&self, project: Project) -> Result<(String, PathBuf)> {
        // Names of Fortran have no case.
        let directives = self.requests(&str::to_ascii_lowercase);
        let profiled = plan::profiled(&project.sources, &project.analysis, &directives);
        let profiled = profiled.map_err(|refusal| self.refused(refusal))?;
        let library = profiled.library(self.values, self.clock);
        let study = prepare::write_profiled(&project, &profiled.plan, Some(&library), self.folder)?;
        let mut flags = command_line::split(&std::env::var("FFLAGS").unwrap_or_default());
        if let Some(recorded) = &project.recorded {
            flags.extend(recorded.flags.iter().flatten().cloned());
        }
        self.warn_of_threads(flags.iter().any(|flag| OPENMP.contains(&flag.as_str())));
        let compiler = Compiler::find(&study)?;
        let binary = match &self.given.launch {
            None => compile::binary(self.folder, &study, Probe::Profile, &compiler)?,
            Some(_) => {
                let wrapper = compiler.wrapper();
                compile::foreign_binary(self.folder, &study, Probe::Profile, &wrapper)?
            }
        };
        Ok((study.name, binary))
    }

    /// The directives as the instrumenter understands them; `spelled` is a name as the language compares it.
    fn requests(&self, spelled: &dyn Fn(&str) -> String) -> Vec<plan::Directive> {
        let directives = self.directives.iter();
        directives.map(|(one, _)| request(one, spelled)).collect()
    }

    /// The error at the place of a directive that cannot be measured.
    fn refused(&self, refusal: plan::Refusal) -> ::meta::MetaError {
        let (directive, span) = self.directives[refusal.directive];
        let step = directive.path.get(refusal.step).map(|step| step.span);
        self.program.error(step.unwrap_or(span), refusal.message)
    }

    fn warn_of_threads(&self, has_threads: bool) {
        if has_threads && measures_time(self.directives) {
            report!(
                "mpiete: times of directives are those of one thread: the profiled program is compiled without OpenMP"
            );
        }
    }
}

/// Runs the program with the user's launch command.
fn launch(command: &str, binary: &Path, input: &ProgramInput) -> Result<()> {
    let words = command_line::split(command);
    let Some((launcher, options)) = words.split_first() else {
        bail!("--launch is empty; write a command such as --launch 'mpirun -n 4'");
    };
    let work = workdir::copy(input.workdir.as_deref())?;
    let mut process = Command::new(launcher);
    process
        .args(options)
        .arg(binary)
        .args(&input.arguments)
        .current_dir(work.path());
    let stdin = match &input.stdin {
        None => std::process::Stdio::null(),
        Some(bytes) => {
            let path = work.path().join(".mpiete-input");
            files::write_bytes(&path, bytes)?;
            std::fs::File::open(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?
                .into()
        }
    };
    let output = process
        .stdin(stdin)
        .output()
        .with_context(|| format!("'{launcher}' cannot be started; correct --launch"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(ProgramFailed(format!(
        "'{command}' failed: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr).trim_end()
    ))
    .into())
}

/// Reads what the ranks wrote.
fn collect(
    folder: &Path,
    name: &str,
    clock: ProfileClock,
    directives: &[(&Directive, ::meta::Span)],
) -> Result<Profile> {
    let mut profile = Profile {
        program: name.into(),
        ranks: 0,
        clock: match clock {
            ProfileClock::Processor => Clock::Processor,
            ProfileClock::Elapsed => Clock::Elapsed,
        },
        directives: BTreeMap::new(),
    };
    let mut uncertain = UncertainTimes::default();
    let mut rank = 0;
    while rank == 0 || rank < profile.ranks {
        let path = folder.join(rank.to_string());
        let text = std::fs::read_to_string(&path).map_err(|_| {
            anyhow!(
                "rank {rank} of the profiled program wrote no values: it ended without MPI_Finalize, or its computer does not \
                 share the folder {}",
                folder.display()
            )
        })?;
        let values = RankValues::read(&text, directives.len()).with_context(|| {
            format!("rank {rank} of the profiled program wrote incomplete values; profile again")
        })?;
        profile.ranks = values.ranks;
        uncertain.add(directives, &values);
        for ((directive, _), accumulator) in directives.iter().zip(values.accumulators) {
            let samples = profile.directives.entry(text_of(directive)).or_default();
            if let Some(sample) = sample(directive, accumulator) {
                samples.insert(rank, sample);
            }
        }
        rank += 1;
    }
    uncertain.warn();
    Ok(profile)
}

/// Share by which the time of a reading of the clock may be off. In a program, caches and branch predictors are in another state
/// than in a loop of readings: of 400,000 readings around a procedure of 23 ns, two thirds of the time were subtracted.
const READING_UNCERTAINTY: f64 = 0.5;

/// Largest share by which readings may change a time without a warning.
const LARGEST_READING_SHARE: f64 = 0.01;

/// Times that are short beside the readings of the clock that they may contain.
#[derive(Default)]
struct UncertainTimes {
    /// By the text of a directive: the largest share on any rank, and how often the clock was read there.
    shares: BTreeMap<String, (f64, f64)>,
}

impl UncertainTimes {
    fn add(&mut self, directives: &[(&Directive, ::meta::Span)], values: &RankValues) {
        let times = || {
            let all = directives.iter().zip(&values.accumulators);
            all.filter(|((one, _), _)| one.quantity == Quantity::Time)
        };
        // A time contains one reading of its own, and may contain both of each execution of another directive.
        let all: f64 = times().map(|(_, [count, ..])| 2.0 * count).sum();
        for ((directive, _), &[count, result, ..]) in times() {
            let total = match directive.reduction {
                Reduction::Average => result,
                // Of one execution, which stands for all of them.
                _ => result * count,
            };
            let readings = all - count;
            let share =
                READING_UNCERTAINTY * readings * values.reading / total.max(f64::MIN_POSITIVE);
            if count > 0.0 && share > LARGEST_READING_SHARE {
                let largest = self.shares.entry(text_of(directive)).or_default();
                if share > largest.0 {
                    *largest = (share, readings);
                }
            }
        }
    }

    fn warn(&self) {
        for (name, (share, readings)) in &self.shares {
            report!(
                "mpiete: warning: the value of {name} may be off by {}: directives read the clock up to {readings} times while it \
                 was measured; measure a longer block, or without the other directives",
                if *share >= 1.0 {
                    "more than its size".to_string()
                } else {
                    format!("{:.0} %", 100.0 * share)
                }
            );
        }
    }
}

/// What a rank wrote.
struct RankValues {
    ranks: u32,
    /// Time of a reading of the clock, in nanoseconds: times do not contain it.
    reading: f64,
    /// Number of values, result, least and largest value.
    accumulators: Vec<[f64; 4]>,
}

impl RankValues {
    fn read(text: &str, directives: usize) -> Option<Self> {
        let mut lines = text.lines();
        let mut words = lines.next()?.split_whitespace();
        let ranks = words.next()?.parse().ok()?;
        if words.next()?.parse() != Ok(directives) {
            return None;
        }
        let reading = words.next()?.parse().ok()?;
        let mut accumulators = Vec::new();
        for line in lines {
            let numbers = line.split_whitespace().map(str::parse);
            let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().ok()?;
            accumulators.push(numbers.try_into().ok()?);
        }
        if accumulators.len() != directives {
            return None;
        }
        Some(Self {
            ranks,
            reading,
            accumulators,
        })
    }
}

/// The value of a directive on a rank; `None` where its place was not reached.
fn sample(directive: &Directive, [count, result, least, largest]: [f64; 4]) -> Option<Sample> {
    if count < 1.0 {
        return None;
    }
    // The time of a reading is known so well that a short time may be less than nothing.
    let corrected = |value: f64| match directive.quantity {
        Quantity::Time => value.max(0.0),
        Quantity::Variable | Quantity::Message => value,
    };
    let value = match directive.reduction {
        Reduction::Average => result / count,
        _ => result,
    };
    let range = match directive.reduction {
        Reduction::Of => Some((corrected(least), corrected(largest))),
        _ => None,
    };
    Some(Sample {
        executions: count as u64,
        value: corrected(value),
        range,
    })
}

/// A directive as the instrumenter understands it.
fn request(directive: &Directive, spelled: &dyn Fn(&str) -> String) -> plan::Directive {
    let step = |step: &syntax::PathStep| Step {
        function: spelled(&step.function),
        block: step.block_count,
        kind: step.block_name.as_deref().map(|name| match name {
            "while" => LoopKind::While,
            "do" => LoopKind::Do,
            _ => LoopKind::For,
        }),
        position: step.position,
        variable: step.variable_name.as_deref().map(spelled),
    };
    plan::Directive {
        quantity: directive.quantity,
        reduction: directive.reduction,
        path: directive.path.iter().map(step).collect(),
    }
}
