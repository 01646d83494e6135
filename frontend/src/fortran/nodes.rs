//! Nodes of the parser's tree, with their positions and texts in the original.

use super::masks;
use super::parse_tree::{NodeId, SyntaxNode};
use super::parsed::Parsed;
use super::pieces::ScannedStatement;
use crate::source::Span;
use std::ops::Range;

/// A node of a tree.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Its file.
    pub parsed: &'a Parsed,
    id: NodeId,
}

impl<'a> At<'a> {
    /// A node of a file's tree.
    pub fn new(parsed: &'a Parsed, id: NodeId) -> At<'a> {
        At { parsed, id }
    }

    fn node(&self) -> &'a SyntaxNode {
        self.parsed.tree.node(self.id)
    }

    /// The grammar's name of the node.
    pub fn kind(&self) -> &'static str {
        self.node().kind
    }

    /// Whether the node is of this kind.
    pub fn is(&self, kind: &str) -> bool {
        self.node().kind == kind
    }

    /// Whether a sign before the node was masked.
    pub fn has_masked_sign(&self) -> bool {
        self.parsed
            .is_after(self.node().start as usize, masks::SIGN)
    }

    /// Whether a comma before the node was masked.
    pub fn has_masked_comma(&self) -> bool {
        self.parsed
            .is_after(self.node().start as usize, masks::COMMA)
    }

    /// Whether the node has a name in the grammar (is not a keyword or punctuation).
    pub fn is_named(&self) -> bool {
        self.node().is_named
    }

    /// All children but comments.
    pub fn children(&self) -> Vec<At<'a>> {
        self.children_that(|_| true)
    }

    /// Children with names in the grammar.
    pub fn named(&self) -> Vec<At<'a>> {
        self.children_that(|child| child.is_named)
    }

    /// First child of a kind.
    pub fn child(&self, kind: &str) -> Option<At<'a>> {
        self.first_that(|child| child.kind == kind)
    }

    /// Children of a kind.
    pub fn all(&self, kind: &str) -> Vec<At<'a>> {
        self.children_that(|child| child.kind == kind)
    }

    /// A child by field.
    pub fn field(&self, name: &str) -> Option<At<'a>> {
        self.first_that(|child| child.field == Some(name))
    }

    /// Children by field.
    pub fn fields(&self, name: &str) -> Vec<At<'a>> {
        self.children_that(|child| child.field == Some(name))
    }

    fn first_that(&self, wanted: impl Fn(&SyntaxNode) -> bool) -> Option<At<'a>> {
        for (id, child) in self.parsed.tree.children(self.id) {
            if wanted(child) {
                return Some(At { id, ..*self });
            }
        }
        None
    }

    fn children_that(&self, wanted: impl Fn(&SyntaxNode) -> bool) -> Vec<At<'a>> {
        let mut children = Vec::new();
        for (id, child) in self.parsed.tree.children(self.id) {
            if wanted(child) {
                children.push(At { id, ..*self });
            }
        }
        children
    }

    /// First byte in the copy.
    pub fn start(&self) -> usize {
        (self.node().start as usize).min(self.parsed.copy.text.len())
    }

    /// One past its last byte in the copy.
    pub fn end(&self) -> usize {
        (self.node().end as usize).min(self.parsed.copy.text.len())
    }

    /// One past its last byte that is not blank.
    pub fn trimmed_end(&self) -> usize {
        let text = &self.parsed.copy.text[self.start()..self.end()];
        self.start() + text.trim_ascii_end().len()
    }

    /// Its original text, in lower case outside quotes (of which there are none in names).
    pub fn name(&self) -> String {
        let mut text = Vec::with_capacity(self.end() - self.start());
        for &at in &self.parsed.copy.origin[self.start()..self.end()] {
            text.push(self.parsed.original[at as usize].to_ascii_lowercase());
        }
        let trimmed = text.trim_ascii();
        // The usual case needs no second copy: names are read very often.
        if trimmed.len() == text.len() && text.is_ascii() {
            return String::from_utf8(text).unwrap_or_default();
        }
        String::from_utf8_lossy(trimmed).trim().to_ascii_lowercase()
    }

    /// Whether its original text begins with a word in lower case, which may be a part of a longer one.
    pub fn begins_with(&self, word: &str) -> bool {
        let mut bytes = self.parsed.copy.origin[self.start()..self.end()].iter();
        let mut next = || {
            let &at = bytes.next()?;
            Some(self.parsed.original[at as usize].to_ascii_lowercase())
        };
        let mut first = next();
        while first.is_some_and(|byte| byte.is_ascii_whitespace()) {
            first = next();
        }
        for wanted in word.bytes() {
            if first != Some(wanted) {
                return false;
            }
            first = next();
        }
        true
    }

    /// Its text in the copy: for literals, whose blanks are closed there.
    pub fn literal(&self) -> String {
        String::from_utf8_lossy(&self.parsed.copy.text[self.start()..self.end()])
            .trim()
            .to_string()
    }

    /// Index of the statement it begins in.
    pub fn piece_index(&self) -> Option<usize> {
        self.parsed.piece_at(self.start())
    }

    /// The statement it begins in.
    pub fn piece(&self) -> Option<&'a ScannedStatement> {
        self.piece_index().map(|index| &self.parsed.pieces[index])
    }

    /// A span of the original for a range of the copy.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let original = self.parsed.copy.original(range);
        Span {
            file: self.parsed.file,
            start: original.start,
            end: original.end,
        }
    }

    /// From its start to the end of the statement it begins in.
    pub fn statement_span(&self) -> Span {
        let start = self.start();
        let end = match self.piece() {
            Some(piece) => piece.at.end,
            None => self.trimmed_end(),
        };
        self.span_of(start..end.max(start))
    }

    /// Whether the node can begin a statement.
    pub fn is_statement(&self) -> bool {
        // The grammar names most of its statements so, but not these.
        const OTHERS: [&str; 6] = [
            "variable_declaration",
            "variable_modification",
            "subroutine_call",
            "call_expression",
            "cray_pointer_declaration",
            "procedure_statement",
        ];
        let kind = self.kind();
        if !self.is_named() {
            // END of a construct is a bare keyword in the tree.
            return kind.to_ascii_lowercase().starts_with("end");
        }
        kind.ends_with("_statement")
            || kind.ends_with("_clause")
            || self.is_construct()
            || OTHERS.contains(&kind)
    }

    /// Whether the node spans more than one statement.
    pub fn is_construct(&self) -> bool {
        matches!(
            self.kind(),
            "program"
                | "module"
                | "submodule"
                | "subroutine"
                | "function"
                | "block_data"
                | "module_procedure"
                | "interface"
                | "derived_type_definition"
                | "enum"
                | "enumeration_type"
                | "if_statement"
                | "elseif_clause"
                | "else_clause"
                | "do_loop"
                | "where_statement"
                | "elsewhere_clause"
                | "forall_statement"
                | "select_case_statement"
                | "select_type_statement"
                | "select_rank_statement"
                | "case_statement"
                | "type_statement"
                | "rank_statement"
                | "block_construct"
                | "associate_statement"
                | "end_do_label_loop_statement"
                | "coarray_critical_statement"
                | "coarray_team_statement"
                | "internal_procedures"
                | "derived_type_procedures"
        )
    }
}
