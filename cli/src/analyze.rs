//! `mpiete analyze`: what the frontend found.

use crate::args::{AnalyzeArgs, TextOrJson};
use crate::project::{self, Project};
use crate::{diagnostics, files, view};
use anyhow::{Context, Result, bail};
use frontend::diagnostics::Severity;
use frontend::ir::StatementId;
use serde::Serialize;
use std::fmt::Write;

/// Shows blocks, calls, slice and assumptions; remarks go to standard error.
pub fn analyze(arguments: &AnalyzeArgs) -> Result<()> {
    let project = project::load(&arguments.project)?;
    for diagnostic in &project.analysis.diagnostics {
        eprint!("{}", diagnostics::render(&project, diagnostic));
    }
    if let Some(place) = &arguments.why {
        return files::deliver(None, &why(&project, place)?);
    }
    let text = match arguments.format {
        TextOrJson::Text => view::analysis::text(&project.analysis),
        TextOrJson::Json => view::json::of("analysis", &Summary::of(&project)),
    };
    files::deliver(None, &text)?;
    let errors = project.analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if errors > 0 {
        bail!("{errors} errors in the sources; probes cannot be written for this program");
    }
    Ok(())
}

/// The analysis as other programs read it.
#[derive(Serialize)]
struct Summary<'a> {
    table: &'a base_data::block_table::BlockTable,
    procedures: Vec<&'a str>,
    calls: Vec<(&'a str, &'a str)>,
    sites: Vec<SiteSummary>,
    unsupported: Vec<(String, &'a str)>,
    kept_lines: Vec<String>,
    slice_share: (u64, u64),
    assumptions: Vec<&'a base_data::program_data::Assumption>,
    diagnostics: Vec<String>,
}

#[derive(Serialize)]
struct SiteSummary {
    place: String,
    function: &'static str,
    level: &'static str,
}

impl<'a> Summary<'a> {
    fn of(project: &'a Project) -> Self {
        let analysis = &project.analysis;
        let name = |id| analysis.program.procedure(id).name.as_str();
        let kept = (0..analysis.program.statements.len() as u32).map(StatementId);
        let is_kept = |id: &StatementId| analysis.slice.kept.get(id.0 as usize) == Some(&true);
        Self {
            table: &analysis.table,
            procedures: analysis.program.procedures.iter().map(|procedure| procedure.name.as_str()).collect(),
            calls: analysis.call_graph.iter().map(|&(caller, callee)| (name(caller), name(callee))).collect(),
            sites: analysis.sites.iter().map(|site| SiteSummary::of(project, site)).collect(),
            unsupported: analysis
                .unsupported
                .iter()
                .map(|(id, name)| (diagnostics::place_of(project, *id), name.as_str()))
                .collect(),
            kept_lines: kept.filter(is_kept).map(|id| diagnostics::place_of(project, id)).collect(),
            slice_share: analysis.slice.share,
            assumptions: analysis.slice.assumptions.iter().map(|(_, assumption)| assumption).collect(),
            diagnostics: analysis.diagnostics.iter().map(|d| diagnostics::render(project, d)).collect(),
        }
    }
}

impl SiteSummary {
    fn of(project: &Project, site: &frontend::analysis::SitePlace) -> Self {
        use frontend::analysis::MessageLevel;
        let level = match site.level {
            MessageLevel::Recorded => "recorded",
            MessageLevel::EnvelopeLive => "envelope-live",
            MessageLevel::PayloadLive => "payload-live",
        };
        Self { place: diagnostics::place_of(project, site.statement), function: site.function.name, level }
    }
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
