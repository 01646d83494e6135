//! Opaque statements: the variables that they may read and write; and pointer assignment.

use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::pieces::{ScannedStatement, Sort, sort};
use super::statements::Body;
use super::syntax::At;
use super::tokens::{Phrase, TokenKind, tokens};
use crate::ir::{Expression, StatementId, StatementKind};
use crate::source::diagnostics::Severity;

impl<'a> Lowering<'a> {
    /// WHERE, FORALL, pointer assignment and the like.
    pub fn opaque(&mut self, scope: ScopeId, at: At<'a>) -> StatementKind {
        let refused = match at.kind() {
            "coarray_critical_statement" => Some(
                "CRITICAL belongs to coarrays, which are not supported; with MPI alone it does nothing: leave out CRITICAL and END CRITICAL",
            ),
            "coarray_statement" | "coarray_team_statement" => Some("coarrays are not supported"),
            "call_expression"
                if at
                    .child("identifier")
                    .is_some_and(|name| name.name() == "pointer") =>
            {
                Some("Cray pointers are not supported")
            }
            "call_expression" => {
                Some("this is no statement of Fortran: is it a macro? expand it first")
            }
            _ => None,
        };
        if let Some(refused) = refused {
            let span = at.statement_span();
            let sentence = format!("{}: {refused}", self.line(span));
            self.say(Severity::Error, span, sentence);
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        self.collect_accesses(scope, at, &mut reads, &mut writes);
        StatementKind::Opaque { reads, writes }
    }

    /// `pointer => target`.
    pub fn pointer_assignment(&mut self, scope: ScopeId, at: At<'a>) -> Option<StatementKind> {
        let [pointer, .., target] = at.named()[..] else {
            return None;
        };
        let pointer = self.target(scope, pointer);
        let target = self.expression(scope, target);
        Some(StatementKind::PointerAssignment { pointer, target })
    }

    /// Targets of assignments inside are written, everything else is read.
    fn collect_accesses(
        &mut self,
        scope: ScopeId,
        at: At<'a>,
        reads: &mut Vec<Expression>,
        writes: &mut Vec<Expression>,
    ) {
        let mut stack = vec![at];
        while let Some(at) = stack.pop() {
            match at.kind() {
                "assignment_statement" => {
                    writes.extend(at.field("left").map(|left| self.target(scope, left)));
                    reads.extend(at.field("right").map(|right| self.expression(scope, right)));
                }
                "assign_statement" => {
                    writes.extend(at.child("identifier").map(|name| self.target(scope, name)))
                }
                // FORALL's index is a name of its own, which it is harmless to read.
                "parenthesized_expression"
                | "triplet_spec"
                | "call_expression"
                | "relational_expression"
                | "logical_expression" => reads.push(self.expression(scope, at)),
                _ => stack.extend(at.named().into_iter().rev()),
            }
        }
    }

    /// A construct that is nested too deep to be followed: all its names.
    pub fn kept_whole(&mut self, body: &Body, at: At<'a>) -> StatementId {
        let id = self.open_statement(body, at);
        let names = self.names_in(body.scope, at);
        let kind = StatementKind::Opaque {
            reads: names.clone(),
            writes: names,
        };
        self.program.statements[id.0 as usize].kind = kind;
        self.map.statements[id.0 as usize].whole = at.span_of(at.start()..at.trimmed_end());
        id
    }

    /// A statement that the parser could not read: it reads and writes every name in it.
    pub fn unread(
        &mut self,
        body: &Body,
        at: At<'a>,
        piece: &ScannedStatement,
    ) -> Vec<StatementId> {
        let text = at.parsed.original_text(piece.at.clone()).into_bytes();
        let list = tokens(&text, 0..text.len());
        let phrase = Phrase {
            text: &text,
            tokens: &list,
        };
        let span = at.span_of(piece.at.clone());
        let declaration = sort(phrase) == Sort::Declaration;
        // Only of an assignment among variables it is known that control goes on after it and what it
        // may touch.
        let harmless = phrase.is_assignment() && self.knows_all(body.scope, phrase);
        let severity = if harmless {
            Severity::Warning
        } else {
            Severity::Error
        };
        let sentence = format!(
            "{}: not parsed: '{}'; all its names count as read and written",
            self.line(span),
            self.line_text(span)
        );
        self.say(severity, span, sentence);
        if declaration {
            return Vec::new();
        }
        let id = self.open_statement(body, at);
        let words = (0..list.len()).filter(|&index| phrase.kind(index) == Some(TokenKind::Word));
        let words: Vec<String> = words.map(|index| phrase.lower(index)).collect();
        let names: Vec<Expression> = words
            .iter()
            .filter_map(|word| self.known(body.scope, word))
            .collect();
        self.program.statements[id.0 as usize].kind = StatementKind::Opaque {
            reads: names.clone(),
            writes: names,
        };
        vec![id]
    }

    /// Whether all names of a phrase are variables or intrinsic procedures; names after `%` are not looked at.
    fn knows_all(&mut self, scope: ScopeId, phrase: Phrase) -> bool {
        let component = |index: usize| index > 0 && phrase.is(index - 1, "%");
        let mut names = (0..phrase.tokens.len())
            .filter(|&index| phrase.kind(index) == Some(TokenKind::Word) && !component(index));
        names.all(|index| {
            let name = phrase.lower(index);
            self.known(scope, &name).is_some()
                || matches!(self.lookup(scope, &name), Some(Entity::Intrinsic(_)))
        })
    }

    /// What a name stands for, if for a place.
    pub fn known(&mut self, scope: ScopeId, name: &str) -> Option<Expression> {
        match self.lookup(scope, name) {
            Some(Entity::Variable(id)) => Some(Expression::Variable(id)),
            Some(Entity::Alias(alias)) => Some(alias),
            _ => None,
        }
    }
}
