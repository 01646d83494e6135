//! Blanks inside words, labels and names of fixed form: `g o t o 1 0`, `do 1 0 i = 1, n`, `m m = 5`. They
//! have no meaning (F2018 6.3.3.1), so that a statement is tokenized without any blank first. Its keyword
//! then determines where words are separated, and the statement is spelled anew if it is written
//! differently. Declarations keep their spelling.

use super::parser_copy::Copy;
use super::pieces::{CONSTRUCTS, DECLARATIONS};
use super::tokens::{Phrase, Token, TokenKind, tokens};
use std::ops::Range;

/// Keywords that a single name or label can follow.
const STANDALONE: [&str; 12] = [
    "goto",
    "call",
    "return",
    "exit",
    "cycle",
    "rewind",
    "backspace",
    "endfile",
    "flush",
    "pause",
    "stop",
    "entry",
];

/// Words after END that name a unit.
const UNITS: [&str; 6] = [
    "program",
    "subroutine",
    "function",
    "module",
    "submodule",
    "procedure",
];

/// Spells the statements of a logical line as the parser expects them. Whether it has changed any.
pub fn close(copy: &mut Copy, index: usize, list: &[Token]) -> bool {
    if !is_suspicious(copy, list) {
        return false;
    }
    let mut semicolons = Vec::new();
    for (position, token) in list.iter().enumerate() {
        if copy.text[token.at.start] == b';' {
            semicolons.push(position);
        }
    }
    let mut changed = false;
    let mut start = 0;
    for end in semicolons.into_iter().chain([list.len()]) {
        changed |= close_statement(copy, &list[start..end]);
        start = end + 1;
    }
    let body = &mut copy.lines[index].body;
    *body = super::parser_copy::trim(&copy.text, body.clone());
    changed
}

/// Whether a blank stands between two words or numbers where it is not seen at once that it must.
fn is_suspicious(copy: &Copy, list: &[Token]) -> bool {
    let mut blanks = Vec::new();
    for (index, pair) in list.windows(2).enumerate() {
        if are_apart(&pair[0], &pair[1]) {
            blanks.push(index);
        }
    }
    match blanks[..] {
        [] => false,
        // `call x`, `go to` excluded: the usual spelling of most statements. Checking it here keeps
        // the cost of ordinary files low.
        [0] => {
            let phrase = Phrase {
                text: &copy.text,
                tokens: list,
            };
            !["call", "goto", "end", "else"].contains(&phrase.lower(0).as_str())
        }
        _ => true,
    }
}

/// Whether two neighbours are words or numbers that blanks separate.
fn are_apart(left: &Token, right: &Token) -> bool {
    is_word(left) && is_word(right) && left.at.end < right.at.start
}

fn is_word(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Number)
}

/// Where the words of a statement are separated, as offsets in its text without blanks.
#[derive(Default)]
struct Cuts {
    /// Where a blank must stand.
    needed: Vec<usize>,
    /// Where a blank may stand.
    allowed: Vec<usize>,
}

impl Cuts {
    fn needed(at: usize) -> Cuts {
        Cuts {
            needed: vec![at],
            allowed: Vec::new(),
        }
    }

    fn allowed(at: usize) -> Cuts {
        Cuts {
            needed: Vec::new(),
            allowed: vec![at],
        }
    }

    /// Whether blanks stand wherever they must, and nowhere else than they may.
    fn fit(&self, blanks: &[usize]) -> bool {
        for at in blanks {
            if !self.needed.contains(at) && !self.allowed.contains(at) {
                return false;
            }
        }
        self.needed.iter().all(|at| blanks.contains(at))
    }
}

fn close_statement(copy: &mut Copy, list: &[Token]) -> bool {
    let [first, .., last] = list else {
        return false;
    };
    let written = Phrase {
        text: &copy.text,
        tokens: list,
    };
    if is_excluded(written) {
        return false;
    }
    // The statement without blanks, and the offset in the file of each of its characters.
    let mut text = Vec::new();
    let mut kept = Vec::new();
    for token in list {
        text.extend_from_slice(&copy.text[token.at.clone()]);
        kept.extend(token.at.clone());
    }
    let bare = tokens(&text, 0..text.len());
    let phrase = Phrase {
        text: &text,
        tokens: &bare,
    };
    let Some(cuts) = cuts(phrase) else {
        return false;
    };
    let mut blanks = Vec::new();
    for pair in list.windows(2) {
        if are_apart(&pair[0], &pair[1]) {
            blanks.push(kept.partition_point(|&at| at < pair[1].at.start));
        }
    }
    if cuts.fit(&blanks) {
        return false;
    }
    let range = first.at.start..last.at.end;
    spell(copy, range, &kept, &cuts.needed, first.at.end);
    true
}

/// Puts blanks at the cuts if there is room for them, and closes all others.
fn spell(copy: &mut Copy, range: Range<usize>, kept: &[usize], cuts: &[usize], gap: usize) {
    let mut separated = separate(kept, cuts);
    // Characters move to the left only, so that the statement stays inside its lines.
    let has_room = (range.start..)
        .zip(&separated)
        .all(|(to, from)| from.is_none_or(|from| to <= from));
    if !has_room {
        // Without blanks the words run together; the recovery for such spellings separates them.
        separated = separate(kept, &[]);
    }
    copy.respell(range, &separated, gap);
}

/// The offsets of the characters of a statement, with `None` (a blank) at each cut.
fn separate(kept: &[usize], cuts: &[usize]) -> Vec<Option<usize>> {
    let mut separated = Vec::with_capacity(kept.len() + cuts.len());
    for (offset, &at) in kept.iter().enumerate() {
        if cuts.contains(&offset) {
            separated.push(None);
        }
        separated.push(Some(at));
    }
    separated
}

/// Whether a statement keeps its spelling: declarations, formats, and statements with a type inside.
fn is_excluded(written: Phrase) -> bool {
    // Two adjacent strings are one with a doubled quote, or a format: their blanks count.
    for pair in written.tokens.windows(2) {
        if pair[0].kind == TokenKind::Text && pair[1].kind == TokenKind::Text {
            return true;
        }
    }
    let has_type = (0..written.tokens.len()).any(|index| written.is(index, "::"));
    if has_type {
        return true;
    }
    // `real = 1` and `integer(3) = 1` are assignments to variables of those names.
    let word = written.lower(0);
    DECLARATIONS.contains(&word.as_str()) && !written.is(1, "=") && !written.is(1, "(")
}

/// Where the words of a statement part; `None` if it is not known.
fn cuts(phrase: Phrase) -> Option<Cuts> {
    let start = phrase.tokens.first()?.at.start;
    if assigns(phrase) {
        return Some(Cuts::default());
    }
    let word = phrase.lower(0);
    // A construct name or a parenthesized condition may precede the statement proper.
    let prefix = if phrase.is(1, ":") {
        Some(2)
    } else if ["if", "where", "forall"].contains(&word.as_str()) && phrase.is(1, "(") {
        phrase.close(1)
    } else {
        None
    };
    if let Some(prefix) = prefix {
        if prefix < phrase.tokens.len() {
            return cuts(phrase.from(prefix));
        }
        return Some(Cuts::default());
    }
    // `else if (x) 10, 20, 30` and arithmetic IF: labels only.
    if phrase.kind(0) == Some(TokenKind::Number) {
        return Some(Cuts::default());
    }
    let mut cuts = keyword_cuts(phrase, &word)?;
    for at in cuts.needed.iter_mut().chain(&mut cuts.allowed) {
        *at += start;
    }
    Some(cuts)
}

/// Whether it is an assignment, of a pointer too.
fn assigns(phrase: Phrase) -> bool {
    phrase.is_assignment() || phrase.is_pointer_assignment()
}

/// Cuts of a statement that begins with a keyword, counted from the keyword.
fn keyword_cuts(phrase: Phrase, word: &str) -> Option<Cuts> {
    if let Some(cuts) = whole_word_cuts(phrase, word) {
        return Some(cuts);
    }
    if let Some(cuts) = do_cuts(phrase, word) {
        return Some(cuts);
    }
    if phrase.tokens.len() == 1 {
        if let Some(cuts) = assign_cuts(word) {
            return Some(cuts);
        }
        if let Some(cuts) = end_cuts(word) {
            return Some(cuts);
        }
    }
    if let Some(cuts) = print_cuts(phrase, word) {
        return Some(cuts);
    }
    standalone_cuts(phrase, word)
}

/// Keywords that are followed by `(` or by nothing: no name or label is glued to them.
fn whole_word_cuts(phrase: Phrase, word: &str) -> Option<Cuts> {
    const SINGLE: [&str; 6] = ["then", "else", "continue", "return", "stop", "end"];
    const BEFORE_LIST: [&str; 9] = [
        "read",
        "write",
        "rewind",
        "backspace",
        "open",
        "close",
        "inquire",
        "nullify",
        "case",
    ];
    let is_single = phrase.tokens.len() == 1;
    let has_list = phrase.is(1, "(");
    if is_single && SINGLE.contains(&word) || has_list && BEFORE_LIST.contains(&word) {
        return Some(Cuts::default());
    }
    match word {
        "goto" if has_list => Some(Cuts::allowed(2)),
        "elseif" | "elsewhere" if is_single || has_list => Some(Cuts::allowed(4)),
        "endfile" if has_list => Some(Cuts::allowed(3)),
        "print" | "read" if phrase.is(1, "*") => Some(Cuts::default()),
        "stop" | "pause" if phrase.kind(1) == Some(TokenKind::Text) => {
            Some(Cuts::needed(word.len()))
        }
        "selectcase" | "selecttype" if has_list => Some(Cuts::needed(6)),
        "casedefault" if is_single => Some(Cuts::needed(4)),
        _ => None,
    }
}

/// `do10i=1,n`, `doi=1,n`, `do10,i=1,n`, `do10while(`, `dowhile(`, `doconcurrent(`.
fn do_cuts(phrase: Phrase, word: &str) -> Option<Cuts> {
    let rest = word.strip_prefix("do")?;
    let digits = leading_digits(rest);
    let name = &rest[digits..];
    // The comma distinguishes a loop from the assignment `do10i = 1` (the classic DO 10 I = 1.10).
    let is_counted = phrase.is(1, "=") && phrase.has_comma(2) && !name.is_empty();
    let has_condition = phrase.is(1, "(") && ["while", "concurrent"].contains(&name);
    let ends_after_label = phrase.tokens.len() == 1 || phrase.is(1, ",");
    let is_label_only = digits > 0 && name.is_empty() && ends_after_label;
    if !is_counted && !has_condition && !is_label_only {
        return None;
    }
    let mut cuts = Cuts::needed(2);
    if digits > 0 && !name.is_empty() {
        cuts.needed.push(2 + digits);
    }
    Some(cuts)
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// `assign10tolabel` (FORTRAN 77, 10.3; deleted since Fortran 95).
fn assign_cuts(word: &str) -> Option<Cuts> {
    let rest = word.strip_prefix("assign")?;
    let digits = leading_digits(rest);
    let target = rest[digits..].strip_prefix("to")?;
    if digits == 0 || target.is_empty() {
        return None;
    }
    Some(Cuts {
        needed: vec![6, 6 + digits, 8 + digits],
        allowed: Vec::new(),
    })
}

/// `endif`, `enddoname`, `endsubroutinename`.
fn end_cuts(word: &str) -> Option<Cuts> {
    let rest = word.strip_prefix("end")?;
    // "block" is a prefix of BLOCK DATA, whose name begins later.
    if rest.starts_with("blockdata") {
        return None;
    }
    for kind in CONSTRUCTS.iter().chain(&UNITS) {
        let Some(name) = rest.strip_prefix(kind) else {
            continue;
        };
        // The blank of `end if` may be missing (F2018 table 6.2), the one before a name not.
        let mut cuts = Cuts::allowed(3);
        if !name.is_empty() {
            cuts.needed.push(3 + kind.len());
        }
        return Some(cuts);
    }
    None
}

/// `print10,x`, `readformat,x`.
fn print_cuts(phrase: Phrase, word: &str) -> Option<Cuts> {
    let is_complete = phrase.tokens.len() == 1 || phrase.is(1, ",");
    for keyword in ["print", "read"] {
        if word.starts_with(keyword) {
            let has_format = word.len() > keyword.len();
            if is_complete && has_format {
                return Some(Cuts::needed(keyword.len()));
            }
            return None;
        }
    }
    None
}

/// A keyword and a name or label: `goto10`, `gotolabel,(10,20)`, `calls(x)`, `exitname`.
fn standalone_cuts(phrase: Phrase, word: &str) -> Option<Cuts> {
    for keyword in STANDALONE {
        if !word.starts_with(keyword) || word.len() == keyword.len() {
            continue;
        }
        let may_follow: &[&str] = match keyword {
            "call" => &["(", "%"],
            "entry" => &["("],
            "goto" => &["(", ","],
            _ => &[],
        };
        let is_alone = phrase.tokens.len() == 1;
        if !is_alone && !may_follow.iter().any(|token| phrase.is(1, token)) {
            return None;
        }
        let mut cuts = Cuts::needed(keyword.len());
        // GO TO and END FILE are two words themselves.
        match keyword {
            "goto" => cuts.allowed.push(2),
            "endfile" => cuts.allowed.push(3),
            _ => {}
        }
        return Some(cuts);
    }
    None
}
