//! `mpiete analyze`: what the frontend found.

use crate::args::{AnalysisFormat, AnalyzeArgs};
use crate::diagnostics::{self, Paint};
use crate::project::{self, Project};
use crate::view::numbers;
use crate::{explaining, externals, files, main_program, view};
use anyhow::{Context, Result, bail};
use frontend::Analysis;
use frontend::diagnostics::Severity;
use frontend::options::LineRequest;
use std::io::Write as _;

/// Shows calls, blocks, slice, assumptions and what was not understood; remarks go to standard error.
pub fn analyze(arguments: &AnalyzeArgs) -> Result<()> {
    let why_not = arguments.why_not.as_ref().map(|place| line("--why-not", place)).transpose()?;
    let is_asked = why_not.is_some() || arguments.why.is_some();
    let mut project = project::load_asking(&arguments.project, !is_asked, why_not)?;
    if arguments.format == AnalysisFormat::Table {
        let row = view::survey::row(&project.sources, &project.analysis);
        return files::deliver(None, &row);
    }
    let paint = Paint::of_stderr();
    for diagnostic in &project.analysis.diagnostics {
        _ = write!(std::io::stderr(), "{}", diagnostics::render(&project, diagnostic, paint));
    }
    if let Some(text) = explanation(&mut project, arguments)? {
        return files::deliver(None, &text);
    }
    let unheard = externals::vouched_in_vain(&project);
    if !unheard.is_empty() {
        let names = unheard.join(", ");
        tell!("mpiete: [externals] data_only: no procedure without source has this name here: {names}");
    }
    let trust = externals::offer(&mut project);
    let text = match arguments.format {
        AnalysisFormat::Text | AnalysisFormat::Table => view::analysis::text(&project, trust.as_ref()),
        AnalysisFormat::Json => {
            view::json::of("analysis", &crate::analysis_summary::Summary::of(&project, trust.as_ref()))
        }
    };
    files::deliver(None, &text)?;
    let errors = || project.analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    if errors().count() > 0 {
        let count = numbers::of(errors().count() as u64, "error", "errors");
        let is_placed = errors().any(|error| error.span.is_some());
        let place = if is_placed { "in the sources" } else { "in what was asked of them" };
        bail!("{count} {place}; probes cannot be written for this program");
    }
    main_program::refuse_missing(&project)
}

/// The answer to `--why` or `--why-not`, if one was asked.
fn explanation(project: &mut Project, arguments: &AnalyzeArgs) -> Result<Option<String>> {
    let in_words = |explained: String, data: serde_json::Value| match arguments.format {
        AnalysisFormat::Json => view::json::of("explanation", &data),
        AnalysisFormat::Text | AnalysisFormat::Table => explained,
    };
    if let Some(place) = &arguments.why {
        let asked = line("--why", place)?;
        let Analysis { source_map, slice, .. } = &project.analysis;
        let statement = source_map.statement_at(&project.sources, &asked.file, asked.line, &slice.kept);
        let statement = statement.with_context(|| no_statement("--why", place))?;
        let found = explaining::why(project, statement);
        return Ok(Some(in_words(found.to_string(), serde_json::to_value(&found)?)));
    }
    let Some(place) = &arguments.why_not else { return Ok(None) };
    let found = project.analysis.why_not.clone().with_context(|| no_statement("--why-not", place))?;
    let trust = externals::without(project, &found);
    let found = explaining::why_not(project, &found, trust);
    Ok(Some(in_words(found.to_string(), serde_json::to_value(&found)?)))
}

fn no_statement(flag: &str, place: &str) -> String {
    format!("{flag} {place}: no executable statement begins there; `mpiete analyze` lists files and lines")
}

/// `FILE:LINE`.
fn line(flag: &str, place: &str) -> Result<LineRequest> {
    let parts = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) =
        parts.with_context(|| format!("{flag} {place}: write FILE:LINE of an executable statement"))?;
    Ok(LineRequest { file: file.into(), line })
}
