//! Syntax trees by tree-sitter-fortran (this folder alone uses it), checked against the table of
//! statements. Stand-ins in the copy replace statements that the parser cannot read, or reads across their
//! ends; these statements are lowered without the parser.

pub use super::nodes::At;
pub use super::parsed::Parsed;

use super::parse_tree::{SyntaxTree, inside_definitions, tree};
use super::parser_copy::Copy;
use super::pieces::{ScannedStatement, Sort, piece_tokens, pieces, sort};
use super::recovery;
use super::tokens::Phrase;
use super::{cpp, fixed_form, free_form, masks};
use crate::source::dialect::Dialect;
use crate::source::{FileId, Form, SourceFile};
use std::ops::Range;

/// Put around a statement that is read alone.
const WRAP: (&[u8], &[u8]) = (b"subroutine x\n", b"\nend\n");

/// How often stand-ins are put in before a file is given up.
const ROUNDS: usize = 4;

/// Parses a file.
pub fn parse(file: FileId, source: &SourceFile, dialect: &Dialect) -> Parsed {
    let visible = cpp::hide(&source.path, &source.text, &dialect.defines);
    let mut copy = match source.form {
        Form::Fixed => fixed_form::rewrite(&visible.text, &source.reading),
        Form::Free => free_form::rewrite(&visible.text),
    };
    let mut pieces = pieces(&copy);
    masks::apply(&mut copy, &mut pieces);
    let mut diagnostics = Vec::new();
    for (at, sentence) in visible.diagnostics.iter().chain(&copy.diagnostics) {
        let at = *at as u32;
        diagnostics.push((at..at + 1, sentence.clone()));
    }
    let tree = SyntaxTree::of(&copy.text);
    let original = source.text.clone();
    let mut parsed = Parsed {
        file,
        original,
        copy,
        pieces,
        diagnostics,
        broken: None,
        broken_units: Vec::new(),
        errors: Vec::new(),
        unread: 0,
        tree,
    };
    parsed.replace_unreadable();
    parsed
}

/// Sort of a piece.
pub fn sort_of(copy: &Copy, piece: &ScannedStatement) -> Sort {
    sort(Phrase {
        text: &copy.text,
        tokens: &piece_tokens(&copy.text, piece),
    })
}

impl Parsed {
    /// The root.
    pub fn root(&self) -> At<'_> {
        At::new(self, self.tree.root())
    }

    /// Replaces statements that the tree has wrong, and parses again, until nothing is wrong or
    /// nothing helps.
    fn replace_unreadable(&mut self) {
        for _ in 0..ROUNDS {
            let wrong = self.wrong_pieces();
            if wrong.is_empty() {
                break;
            }
            self.replace_and_parse(wrong);
        }
        // Stand-ins repair single statements, not constructs or units that are not closed.
        if self.tree.has_error() {
            self.recover();
        }
        let errors = std::mem::take(&mut self.tree.errors);
        if let Some(first) = errors.first() {
            self.broken = Some(self.offset_of(first.start));
        }
        let mut bytes = 0;
        for range in &errors {
            self.errors.push(self.original_of(range));
            bytes += range.len();
        }
        self.unread = (bytes * 1000 / self.copy.text.len().max(1)) as u32;
    }

    fn replace_and_parse(&mut self, pieces: Vec<usize>) {
        for index in pieces {
            self.stand_in(index);
        }
        self.tree = SyntaxTree::of(&self.copy.text);
    }

    /// Reads the units apart; statements that only then show that they are not read get stand-ins.
    fn recover(&mut self) {
        self.broken_units = recovery::recover(&mut self.copy, &mut self.pieces);
        self.tree = SyntaxTree::of(&self.copy.text);
        if !self.broken_units.is_empty() && !self.tree.has_error() {
            let mut wrong = self.misread_pieces();
            wrong.retain(|&index| !self.pieces[index].replaced);
            self.replace_and_parse(wrong);
        }
    }

    fn original_of(&self, range: &Range<usize>) -> Range<u32> {
        // A missing token at the end of the file lies behind its text.
        let length = self.copy.text.len();
        self.copy
            .original(range.start.min(length)..range.end.min(length))
    }

    fn offset_of(&self, node_offset: usize) -> u32 {
        let mut at = node_offset.min(self.copy.text.len().saturating_sub(1));
        // Errors often begin at the blank before the statement that is wrong.
        let piece = self.pieces.partition_point(|piece| piece.at.end <= at);
        if let Some(piece) = self.pieces.get(piece) {
            at = at.max(piece.at.start);
        }
        self.copy.origin.get(at).copied().unwrap_or(0)
    }

    /// Statements that the parser cannot read alone, or that no node begins at.
    fn wrong_pieces(&self) -> Vec<usize> {
        if !self.tree.has_error() {
            return self.misread_pieces();
        }
        let errors = &self.tree.units_with_errors;
        let inside = self.inside_definitions();
        let mut wrong = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            if inside[index] || piece.replaced {
                continue;
            }
            // Parsing a statement alone is slow: only those near an error.
            let is_near_error = errors.iter().any(|range| range.contains(&piece.at.start));
            if is_near_error && !self.parses_alone(index) {
                wrong.push(index);
            }
        }
        wrong
    }

    /// Which statements stand in definitions of types and interfaces.
    pub fn inside_definitions(&self) -> Vec<bool> {
        inside_definitions(&self.copy, &self.pieces)
    }

    /// Whether the parser reads the statement when it stands alone.
    fn parses_alone(&self, index: usize) -> bool {
        let piece = &self.pieces[index];
        let tokens = piece_tokens(&self.copy.text, piece);
        let phrase = Phrase {
            text: &self.copy.text,
            tokens: &tokens,
        };
        let Some(tail) = closing(phrase) else {
            return true;
        };
        let text = [
            WRAP.0,
            &self.copy.text[piece.at.clone()],
            tail.as_bytes(),
            WRAP.1,
        ]
        .concat();
        !tree(&text).root_node().has_error()
    }

    /// Statements at whose start no node begins, and those whose node runs over their end.
    fn misread_pieces(&self) -> Vec<usize> {
        let mut begun = vec![false; self.pieces.len()];
        let mut wrong = Vec::new();
        let mut stack = vec![self.root()];
        while let Some(at) = stack.pop() {
            if !at.is_statement() {
                stack.extend(at.children());
                continue;
            }
            let (construct, piece) = (at.is_construct(), at.piece_index());
            if let Some(index) = piece {
                begun[index] |= at.start() == self.pieces[index].at.start;
                if !construct && at.trimmed_end() > self.pieces[index].at.end {
                    wrong.push(index);
                }
            }
            // No statement begins inside another that is no construct.
            if construct {
                stack.extend(at.children());
            }
        }
        for (index, piece) in self.pieces.iter().enumerate() {
            if !begun[index] && !piece.replaced {
                wrong.push(index);
            }
        }
        wrong.sort_unstable();
        wrong.dedup();
        wrong
    }

    /// Overwrites a statement in the copy by one that the parser reads, of the same length at most: offsets
    /// of later statements stay.
    fn stand_in(&mut self, index: usize) {
        let at = self.pieces[index].at.clone();
        self.pieces[index].replaced = true;
        let stand_in: &[u8] = match at.len() {
            0..3 => b"",
            3..8 => b"q=1",
            _ => b"continue",
        };
        self.copy.text[at.clone()].fill(b' ');
        self.copy.text[at.start..at.start + stand_in.len()].copy_from_slice(stand_in);
    }
}

/// What must follow a statement so that it can stand alone; `None` where it cannot.
fn closing(phrase: Phrase) -> Option<String> {
    let named = phrase.is(1, ":") && !phrase.is_assignment();
    let head = if named { phrase.from(2) } else { phrase };
    let last = head.tokens.len().saturating_sub(1);
    let tail = match sort(head) {
        Sort::Unit | Sort::EndUnit | Sort::EndConstruct | Sort::Clause => return None,
        Sort::Include => "",
        Sort::Declaration if head.is(0, "type") && !head.is(1, "(") => "\ninteger x\nend type",
        // In a submodule it begins a procedure.
        Sort::Declaration if head.is(0, "module") => return None,
        Sort::Declaration if head.is(0, "interface") => "\nend interface",
        Sort::Declaration => "",
        Sort::Executable => match head.lower(0).as_str() {
            "if" if head.is(last, "then") => "\nend if",
            "do" if head.kind(1) == Some(super::tokens::TokenKind::Number) => {
                return Some(format!("\n{} continue", head.lower(1)));
            }
            "do" => "\nend do",
            "select" => "\nend select",
            "where" if head.close(1) == Some(head.tokens.len()) => "\nend where",
            "forall" if head.close(1) == Some(head.tokens.len()) => "\nend forall",
            "associate" => "\nend associate",
            "block" => "\nend block",
            "enum" => return None,
            _ => "",
        },
    };
    Some(tail.to_string())
}
