//! Parse statistics: the statements and bytes of each file that were read and not understood. The program
//! itself is in [`crate::ir`]; diagnostics are in [`crate::source::diagnostics`].

use crate::source::{FileId, Span};

/// What was read of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParseStatistics {
    /// By file id; included files too, each once.
    pub files: Vec<FileParseStatistics>,
    /// Names that nothing declares where everything must be declared.
    pub undeclared: Vec<Undeclared>,
}

/// What was read of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileParseStatistics {
    /// Which.
    pub file: FileId,
    /// Size of what the parser was given: its text with included text. 0 for an included file,
    /// which is part of other texts.
    pub bytes: u64,
    /// Its lines, empty ones and comments too.
    pub lines: u32,
    /// Its statements, declarations too: logical lines, cut at `;`.
    pub statements: u32,
    /// What could not be parsed, in its text. Statements among them are kept whole.
    pub unread: Vec<Span>,
    /// Executable statements that were parsed and became no part of the program.
    pub lost: Vec<Span>,
}

/// A name that nothing declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undeclared {
    /// The name, lower case.
    pub name: String,
    /// The procedure that uses it.
    pub span: Span,
}

impl ParseStatistics {
    /// Bytes of all that could not be parsed.
    pub fn unread_bytes(&self) -> u64 {
        self.files
            .iter()
            .flat_map(|file| &file.unread)
            .map(|span| u64::from(span.end - span.start))
            .sum()
    }

    /// All places that were not understood, in source order.
    pub fn unparsed(&self) -> Vec<Span> {
        let mut all: Vec<Span> = self
            .files
            .iter()
            .flat_map(|file| file.unread.iter().chain(&file.lost))
            .copied()
            .collect();
        all.sort();
        all.dedup();
        all
    }
}
