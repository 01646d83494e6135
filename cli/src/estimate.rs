//! `mpiete estimate`: combines base data into an estimate.

use crate::args::{EstimateArgs, Format, PlatformArgs};
use crate::base_files::{self, BaseFile};
use crate::study_lock::StudyLock;
use crate::{clock_dependence, files, origin, platform, study, view};
use anyhow::{Result, bail};
use base_data::compute_data::{ComputeData, Unit};
use base_data::estimate_file::Estimate;
use base_data::program_data::ProgramData;
use base_data::provenance::Provenance;
use estimator::{Inputs, Options};
use machine::Platform;
use std::path::{Path, PathBuf};
use view::estimate::Detail;

mod total;

/// Estimates from a study or from files.
pub fn estimate(arguments: &EstimateArgs) -> Result<()> {
    if arguments.total_only {
        return total::print(arguments);
    }
    let (program, compute, folder) = load_inputs(&arguments.files, arguments.ranks)?;
    let in_study = folder
        .as_ref()
        .map(|folder| study::estimate(folder, program.ranks));
    let output = arguments.output.clone().or(in_study);
    if let Some(path) = &output {
        // Before the replay, whose result would otherwise be lost.
        files::check_output(path)?;
    }
    let mut result = combine_for(
        &program,
        &compute,
        &arguments.platform,
        output.is_some(),
        arguments.format,
    )?;
    if let Some(folder) = &folder {
        result.warnings.extend(study::read(folder)?.unpredicted);
    }
    if let Some(path) = &output {
        files::write(path, &result)?;
    }
    print(&result, arguments.format, arguments.verbose.detail())
}

/// The estimate of these base data: in time on the platform that the arguments name, or in statements, for
/// which no platform is needed.
pub fn combine(
    program: &ProgramData,
    compute: &[ComputeData],
    arguments: &PlatformArgs,
) -> Result<Estimate> {
    combine_for(program, compute, arguments, true, Format::Json)
}

/// The same, without the timeline if neither the file nor the printed format contains it.
pub fn combine_for(
    program: &ProgramData,
    compute: &[ComputeData],
    arguments: &PlatformArgs,
    is_written: bool,
    format: Format,
) -> Result<Estimate> {
    let unit = compute.first().map_or(Unit::Time, |data| data.unit);
    if unit == Unit::Time {
        let platform = platform::resolve(arguments, program.ranks)?;
        return combine_on(&platform, program, compute, arguments, is_written, format);
    }
    if arguments.scale.is_some() {
        bail!("--scale is for times; these compute data count statements, which no PU changes");
    }
    let options = options(arguments, is_written, format);
    let inputs = Inputs { program, compute };
    let result = estimator::estimate_statements(&inputs, &options)?;
    Ok(completed(result, program))
}

/// The estimate of base data with times, on the platform that the arguments name.
pub fn combine_on(
    platform: &Platform,
    program: &ProgramData,
    compute: &[ComputeData],
    arguments: &PlatformArgs,
    is_written: bool,
    format: Format,
) -> Result<Estimate> {
    let options = options(arguments, is_written, format);
    let inputs = Inputs { program, compute };
    let mut result = estimator::estimate(&inputs, platform, &options)?;
    let note = platform::default_platform_note(arguments);
    result.warnings.extend(note);
    Ok(completed(result, program))
}

fn options(arguments: &PlatformArgs, is_written: bool, format: Format) -> Options {
    Options {
        model: arguments.model.clone(),
        draws: arguments.draws,
        seed: arguments.seed,
        // It may take more memory than all other results together.
        timeline: is_written || matches!(format, Format::Html | Format::Json),
        explain: true,
    }
}

/// With the warnings that do not depend on the platform, and today's provenance.
fn completed(mut result: Estimate, program: &ProgramData) -> Estimate {
    result.warnings.extend(view::assumptions::unknown_counts(
        &program.table,
        &program.assumptions,
    ));
    let now = origin::now();
    // The inputs' provenance, but the version and date of this estimate.
    result.provenance = Provenance {
        tool_version: now.tool_version,
        date: now.date,
        ..result.provenance
    };
    result
}

/// Prints an estimate.
pub fn print(result: &Estimate, format: Format, detail: Detail) -> Result<()> {
    let text = match format {
        Format::Text => view::estimate::text(result, detail),
        Format::Html => view::html::estimate(result),
        Format::Json => view::json::estimate(result),
        Format::Csv => {
            clock_dependence::report_note(&result.program);
            view::estimate_csv::csv(result)
        }
        Format::Stream => {
            bail!("--format stream is for program data; an estimate has text, html, json and csv")
        }
    };
    files::write_text(None, &text)
}

/// The files that an estimate takes.
const EXPECTED_FILES: &str = "an estimate requires program data and compute data, or an observation (give communication data \
    with --comm)";

/// Program data, compute data, and the study they are from.
pub type EstimateInputs = (ProgramData, Vec<ComputeData>, Option<PathBuf>);

/// Loads the inputs of an estimate: a study, or files of mpiete or of other tools.
pub fn load_inputs(files: &[PathBuf], ranks: Option<u32>) -> Result<EstimateInputs> {
    if let [folder] = files
        && folder.is_dir()
    {
        return from_study(folder, ranks);
    }
    if let [path] = files
        && *path != Path::new("-")
        && !path.exists()
    {
        bail!(
            "{} does not exist; name a study (`mpiete prepare` writes one) or files of base data",
            path.display()
        );
    }
    let (mut programs, mut compute) = (Vec::new(), Vec::new());
    for path in files {
        match base_files::read(path, EXPECTED_FILES)? {
            BaseFile::Program(program) => programs.push(*program),
            BaseFile::Compute(data) => compute.push(*data),
            BaseFile::Run(run) => {
                programs.push(run.program);
                compute.push(run.compute);
            }
        }
    }
    let count = programs.len();
    match programs.pop() {
        Some(program) if count == 1 => {
            check_ranks(&program, ranks)?;
            Ok((program, compute, None))
        }
        _ => bail!(
            "one file of program data is required, {count} were given; create one with \
            `mpiete record`"
        ),
    }
}

fn check_ranks(program: &ProgramData, asked: Option<u32>) -> Result<()> {
    match asked {
        Some(ranks) if ranks != program.ranks => bail!(
            "the program data are for {} ranks, but -n is {ranks}; record again with `mpiete record \
            -n {ranks}`",
            program.ranks
        ),
        _ => Ok(()),
    }
}

fn from_study(folder: &Path, ranks: Option<u32>) -> Result<EstimateInputs> {
    let Some(ranks) = ranks else {
        bail!("{}: give the number of ranks with -n", folder.display())
    };
    let (program, compute) = load_study_data(folder, ranks)?;
    Ok((program, compute, Some(folder.to_path_buf())))
}

/// The program data of a study for so many ranks, and all its compute data.
pub fn load_study_data(folder: &Path, ranks: u32) -> Result<(ProgramData, Vec<ComputeData>)> {
    let _lock = StudyLock::shared(folder)?;
    let study = study::read(folder)?;
    let path = study::program_data(folder, ranks);
    if !path.is_file() {
        bail!(
            "{} contains no program data for {ranks} ranks; create them with `mpiete record {0} -n \
            {ranks}`",
            folder.display()
        );
    }
    let program = files::decode_program(&path, &files::read_bytes(&path)?)?;
    // A study may have been prepared again after it was recorded. Blocks of other sources have other
    // meanings.
    if program.provenance.sources != Some(study.sources) {
        bail!(
            "{} was recorded from other sources ('{}') than the study contains now ('{}'); record \
            again with `mpiete record {} -n {ranks}`",
            path.display(),
            program.provenance.program,
            study.name,
            folder.display()
        );
    }
    Ok((program, compute_of_study(folder, ranks)?))
}

/// The compute data of a study. If it contains none, the error names the command that measures `ranks` ranks.
pub fn compute_of_study(folder: &Path, ranks: u32) -> Result<Vec<ComputeData>> {
    let compute = study::all_compute_data(folder)?
        .iter()
        .map(|path| files::read(path))
        .collect::<Result<Vec<_>>>()?;
    if compute.is_empty() {
        bail!(
            "{} contains no compute data; create them with `mpiete measure {0} -n {ranks}`",
            folder.display()
        );
    }
    Ok(compute)
}
