//! Blanks inside words, labels and names of fixed form: `g o t o 1 0`, `do 1 0 i = 1, n`, `m m = 5`. They mean
//! nothing, so that a statement is first thought of without any blank; where words part then is told by its
//! keyword, and it is spelled anew if that is not how it is written. Declarations are left as they are.

use super::fixed_blanks::line_tokens;
use super::parser_copy::Copy;
use super::pieces::{CONSTRUCTS, DECLARATIONS};
use super::tokens::{Phrase, Token, TokenKind, tokens};
use std::ops::Range;

/// Words after which a name or label follows in statements of one word otherwise.
const ALONE: [&str; 12] = [
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

/// Spells the statements of a logical line as the parser expects them.
pub fn close(copy: &mut Copy, index: usize) {
    let list = line_tokens(copy, index);
    if !is_suspicious(copy, &list) {
        return;
    }
    let ends: Vec<bool> = list
        .iter()
        .map(|token| copy.text[token.at.start] == b';')
        .collect();
    let mut start = 0;
    for end in (0..=list.len()).filter(|&index| ends.get(index).is_none_or(|&ends| ends)) {
        close_statement(copy, &list[start..end]);
        start = end + 1;
    }
    let body = &mut copy.lines[index].body;
    *body = super::parser_copy::trim(&copy.text, body.clone());
}

/// Whether a blank stands between two words or numbers where it is not seen at once that it must.
fn is_suspicious(copy: &Copy, list: &[Token]) -> bool {
    let mut apart = (1..list.len()).filter(|&index| are_apart(&list[index - 1], &list[index]));
    let Some(first) = apart.next() else {
        return false;
    };
    let phrase = Phrase {
        text: &copy.text,
        tokens: list,
    };
    let keyword = ["call", "goto", "end", "else"]
        .iter()
        .any(|word| phrase.is(0, word));
    !(first == 1 && keyword && apart.next().is_none())
}

/// Whether two neighbours are words or numbers, parted by blanks.
fn are_apart(left: &Token, right: &Token) -> bool {
    let word = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Number);
    word(left) && word(right) && left.at.end < right.at.start
}

/// Where a statement without blanks is parted, as offsets in it.
#[derive(Default)]
struct Cuts {
    /// Where a blank must stand.
    needed: Vec<usize>,
    /// Where a blank may stand.
    allowed: Vec<usize>,
}

fn close_statement(copy: &mut Copy, list: &[Token]) {
    let [first, .., last] = list else { return };
    let range = first.at.start..last.at.end;
    let kept: Vec<usize> = list.iter().flat_map(|token| token.at.clone()).collect();
    let text: Vec<u8> = kept.iter().map(|&at| copy.text[at]).collect();
    let bare = tokens(&text, 0..text.len());
    let phrase = Phrase {
        text: &text,
        tokens: &bare,
    };
    let written = Phrase {
        text: &copy.text,
        tokens: list,
    };
    if is_left(written) {
        return;
    }
    let Some(cuts) = cuts(phrase) else { return };
    let offset = |token: &Token| kept.partition_point(|&at| at < token.at.start);
    let blanks: Vec<usize> = list
        .windows(2)
        .filter(|two| are_apart(&two[0], &two[1]))
        .map(|two| offset(&two[1]))
        .collect();
    let fits = blanks
        .iter()
        .all(|at| cuts.needed.contains(at) || cuts.allowed.contains(at));
    if !fits || !cuts.needed.iter().all(|at| blanks.contains(at)) {
        spell(copy, range, &kept, &cuts.needed, first.at.end);
    }
}

/// Puts blanks at the cuts if there is room for them, and closes all others.
fn spell(copy: &mut Copy, range: Range<usize>, kept: &[usize], cuts: &[usize], gap: usize) {
    let parted = |cuts: &[usize]| {
        let mut parted = Vec::with_capacity(range.len());
        for (offset, &at) in kept.iter().enumerate() {
            parted.extend(cuts.contains(&offset).then_some(None));
            parted.push(Some(at));
        }
        parted
    };
    let with_blanks = parted(cuts);
    let to_the_left = (range.start..)
        .zip(&with_blanks)
        .all(|(to, from)| from.is_none_or(|from| to <= from));
    // Without room all blanks are closed: what is glued then is parted as if it were written so.
    copy.respell(
        range.clone(),
        &if to_the_left {
            with_blanks
        } else {
            parted(&[])
        },
        gap,
    );
}

/// Declarations, formats, and what has a type inside.
fn is_left(written: Phrase) -> bool {
    let quotes = written
        .tokens
        .windows(2)
        .any(|two| two.iter().all(|token| token.kind == TokenKind::Text));
    let typed = (0..written.tokens.len()).any(|index| written.is(index, "::"));
    let word = written.lower(0);
    let declares =
        DECLARATIONS.contains(&word.as_str()) && !written.is(1, "=") && !written.is(1, "(");
    quotes || typed || declares
}

/// Where the words of a statement part; `None` if it is not known.
fn cuts(phrase: Phrase) -> Option<Cuts> {
    let start = phrase.tokens.first()?.at.start;
    if assigns(phrase) {
        return Some(Cuts::default());
    }
    let word = phrase.lower(0);
    let after = match word.as_str() {
        _ if phrase.is(1, ":") => Some(2),
        "if" | "where" | "forall" if phrase.is(1, "(") => phrase.close(1),
        _ => None,
    };
    if let Some(after) = after {
        return if after < phrase.tokens.len() {
            cuts(phrase.from(after))
        } else {
            Some(Cuts::default())
        };
    }
    if phrase.kind(0) == Some(TokenKind::Number) {
        return Some(Cuts::default());
    }
    let (needed, allowed) = keyword_cuts(phrase, &word)?;
    let shift = |list: Vec<usize>| list.into_iter().map(|at| at + start).collect();
    Some(Cuts {
        needed: shift(needed),
        allowed: shift(allowed),
    })
}

/// Whether it is an assignment, of a pointer too.
fn assigns(phrase: Phrase) -> bool {
    phrase.is_assignment() || phrase.is_pointer_assignment()
}

/// Cuts that are needed and allowed, counted from the keyword.
fn keyword_cuts(phrase: Phrase, word: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let (single, list) = (phrase.tokens.len() == 1, phrase.is(1, "("));
    let whole = match word {
        "goto" if list => Some((vec![], vec![2])),
        "elseif" | "elsewhere" if single || list => Some((vec![], vec![4])),
        "endfile" if list => Some((vec![], vec![3])),
        "then" | "else" | "continue" | "return" | "stop" | "end" if single => {
            Some((vec![], vec![]))
        }
        "read" | "write" | "rewind" | "backspace" | "open" | "close" | "inquire" | "nullify"
            if list =>
        {
            Some((vec![], vec![]))
        }
        "print" | "read" if phrase.is(1, "*") => Some((vec![], vec![])),
        "stop" | "pause" if phrase.kind(1) == Some(TokenKind::Text) => {
            Some((vec![word.len()], vec![]))
        }
        "selectcase" | "selecttype" if list => Some((vec![6], vec![])),
        "casedefault" if single => Some((vec![4], vec![])),
        _ => None,
    };
    if whole.is_some() {
        return whole;
    }
    do_cuts(phrase, word)
        .or_else(|| assign_cuts(word).filter(|_| single))
        .or_else(|| end_cuts(word).filter(|_| single))
        .or_else(|| print_cuts(phrase, word))
        .or_else(|| alone_cuts(phrase, word))
}

/// `do10i=1,n`, `doi=1,n`, `do10,i=1,n`, `do10while(`, `dowhile(`, `doconcurrent(`.
fn do_cuts(phrase: Phrase, word: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let rest = word.strip_prefix("do")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let counts = phrase.is(1, "=") && phrase.has_comma(2);
    let heads = phrase.is(1, "(") && ["while", "concurrent"].contains(&&rest[digits..]);
    let parted =
        digits > 0 && digits == rest.len() && (phrase.tokens.len() == 1 || phrase.is(1, ","));
    let after_label = if digits > 0 && digits < rest.len() {
        vec![2, 2 + digits]
    } else {
        vec![2]
    };
    let named = digits < rest.len();
    ((counts && named) || heads || parted).then_some((after_label, vec![]))
}

/// `assign10tolabel`.
fn assign_cuts(word: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let rest = word.strip_prefix("assign")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let named = digits > 0 && rest[digits..].starts_with("to") && rest.len() > digits + 2;
    named.then(|| (vec![6, 6 + digits, 8 + digits], vec![]))
}

/// `endif`, `enddoname`, `endsubroutinename`.
fn end_cuts(word: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let rest = word
        .strip_prefix("end")
        .filter(|rest| !rest.starts_with("blockdata"))?;
    let kind = CONSTRUCTS
        .iter()
        .chain(&UNITS)
        .find(|kind| rest.starts_with(**kind))?;
    let needed = if rest.len() > kind.len() {
        vec![3 + kind.len()]
    } else {
        vec![]
    };
    Some((needed, vec![3]))
}

/// `print10,x`, `readformat,x`.
fn print_cuts(phrase: Phrase, word: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let keyword = ["print", "read"]
        .into_iter()
        .find(|keyword| word.starts_with(keyword))?;
    let follows = phrase.tokens.len() == 1 || phrase.is(1, ",");
    (follows && word.len() > keyword.len()).then(|| (vec![keyword.len()], vec![]))
}

/// A keyword and a name or label: `goto10`, `gotolabel,(10,20)`, `calls(x)`, `exitname`.
fn alone_cuts(phrase: Phrase, word: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let keyword = ALONE
        .into_iter()
        .find(|keyword| word.starts_with(keyword) && word.len() > keyword.len())?;
    let follows = match keyword {
        "call" => phrase.tokens.len() == 1 || phrase.is(1, "(") || phrase.is(1, "%"),
        "entry" => phrase.tokens.len() == 1 || phrase.is(1, "("),
        "goto" => phrase.tokens.len() == 1 || phrase.is(1, "(") || phrase.is(1, ","),
        _ => phrase.tokens.len() == 1,
    };
    let inner = match keyword {
        "goto" => vec![2],
        "endfile" => vec![3],
        _ => vec![],
    };
    follows.then(|| (vec![keyword.len()], inner))
}
