//! `mpiete analyze`: what the frontend found.

use crate::args::{AnalysisFormat, AnalyzeArgs};
use crate::diagnostics::{self, Paint};
use crate::project::{self, Project};
use crate::view::numbers;
use crate::{files, view};
use anyhow::{Context, Result, bail};
use frontend::diagnostics::Severity;
use frontend::ir::StatementId;
use std::fmt::Write;

/// Shows calls, blocks, slice, assumptions and what was not understood; remarks go to standard error.
pub fn analyze(arguments: &AnalyzeArgs) -> Result<()> {
    let project = project::load(&arguments.project)?;
    if arguments.format == AnalysisFormat::Table {
        let row = view::survey::row(&project.sources, &project.analysis);
        return files::deliver(None, &row);
    }
    let paint = Paint::of_stderr();
    for diagnostic in &project.analysis.diagnostics {
        eprint!("{}", diagnostics::render(&project, diagnostic, paint));
    }
    if let Some(place) = &arguments.why {
        return files::deliver(None, &why(&project, place)?);
    }
    let text = match arguments.format {
        AnalysisFormat::Text | AnalysisFormat::Table => {
            view::analysis::text(&project.sources, &project.analysis)
        }
        AnalysisFormat::Json => view::json::of("analysis", &crate::analysis_summary::Summary::of(&project)),
    };
    files::deliver(None, &text)?;
    let errors = project.analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if errors > 0 {
        let errors = numbers::of(errors as u64, "error", "errors");
        bail!("{errors} in the sources; probes cannot be written for this program");
    }
    Ok(())
}

/// The chain of reasons that keeps the statement at `FILE:LINE`.
fn why(project: &Project, place: &str) -> Result<String> {
    let statement = statement_at(project, place)?;
    let analysis = &project.analysis;
    if !analysis.slice.kept[statement.0 as usize] {
        return Ok(format!("{}: not in the slice\n", diagnostics::place_of(project, statement)));
    }
    let mut text = String::new();
    let (mut at, mut seen) = (Some(statement), Vec::new());
    while let Some(id) = at {
        if seen.contains(&id) {
            break;
        }
        seen.push(id);
        let reason = analysis.slice.reasons.get(id.0 as usize).and_then(Option::as_ref);
        let because = reason.map_or("is kept", |reason| reason.because.as_str());
        writeln!(text, "{}: {because}", diagnostics::place_of(project, id))?;
        at = reason.and_then(|reason| reason.needed_by);
    }
    Ok(text)
}

/// The innermost statement that begins on the line.
fn statement_at(project: &Project, place: &str) -> Result<StatementId> {
    let wrong = || format!("--why {place}: write FILE:LINE of an executable statement");
    let (file, line) = place.rsplit_once(':').with_context(wrong)?;
    let line: u32 = line.parse().ok().with_context(wrong)?;
    let map = &project.analysis.source_map;
    let at_line = |id: &StatementId| {
        let span = map.statement(*id).whole;
        let place = map.place(span.file, span.start);
        let path = &project.sources.file(place.file).path;
        (path == file || path.ends_with(&format!("/{file}"))) && place.line == line
    };
    let statements = (0..project.analysis.program.statements.len() as u32).map(StatementId);
    statements
        .rev()
        .find(at_line)
        .with_context(|| format!("--why {place}: no executable statement begins there"))
}
