//! `mpiete analyze`: what the frontend found.

use crate::args::{AnalysisFormat, AnalyzeArgs};
use crate::diagnostics::{self, ColorMode};
use crate::project::{self, Explanations, Project};
use crate::view::numbers;
use crate::{external_procedures, files, main_program, slice_explanation, view};
use anyhow::{Context, Result, bail};
use frontend::Analysis;
use frontend::diagnostics::Severity;
use frontend::options::LineRequest;
use std::io::Write as _;

/// Shows calls, blocks, slice, assumptions and what was not understood; remarks go to standard error.
pub fn analyze(arguments: &AnalyzeArgs) -> Result<()> {
    let removal_conditions = arguments
        .why_not
        .as_ref()
        .map(|place| line("--why-not", place))
        .transpose()?;
    let is_asked = removal_conditions.is_some() || arguments.why.is_some();
    let explanations = Explanations {
        suggested_assumptions: !is_asked && arguments.format != AnalysisFormat::Table,
        slice_cause: false,
        removal_conditions,
    };
    let mut project = project::load_with(&arguments.project, explanations)?;
    if arguments.format == AnalysisFormat::Table {
        let row = view::parse_statistics::row(&project.sources, &project.analysis);
        return files::write_text(None, &row);
    }
    let paint = ColorMode::for_stderr();
    for diagnostic in &project.analysis.diagnostics {
        _ = write!(
            std::io::stderr(),
            "{}",
            diagnostics::render(&project, diagnostic, paint)
        );
    }
    // A question about one line is answered alone; the rest would hide the answer.
    if let Some(text) = explanation(&mut project, arguments)? {
        return files::write_text(None, &text);
    }
    let unheard = external_procedures::unused_data_only_names(&project);
    if !unheard.is_empty() {
        let names = unheard.join(", ");
        report!(
            "mpiete: [externals] data_only: no called procedure without source has this name: \
            {names}"
        );
    }
    let proposal = external_procedures::propose(&project);
    let text = match arguments.format {
        AnalysisFormat::Text | AnalysisFormat::Table => {
            view::analysis::text(&project, proposal.as_ref())
        }
        AnalysisFormat::Json => view::json::of(
            "analysis",
            &crate::analysis_summary::Summary::of(&project, proposal.as_ref()),
        ),
    };
    files::write_text(None, &text)?;
    // After the summary: what was understood helps to find what was not.
    let errors = || {
        project
            .analysis
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
    };
    if errors().count() > 0 {
        let count = numbers::counted(errors().count() as u64, "error", "errors");
        let is_placed = errors().any(|error| error.span.is_some());
        let place = if is_placed {
            "in the sources"
        } else {
            "in the given options"
        };
        bail!("{count} {place}; probes cannot be written for this program");
    }
    main_program::require_fortran_main(&project)
}

/// The answer to `--why` or `--why-not`, if one is given.
fn explanation(project: &mut Project, arguments: &AnalyzeArgs) -> Result<Option<String>> {
    let in_words = |explained: String, data: serde_json::Value| match arguments.format {
        AnalysisFormat::Json => view::json::of("explanation", &data),
        AnalysisFormat::Text | AnalysisFormat::Table => explained,
    };
    if let Some(place) = &arguments.why {
        let asked = line("--why", place)?;
        let Analysis {
            source_map, slice, ..
        } = &project.analysis;
        let statement =
            source_map.statement_at(&project.sources, &asked.file, asked.line, &slice.kept);
        let statement = statement.with_context(|| no_statement("--why", place))?;
        let found = slice_explanation::why(project, statement);
        return Ok(Some(in_words(
            found.to_string(),
            serde_json::to_value(&found)?,
        )));
    }
    let Some(place) = &arguments.why_not else {
        return Ok(None);
    };
    let found = project
        .analysis
        .removal_conditions
        .clone()
        .with_context(|| no_statement("--why-not", place))?;
    let proposal = external_procedures::blocking_externals(project, &found);
    let found = slice_explanation::removal_conditions(project, &found, proposal);
    Ok(Some(in_words(
        found.to_string(),
        serde_json::to_value(&found)?,
    )))
}

fn no_statement(flag: &str, place: &str) -> String {
    format!(
        "{flag} {place}: no executable statement begins there; `mpiete analyze` lists files and lines"
    )
}

/// `FILE:LINE`.
fn line(flag: &str, place: &str) -> Result<LineRequest> {
    let parts = place
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) = parts
        .with_context(|| format!("{flag} {place}: write FILE:LINE of an executable statement"))?;
    Ok(LineRequest {
        file: file.into(),
        line,
    })
}
