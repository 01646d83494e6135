//! Fixed form lets blanks stand anywhere, or nowhere: `1. D0`, `. eq .`, `GOTO20`, `DO10I=1,N`.
//! Here blanks inside tokens are closed (those inside words in `fixed_words`), and missing ones made by moving the front of the
//! statement into the label columns, which are free bytes.

use super::fixed_declarations;
use super::fixed_words;
use super::parser_copy::{Copy, is_word};
use super::tokens::{Phrase, Token, TokenKind, tokens};

/// Words that may be glued to what follows.
const GLUED: [&str; 3] = ["goto", "call", "do"];

/// Puts all logical lines into the spelling the parser expects.
pub fn close(copy: &mut Copy) {
    // Each returns whether it has changed the line; of most lines it changes nothing, and their tokens are read once.
    let steps = [
        close_operators,
        close_exponents,
        fixed_words::close,
        fixed_declarations::close,
    ];
    for index in 0..copy.lines.len() {
        let mut list = line_tokens(copy, index);
        for step in steps {
            if step(copy, index, &list) {
                list = line_tokens(copy, index);
            }
        }
        part_words(copy, index, &list);
    }
}

fn line_tokens(copy: &Copy, index: usize) -> Vec<Token> {
    tokens(&copy.text, copy.lines[index].body.clone())
}

/// `. eq .` and `.eq .` to `.eq.`.
fn close_operators(copy: &mut Copy, _: usize, list: &[Token]) -> bool {
    const NAMES: [&str; 13] = [
        "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "eqv", "neqv", "true", "false",
    ];
    let mut changed = false;
    for three in list.windows(3) {
        let phrase = Phrase {
            text: &copy.text,
            tokens: three,
        };
        let dotted =
            phrase.is(0, ".") && phrase.is(2, ".") && NAMES.contains(&phrase.lower(1).as_str());
        if dotted && three[2].at.end - three[0].at.start > phrase.lower(1).len() + 2 {
            let (word, last) = (three[1].at.clone(), three[2].at.clone());
            let to = three[0].at.end;
            copy.move_left(word.clone(), to);
            copy.move_left(last, to + word.len());
            changed = true;
        }
    }
    changed
}

/// `1. D0`, `2.5 E-3` to `1.D0`, `2.5E-3`.
fn close_exponents(copy: &mut Copy, _: usize, list: &[Token]) -> bool {
    let mut changed = false;
    for (i, pair) in list.windows(2).enumerate() {
        let (number, power) = (pair[0].at.clone(), pair[1].at.clone());
        let gap = power.start - number.end;
        if pair[0].kind != TokenKind::Number || pair[1].kind != TokenKind::Word || gap == 0 {
            continue;
        }
        if let Some(end) = exponent_end(copy, &list[i + 1..], number) {
            copy.move_left(power.start..end, power.start - gap);
            changed = true;
        }
    }
    changed
}

/// One past an exponent that stands apart from its number; `None` if the word is none.
fn exponent_end(copy: &Copy, rest: &[Token], number: std::ops::Range<usize>) -> Option<usize> {
    let word = &copy.text[rest[0].at.clone()];
    let fraction = copy.text[number].contains(&b'.');
    if !fraction || !b"eEdD".contains(&word[0]) {
        return None;
    }
    if word.len() > 1 {
        // `1.5 e10`: letter and digits are one word.
        let is_exponent = word[1..].iter().all(u8::is_ascii_digit);
        return if is_exponent {
            Some(rest[0].at.end)
        } else {
            None
        };
    }
    // `1.5 e-10`: the sign and the digits are tokens of their own.
    let sign = rest.get(1)?;
    let is_sign = copy
        .text
        .get(sign.at.start)
        .is_some_and(|byte| b"+-".contains(byte));
    if !is_sign || sign.at.start != rest[0].at.end {
        return None;
    }
    let digits = rest.get(2)?;
    if digits.kind == TokenKind::Number {
        Some(digits.at.end)
    } else {
        None
    }
}

/// `GOTO20`, `CALLFOO(`, `DO10I=1,N`: puts the missing blanks in.
fn part_words(copy: &mut Copy, index: usize, list: &[Token]) {
    let whole = Phrase {
        text: &copy.text,
        tokens: list,
    };
    let phrase = whole.from(if whole.is(0, "if") {
        whole.close(1).unwrap_or(0)
    } else {
        0
    });
    if phrase.kind(0) != Some(TokenKind::Word) || phrase.is_assignment() {
        return;
    }
    let word = phrase.lower(0);
    let Some(keyword) = GLUED
        .iter()
        .find(|keyword| word.len() > keyword.len() && word.starts_with(**keyword))
    else {
        return;
    };
    let start = phrase.tokens[0].at.start;
    let rest = word[keyword.len()..].to_string();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let cuts = match *keyword {
        "goto" if digits == rest.len() || phrase.tokens.len() == 1 => vec![4],
        "call" if phrase.tokens.len() == 1 || phrase.is(1, "(") => vec![4],
        "do" if phrase.is(1, "=") && phrase.has_comma(2) && digits == rest.len() => vec![],
        "do" if phrase.is(1, "=") && phrase.has_comma(2) && digits == 0 => vec![2],
        "do" if phrase.is(1, "=") && phrase.has_comma(2) => vec![2, 2 + digits],
        _ => vec![],
    };
    for cut in cuts {
        open_blank(copy, index, start + cut);
    }
}

/// Makes a blank before `at` by moving what stands before it in the statement to the left.
fn open_blank(copy: &mut Copy, index: usize, at: usize) {
    let start = copy.lines[index].body.start;
    let free =
        start > 0 && copy.text[start - 1] == b' ' && (start < 2 || !is_word(copy.text[start - 2]));
    if !free {
        let sentence = "two words stand without a blank between them and there is no room to part them: write a blank";
        copy.diagnostics.push((start, sentence.to_string()));
        return;
    }
    copy.move_left(start..at, start - 1);
    copy.lines[index].body.start = start - 1;
}
