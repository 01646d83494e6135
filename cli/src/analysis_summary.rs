//! An analysis as other programs read it, `mpiete analyze --format json`: its shape is described in
//! `docs/internals/slicing.md`.

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

/// What could be assumed beside.
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
    /// What was found out about a project, and about its procedures without source.
    pub fn of(project: &'a Project, proposal: Option<&'a DataOnlyProposal>) -> Self {
        let analysis = &project.analysis;
        let name = |id| analysis.program.procedure(id).name.as_str();
        let kept = (0..analysis.program.statements.len() as u32).map(StatementId);
        let is_kept = |id: &StatementId| analysis.slice.kept.get(id.0 as usize) == Some(&true);
        let procedures = (0..analysis.program.procedures.len() as u32).map(ProcedureId);
        Self {
            files: files(project),
            procedures: procedures.map(|id| procedure(project, id)).collect(),
            calls: analysis
                .call_graph
                .iter()
                .map(|&(caller, callee)| (name(caller), name(callee)))
                .collect(),
            call_sites: sites(project),
            unparsed: unparsed(project),
            undeclared: undeclared(project),
            without_source: crate::view::parse_statistics::without_source(analysis),
            table: &analysis.table,
            kept_lines: kept
                .filter(is_kept)
                .map(|id| diagnostics::place_of(project, id))
                .collect(),
            slice_share: analysis.slice.share,
            assumptions: analysis
                .slice
                .assumptions
                .iter()
                .map(|(_, assumption)| assumption)
                .collect(),
            suggestions: analysis.offer.as_ref().map(|offer| SuggestionSummary {
                assume: offer
                    .open
                    .iter()
                    .map(|one| slice_explanation::option(project, one))
                    .collect(),
                slice_share: (offer.kept, analysis.slice.share.1),
            }),
            data_only: proposal,
            diagnostics: analysis
                .diagnostics
                .iter()
                .map(|d| JsonDiagnostic::of(project, d))
                .collect(),
        }
    }
}

fn files(project: &Project) -> Vec<FileSummary<'_>> {
    let summary = |statistics: &frontend::parse_statistics::FileParseStatistics| {
        let file = project.sources.file(statistics.file);
        FileSummary {
            path: &file.path,
            included: file.included,
            lines: statistics.lines,
            bytes: statistics.bytes,
            statements: statistics.statements,
        }
    };
    project
        .analysis
        .parse_statistics
        .files
        .iter()
        .map(summary)
        .collect()
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

/// Calls of MPI in source order, those of unknown functions too.
fn sites(project: &Project) -> Vec<SiteSummary<'_>> {
    let analysis = &project.analysis;
    let known = analysis
        .sites
        .iter()
        .map(|site| (site.statement, known_site(project, site)));
    let has_site = |id: StatementId| analysis.sites.iter().any(|site| site.statement == id);
    let unknown = analysis.unsupported.iter().filter(|(id, _)| !has_site(*id));
    let unknown = unknown.map(|(id, name)| (*id, unknown_site(project, *id, name)));
    let mut all: Vec<(StatementId, SiteSummary)> = known.chain(unknown).collect();
    all.sort_by_key(|(id, _)| *id);
    all.into_iter().map(|(_, site)| site).collect()
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
    let place = |span: Span| {
        let (file, line) = path_and_line(project, span);
        PlaceSummary {
            file,
            line,
            text: String::from_utf8_lossy(project.sources.text(span)).into_owned(),
        }
    };
    project
        .analysis
        .parse_statistics
        .unparsed()
        .into_iter()
        .map(place)
        .collect()
}

fn undeclared(project: &Project) -> Vec<NameSummary<'_>> {
    let summary = |undeclared: &'_ frontend::parse_statistics::Undeclared| {
        path_and_line(project, undeclared.span)
    };
    let named = project.analysis.parse_statistics.undeclared.iter();
    named
        .map(|undeclared| {
            let (file, line) = summary(undeclared);
            NameSummary {
                name: &undeclared.name,
                file,
                line,
            }
        })
        .collect()
}
