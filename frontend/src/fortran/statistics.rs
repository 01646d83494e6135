//! Parse statistics: statements are counted by the table of statements, independently of the parser, so
//! that a statement that the parser swallowed is found.

use super::lower::Lowering;
use super::pieces::{ScannedStatement, Sort, piece_tokens, sort};
use super::syntax::Parsed;
use super::tokens::Phrase;
use crate::ir::StatementKind;
use crate::ir::source_map::{ProcedurePlace, SourceMap};
use crate::source::diagnostics::Severity;
use crate::source::parse_statistics::{FileParseStatistics, ParseStatistics};
use crate::source::{FileId, Span};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Words that begin statements which become no statement of the program.
const SILENT: [&str; 5] = ["associate", "block", "sequence", "entry", "abstract"];

/// The statements of the program, by position.
struct Lowered {
    /// Where statements begin: file and byte.
    begun: BTreeSet<(FileId, u32)>,
    /// Opaque statements and constructs.
    opaque: Vec<Span>,
}

/// Parse statistics, after everything has been lowered. Reports the statements that were lost.
pub fn collect(lowering: &mut Lowering) -> ParseStatistics {
    let mut files: Vec<FileParseStatistics> = Vec::new();
    for file in 0..lowering.sources.files.len() as u32 {
        files.push(empty(file));
    }
    count_lines(lowering, &mut files);
    count_statements(lowering, &mut files);
    let lowered = Lowered::of(lowering);
    // Sorting statements takes time, and no file depends on another.
    let map = &lowering.map;
    let places: Vec<(Vec<Span>, Vec<Span>)> = lowering
        .files
        .parsed
        .par_iter()
        .map(|parsed| (unread(parsed), lost(map, parsed, &lowered)))
        .collect();
    for (parsed, (unread, lost)) in lowering.files.parsed.iter().zip(places) {
        let file = &mut files[parsed.file.0 as usize];
        file.bytes = parsed.original.len() as u64;
        file.unread = unread;
        file.lost = lost;
    }
    let parse_statistics = ParseStatistics {
        files,
        undeclared: std::mem::take(&mut lowering.undeclared_places),
    };
    let reported = diagnostics_of_units(lowering);
    for file in &parse_statistics.files {
        for span in file.unread.iter().chain(&file.lost) {
            if !reported.contains(span) {
                report_once(lowering, *span);
            }
        }
    }
    parse_statistics
}

fn empty(file: u32) -> FileParseStatistics {
    let (unread, lost) = (Vec::new(), Vec::new());
    FileParseStatistics {
        file: FileId(file),
        bytes: 0,
        lines: 0,
        statements: 0,
        unread,
        lost,
    }
}

/// The last line of each file that was read.
fn count_lines(lowering: &Lowering, files: &mut [FileParseStatistics]) {
    for (stretches, parsed) in lowering.map.stretches.iter().zip(&lowering.files.parsed) {
        let rows = parsed.original.split_inclusive(|&byte| byte == b'\n');
        let last = rows.count() as u32;
        for (index, stretch) in stretches.iter().enumerate() {
            let end = match stretches.get(index + 1) {
                // The row before a stretch is its line marker.
                Some(next) => next.first_row.saturating_sub(2),
                None => last,
            };
            if end < stretch.first_row {
                continue;
            }
            if let Some(file) = files.get_mut(stretch.file.0 as usize) {
                file.lines = file.lines.max(stretch.line_of(end));
            }
        }
    }
}

/// The statements of each file, by the first inclusion that brought them.
fn count_statements(lowering: &Lowering, files: &mut [FileParseStatistics]) {
    let mut first: BTreeMap<FileId, Option<u32>> = BTreeMap::new();
    for parsed in &lowering.files.parsed {
        for piece in &parsed.pieces {
            let place = lowering.map.place(parsed.file, span(parsed, piece).start);
            // A file that is included often counts once.
            if *first.entry(place.file).or_insert(place.through) == place.through {
                files[place.file.0 as usize].statements += 1;
            }
        }
    }
}

impl Lowered {
    fn of(lowering: &Lowering) -> Self {
        let mut begun = BTreeSet::new();
        let mut opaque = Vec::new();
        let statements = &lowering.program.statements;
        for (place, statement) in lowering.map.statements.iter().zip(statements) {
            begun.extend([start(place.whole), start(place.header)]);
            begun.extend(place.end.map(start));
            begun.extend(place.clauses.iter().copied().map(start));
            if matches!(statement.kind, StatementKind::Opaque { .. }) {
                opaque.push(place.whole);
            }
        }
        Lowered { begun, opaque }
    }

    fn contains(&self, span: Span) -> bool {
        if self.begun.contains(&start(span)) {
            return true;
        }
        self.opaque.iter().any(|whole| contains_start(*whole, span))
    }
}

/// Statements that stand-ins replace, and what the parser could not place after all.
fn unread(parsed: &Parsed) -> Vec<Span> {
    let mut spans = Vec::new();
    for piece in &parsed.pieces {
        if piece.replaced {
            spans.push(span(parsed, piece));
        }
    }
    for range in &parsed.errors {
        spans.push(Span {
            file: parsed.file,
            start: range.start,
            end: range.end,
        });
    }
    merged(spans)
}

/// Statements of units that are kept whole, for which the unit has a diagnostic.
fn diagnostics_of_units(lowering: &Lowering) -> BTreeSet<Span> {
    let mut spans = BTreeSet::new();
    for parsed in &lowering.files.parsed {
        for piece in &parsed.pieces {
            if piece.kept {
                spans.insert(span(parsed, piece));
            }
        }
    }
    spans
}

/// Spans of one file without what stands in two of them.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort();
    let mut apart: Vec<Span> = Vec::new();
    for span in spans {
        match apart.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

fn span(parsed: &Parsed, piece: &ScannedStatement) -> Span {
    let original = parsed.copy.original(piece.at.clone());
    Span {
        file: parsed.file,
        start: original.start,
        end: original.end,
    }
}

fn start(span: Span) -> (FileId, u32) {
    (span.file, span.start)
}

/// Whether a span begins inside another.
fn contains_start(whole: Span, span: Span) -> bool {
    whole.file == span.file && (whole.start..whole.end).contains(&span.start)
}

/// Executable statements at which no statement of the program begins.
fn lost(map: &SourceMap, parsed: &Parsed, lowered: &Lowered) -> Vec<Span> {
    let mut missing: Vec<(usize, Span)> = Vec::new();
    for (index, piece) in parsed.pieces.iter().enumerate() {
        let span = span(parsed, piece);
        if piece.replaced || lowered.contains(span) {
            continue;
        }
        if is_expected(map, parsed, piece, span) {
            missing.push((index, span));
        }
    }
    if missing.is_empty() {
        return Vec::new();
    }
    // Procedure headings of interface bodies and components are no statements of the program.
    let inside = parsed.inside_definitions();
    missing.retain(|(index, _)| !inside[*index]);
    missing.into_iter().map(|(_, span)| span).collect()
}

/// Whether a statement is one that the program must contain.
fn is_expected(map: &SourceMap, parsed: &Parsed, piece: &ScannedStatement, span: Span) -> bool {
    let tokens = piece_tokens(&parsed.copy.text, piece);
    let phrase = Phrase {
        text: &parsed.copy.text,
        tokens: &tokens,
    };
    let is_named = phrase.is(1, ":") && !phrase.is_assignment();
    let head = if is_named { phrase.from(2) } else { phrase };
    if sort(head) != Sort::Executable {
        return false;
    }
    // An assignment among declarations is a statement function.
    if head.is_assignment() {
        return !is_declared(map, span);
    }
    !SILENT.contains(&head.lower(0).as_str())
}

/// Whether a place is among declarations, or in no procedure.
fn is_declared(map: &SourceMap, span: Span) -> bool {
    let mut inner: Option<&ProcedurePlace> = None;
    for place in &map.procedures {
        if !contains_start(place.whole, span) {
            continue;
        }
        let length = place.whole.end - place.whole.start;
        if inner.is_none_or(|inner| length < inner.whole.end - inner.whole.start) {
            inner = Some(place);
        }
    }
    match inner {
        Some(inner) => span.start < inner.first_executable.start,
        None => true,
    }
}

/// Reports that a place was not understood, unless a diagnostic for it exists.
fn report_once(lowering: &mut Lowering, span: Span) {
    // A span may be empty.
    let range = span.start..span.end.max(span.start + 1);
    for diagnostic in &lowering.diagnostics {
        if let Some(known) = diagnostic.span
            && known.file == span.file
            && range.contains(&known.start)
        {
            return;
        }
    }
    lowering.say(
        Severity::Error,
        span,
        "not parsed here; its effects are unknown",
    );
}
