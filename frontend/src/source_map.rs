//! Where statements, procedures and inclusions stand in the original text: the bridge from
//! [`crate::ir`] ids to [`Span`]s. Byte offsets are those of the user's file; lines are derived.

use crate::ir::{ProcedureId, StatementId};
use crate::source::{FileId, Sources, Span};

/// Positions of a [`crate::ir::Program`].
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// By statement id.
    pub statements: Vec<StatementPlace>,
    /// By procedure id.
    pub procedures: Vec<ProcedurePlace>,
    /// INCLUDE lines that were followed.
    pub includes: Vec<Include>,
    /// Ranges that the fixed-form rewrite moved, `(file, from, to, length)`: the text of `from`
    /// was read as if it stood at `to`.
    pub moved: Vec<(FileId, u32, u32, u32)>,
    /// Offsets of line starts, by file.
    pub line_starts: Vec<Vec<u32>>,
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

/// An INCLUDE line that was followed.
#[derive(Clone, Debug)]
pub struct Include {
    /// The line.
    pub line: Span,
    /// The file it brought.
    pub file: FileId,
}

impl SourceMap {
    /// Where a statement stands.
    pub fn statement(&self, id: StatementId) -> &StatementPlace {
        &self.statements[id.0 as usize]
    }

    /// Where a procedure stands.
    pub fn procedure(&self, id: ProcedureId) -> &ProcedurePlace {
        &self.procedures[id.0 as usize]
    }

    /// Line of a byte, 1-based.
    pub fn line(&self, file: FileId, offset: u32) -> u32 {
        self.line_starts[file.0 as usize].partition_point(|&start| start <= offset) as u32
    }

    /// First and last line of a span.
    pub fn lines(&self, span: Span) -> (u32, u32) {
        (self.line(span.file, span.start), self.line(span.file, span.end.saturating_sub(1).max(span.start)))
    }

    /// Offset of the start of a line, 1-based; the end of the text for a line past the last.
    pub fn line_start(&self, sources: &Sources, file: FileId, line: u32) -> u32 {
        let starts = &self.line_starts[file.0 as usize];
        starts.get(line as usize - 1).copied().unwrap_or(sources.files[file.0 as usize].text.len() as u32)
    }
}
