//! Spans of statements as base data contain them: files, lines, and the INCLUDE lines through which a text came.

use crate::ir::StatementId;
use crate::ir::source_map::SourceMap;
use crate::source::{FileId, Span};
use base_data::block_table::{IncludeLine, SourceSpan};

/// Positions of statements as base data have them.
#[derive(Clone, Copy)]
pub(crate) struct Spans<'a> {
    pub(crate) map: &'a SourceMap,
}

impl Spans<'_> {
    /// From the start of one statement to the end of another (or as far as the first one's file goes).
    pub(crate) fn between(self, first: StatementId, last: StatementId) -> SourceSpan {
        let (Some(first), Some(last)) = (self.place(first), self.place(last)) else {
            return SourceSpan::default();
        };
        // An INCLUDE line may lie between them: a span cannot cross files.
        let same = first.file == last.file && last.end > first.start;
        self.of(Span {
            end: if same { last.end } else { first.end },
            ..first
        })
    }

    /// The line of a condition or bound: IF, ELSE IF or DO.
    pub(crate) fn condition(self, statement: StatementId, clause: usize) -> SourceSpan {
        let Some(place) = self.map.statements.get(statement.0 as usize) else {
            return SourceSpan::default();
        };
        let later = clause
            .checked_sub(1)
            .and_then(|later| place.clauses.get(later));
        self.of(*later.unwrap_or(&place.header))
    }

    /// A span of source text.
    pub(crate) fn of(self, span: Span) -> SourceSpan {
        let (first, last_line) = self.map.lines(span);
        let within = |&&(file, from, _, _): &&(FileId, u32, u32, u32)| {
            file == span.file && (span.start..span.end).contains(&from)
        };
        let moved = self
            .map
            .moved
            .iter()
            .filter(within)
            .map(|&(_, from, to, length)| (from, to, length));
        SourceSpan {
            file: first.file.0,
            first_line: first.line,
            last_line,
            included_through: self.included_through(first.through),
            moved: moved.collect(),
        }
    }

    fn place(self, statement: StatementId) -> Option<Span> {
        self.map
            .statements
            .get(statement.0 as usize)
            .map(|place| place.whole)
    }

    fn included_through(self, mut through: Option<u32>) -> Vec<IncludeLine> {
        let mut lines = Vec::new();
        while let Some(found) = through.and_then(|index| self.map.inclusions.get(index as usize)) {
            lines.push(IncludeLine {
                file: found.file.0,
                line: found.line,
            });
            through = found.through;
        }
        // Outermost INCLUDE line first.
        lines.reverse();
        lines
    }
}
