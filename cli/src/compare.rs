//! `mpiete compare`: compares two files of one program.

use crate::args::{CompareArgs, ComparisonFormat};
use crate::failure::Differs;
use crate::{clock_dependence, files, view};
use anyhow::{Result, bail};
use base_data::estimate_file::Estimate;
use base_data::format::FileKind;
use base_data::observation::Observation;
use base_data::program_data::ProgramData;
use estimator::comparison::{self, Between, Both, ComparedFile, Comparison, Content, Estimates};
use std::path::Path;

/// Compares two files; streams that differ end with exit code 3, after everything was printed.
pub fn compare(arguments: &CompareArgs) -> Result<()> {
    let paths = Both {
        a: arguments.a.as_path(),
        b: arguments.b.as_path(),
    };
    let loaded = paths.try_map(load)?;
    let note = loaded.a.clock_note().or_else(|| loaded.b.clock_note());
    let names = paths.map(|path| path.display().to_string());
    if let (Loaded::Estimate(a), Loaded::Estimate(b)) = (&loaded.a, &loaded.b)
        // Estimates for different numbers of ranks have no ranks or calls in common; only their
        // totals and shares are compared.
        && a.ranks != b.ranks
        && arguments.between.is_empty()
    {
        let names = names.as_ref().map(String::as_str);
        let found = comparison::compare_estimates(names, Both { a: &**a, b: &**b })?;
        return files::write_text(
            arguments.output.as_deref(),
            &under_note(
                note,
                arguments.format,
                rendered_estimates(&found, arguments.format),
            ),
        );
    }
    let side = |(name, loaded)| ComparedFile {
        name,
        content: Loaded::content(loaded),
    };
    let sides = names
        .as_ref()
        .map(String::as_str)
        .zip(loaded.as_ref())
        .map(side);
    let mut found = comparison::compare(sides, between(arguments).as_ref())?;
    if arguments.format != ComparisonFormat::Text {
        found.remarks.splice(0..0, note.clone());
    }
    let report = rendered(&found, arguments.format);
    files::write_text(
        arguments.output.as_deref(),
        &under_note(note, arguments.format, report),
    )?;
    match &found.streams {
        None => Ok(()),
        Some(differ) => {
            Err(Differs(view::comparison::stream_difference(&found.sides, differ)).into())
        }
    }
}

/// A text report under the note on clock-dependent control flow. The other formats list it with the warnings.
fn under_note(note: Option<String>, format: ComparisonFormat, report: String) -> String {
    match format {
        ComparisonFormat::Text => clock_dependence::under_note(note, report),
        _ => report,
    }
}

fn between(arguments: &CompareArgs) -> Option<Between> {
    let [from, to] = arguments.between.as_slice() else {
        return None;
    };
    Some(Between {
        from: from.clone(),
        to: to.clone(),
    })
}

fn rendered(found: &Comparison, format: ComparisonFormat) -> String {
    match format {
        ComparisonFormat::Text => view::comparison::text(found),
        ComparisonFormat::Csv => view::comparison::csv(found),
        ComparisonFormat::Json => view::json::of("comparison", found),
        ComparisonFormat::Html => view::comparison::html(found),
    }
}

fn rendered_estimates(found: &Estimates, format: ComparisonFormat) -> String {
    match format {
        ComparisonFormat::Text => view::comparison::estimates::text(found),
        ComparisonFormat::Csv => view::comparison::estimates::csv(found),
        ComparisonFormat::Json => view::json::of("estimates", found),
        ComparisonFormat::Html => view::comparison::estimates::html(found),
    }
}

/// Content of a file.
enum Loaded {
    Program(Box<ProgramData>),
    Estimate(Box<Estimate>),
    Observation(Box<Observation>),
}

impl Loaded {
    /// The note on clock-dependent control flow. An observed run took the control flow of its own MPI library.
    fn clock_note(&self) -> Option<String> {
        match self {
            Loaded::Program(program) => program.clock_note(),
            Loaded::Estimate(estimate) => estimate.program.clock_note(),
            Loaded::Observation(_) => None,
        }
    }

    fn content(&self) -> Content<'_> {
        match self {
            Loaded::Program(program) => Content::Program(program),
            Loaded::Estimate(estimate) => Content::Estimate(estimate),
            Loaded::Observation(observation) => Content::Observation(observation),
        }
    }
}

fn load(path: &Path) -> Result<Loaded> {
    let bytes = files::read_bytes(path)?;
    match files::kind(path, &bytes)? {
        FileKind::ProgramData => Ok(Loaded::Program(Box::new(files::decode_program(
            path, &bytes,
        )?))),
        FileKind::Estimate => Ok(Loaded::Estimate(Box::new(files::decode(path, &bytes)?))),
        FileKind::Observation => Ok(Loaded::Observation(Box::new(files::decode(path, &bytes)?))),
        kind @ (FileKind::ComputeData | FileKind::CommData) => {
            bail!(
                "{} contains {kind}; compare takes estimates, observations and program data",
                path.display()
            )
        }
    }
}
