//! Tokens of one statement: the part of Fortran's lexical rules that masks, the check of the parser's
//! work and error recovery need. Semantics come from the parser's tree.

use super::parser_copy::is_word;
use std::ops::Range;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Name or keyword.
    Word,
    /// Number.
    Number,
    /// Quoted text.
    Text,
    /// Operator or punctuation.
    Mark,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Where, in the copy.
    pub at: Range<usize>,
}

/// Tokens of a range.
pub fn tokens(text: &[u8], range: Range<usize>) -> Vec<Token> {
    // A guess: names and the marks between them have about three bytes a token.
    let mut found = Vec::with_capacity(range.len() / 3 + 1);
    let mut at = range.start;
    while at < range.end {
        if text[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (kind, length) = token_at(&text[at..range.end]);
        found.push(Token {
            kind,
            at: at..at + length,
        });
        at += length;
    }
    found
}

fn token_at(rest: &[u8]) -> (TokenKind, usize) {
    match rest[0] {
        b'\'' | b'"' => (TokenKind::Text, text_length(rest)),
        // A dollar sign in names is an extension of all compilers.
        byte if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => {
            (TokenKind::Word, word_length(rest))
        }
        byte if byte.is_ascii_digit() => (TokenKind::Number, number_length(rest)),
        b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => {
            (TokenKind::Number, number_length(rest))
        }
        _ => (TokenKind::Mark, mark_length(rest)),
    }
}

fn word_length(rest: &[u8]) -> usize {
    rest.iter().take_while(|&&byte| is_word(byte)).count()
}

fn digits_length(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn letters_length(rest: &[u8]) -> usize {
    rest.iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count()
}

fn text_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        if rest[at] == rest[0] {
            // A doubled quote is one quote of the text.
            if rest.get(at + 1) != Some(&rest[0]) {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    rest.len()
}

/// Digits, fraction, exponent and kind.
fn number_length(rest: &[u8]) -> usize {
    let mut end = digits_length(rest);
    // In `1.eq.i` the point belongs to the operator.
    if rest.get(end) == Some(&b'.') && !starts_operator(&rest[end..]) {
        end += 1;
        end += digits_length(&rest[end..]);
    }
    if let Some(b'e' | b'E' | b'd' | b'D') = rest.get(end) {
        let mut power = end + 1;
        if let Some(b'+' | b'-') = rest.get(power) {
            power += 1;
        }
        let digits = digits_length(&rest[power..]);
        if digits > 0 {
            end = power + digits;
        }
    }
    if rest.get(end) == Some(&b'_') {
        end += word_length(&rest[end..]);
    }
    end.max(1)
}

/// `.eq.` and the like.
fn starts_operator(rest: &[u8]) -> bool {
    let letters = letters_length(&rest[1..]);
    letters > 0 && rest.get(1 + letters) == Some(&b'.')
}

fn mark_length(rest: &[u8]) -> usize {
    if rest[0] == b'.' && starts_operator(rest) {
        return 2 + letters_length(&rest[1..]);
    }
    // Patterns over bytes: comparing slices with a list of pairs took longer than all else that is done with a token.
    match rest {
        [b'=', b'>' | b'=', ..]
        | [b'*', b'*', ..]
        | [b'/', b'/' | b'=', ..]
        | [b'<' | b'>', b'=', ..]
        | [b':', b':', ..] => 2,
        _ => 1,
    }
}

/// Tokens of a text with the text, for questions about them.
#[derive(Clone, Copy, Debug)]
pub struct Phrase<'t> {
    /// The text they are ranges of.
    pub text: &'t [u8],
    /// The tokens.
    pub tokens: &'t [Token],
}

impl<'t> Phrase<'t> {
    /// Whether the token at `index` is this word or mark, in any case.
    pub fn is(&self, index: usize, what: &str) -> bool {
        match self.tokens.get(index) {
            Some(token) if token.kind != TokenKind::Text => {
                self.text[token.at.clone()].eq_ignore_ascii_case(what.as_bytes())
            }
            _ => false,
        }
    }

    /// Kind of the token at `index`.
    pub fn kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The token at `index` in lower case; empty past the end.
    pub fn lower(&self, index: usize) -> String {
        match self.tokens.get(index) {
            Some(token) => {
                String::from_utf8_lossy(&self.text[token.at.clone()]).to_ascii_lowercase()
            }
            None => String::new(),
        }
    }

    /// Index after the parenthesis that closes the one at `index`; `None` if it is not closed.
    pub fn close(&self, index: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in index..self.tokens.len() {
            if self.is(at, "(") {
                depth += 1;
            } else if self.is(at, ")") {
                // A stray parenthesis: the statement is not understood.
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
        }
        None
    }

    /// The tokens from `index` on.
    pub fn from(&self, index: usize) -> Phrase<'t> {
        Phrase {
            text: self.text,
            tokens: &self.tokens[index.min(self.tokens.len())..],
        }
    }

    /// Whether the phrase is an assignment: `name[(…)][%…] =` without a comma outside parentheses
    /// after the `=` (which would make it a DO).
    pub fn is_assignment(&self) -> bool {
        match self.designator(0) {
            Some(after) => self.is(after, "=") && !self.has_comma(after + 1),
            None => false,
        }
    }

    /// Whether the phrase begins as `name[(…)][%…] =>`.
    pub fn is_pointer_assignment(&self) -> bool {
        match self.designator(0) {
            Some(after) => self.is(after, "=>"),
            None => false,
        }
    }

    /// Index after `name[(…)][(…)][%name…]` starting at `index`.
    fn designator(&self, index: usize) -> Option<usize> {
        let mut at = index;
        loop {
            if self.kind(at) != Some(TokenKind::Word) {
                return None;
            }
            at += 1;
            while self.is(at, "(") {
                at = self.close(at)?;
            }
            if !self.is(at, "%") {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Whether there is a comma outside parentheses from `index` on.
    pub fn has_comma(&self, index: usize) -> bool {
        let mut depth = 0i64;
        for at in index..self.tokens.len() {
            if self.is(at, "(") || self.is(at, "[") {
                depth += 1;
            } else if self.is(at, ")") || self.is(at, "]") {
                depth -= 1;
            } else if depth == 0 && self.is(at, ",") {
                return true;
            }
        }
        false
    }
}
