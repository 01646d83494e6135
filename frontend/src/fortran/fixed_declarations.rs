//! Blanks inside words and numbers of declarations in fixed form: `PARAMETER (m = 10 000)`, `dou ble precision a b`,
//! `DATA x /1 0*0.0/`. A declaration begins with its keywords, of which parts are put together first; behind them no two
//! words or numbers stand side by side, so that blanks between them mean nothing.

use super::parser_copy::{Copy, trim};
use super::pieces::DECLARATIONS;
use super::tokens::{Phrase, Token, TokenKind};
use std::ops::Range;

/// Keywords that may stand beside others and before a name at the beginning of a declaration or of a program unit.
const HEADS: [&str; 22] = [
    "precision",
    "recursive",
    "pure",
    "elemental",
    "impure",
    "module",
    "submodule",
    "program",
    "subroutine",
    "function",
    "block",
    "blockdata",
    "doublecomplex",
    "none",
    "end",
    "entry",
    "abstract",
    "enum",
    "enumerator",
    "generic",
    "final",
    "assignment",
];

/// Closes blanks in the declarations of a logical line. Whether there were any.
pub fn close(copy: &mut Copy, index: usize, list: &[Token]) -> bool {
    let mut ends = Vec::new();
    for (position, token) in list.iter().enumerate() {
        if copy.text[token.at.start] == b';' {
            ends.push(position);
        }
    }
    let mut changed = false;
    let mut start = 0;
    for end in ends.into_iter().chain([list.len()]) {
        changed |= close_statement(copy, &list[start..end]);
        start = end + 1;
    }
    let body = &mut copy.lines[index].body;
    *body = trim(&copy.text, body.clone());
    changed
}

fn close_statement(copy: &mut Copy, list: &[Token]) -> bool {
    let apart = |index: usize| {
        index > 0 && list.get(index).is_some() && are_apart(&list[index - 1], &list[index])
    };
    if !(1..list.len()).any(apart) {
        return false;
    }
    let phrase = Phrase {
        text: &copy.text,
        tokens: list,
    };
    let assigns = phrase.is_assignment() || phrase.is_pointer_assignment();
    let Some(head) = head(phrase).filter(|_| !assigns) else {
        return false;
    };
    if !(1..list.len()).any(|index| apart(index) && head.is_closed(index)) {
        return false;
    }
    let range = list[0].at.start..list[list.len() - 1].at.end;
    let mut kept: Vec<Option<usize>> = Vec::with_capacity(range.len());
    for (index, token) in list.iter().enumerate() {
        let has_blank = index > 0 && token.at.start > list[index - 1].at.end;
        if has_blank && !head.is_closed(index) {
            kept.push(None);
        }
        kept.extend(token.at.clone().map(Some));
    }
    copy.respell(range, &kept, list[0].at.end);
    true
}

/// Whether two neighbours are words or numbers, parted by blanks.
fn are_apart(left: &Token, right: &Token) -> bool {
    let is_word = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Number);
    is_word(left) && is_word(right) && left.at.end < right.at.start
}

/// The beginning of a declaration.
struct Head {
    /// Tokens that go on with the keyword before them.
    parts: Vec<usize>,
    /// The first token behind the keywords: a name begins there.
    end: usize,
}

impl Head {
    /// Whether a token belongs to the one before it.
    fn is_closed(&self, index: usize) -> bool {
        index > self.end || self.parts.contains(&index)
    }
}

/// The keywords of a declaration; `None` of any other statement.
fn head(phrase: Phrase) -> Option<Head> {
    let mut head = Head {
        parts: Vec::new(),
        end: 0,
    };
    let mut declares = false;
    let mut at = 0;
    while let Some(length) = keyword(phrase, at) {
        let word: String = (at..at + length).map(|index| phrase.lower(index)).collect();
        // A FORMAT is no declaration: `1 0x` is read as it stands.
        if word == "format" || word == "end" && at == 0 {
            return None;
        }
        // `USE m, ONLY: OPERATOR(+)` and what else names words of other statements.
        if ["use", "import", "include"].contains(&word.as_str()) {
            return None;
        }
        declares |= DECLARATIONS.contains(&word.as_str()) || HEADS.contains(&word.as_str());
        head.parts.extend(at + 1..at + length);
        let (numbers, end) = behind_length(phrase, &word, at + length);
        head.parts.extend(numbers);
        at = end;
    }
    head.end = at;
    declares.then_some(head)
}

/// How many words from `at` on make a keyword; `None` if none does.
fn keyword(phrase: Phrase, at: usize) -> Option<usize> {
    const MAX_COUNT: usize = 4;
    let is_word = |index: usize| phrase.kind(index) == Some(TokenKind::Word);
    let mut word = String::new();
    let mut found = None;
    for length in 1..=MAX_COUNT {
        if !is_word(at + length - 1) {
            break;
        }
        word += &phrase.lower(at + length - 1);
        // `double precision` is two keywords, and `doubleprecision` one.
        let is_known = DECLARATIONS.contains(&word.as_str()) || HEADS.contains(&word.as_str());
        if is_known && found.is_none() {
            found = Some(length);
        }
    }
    found
}

/// What is behind `*8`, `*(*)` and `(kind=8)` of a type before `FUNCTION` or a name, and the rest of the number in it.
fn behind_length(phrase: Phrase, word: &str, at: usize) -> (Range<usize>, usize) {
    const TYPES: [&str; 8] = [
        "integer",
        "real",
        "complex",
        "logical",
        "character",
        "type",
        "class",
        "byte",
    ];
    if !TYPES.contains(&word) {
        return (at..at, at);
    }
    let open = if phrase.is(at, "*") { at + 1 } else { at };
    if phrase.is(open, "(") {
        let end = phrase.close(open).unwrap_or(at);
        return (end..end, end);
    }
    let mut end = open;
    while open > at && phrase.kind(end) == Some(TokenKind::Number) {
        end += 1;
    }
    let numbers = (open + 1).min(end)..end;
    (numbers, end)
}
