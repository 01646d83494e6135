//! `mpiete predict`: all steps from source to estimate.

use crate::args::{Format, PredictArgs};
use crate::bounded_run::LockedStudy;
use crate::compile::Compiler;
use crate::emulate::Subject;
use crate::input::ProgramInput;
use crate::project::Project;
use crate::study::{Probe, Study};
use crate::{
    bounded_run, compile, diagnostics, emulate, estimate, files, measure, platform, prepare,
    project, record, slice_share, study, view,
};
use anyhow::Result;
use base_data::block_table::BlockTable;
use base_data::estimate_file::Estimate;
use base_data::program_data::TimeDependentPlace;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

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
    let ranks_per_node = platform.ranks_on_fullest_node(arguments.ranks);
    let result = predict_study(arguments, &mut project, prepared, &input, ranks_per_node);
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
    ranks_per_node: u32,
) -> Result<()> {
    let folder = prepared.folder;
    // A recording would be valid on this machine only.
    if let Some(places) = clock_dependence(&prepared.study) {
        report!("{places}");
        return predict_by_emulation(arguments, &prepared, input);
    }
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
        ranks_per_node,
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
    write_and_print(arguments, folder, &result)
}

/// Emulates the whole program, since its control flow depends on timing.
fn predict_by_emulation(
    arguments: &PredictArgs,
    prepared: &LockedStudy<'_>,
    input: &ProgramInput,
) -> Result<()> {
    let (study, folder) = (&prepared.study, prepared.folder);
    report_progress("compiling the program");
    // The emulated program is the user's own, whose calls have no marks: places come from its line numbers.
    let compiler = Compiler::find(study)?.with_line_numbers();
    let program = compile::binary(folder, study, Probe::Plain, &compiler)?;
    report_progress(&format!("emulating {} ranks", arguments.ranks));
    let mut run = emulate::run(&Subject {
        program: &program,
        name: &study.name,
        ranks: arguments.ranks,
        platform: &arguments.platform,
        input,
        in_place: false,
        spawn: false,
        given: None,
        tasks: None,
        slice: None,
    })?;
    name_sources(&mut run.observation.program.table, &study.table);
    let mut result = emulate::estimate_of(&run, &arguments.platform, true, arguments.format)?;
    if study.section.is_some() {
        result.warnings.insert(
            0,
            "the whole run is predicted: an emulated run has no section".into(),
        );
    }
    write_and_print(arguments, folder, &result)
}

/// Names files of compiled copies as the sources that they are copies of, where the file name determines the source.
fn name_sources(compiled: &mut BlockTable, sources: &BlockTable) {
    let file_name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    for copy in &mut compiled.files {
        let name = file_name(&copy.path);
        let mut originals = sources
            .files
            .iter()
            .filter(|source| file_name(&source.path) == name);
        if let (Some(original), None) = (originals.next(), originals.next()) {
            copy.path.clone_from(&original.path);
        }
    }
}

/// Writes an estimate and its timeline into the study, and prints it.
fn write_and_print(arguments: &PredictArgs, folder: &Path, result: &Estimate) -> Result<()> {
    let file = study::estimate(folder, arguments.ranks);
    files::write(&file, result)?;
    let page = file.with_extension("html");
    files::write_bytes(&page, view::html::estimate(result).as_bytes())?;
    estimate::print(result, arguments.format, arguments.verbose.detail())?;
    if arguments.format == Format::Text {
        files::print_line(format!(
            "\ntimeline   {}\nstudy      {}",
            page.display(),
            folder.display()
        ))?;
    }
    Ok(())
}

/// Where control flow depends on timing, and what follows; `None` if it does not.
fn clock_dependence(study: &Study) -> Option<String> {
    let place = |place: &TimeDependentPlace| {
        format!("{}: {}", study.table.site_place(place.site), place.reason)
    };
    let places: Vec<String> = study.time_dependent.iter().map(place).collect();
    if places.is_empty() {
        return None;
    }
    Some(format!(
        "mpiete: {} is emulated as a whole, since its control flow depends on timing:\n{}",
        study.name,
        places.join("\n")
    ))
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
