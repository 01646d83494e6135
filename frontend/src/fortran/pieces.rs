//! Statements of a file by position, found without the parser: logical lines cut at `;`. The
//! parser's tree is checked against this table, and all spans come from it.

use super::free_form::split_label;
use super::parser_copy::{Copy, Label, trim};
use super::tokens::{Phrase, Token, TokenKind, tokens};
use std::ops::Range;

/// A statement as the line scanner finds it.
#[derive(Clone, Debug)]
pub struct ScannedStatement {
    /// Its text without label, in the copy.
    pub at: Range<usize>,
    /// Its label.
    pub label: Option<Label>,
    /// Whether `;` puts another statement on its line.
    pub shared: bool,
    /// Whether the parser's copy holds a stand-in, since the parser cannot read it.
    pub replaced: bool,
    /// Whether it belongs to an opaque unit, which has its diagnostics already.
    pub kept: bool,
}

/// All statements of a copy, in order.
pub fn pieces(copy: &Copy) -> Vec<ScannedStatement> {
    let mut pieces = Vec::new();
    for line in &copy.lines {
        let parts = split(&copy.text, line.body.clone());
        let shared = parts.len() > 1;
        for (i, part) in parts.into_iter().enumerate() {
            let (label, at) = match &line.label {
                Some(label) if i == 0 => (Some(label.clone()), part),
                // A statement behind `;` may have a label, too.
                _ => split_label(&copy.text, part),
            };
            pieces.push(ScannedStatement {
                at: trim(&copy.text, at),
                label,
                shared,
                replaced: false,
                kept: false,
            });
        }
    }
    pieces
}

/// Cuts at `;` outside strings; empty parts are dropped.
fn split(text: &[u8], body: Range<usize>) -> Vec<Range<usize>> {
    if !text[body.clone()].contains(&b';') {
        return vec![body];
    }
    let mut parts = Vec::new();
    let mut start = body.start;
    let marks = tokens(text, body.clone()).into_iter().map(|token| token.at);
    for mark in marks
        .filter(|mark| text[mark.start] == b';')
        .chain(std::iter::once(body.end..body.end))
    {
        parts.push(trim(text, start..mark.start));
        start = mark.end;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Sort of a statement, by its first tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// `PROGRAM`, `SUBROUTINE`, `FUNCTION`, `MODULE`, `SUBMODULE`, `BLOCK DATA`.
    Unit,
    /// Any form of `END` without the name of a construct: ends a unit, or is ambiguous.
    EndUnit,
    /// `END IF`, `END DO`, …
    EndConstruct,
    /// `ELSE`, `ELSE IF`, `CASE`, `CONTAINS`, …
    Clause,
    /// `INCLUDE`.
    Include,
    /// Declaration.
    Declaration,
    /// Executable statement, or the first statement of a construct.
    Executable,
}

/// Words that begin declarations.
pub const DECLARATIONS: [&str; 37] = [
    "integer",
    "real",
    "double",
    "doubleprecision",
    "complex",
    "logical",
    "character",
    "byte",
    "type",
    "class",
    "dimension",
    "parameter",
    "common",
    "save",
    "data",
    "external",
    "intrinsic",
    "equivalence",
    "implicit",
    "namelist",
    "use",
    "import",
    "public",
    "private",
    "interface",
    "procedure",
    "pointer",
    "target",
    "allocatable",
    "intent",
    "optional",
    "format",
    "value",
    "volatile",
    "asynchronous",
    "contiguous",
    "protected",
];

/// Words after END that name a construct.
pub const CONSTRUCTS: [&str; 10] = [
    "if",
    "do",
    "select",
    "where",
    "forall",
    "associate",
    "block",
    "type",
    "interface",
    "enum",
];

/// Sort of a statement.
pub fn sort(phrase: Phrase) -> Sort {
    let (first, second) = (phrase.lower(0), phrase.lower(1));
    // Fortran has no reserved words: `if = 1` and `end(2) = 3` are assignments.
    if phrase.is_assignment() {
        return Sort::Executable;
    }
    let glued = |prefix: &str| {
        first
            .strip_prefix(prefix)
            .filter(|rest| CONSTRUCTS.contains(rest))
            .is_some()
    };
    match first.as_str() {
        "include" if phrase.kind(1) == Some(TokenKind::Text) => Sort::Include,
        "end" if CONSTRUCTS.contains(&second.as_str()) && !phrase.from(1).is_assignment() => {
            if second == "block" && phrase.is(2, "data") {
                Sort::EndUnit
            } else {
                Sort::EndConstruct
            }
        }
        "end" | "endprogram" | "endsubroutine" | "endfunction" | "endmodule" | "endsubmodule" => {
            Sort::EndUnit
        }
        _ if glued("end") => Sort::EndConstruct,
        "else" | "elseif" | "elsewhere" | "case" | "contains" => Sort::Clause,
        "class" | "type" if second == "is" || second == "default" => Sort::Clause,
        "module" if second == "procedure" => Sort::Declaration,
        "program" | "module" | "submodule" | "blockdata" => Sort::Unit,
        "block" if second == "data" => Sort::Unit,
        _ if is_procedure_head(phrase) => Sort::Unit,
        word if DECLARATIONS.contains(&word) => Sort::Declaration,
        _ => Sort::Executable,
    }
}

/// `[prefix …] SUBROUTINE name` or `FUNCTION name(`.
fn is_procedure_head(phrase: Phrase) -> bool {
    const PREFIXES: [&str; 16] = [
        "integer",
        "real",
        "double",
        "precision",
        "doubleprecision",
        "complex",
        "logical",
        "character",
        "type",
        "recursive",
        "pure",
        "elemental",
        "impure",
        "module",
        "class",
        "byte",
    ];
    let mut at = 0;
    while PREFIXES.contains(&phrase.lower(at).as_str()) {
        at += 1;
        if phrase.is(at, "*") {
            at += 2;
        }
        if phrase.is(at, "(") {
            let Some(after) = phrase.close(at) else {
                return false;
            };
            at = after;
        }
    }
    let named = phrase.kind(at + 1) == Some(TokenKind::Word);
    named && (phrase.is(at, "subroutine") || (phrase.is(at, "function") && phrase.is(at + 2, "(")))
}

/// Tokens of a piece.
pub fn piece_tokens(text: &[u8], piece: &ScannedStatement) -> Vec<Token> {
    tokens(text, piece.at.clone())
}
