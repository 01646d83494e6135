//! `mpiete record`: runs the program probe, or any MPI binary, and writes program data.

use crate::args::RecordArgs;
use crate::compile::{self, Compiler};
use crate::failure::{FailedAfterCut, FailsOnAllRanks, ProgramFailed, RanksNotSeparable};
use crate::input::ProgramInput;
use crate::study::{self, Probe, Study};
use crate::study_lock::StudyLock;
use crate::symbolization::Objects;
use crate::view::numbers;
use crate::{
    assumption_check, clock_dependence, files, library, origin, section, slice_share,
    symbolization, workdir,
};
use anyhow::{Result, bail};
use base_data::Time;
use base_data::block_table::BlockTable;
use base_data::program_data::{ProgramData, RecordMethod};
use base_data::provenance::Provenance;
use base_data::rank_recording::{ConditionCount, RankRecording};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use token_runtime::host::{
    self, Input, Launch, MeasureSettings, Mode, Output, Recording, RunError, TemporaryFolder,
};
use token_runtime::virtual_recording::{self, ValidationLevel, VirtualError};

/// Program data, and the cost of recording them.
pub struct RecordedProgram {
    /// The data.
    pub data: ProgramData,
    /// Processor time of all ranks.
    pub cpu: Time,
    /// Of it, outside MPI.
    outside_mpi: Time,
    /// For ranks recorded one by one: the number of recorded ranks from which the others are derived, and the check.
    sampled: Option<String>,
    /// Outcomes of assumed conditions, by rank.
    pub conditions: Vec<Vec<ConditionCount>>,
}

/// Records a study or a binary.
pub fn record(arguments: &RecordArgs) -> Result<()> {
    let default = || match &arguments.study {
        Some(folder) => study::program_data(folder, arguments.ranks),
        None => PathBuf::from(format!("program-n{}.mpiete", arguments.ranks)),
    };
    let output = arguments.output.clone().unwrap_or_else(default);
    let _lock = match &arguments.study {
        Some(folder) => Some(StudyLock::shared(folder)?),
        None => None,
    };
    let recorded = match &arguments.study {
        Some(folder) => {
            let study = study::read(folder)?;
            report!("{}", slice_share::sentence(&study));
            let input = ProgramInput::read(&arguments.input)?;
            // Before the run: hours of recording must not end in a folder that is missing.
            files::check_output(&output)?;
            if arguments.virtual_ranks {
                record_virtual(folder, &study, arguments.ranks, &input)?
            } else {
                program_probe(folder, &study, arguments, &input)?
            }
        }
        None => {
            files::check_output(&output)?;
            binary(arguments)?
        }
    };
    let data = &recorded.data;
    files::write(&output, data)?;
    if let Some(note) = data.clock_note() {
        files::print_line(note)?;
    }
    let stored: usize = data.classes.iter().map(|class| class.stream.len()).sum();
    let ranks = numbers::ranks(data.ranks);
    let classes = numbers::counted(data.classes.len() as u64, "rank class", "rank classes");
    files::print_line(format!(
        "{ranks}, {classes}, {stored} stream entries{}; {:.3} s of processor time, {:.3} s outside MPI; written to {}",
        recorded.sampled.as_deref().unwrap_or_default(),
        recorded.cpu.seconds(),
        recorded.outside_mpi.seconds(),
        output.display()
    ))?;
    Ok(())
}

/// Program data of a probe of a study.
pub fn study_probe(
    folder: &Path,
    study: &Study,
    probe: Probe,
    ranks: u32,
    input: &ProgramInput,
) -> Result<RecordedProgram> {
    let method = if probe == Probe::Program {
        RecordMethod::Sliced
    } else {
        RecordMethod::Unsliced
    };
    recorded_probe(
        folder,
        study,
        probe,
        ProbeRun {
            ranks,
            method,
            keep: None,
            spawn: false,
        },
        input,
    )
}

/// How a probe is recorded.
struct ProbeRun {
    ranks: u32,
    method: RecordMethod,
    keep: Option<PathBuf>,
    spawn: bool,
}

/// Program data of the program probe, with ranks started as the arguments request.
fn program_probe(
    folder: &Path,
    study: &Study,
    arguments: &RecordArgs,
    input: &ProgramInput,
) -> Result<RecordedProgram> {
    let how = ProbeRun {
        ranks: arguments.ranks,
        method: RecordMethod::Sliced,
        keep: None,
        spawn: arguments.spawn,
    };
    recorded_probe(folder, study, Probe::Program, how, input)
}

/// Program data of the program probe, which logs the messages that its call sequence depends on in the folder `keep`.
///
/// # Errors
/// [`FailsOnAllRanks`] where the program fails.
pub fn record_with_log(
    folder: &Path,
    study: &Study,
    ranks: u32,
    input: &ProgramInput,
    keep: &Path,
) -> Result<RecordedProgram> {
    let how = ProbeRun {
        ranks,
        method: RecordMethod::Sliced,
        keep: Some(keep.to_path_buf()),
        spawn: false,
    };
    recorded_probe(folder, study, Probe::Program, how, input).map_err(|error| {
        match error.downcast() {
            // A failure of all ranks together with real data: the caller must not try to run them
            // differently.
            Ok(ProgramFailed(text)) => FailsOnAllRanks(text).into(),
            Err(error) => error,
        }
    })
}

/// Program data of the program probe whose ranks run one by one, or together if they are not separable.
fn record_virtual(
    folder: &Path,
    study: &Study,
    ranks: u32,
    input: &ProgramInput,
) -> Result<RecordedProgram> {
    match virtual_data(folder, study, ranks, input) {
        Err(error) if error.is::<RanksNotSeparable>() => {
            report!(
                "mpiete: the ranks run together, since they cannot be recorded one by one: \
                {error}"
            );
            study_probe(folder, study, Probe::Program, ranks, input)
        }
        recorded => recorded,
    }
}

fn virtual_data(
    folder: &Path,
    study: &Study,
    ranks: u32,
    input: &ProgramInput,
) -> Result<RecordedProgram> {
    let compiler = Compiler::find(study)?;
    let program = compile::binary(folder, study, Probe::Program, &compiler)?;
    let work = workdir::copy(input.workdir.as_deref())?;
    let run_settings = RunSettings {
        mode: Mode::Record,
        ..RunSettings::default()
    };
    let launch = Launch {
        solo: true,
        ..launch(
            &program,
            ranks,
            run_settings,
            Some(&study.table),
            input,
            &work,
        )?
    };
    let provenance = provenance(study, &compiler, ranks, input, "recorded rank by rank");
    let left = virtual_recording::record(
        &launch,
        study.table.clone(),
        provenance,
        ValidationLevel::default(),
    );
    let left = left.map_err(|error| match error {
        VirtualError::Run(error) => failure(error),
        VirtualError::Merge(error) => section::merge_error(error, study),
    })?;
    let sampled = left.checked.map(|checked| {
        format!(
            ", derived from {} ranks, {checked} of them chosen at random as a check",
            left.run.len()
        )
    });
    let mut recorded = RecordedProgram {
        sampled,
        ..recorded(&left.run, left.data, study.external_clock)
    };
    study.complete(&mut recorded.data, &recorded.conditions)?;
    Ok(recorded)
}

fn provenance(
    study: &Study,
    compiler: &Compiler,
    ranks: u32,
    input: &ProgramInput,
    method: &str,
) -> Provenance {
    Provenance {
        ranks,
        input: Some(input.digest()),
        arguments: input.arguments.clone(),
        compiler: compiler.version.clone(),
        flags: compiler.flags(),
        method: section::with_reason(method, &study.section_reason),
        ..study.provenance()
    }
}

fn recorded_probe(
    folder: &Path,
    study: &Study,
    probe: Probe,
    ProbeRun {
        ranks,
        method,
        keep,
        spawn,
    }: ProbeRun,
    input: &ProgramInput,
) -> Result<RecordedProgram> {
    let compiler = Compiler::find(study)?;
    let program = compile::binary(folder, study, probe, &compiler)?;
    let run_settings = RunSettings {
        mode: Mode::Record,
        keep,
        spawn,
        ..RunSettings::default()
    };
    let recording = start(&program, ranks, run_settings, Some(&study.table), input);
    let recording = recording.map_err(|error| match probe {
        // Only the slice runs under assumptions.
        Probe::Program => assumption_check::with_suspects(error, study),
        Probe::Compute | Probe::Reference | Probe::Observed | Probe::Plain | Probe::Profile => {
            error
        }
    })?;
    let provenance = provenance(
        study,
        &compiler,
        ranks,
        input,
        "recorded under the token runtime",
    );
    let merged = merge(
        recording,
        study.table.clone(),
        provenance,
        method,
        study.external_clock,
    );
    // The study knows the section's lines; the merge knows only that its marks do not match.
    let mut recorded = merged.map_err(|error| match error.downcast() {
        Ok(error) => section::merge_error(error, study),
        Err(error) => error,
    })?;
    study.complete(&mut recorded.data, &recorded.conditions)?;
    Ok(recorded)
}

fn binary(arguments: &RecordArgs) -> Result<RecordedProgram> {
    let mut input = ProgramInput::read(&arguments.input)?;
    if input.arguments.is_empty() {
        bail!(
            "nothing to record: name a study, or a binary after `--`: mpiete record -n {} -- ./program",
            arguments.ranks
        );
    }
    let program = input.arguments.remove(0);
    let path = find_runnable(&program)?;
    let run_settings = RunSettings {
        mode: Mode::Record,
        spawn: arguments.spawn,
        ..RunSettings::default()
    };
    let recording = start(&path, arguments.ranks, run_settings, None, &input)?;
    // A user may name the compiled probe itself. Its marks have no meaning without the study's block
    // table.
    if recording.ranks.iter().any(|rank| !rank.variants.is_empty()) {
        bail!(
            "{program} is a probe: its blocks are defined in its study; record it with `mpiete \
            record STUDY`"
        );
    }
    let provenance = Provenance {
        program,
        ranks: arguments.ranks,
        input: Some(input.digest()),
        arguments: input.arguments.clone(),
        method: "recorded whole under the token runtime".into(),
        ..origin::now()
    };
    merge(
        recording,
        BlockTable::default(),
        provenance,
        RecordMethod::Unsliced,
        // Where nothing is analysed, all code is other code.
        false,
    )
}

fn merge(
    recording: Recording,
    table: BlockTable,
    provenance: Provenance,
    method: RecordMethod,
    external_clock: bool,
) -> Result<RecordedProgram> {
    let ranks: Vec<RankRecording> = recording
        .ranks
        .iter()
        .map(virtual_recording::without_stream)
        .collect();
    let data = token_runtime::classes::merge_program(recording.ranks, table, provenance, method)?;
    Ok(recorded(&ranks, data, external_clock))
}

/// Data, completed with symbols and the totals of the recorded ranks. `external_clock` as in [`Study::external_clock`].
fn recorded(
    ranks: &[RankRecording],
    mut data: ProgramData,
    external_clock: bool,
) -> RecordedProgram {
    symbolization::resolve(&mut data.table, &Objects::of(ranks));
    data.time_dependent.extend(clock_dependence::external_place(
        ranks,
        &data,
        external_clock,
    ));
    RecordedProgram {
        data,
        cpu: ranks.iter().map(|rank| rank.cpu).sum(),
        outside_mpi: ranks.iter().map(|rank| rank.outside_mpi).sum(),
        sampled: None,
        conditions: ranks.iter().map(|rank| rank.conditions.clone()).collect(),
    }
}

/// A program as a shell finds it: by path, or by name in PATH.
pub fn find_program(name: &str) -> Result<PathBuf> {
    let direct = PathBuf::from(name);
    if name.contains('/') || direct.is_file() {
        if direct.is_file() {
            return Ok(std::path::absolute(direct)?);
        }
        if direct.is_dir() {
            bail!("{name} is a folder; give the path of an executable");
        }
        bail!("{name} does not exist; give the path of an executable");
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        let candidate = folder.join(name);
        if candidate.is_file() {
            return Ok(candidate);
        }
    }
    bail!("{name} was found neither here nor in PATH; give the path of an executable")
}

/// Purpose and limits of a run.
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    /// Recording or measuring.
    pub mode: Mode,
    /// Stopping rule of block measurements.
    pub measure: MeasureSettings,
    /// Whether each rank starts as a separate process.
    pub spawn: bool,
    /// Time limit.
    pub limit: Option<Duration>,
    /// Folder of the message log that the run writes.
    pub keep: Option<PathBuf>,
    /// Folder of the replay input of a solo rank.
    pub feed: Option<PathBuf>,
    /// Flag that ends the run once true; by default that of an interrupt by the user.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Like [`find_program`], for a program that will run on mpiete's MPI library.
pub fn find_runnable(name: &str) -> Result<PathBuf> {
    let path = find_program(name)?;
    // Checked here because the ranks could only report that exec failed, once each.
    if path.metadata()?.permissions().mode() & 0o111 == 0 {
        bail!(
            "{0} is not executable; give the path of a program, or make it one with chmod +x {0}",
            path.display()
        );
    }
    // Open MPI's handles are pointers and MPICH's are integers: the binary interfaces differ, and
    // the program would crash in its first call.
    if symbolization::links_library(&path, "libmpi.so.40") {
        bail!(
            "{} was linked with Open MPI; link it with an MPI of the MPICH family (mpicc.mpich, mpif90.mpich), or with the headers and library that `mpiete prepare` writes",
            path.display()
        );
    }
    if symbolization::links_mpi_statically(&path) {
        bail!(
            "{} was linked with its MPI statically, so mpiete cannot replace it; link it with the \
            shared library (leave out -static, and libmpi.a or libmpich.a)",
            path.display()
        );
    }
    Ok(path)
}

/// Runs a probe in a copied work folder; its output is not shown.
pub fn start(
    program: &Path,
    ranks: u32,
    run_settings: RunSettings,
    table: Option<&BlockTable>,
    input: &ProgramInput,
) -> Result<Recording> {
    let work = workdir::copy(input.workdir.as_deref())?;
    run(&launch(program, ranks, run_settings, table, input, &work)?)
}

/// A run in a folder of its own; its output is not shown.
pub fn launch<'a>(
    program: &Path,
    ranks: u32,
    run_settings: RunSettings,
    table: Option<&'a BlockTable>,
    input: &ProgramInput,
    work: &TemporaryFolder,
) -> Result<Launch<'a>> {
    launch_in(program, ranks, run_settings, table, input, work.path())
}

/// A run in this folder; its output is not shown.
pub fn launch_in<'a>(
    program: &Path,
    ranks: u32,
    run_settings: RunSettings,
    table: Option<&'a BlockTable>,
    input: &ProgramInput,
    work: &Path,
) -> Result<Launch<'a>> {
    Ok(Launch {
        program: program.to_path_buf(),
        arguments: input.arguments.clone(),
        ranks,
        mode: run_settings.mode,
        spawn: run_settings.spawn,
        measure: run_settings.measure,
        limit: run_settings.limit,
        message_log: run_settings.keep,
        replay_input: run_settings.feed,
        library: library::path()?,
        work_dir: work.to_path_buf(),
        input: input.stdin.clone().map_or(Input::Null, Input::Bytes),
        output: Output::Discard,
        environment: Vec::new(),
        table,
        line: Some(symbolization::line),
        interrupt: Some(run_settings.stop.map_or_else(crate::interrupt::flag, Ok)?),
        ..Launch::default()
    })
}

/// Runs the program. A failure of the program and bad input are different errors.
pub fn run(launch: &Launch) -> Result<Recording> {
    let recording = host::run(launch).map_err(failure)?;
    for warning in &recording.warnings {
        report_once!("mpiete: {warning}");
    }
    Ok(recording)
}

/// Converts the error of a run into a failure of the program (exit code 1) or bad input (exit code 2).
pub fn failure(error: RunError) -> anyhow::Error {
    match error {
        RunError::Program(text) => ProgramFailed(text).into(),
        RunError::CutShort(text) => FailedAfterCut(text).into(),
        RunError::NeedsOtherRanks(text) => RanksNotSeparable(text).into(),
        RunError::Setup(text) => anyhow::anyhow!(text),
        RunError::Interrupted => ProgramFailed(RunError::Interrupted.to_string()).into(),
        error @ RunError::OutOfTime(_) => error.into(),
    }
}
