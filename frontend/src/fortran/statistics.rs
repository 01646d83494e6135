//! What was read, counted by the table of statements, which the parser has no part in: so a statement that
//! it swallowed is found.

use super::lower::Lowering;
use super::pieces::{Piece, Sort, piece_tokens, sort};
use super::syntax::Parsed;
use super::tokens::Phrase;
use crate::ir::StatementKind;
use crate::source::diagnostics::Severity;
use crate::source::parse_statistics::{FileParseStatistics, ParseStatistics};
use crate::source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Words that begin statements of their own right which become no statement of the program.
const SILENT: [&str; 5] = ["associate", "block", "sequence", "entry", "abstract"];

/// What the program holds, by position.
struct Held {
    /// Where statements begin: file and byte.
    begun: BTreeSet<(FileId, u32)>,
    /// Constructs that are kept whole.
    whole: Vec<Span>,
}

/// What was read, after everything has been lowered. What was lost on the way is said.
pub fn survey(lowering: &mut Lowering) -> ParseStatistics {
    let mut files: Vec<FileParseStatistics> = (0..lowering.sources.files.len() as u32)
        .map(empty)
        .collect();
    count_lines(lowering, &mut files);
    count_statements(lowering, &mut files);
    let held = Held::of(lowering);
    for parsed in &lowering.files.parsed {
        let file = &mut files[parsed.file.0 as usize];
        file.bytes = parsed.original.len() as u64;
        file.unread = unread(parsed);
        file.lost = lost(lowering, parsed, &held);
    }
    let survey = ParseStatistics {
        files,
        undeclared: std::mem::take(&mut lowering.undeclared_places),
    };
    let said = diagnostics_of_units(lowering);
    for file in &survey.files {
        let places = file
            .unread
            .iter()
            .chain(&file.lost)
            .filter(|span| !said.contains(span))
            .copied();
        for span in places.collect::<Vec<Span>>() {
            report_once(lowering, span);
        }
    }
    survey
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

/// The last line that was seen of each file.
fn count_lines(lowering: &Lowering, files: &mut [FileParseStatistics]) {
    for (stretches, parsed) in lowering.map.stretches.iter().zip(&lowering.files.parsed) {
        // The row before a stretch is its marker.
        let ends = stretches
            .iter()
            .skip(1)
            .map(|next| next.first_row.saturating_sub(2));
        let last = parsed
            .original
            .split_inclusive(|&byte| byte == b'\n')
            .count() as u32;
        for (stretch, end) in stretches.iter().zip(ends.chain([last])) {
            if let Some(file) = files
                .get_mut(stretch.file.0 as usize)
                .filter(|_| end >= stretch.first_row)
            {
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
            if *first.entry(place.file).or_insert(place.through) == place.through {
                files[place.file.0 as usize].statements += 1;
            }
        }
    }
}

impl Held {
    fn of(lowering: &Lowering) -> Self {
        let places = &lowering.map.statements;
        let begins = |span: Span| (span.file, span.start);
        let all = places.iter().flat_map(|place| {
            [place.whole, place.header]
                .into_iter()
                .chain(place.end)
                .chain(place.clauses.iter().copied())
        });
        let opaque = places
            .iter()
            .zip(&lowering.program.statements)
            .filter(|(_, statement)| matches!(statement.kind, StatementKind::Opaque { .. }));
        Held {
            begun: all.map(begins).collect(),
            whole: opaque.map(|(place, _)| place.whole).collect(),
        }
    }

    fn holds(&self, span: Span) -> bool {
        let inside = |whole: &Span| {
            whole.file == span.file && (whole.start..whole.end).contains(&span.start)
        };
        self.begun.contains(&(span.file, span.start)) || self.whole.iter().any(inside)
    }
}

/// Statements that stand-ins stand for, and what the parser could not place after all.
fn unread(parsed: &Parsed) -> Vec<Span> {
    let replaced = parsed
        .pieces
        .iter()
        .filter(|piece| piece.replaced)
        .map(|piece| span(parsed, piece));
    let errors = parsed.errors.iter().map(|range| Span {
        file: parsed.file,
        start: range.start,
        end: range.end,
    });
    merged(replaced.chain(errors).collect())
}

/// Statements of units that are kept whole, about which all has been said.
fn diagnostics_of_units(lowering: &Lowering) -> BTreeSet<Span> {
    let kept = |parsed: &'_ Parsed| -> Vec<Span> {
        parsed
            .pieces
            .iter()
            .filter(|piece| piece.kept)
            .map(|piece| span(parsed, piece))
            .collect()
    };
    lowering.files.parsed.iter().flat_map(kept).collect()
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

fn span(parsed: &Parsed, piece: &Piece) -> Span {
    let original = parsed.copy.original(piece.at.clone());
    Span {
        file: parsed.file,
        start: original.start,
        end: original.end,
    }
}

/// Executable statements at which no statement of the program begins.
fn lost(lowering: &Lowering, parsed: &Parsed, held: &Held) -> Vec<Span> {
    let missing = |(_, piece): &(usize, &Piece)| {
        let span = span(parsed, piece);
        !piece.replaced
            && !held.begun.contains(&(span.file, span.start))
            && is_expected(lowering, parsed, piece, span)
            && !held.holds(span)
    };
    let missing: Vec<(usize, &Piece)> = parsed.pieces.iter().enumerate().filter(missing).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let inside = parsed.inside_definitions();
    missing
        .into_iter()
        .filter(|(index, _)| !inside[*index])
        .map(|(_, piece)| span(parsed, piece))
        .collect()
}

/// Whether a statement is one that the program must hold.
fn is_expected(lowering: &Lowering, parsed: &Parsed, piece: &Piece, span: Span) -> bool {
    let tokens = piece_tokens(&parsed.copy.text, piece);
    let phrase = Phrase {
        text: &parsed.copy.text,
        tokens: &tokens,
    };
    let named = phrase.is(1, ":") && !phrase.is_assignment();
    let head = if named { phrase.from(2) } else { phrase };
    let silent = SILENT.contains(&head.lower(0).as_str()) && !head.is_assignment();
    sort(head) == Sort::Executable
        && !silent
        && !(head.is_assignment() && is_declared(lowering, span))
}

/// Whether a place is among declarations, where an assignment is a statement function, or in no procedure.
fn is_declared(lowering: &Lowering, span: Span) -> bool {
    let holds =
        |whole: &Span| whole.file == span.file && (whole.start..whole.end).contains(&span.start);
    let places = lowering
        .map
        .procedures
        .iter()
        .filter(|place| holds(&place.whole));
    let Some(inner) = places.min_by_key(|place| place.whole.end - place.whole.start) else {
        return true;
    };
    span.start < inner.first_executable.start
}

/// Says that a place was not understood, unless that was said when it was met.
fn report_once(lowering: &mut Lowering, span: Span) {
    let same = |said: Span| {
        said.file == span.file && (span.start..span.end.max(span.start + 1)).contains(&said.start)
    };
    if !lowering
        .diagnostics
        .iter()
        .any(|said| said.span.is_some_and(same))
    {
        lowering.say(
            Severity::Error,
            span,
            "not parsed here; its effects are unknown",
        );
    }
}
