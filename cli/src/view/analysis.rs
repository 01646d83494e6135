//! What `analyze` found, as a document: remarks first, then slice, assumptions, blocks and calls.

use super::document::{Document, Part, Section};
use super::{assumptions, blocks, numbers, text as terminal};
use base_data::block_table::{BlockKind, BlockTable};
use base_data::program_data::Assumption;
use frontend::analysis::{Analysis, MessageLevel};
use frontend::diagnostics::{Diagnostic, Severity};
use frontend::ir::StatementId;
use frontend::source::Span;

/// What a person sees in a terminal.
pub fn text(analysis: &Analysis) -> String {
    terminal::render(&document(analysis))
}

fn document(analysis: &Analysis) -> Document {
    let table = &analysis.table;
    let assumed: Vec<Assumption> =
        analysis.slice.assumptions.iter().map(|(_, assumption)| assumption.clone()).collect();
    let mut sections = vec![overview(analysis), remarks(analysis), unsupported(analysis)];
    sections.push(assumptions::section(table, &assumed));
    sections.extend(blocks::sections(table));
    Document { title: title(table), sections }
}

fn title(table: &BlockTable) -> String {
    match table.files.as_slice() {
        [] => "analysis".into(),
        [only] => format!("analysis of {}", only.path),
        [first, rest @ ..] => format!(
            "analysis of {} and {}",
            first.path,
            numbers::of(rest.len() as u64, "more file", "more files")
        ),
    }
}

fn overview(analysis: &Analysis) -> Section {
    let of_kind = |kind| analysis.table.blocks.iter().filter(|block| block.kind == kind).count() as u64;
    let at_level = |level| analysis.sites.iter().filter(|site| site.level == level).count() as u64;
    let (kept, all) = analysis.slice.share;
    let share = if all == 0 { 0.0 } else { kept as f64 / all as f64 };
    let found = format!(
        "{}, {} and {}, {} with communication",
        numbers::of(of_kind(BlockKind::Compute), "compute block", "compute blocks"),
        numbers::of(of_kind(BlockKind::Communication), "communication block", "communication blocks"),
        numbers::of(of_kind(BlockKind::Wait), "wait block", "wait blocks"),
        numbers::of(analysis.table.loops.len() as u64, "loop", "loops"),
    );
    let messages = format!(
        "{} recorded only, {} matched, {} delivered",
        numbers::of(at_level(MessageLevel::Recorded), "call", "calls"),
        at_level(MessageLevel::EnvelopeLive),
        at_level(MessageLevel::PayloadLive)
    );
    let slice = format!("keeps {kept} of {all} executable statements ({})", numbers::percent(share));
    let section = analysis.section.as_ref().map_or(String::new(), |found| analysis.table.place(&found.span));
    let facts = [("found", found), ("section", section), ("slice", slice), ("messages", messages)];
    Section::new("", [Part::facts(facts)])
}

fn remarks(analysis: &Analysis) -> Section {
    let sentences = analysis.diagnostics.iter().map(|diagnostic| remark(analysis, diagnostic)).collect();
    Section::new("remarks", [Part::List(sentences)])
}

fn remark(analysis: &Analysis, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    match diagnostic.span {
        Some(span) => format!("{}: {severity}: {}", place(analysis, span), diagnostic.sentence),
        None => format!("{severity}: {}", diagnostic.sentence),
    }
}

fn unsupported(analysis: &Analysis) -> Section {
    let sentences = analysis.unsupported.iter();
    let sentences = sentences.map(|(statement, name)| {
        format!("{}: {name} is not supported yet", statement_place(analysis, *statement))
    });
    Section::new("refused by prepare and predict", [Part::List(sentences.collect())])
}

fn statement_place(analysis: &Analysis, statement: StatementId) -> String {
    match analysis.source_map.statements.get(statement.0 as usize) {
        Some(found) => place(analysis, found.header),
        None => "?".into(),
    }
}

/// `cg.f:120`, the line where the span starts.
fn place(analysis: &Analysis, span: Span) -> String {
    let path = analysis.table.files.get(span.file.0 as usize).map_or("?", |file| file.path.as_str());
    format!("{path}:{}", analysis.source_map.line(span.file, span.start))
}
