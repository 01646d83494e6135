//! Where statements and procedures stand: the bridge from [`crate::ir`] ids to [`Span`]s, and from the
//! rows of a text to the user's own lines. A *row* is a line of [`SourceFile::text`], a *line* is the one
//! of the file that the user sees: they differ where a preprocessor or an INCLUDE line was at work.
//!
//! [`SourceFile::text`]: crate::source::SourceFile::text

use crate::ir::{ProcedureId, StatementId};
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::{FileId, Sources, Span};

/// Most further places that one diagnostic names.
const FURTHER_PLACES: usize = 3;

/// Positions of a [`crate::ir::Program`].
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// By statement id.
    pub statements: Vec<StatementPlace>,
    /// By procedure id.
    pub procedures: Vec<ProcedurePlace>,
    /// INCLUDE lines and directives that were followed.
    pub inclusions: Vec<IncludedAt>,
    /// Ranges that the fixed-form rewrite moved, `(file, from, to, length)`: the text of `from`
    /// was read as if it stood at `to`.
    pub moved: Vec<(FileId, u32, u32, u32)>,
    /// Offsets of the starts of rows, by file.
    pub row_starts: Vec<Vec<u32>>,
    /// Where the rows of a text come from, in order, by file.
    pub stretches: Vec<Vec<RowRange>>,
}

/// Rows of a text that come from consecutive lines of one file, up to the next stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRange {
    /// First row, 1-based.
    pub first_row: u32,
    /// The file whose lines they are.
    pub file: FileId,
    /// Line of the first row.
    pub line: u32,
    /// The inclusion that brought them: index into [`SourceMap::inclusions`].
    pub through: Option<u32>,
}

impl RowRange {
    /// Line of a row, which must be of this stretch or the marker after it.
    pub(crate) fn line_of(&self, row: u32) -> u32 {
        self.line.saturating_add(row.saturating_sub(self.first_row))
    }
}

/// The place of an INCLUDE line or directive that was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncludedAt {
    /// The file it stands in.
    pub file: FileId,
    /// Its line.
    pub line: u32,
    /// The inclusion that brought that file.
    pub through: Option<u32>,
}

/// A position in the user's sources, before inclusion and line markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// The user's file.
    pub file: FileId,
    /// Line, 1-based.
    pub line: u32,
    /// The inclusion that brought it: index into [`SourceMap::inclusions`].
    pub through: Option<u32>,
}

/// Where a statement stands. Spans of statements start at the statement's first character after
/// its label and end after its last one, continuation lines between included.
#[derive(Clone, Debug)]
pub struct StatementPlace {
    /// The whole statement; of a construct, from its first to its END statement.
    pub whole: Span,
    /// Its own line: of a construct the IF/DO/SELECT statement, otherwise the whole. Of a logical
    /// IF: up to and including the closing parenthesis of its condition.
    pub header: Span,
    /// The END statement of a construct that has one; `None` for a logical IF and for a labelled
    /// DO that ends at its terminal statement.
    pub end: Option<Span>,
    /// ELSE IF, ELSE and CASE statements, in order.
    pub clauses: Vec<Span>,
    /// Of BLOCK, the statements that declare something in it; FORMAT is none.
    pub declarations: Vec<Span>,
    /// The label's digits.
    pub label: Option<Span>,
    /// Whether no other statement shares its lines (logical IF and `;` make them shared).
    pub alone: bool,
}

/// Where a procedure stands.
#[derive(Clone, Debug)]
pub struct ProcedurePlace {
    /// From its PROGRAM, SUBROUTINE or FUNCTION statement to its END.
    pub whole: Span,
    /// Its first executable statement's start, or the end of its specifications where there is
    /// none: where declarations may be added before. Always in the procedure's own file.
    pub first_executable: Span,
    /// Its END statement (before CONTAINS if it has one).
    pub end: Span,
}

impl SourceMap {
    /// The innermost statement that begins on a line of a file, which is named by its path or the end of it: of
    /// several, one that the slice keeps.
    pub fn statement_at(
        &self,
        sources: &Sources,
        file: &str,
        line: u32,
        kept: &[bool],
    ) -> Option<StatementId> {
        let begins_there = |id: &StatementId| {
            let span = self.statement(*id).whole;
            let place = self.place(span.file, span.start);
            place.line == line && crate::source::is_named(file, &sources.file(place.file).path)
        };
        let mut there = (0..self.statements.len() as u32)
            .rev()
            .map(StatementId)
            .filter(begins_there);
        there
            .clone()
            .find(|id| kept[id.0 as usize])
            .or_else(|| there.next())
    }

    /// Where a statement stands.
    pub fn statement(&self, id: StatementId) -> &StatementPlace {
        &self.statements[id.0 as usize]
    }

    /// Where a procedure stands.
    pub fn procedure(&self, id: ProcedureId) -> &ProcedurePlace {
        &self.procedures[id.0 as usize]
    }

    /// Row of a byte, 1-based.
    pub fn row(&self, file: FileId, offset: u32) -> u32 {
        self.row_starts[file.0 as usize].partition_point(|&start| start <= offset) as u32
    }

    /// First and last row of a span.
    pub fn rows(&self, span: Span) -> (u32, u32) {
        (
            self.row(span.file, span.start),
            self.row(span.file, span.end.saturating_sub(1).max(span.start)),
        )
    }

    /// Offset of the start of a row, 1-based; the end of the text for a row past the last.
    pub fn row_start(&self, sources: &Sources, file: FileId, row: u32) -> u32 {
        let starts = &self.row_starts[file.0 as usize];
        starts
            .get(row as usize - 1)
            .copied()
            .unwrap_or(sources.files[file.0 as usize].text.len() as u32)
    }

    /// The user's file and line of a byte.
    pub fn place(&self, file: FileId, offset: u32) -> SourcePosition {
        self.place_of_row(file, self.row(file, offset))
    }

    /// Line of a byte, 1-based, in the file that [`SourceMap::place`] names.
    pub fn line(&self, file: FileId, offset: u32) -> u32 {
        self.place(file, offset).line
    }

    /// Where a span begins, and its last line there: a span that ends in another file, or in another
    /// inclusion, ends at the last line before its first inclusion.
    pub fn lines(&self, span: Span) -> (SourcePosition, u32) {
        let (first_row, last_row) = self.rows(span);
        let first = self.place_of_row(span.file, first_row);
        let same =
            |place: &SourcePosition| (place.file, place.through) == (first.file, first.through);
        let own = (first_row..=last_row)
            .rev()
            .map(|row| self.place_of_row(span.file, row))
            .find(same);
        (
            first,
            own.map_or(first.line, |last| last.line.max(first.line)),
        )
    }

    fn place_of_row(&self, file: FileId, row: u32) -> SourcePosition {
        let stretches = &self.stretches[file.0 as usize];
        // Stretches are in order of their rows: the one that contains the row is the last that
        // begins at or before it.
        let after = stretches.partition_point(|stretch| stretch.first_row <= row);
        let at = stretches[after.saturating_sub(1)];
        SourcePosition {
            file: at.file,
            line: at.line_of(row),
            through: at.through,
        }
    }
}

/// One diagnostic for all places with the same reason: at the first of them, naming some of the others.
pub(crate) fn folded(
    severity: Severity,
    reason: &str,
    mut spans: Vec<Span>,
    map: &SourceMap,
    sources: &Sources,
) -> Diagnostic {
    spans.sort();
    let mut lines = Vec::new();
    for span in &spans {
        let place = map.place(span.file, span.start);
        lines.push(format!("{}:{}", sources.file(place.file).path, place.line));
    }
    lines.dedup();
    let others = lines.get(1..).unwrap_or_default();
    let named = &others[..others.len().min(FURTHER_PLACES)];
    let omitted = others.len() - named.len();
    let mut sentence = reason.to_string();
    if !named.is_empty() {
        sentence.push_str(&format!(" (also {}", named.join(", ")));
        if omitted > 0 {
            sentence.push_str(&format!(" and {omitted} more"));
        }
        sentence.push(')');
    }
    Diagnostic {
        severity,
        span: spans.first().copied(),
        sentence,
    }
}
