//! Units that could not be read: their diagnostics, and the opaque statement that replaces the unread part
//! of each. `recovery` finds them.

use super::constructs_closed::Fault;
use super::lower::Lowering;
use super::pieces::ScannedStatement;
use super::recovery::{Broken, Why};
use super::statements::Body;
use super::syntax::{At, Parsed};
use super::tokens::{Phrase, TokenKind, tokens};
use crate::ir::{Expression, StatementId, StatementKind};
use crate::source::Span;
use crate::source::diagnostics::Severity;
use std::collections::BTreeSet;

impl<'a> Lowering<'a> {
    /// One error for each.
    pub fn report_broken_units(&mut self) {
        let files = self.files;
        for parsed in &files.parsed {
            for broken in &parsed.broken_units {
                let (span, sentence) = self.what_is_wrong(parsed, broken);
                let sentence = format!("{}: {sentence}", self.line(span));
                self.say(Severity::Error, span, sentence);
            }
        }
    }

    fn what_is_wrong(&self, parsed: &Parsed, broken: &Broken) -> (Span, String) {
        let span = |index: usize| piece_span(parsed, &parsed.pieces[index]);
        let last = broken
            .unit
            .as_ref()
            .map_or(broken.kept.end, |unit| unit.end.unwrap_or(unit.past));
        // Without an END the unit ends one past the last statement.
        let last = last.min(parsed.pieces.len().saturating_sub(1));
        let found = |index: usize| format!("found '{}'", self.line_text(span(index)));
        let unit = self.unit_text(parsed, broken);
        let whole = if broken.kept.is_empty() {
            ""
        } else {
            ", which is kept whole"
        };
        match broken.why {
            Why::NoEnd(place) => {
                let word = broken.unit.as_ref().map_or("", |unit| unit.word.text());
                let found = place.map_or_else(|| "found the end of the file".to_string(), found);
                (
                    span(place.unwrap_or(last)),
                    format!("{found}, expected END {word} of {unit}{whole}: add it"),
                )
            }
            Why::Construct(Fault::Open {
                word,
                begun,
                found: place,
            }) => {
                let end = format!("END {}", word.to_uppercase());
                let begun = self.line(span(begun));
                let sentence = format!(
                    "{}, expected {end} of what begins at {begun}, in {unit}{whole}: close it there",
                    found(place.unwrap_or(last))
                );
                (span(place.unwrap_or(last)), sentence)
            }
            Why::Construct(Fault::Alone { word, found: place }) => {
                let word = word.to_uppercase();
                let sentence = format!(
                    "{}, expected {word} before it, in {unit}{whole}: begin the construct or remove this line",
                    found(place)
                );
                (span(place), sentence)
            }
            Why::Unreadable(place) => {
                let sentence = format!(
                    "{}, expected a statement of Fortran, in {unit}{whole}: correct it",
                    found(place)
                );
                (span(place), sentence)
            }
            Why::Stray(place) => {
                let sentence = format!(
                    "{}, expected a program unit before it: remove it",
                    found(place)
                );
                (span(place), sentence)
            }
        }
    }

    /// The unit by its first line.
    fn unit_text(&self, parsed: &Parsed, broken: &Broken) -> String {
        match &broken.unit {
            Some(unit) if unit.has_head => {
                let head = piece_span(parsed, &parsed.pieces[unit.first]);
                format!("'{}' at {}", self.line_text(head), self.line(head))
            }
            Some(_) => "the main program".to_string(),
            None => "no unit".to_string(),
        }
    }

    /// The statement that stands for what is kept whole of a unit: it reads and writes every name in it.
    pub fn kept_unit(&mut self, body: &Body, at: At<'a>, broken: &Broken) -> StatementId {
        let pieces = &at.parsed.pieces[broken.kept.clone()];
        let words: BTreeSet<String> = pieces
            .iter()
            .flat_map(|piece| words(at.parsed, piece))
            .collect();
        let names: Vec<Expression> = words
            .iter()
            .filter_map(|word| self.known(body.scope, word))
            .collect();
        let id = self.open_statement(body, at);
        self.program.procedures[body.procedure.0 as usize].is_whole = true;
        self.program.statements[id.0 as usize].kind = StatementKind::Opaque {
            reads: names.clone(),
            writes: names,
        };
        let last = pieces.last().map_or(at.start(), |piece| piece.at.end);
        self.map.statements[id.0 as usize].whole = at.span_of(at.start()..last);
        id
    }
}

/// The words of a statement, in lower case.
fn words(parsed: &Parsed, piece: &ScannedStatement) -> Vec<String> {
    let text = parsed.original_text(piece.at.clone()).into_bytes();
    let list = tokens(&text, 0..text.len());
    let phrase = Phrase {
        text: &text,
        tokens: &list,
    };
    let words = (0..list.len()).filter(|&index| phrase.kind(index) == Some(TokenKind::Word));
    words.map(|index| phrase.lower(index)).collect()
}

fn piece_span(parsed: &Parsed, piece: &ScannedStatement) -> Span {
    let original = parsed.copy.original(piece.at.clone());
    Span {
        file: parsed.file,
        start: original.start,
        end: original.end,
    }
}
