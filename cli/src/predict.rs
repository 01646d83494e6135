//! `mpiete predict`: all steps from source to estimate.

use crate::args::{Format, PredictArgs};
use crate::bounded_run::LockedStudy;
use crate::input::ProgramInput;
use crate::project::Project;
use crate::study::{Probe, Study};
use crate::{
    bounded_run, diagnostics, estimate, files, measure, platform, prepare, project, record,
    slice_share, study, view,
};
use anyhow::{Result, bail};
use base_data::program_data::TimeDependentPlace;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Analyzes, prepares, records, measures, estimates, and keeps every file in the study.
pub fn predict(arguments: &PredictArgs) -> Result<()> {
    // Bad input fails before anything runs.
    let platform = platform::resolve(&arguments.platform, arguments.ranks)?;
    let model = estimator::model_for(
        &platform,
        arguments.platform.model.as_deref(),
        arguments.ranks,
    )?;
    estimator::check_model(&platform, model, arguments.ranks)?;
    let input = ProgramInput::read(&arguments.input)?;
    report_progress("analyzing");
    let mut project = project::load(&arguments.project)?;
    let folder = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_folder(&project));
    let (study, lock) = prepare::write(&project, &prepare::StudyContents::default(), &folder)?;
    report!("{}", slice_share::sentence(&study));
    let prepared = LockedStudy {
        study,
        folder: &folder,
        lock,
    };
    let result = predict_study(arguments, &mut project, prepared, &input);
    if result.is_err() {
        // The report of a prediction lists them; without one they may explain the error.
        diagnostics::report_limitations(&project);
    }
    result
}

/// The steps after `prepare`.
fn predict_study(
    arguments: &PredictArgs,
    project: &mut Project,
    prepared: LockedStudy<'_>,
    input: &ProgramInput,
) -> Result<()> {
    let folder = prepared.folder;
    // Before anything runs: recording and measuring may take hours, and the result would be valid on
    // this machine only.
    check_clock_dependence(&prepared.study, arguments.ranks)?;
    let (study, _lock) = bounded_run::refine_trip_counts(
        project,
        prepared,
        arguments.ranks,
        &arguments.bounded_run,
        input,
    )?;
    report_progress(&format!(
        "recording {} of the slice",
        crate::view::numbers::ranks(arguments.ranks)
    ));
    let program = record::study_probe(folder, &study, Probe::Program, arguments.ranks, input)?.data;
    // Each file is written as soon as it exists, so that `mpiete estimate` can continue from there
    // if a later step fails.
    files::write(&study::program_data(folder, arguments.ranks), &program)?;
    report_progress("measuring compute blocks");
    let compute = measure::study_probe(
        folder,
        &study,
        arguments.ranks,
        &arguments.measurement,
        input,
    )?
    .data;
    files::write(
        &study::compute_data(folder, arguments.ranks, 1, 1),
        &compute,
    )?;
    report_progress("replaying");
    let mut result = estimate::combine(&program, &[compute], &arguments.platform)?;
    result.warnings.extend(study.unpredicted);
    let file = study::estimate(folder, arguments.ranks);
    files::write(&file, &result)?;
    let page = file.with_extension("html");
    files::write_bytes(&page, view::html::estimate(&result).as_bytes())?;
    estimate::print(&result, arguments.format, arguments.verbose.detail())?;
    if arguments.format == Format::Text {
        files::print_line(format!(
            "\ntimeline   {}\nstudy      {}",
            page.display(),
            folder.display()
        ))?;
    }
    Ok(())
}

/// Fails if control flow depends on a clock: a recording is then valid on no other machine.
fn check_clock_dependence(study: &Study, ranks: u32) -> Result<()> {
    let place = |place: &TimeDependentPlace| {
        format!("{}: {}", study.table.site_place(place.site), place.reason)
    };
    let places: Vec<String> = study.time_dependent.iter().map(place).collect();
    if places.is_empty() {
        return Ok(());
    }
    bail!(
        "{} cannot be predicted from a recording, since its control flow depends on \
        timing:\n{}\n`mpiete record -n {ranks} -- ./program` records one possible schedule, which \
        `mpiete estimate` accepts",
        study.name,
        places.join("\n")
    )
}

/// The default folder of a study.
pub fn default_folder(project: &project::Project) -> PathBuf {
    let main = project
        .analysis
        .program
        .main
        .map(|id| project.analysis.program.procedure(id).name.clone());
    PathBuf::from(format!(
        "{}.study",
        main.unwrap_or_else(|| "program".into())
    ))
}

/// Prints progress on a terminal.
pub fn report_progress(what: &str) {
    // Logs of batch jobs stay short.
    if std::io::stderr().is_terminal() {
        report!("mpiete: {what} …");
    }
}
