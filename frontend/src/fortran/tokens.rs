//! Tokens of one statement: as much of Fortran's lexis as the masks, the check of the parser's
//! work and statements that were not understood need. Meaning comes from the parser's tree.

use super::parser_copy::is_word;
use std::ops::Range;

/// What a token is.
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
    /// What it is.
    pub kind: TokenKind,
    /// Where, in the copy.
    pub at: Range<usize>,
}

/// Tokens of a range.
pub fn tokens(text: &[u8], range: Range<usize>) -> Vec<Token> {
    let mut found = Vec::new();
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
        byte if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => (
            TokenKind::Word,
            rest.iter().take_while(|&&byte| is_word(byte)).count(),
        ),
        byte if byte.is_ascii_digit() => (TokenKind::Number, number_length(rest)),
        b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => {
            (TokenKind::Number, number_length(rest))
        }
        _ => (TokenKind::Mark, mark_length(rest)),
    }
}

fn text_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        if rest[at] == rest[0] {
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
    let digits = |from: usize| {
        rest[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    if rest.get(end) == Some(&b'.') && !starts_operator(&rest[end..]) {
        end += 1 + digits(end + 1);
    }
    if rest.get(end).is_some_and(|byte| b"eEdD".contains(byte)) {
        let sign = usize::from(rest.get(end + 1).is_some_and(|byte| b"+-".contains(byte)));
        let power = digits((end + 1 + sign).min(rest.len()));
        end += if power > 0 { 1 + sign + power } else { 0 };
    }
    if rest.get(end) == Some(&b'_') {
        end += rest[end..]
            .iter()
            .take_while(|&&byte| is_word(byte))
            .count();
    }
    end.max(1)
}

/// `.eq.` and the like.
fn starts_operator(rest: &[u8]) -> bool {
    let letters = rest[1..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    letters > 0 && rest.get(1 + letters) == Some(&b'.')
}

fn mark_length(rest: &[u8]) -> usize {
    if rest[0] == b'.' && starts_operator(rest) {
        return 2 + rest[1..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
    }
    const PAIRS: [&[u8]; 8] = [b"=>", b"==", b"**", b"//", b"/=", b"<=", b">=", b"::"];
    if rest.len() > 1 && PAIRS.contains(&&rest[..2]) {
        2
    } else {
        1
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
        self.tokens.get(index).is_some_and(|token| {
            token.kind != TokenKind::Text
                && self.text[token.at.clone()].eq_ignore_ascii_case(what.as_bytes())
        })
    }

    /// Kind of the token at `index`.
    pub fn kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The token at `index` in lower case; empty past the end.
    pub fn lower(&self, index: usize) -> String {
        let bytes = self
            .tokens
            .get(index)
            .map_or(&[][..], |token| &self.text[token.at.clone()]);
        String::from_utf8_lossy(bytes).to_ascii_lowercase()
    }

    /// Index after the parenthesis that closes the one at `index`; `None` if it is not closed.
    pub fn close(&self, index: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in index..self.tokens.len() {
            if self.is(at, "(") {
                depth += 1;
            } else if self.is(at, ")") {
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
        let Some(after) = self.designator(0).filter(|&after| self.is(after, "=")) else {
            return false;
        };
        !self.has_comma(after + 1)
    }

    /// Whether the phrase begins as `name[(…)][%…] =>`.
    pub fn is_pointer_assignment(&self) -> bool {
        self.designator(0).is_some_and(|after| self.is(after, "=>"))
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
        (index..self.tokens.len()).any(|at| {
            depth += i64::from(self.is(at, "(") || self.is(at, "["));
            depth -= i64::from(self.is(at, ")") || self.is(at, "]"));
            depth == 0 && self.is(at, ",")
        })
    }
}
