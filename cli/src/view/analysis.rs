//! The result of `analyze` as a document: sources and parsing, slice, assumptions, calls, blocks. Diagnostics are printed
//! separately, in the form of compilers.

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::{assumptions, blocks, call_graph, numbers, parse_statistics, text as terminal};
use crate::external_procedures::DataOnlyProposal;
use crate::project::Project;
use crate::slice_explanation::option;
use base_data::block_table::{BlockKind, BlockTable};
use base_data::program_data::Assumption;
use frontend::analysis::{Analysis, MessageLevel, SuggestedAssumption};
use frontend::diagnostics::Severity;
use frontend::ir::StatementId;
use frontend::source::{Sources, Span};

/// The report for a terminal.
pub fn text(project: &Project, proposal: Option<&DataOnlyProposal>) -> String {
    terminal::render(&document(project, proposal))
}

fn document(project: &Project, proposal: Option<&DataOnlyProposal>) -> Document {
    let Project {
        sources, analysis, ..
    } = project;
    let folder = folder(sources);
    let table = &without_folder(&analysis.table, &folder);
    let assumed: Vec<Assumption> = analysis
        .slice
        .assumptions
        .iter()
        .map(|(_, assumption)| assumption.clone())
        .collect();
    let sections = vec![
        overview(analysis, table, &folder),
        Section::new(
            "unparsed statements",
            [SectionElement::List(parse_statistics::unparsed_statements(
                sources, analysis, &folder,
            ))],
        ),
        undeclared(analysis, table),
        no_source(analysis),
        assumptions::section(table, &assumed),
        open(project, proposal),
        call_graph::section(analysis, table),
        calls(analysis, table),
        blocks::compute_blocks(table, usize::MAX),
        blocks::loops(table),
    ];
    Document {
        title: title(analysis),
        sections,
    }
}

/// Suggested assumptions, and the size of the slice with them.
fn open(project: &Project, proposal: Option<&DataOnlyProposal>) -> Section {
    let (kept, all) = project.analysis.slice.share;
    let share = |kept: u64| {
        format!(
            "{kept} of {all} statements ({})",
            numbers::percent(kept as f64 / all.max(1) as f64)
        )
    };
    let mut sentences = Vec::new();
    if let Some(SuggestedAssumption { open, kept: fewer }) = &project.analysis.offer {
        let options: Vec<String> = open
            .iter()
            .map(|one| format!("--assume {}", option(project, one)))
            .collect();
        sentences.push(format!(
            "conditions on computed data; with an assumption for each, the slice would keep about \
            {} instead of {}: {}",
            share(*fewer),
            share(kept),
            options.join("; ")
        ));
    }
    if let Some(DataOnlyProposal { names, slice_share }) = proposal {
        sentences.push(format!(
            "procedures without source, assumed to have any side effect; if they call no MPI and \
            write only real and complex arguments, name them in mpiete.toml, [externals] \
            data_only, and the slice keeps {} instead of {}: {}",
            share(slice_share.0),
            share(kept),
            names.join(", ")
        ));
    }
    Section::new("suggestions", [SectionElement::List(sentences)])
}

fn title(analysis: &Analysis) -> String {
    match analysis.program.main {
        Some(main) => format!(
            "analysis of program {}",
            analysis.program.procedure(main).name
        ),
        None => "analysis of sources without a main program".into(),
    }
}

/// The folder that contains all of the user's own files, with a slash; empty if there is none.
fn folder(sources: &Sources) -> String {
    let mut own = sources.files.iter().filter(|file| !file.included);
    let of = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let Some(first) = own.next() else {
        return String::new();
    };
    let folder = &first.path[..of(&first.path)];
    let all = own.all(|file| file.path.starts_with(folder));
    if all { folder.into() } else { String::new() }
}

/// The table with paths relative to a folder.
fn without_folder(table: &BlockTable, folder: &str) -> BlockTable {
    let mut table = table.clone();
    for file in &mut table.files {
        if let Some(rest) = file.path.strip_prefix(folder) {
            file.path = rest.to_string();
        }
    }
    table
}

fn overview(analysis: &Analysis, table: &BlockTable, folder: &str) -> Section {
    let of_kind = |kind| {
        table
            .blocks
            .iter()
            .filter(|block| block.kind == kind)
            .count() as u64
    };
    let (kept, all) = analysis.slice.share;
    let share = if all == 0 {
        0.0
    } else {
        kept as f64 / all as f64
    };
    let found = format!(
        "{}, {} and {}, {} with communication",
        numbers::counted(
            of_kind(BlockKind::Compute),
            "compute block",
            "compute blocks"
        ),
        numbers::counted(
            of_kind(BlockKind::Communication),
            "communication block",
            "communication blocks"
        ),
        numbers::counted(of_kind(BlockKind::Wait), "wait block", "wait blocks"),
        numbers::counted(table.loops.len() as u64, "loop", "loops"),
    );
    let slice = format!(
        "keeps {kept} of {all} executable statements ({})",
        numbers::percent(share)
    );
    let section = analysis
        .section
        .as_ref()
        .map_or("the whole run".into(), |found| {
            format!(
                "{}{}",
                table.place(&found.span),
                crate::section::in_parentheses(&found.reason)
            )
        });
    let facts = [
        ("files", folder.trim_end_matches('/').to_string()),
        ("sources", parse_statistics::size(analysis)),
        ("parsed", parse_statistics::recognition(analysis)),
        ("diagnostics", remarks(analysis)),
        ("MPI", mpi(analysis)),
        ("blocks", found),
        ("section", section),
        ("slice", slice),
        ("messages", messages(analysis)),
    ];
    Section::new("", [SectionElement::facts(facts)])
}

fn remarks(analysis: &Analysis) -> String {
    let severities = [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ];
    let mut counts = Vec::new();
    for (severity, one, many) in severities {
        let found = analysis
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity);
        let count = found.count() as u64;
        if count > 0 {
            counts.push(numbers::counted(count, one, many));
        }
    }
    counts.join(", ")
}

fn mpi(analysis: &Analysis) -> String {
    let all = rows_of_calls(analysis, &analysis.table).len() as u64;
    let calls = numbers::counted(all, "call", "calls");
    match (all, analysis.unsupported.len() as u64) {
        (0, _) => "no calls".into(),
        (_, 0) => format!("{calls}, all supported"),
        (_, bad) => {
            format!(
                "{calls}, {} not supported: prepare and predict refuse the program",
                numbers::count(bad)
            )
        }
    }
}

fn messages(analysis: &Analysis) -> String {
    let at_level = |level| {
        analysis
            .sites
            .iter()
            .filter(|site| site.level == level)
            .count() as u64
    };
    format!(
        "in the slice {} exchange nothing, {} envelopes only, {} data",
        numbers::counted(at_level(MessageLevel::Recorded), "call", "calls"),
        at_level(MessageLevel::EnvelopeLive),
        at_level(MessageLevel::PayloadLive)
    )
}

fn undeclared(analysis: &Analysis, table: &BlockTable) -> Section {
    let sentences = analysis.parse_statistics.undeclared.iter().map(|name| {
        format!(
            "{} in the procedure at {}",
            name.name,
            place(analysis, table, name.span)
        )
    });
    Section::new(
        "undeclared names",
        [SectionElement::List(sentences.collect())],
    )
}

fn no_source(analysis: &Analysis) -> Section {
    let (mut unknown, mut proven) = (Vec::new(), Vec::new());
    for name in parse_statistics::without_source(analysis) {
        if analysis.proven_externals.iter().any(|one| one == name) {
            proven.push(name);
        } else {
            unknown.push(name);
        }
    }
    let mut parts = Vec::new();
    if !unknown.is_empty() {
        parts.push(SectionElement::Paragraph(unknown.join(", ")));
    }
    if !proven.is_empty() {
        parts.push(SectionElement::Paragraph(format!(
            "that reach neither MPI nor variables of the program, as symbols of the link or the \
             standards of BLAS and LAPACK prove: {}",
            proven.join(", ")
        )));
    }
    Section::new("procedures without source", parts)
}

fn calls(analysis: &Analysis, table: &BlockTable) -> Section {
    let columns = [
        ("where", ColumnStyle::Place),
        ("function", ColumnStyle::Words),
        ("procedure", ColumnStyle::Words),
        ("in loops at", ColumnStyle::Place),
        ("supported", ColumnStyle::Words),
    ];
    let mut rows = rows_of_calls(analysis, table);
    rows.sort_by_key(|(id, _)| *id);
    let rows = rows.into_iter().map(|(_, row)| row);
    Section::new(
        "MPI calls",
        [SectionElement::Table(Table::new(columns, rows))],
    )
}

fn rows_of_calls(analysis: &Analysis, table: &BlockTable) -> Vec<(StatementId, [TableCell; 5])> {
    let known = analysis
        .sites
        .iter()
        .zip(&table.call_sites)
        .map(|(place, site)| {
            let supported = if place.function.support.is_predicted() {
                "yes"
            } else {
                "no"
            };
            let row = [
                TableCell::from(table.site_place(place.id)),
                site.function.as_str().into(),
                site.procedure.as_str().into(),
                blocks::loop_path(table, &site.loop_path).into(),
                supported.into(),
            ];
            (place.statement, row)
        });
    let has_site = |id: StatementId| analysis.sites.iter().any(|site| site.statement == id);
    let unknown = analysis
        .unsupported
        .iter()
        .filter(|(id, _)| !has_site(*id))
        .map(|(id, name)| {
            let procedure = analysis.program.statement(*id).procedure;
            let row = [
                TableCell::from(statement_place(analysis, table, *id)),
                name.as_str().into(),
                analysis.program.procedure(procedure).name.as_str().into(),
                TableCell::default(),
                "no".into(),
            ];
            (*id, row)
        });
    known.chain(unknown).collect()
}

fn statement_place(analysis: &Analysis, table: &BlockTable, statement: StatementId) -> String {
    place(
        analysis,
        table,
        analysis.source_map.statement(statement).header,
    )
}

/// `cg.f:120`, the line where a span starts.
pub fn place(analysis: &Analysis, table: &BlockTable, span: Span) -> String {
    let place = analysis.source_map.place(span.file, span.start);
    let path = table
        .files
        .get(place.file.0 as usize)
        .map_or("?", |file| file.path.as_str());
    format!("{path}:{}", place.line)
}
