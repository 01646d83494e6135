//! The JSON form of an analysis, `mpiete analyze --format json`; `docs/internals/file-formats.md` describes its keys.

use crate::diagnostics::{self, JsonDiagnostic};
use crate::external_procedures::DataOnlyProposal;
use crate::project::Project;
use crate::slice_explanation;
use base_data::block_table::BlockTable;
use base_data::program_data::Assumption;
use frontend::analysis::{Analysis, MessageLevel, SitePlace};
use frontend::ir::{ProcedureId, ProcedureKind, StatementId};
use frontend::source::Span;
use serde::Serialize;
use std::collections::BTreeSet;

/// The analysis.
#[derive(Serialize)]
pub struct Summary<'a> {
    files: Vec<FileSummary<'a>>,
    procedures: Vec<ProcedureSummary<'a>>,
    calls: Vec<(&'a str, &'a str)>,
    call_sites: Vec<SiteSummary<'a>>,
    unparsed: Vec<PlaceSummary<'a>>,
    undeclared: Vec<NameSummary<'a>>,
    without_source: Vec<&'a str>,
    table: &'a BlockTable,
    kept_lines: Vec<String>,
    slice_share: (u64, u64),
    assumptions: Vec<&'a Assumption>,
    suggestions: Option<SuggestionSummary>,
    data_only: Option<&'a DataOnlyProposal>,
    diagnostics: Vec<JsonDiagnostic>,
}

/// Further assumptions that would shrink the slice.
#[derive(Serialize)]
struct SuggestionSummary {
    /// Each as `--assume` takes it.
    assume: Vec<String>,
    slice_share: (u64, u64),
}

#[derive(Serialize)]
struct FileSummary<'a> {
    path: &'a str,
    included: bool,
    lines: u32,
    bytes: u64,
    statements: u32,
}

#[derive(Serialize)]
struct ProcedureSummary<'a> {
    name: &'a str,
    kind: &'static str,
    /// Module or procedure that it is contained in.
    host: Option<&'a str>,
    file: &'a str,
    first_line: u32,
    last_line: u32,
}

#[derive(Serialize)]
struct SiteSummary<'a> {
    file: &'a str,
    line: u32,
    procedure: &'a str,
    function: &'a str,
    supported: bool,
    /// How much of its messages the slice needs; absent for functions that are not known.
    level: Option<&'static str>,
}

#[derive(Serialize)]
struct PlaceSummary<'a> {
    file: &'a str,
    line: u32,
    text: String,
}

#[derive(Serialize)]
struct NameSummary<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
}

impl<'a> Summary<'a> {
    /// Summary of an analysis, and the proposal about its procedures without source.
    pub fn of(project: &'a Project, proposal: Option<&'a DataOnlyProposal>) -> Self {
        let analysis = &project.analysis;
        let mut procedures = Vec::new();
        for index in 0..analysis.program.procedures.len() as u32 {
            procedures.push(procedure(project, ProcedureId(index)));
        }
        let name = |id| analysis.program.procedure(id).name.as_str();
        let mut calls = Vec::new();
        for &(caller, callee) in &analysis.call_graph {
            calls.push((name(caller), name(callee)));
        }
        let mut kept_lines = Vec::new();
        for index in 0..analysis.program.statements.len() {
            if analysis.slice.kept.get(index) == Some(&true) {
                kept_lines.push(diagnostics::place_of(project, StatementId(index as u32)));
            }
        }
        let mut assumptions = Vec::new();
        for (_, assumption) in &analysis.slice.assumptions {
            assumptions.push(assumption);
        }
        let mut diagnostics = Vec::new();
        for diagnostic in &analysis.diagnostics {
            diagnostics.push(JsonDiagnostic::of(project, diagnostic));
        }
        Self {
            files: files(project),
            procedures,
            calls,
            call_sites: sites(project),
            unparsed: unparsed(project),
            undeclared: undeclared(project),
            without_source: crate::view::parse_statistics::without_source(analysis),
            table: &analysis.table,
            kept_lines,
            slice_share: analysis.slice.share,
            assumptions,
            suggestions: suggestions(project),
            data_only: proposal,
            diagnostics,
        }
    }
}

fn suggestions(project: &Project) -> Option<SuggestionSummary> {
    let analysis = &project.analysis;
    let offer = analysis.offer.as_ref()?;
    let mut assume = Vec::new();
    for open in &offer.open {
        assume.push(slice_explanation::option(project, open));
    }
    Some(SuggestionSummary {
        assume,
        slice_share: (offer.kept, analysis.slice.share.1),
    })
}

fn files(project: &Project) -> Vec<FileSummary<'_>> {
    let mut files = Vec::new();
    for statistics in &project.analysis.parse_statistics.files {
        let file = project.sources.file(statistics.file);
        files.push(FileSummary {
            path: &file.path,
            included: file.included,
            lines: statistics.lines,
            bytes: statistics.bytes,
            statements: statistics.statements,
        });
    }
    files
}

fn path_and_line(project: &Project, span: Span) -> (&str, u32) {
    let place = project.analysis.source_map.place(span.file, span.start);
    (&project.sources.file(place.file).path, place.line)
}

fn procedure(project: &Project, id: ProcedureId) -> ProcedureSummary<'_> {
    let found = project.analysis.program.procedure(id);
    let span = project.analysis.source_map.procedure(id).whole;
    let (first, last_line) = project.analysis.source_map.lines(span);
    ProcedureSummary {
        name: &found.name,
        kind: match found.kind {
            ProcedureKind::Main => "program",
            ProcedureKind::Subroutine => "subroutine",
            ProcedureKind::Function => "function",
        },
        host: found.host.as_deref(),
        file: path_and_line(project, span).0,
        first_line: first.line,
        last_line,
    }
}

/// MPI calls in source order, including calls of unknown functions.
fn sites(project: &Project) -> Vec<SiteSummary<'_>> {
    let analysis = &project.analysis;
    let mut known = BTreeSet::new();
    let mut sites = Vec::new();
    for site in &analysis.sites {
        known.insert(site.statement);
        sites.push((site.statement, known_site(project, site)));
    }
    for (id, name) in &analysis.unsupported {
        // Functions that are known but not predicted are in both lists.
        if !known.contains(id) {
            sites.push((*id, unknown_site(project, *id, name)));
        }
    }
    sites.sort_by_key(|(id, _)| *id);
    sites.into_iter().map(|(_, site)| site).collect()
}

fn known_site<'a>(project: &'a Project, site: &SitePlace) -> SiteSummary<'a> {
    let level = match site.level {
        MessageLevel::Recorded => "recorded",
        MessageLevel::EnvelopeLive => "envelope-live",
        MessageLevel::PayloadLive => "payload-live",
    };
    let supported = site.function.support.is_predicted();
    let found = unknown_site(project, site.statement, site.function.name);
    SiteSummary {
        supported,
        level: Some(level),
        ..found
    }
}

fn unknown_site<'a>(
    project: &'a Project,
    statement: StatementId,
    function: &'a str,
) -> SiteSummary<'a> {
    let analysis: &Analysis = &project.analysis;
    let (file, line) = path_and_line(project, analysis.source_map.statement(statement).whole);
    let procedure = &analysis
        .program
        .procedure(analysis.program.statement(statement).procedure)
        .name;
    SiteSummary {
        file,
        line,
        procedure,
        function,
        supported: false,
        level: None,
    }
}

fn unparsed(project: &Project) -> Vec<PlaceSummary<'_>> {
    let mut places = Vec::new();
    for span in project.analysis.parse_statistics.unparsed() {
        let (file, line) = path_and_line(project, span);
        places.push(PlaceSummary {
            file,
            line,
            text: String::from_utf8_lossy(project.sources.text(span)).into_owned(),
        });
    }
    places
}

fn undeclared(project: &Project) -> Vec<NameSummary<'_>> {
    let mut names = Vec::new();
    for undeclared in &project.analysis.parse_statistics.undeclared {
        let (file, line) = path_and_line(project, undeclared.span);
        names.push(NameSummary {
            name: &undeclared.name,
            file,
            line,
        });
    }
    names
}
