//! Masks: what the grammar misreads is overwritten in the copy, length kept. Names and literals
//! that meaning needs are read from the original text, so that a mask is never seen.

use super::parser_copy::Copy;
use super::pieces::{ScannedStatement, piece_tokens};
use super::tokens::{Phrase, TokenKind};
use std::ops::Range;

/// Words that the grammar takes for the start of a statement even where a variable is meant.
const KEYWORDS: [&str; 40] = [
    "class",
    "close",
    "write",
    "read",
    "open",
    "print",
    "inquire",
    "rewind",
    "backspace",
    "endfile",
    "flush",
    "wait",
    "pause",
    "stop",
    "error",
    "return",
    "go",
    "goto",
    "call",
    "continue",
    "cycle",
    "exit",
    "data",
    "format",
    "include",
    "end",
    "type",
    "where",
    "forall",
    "select",
    "case",
    "do",
    "if",
    "else",
    "block",
    "associate",
    "allocate",
    "deallocate",
    "nullify",
    "entry",
];

/// Applies all masks to the statements of a copy.
pub fn apply(copy: &mut Copy, pieces: &mut [ScannedStatement]) {
    for piece in pieces {
        let tokens = piece_tokens(&copy.text, piece);
        let phrase = Phrase {
            text: &copy.text,
            tokens: &tokens,
        };
        let mut masked: Vec<(Range<usize>, Mask)> = Vec::new();
        find(phrase, &mut masked);
        if let Some(label) = &piece.label
            && (is_clause(phrase) || ends_scope(phrase))
        {
            masked.push((label.at.clone(), Mask::Fill(b' ')));
        }
        for (range, mask) in masked {
            if matches!(mask, Mask::Final) {
                // The blank that it takes in before the statement becomes a part of it.
                piece.at.start = range.start;
            }
            overwrite(&mut copy.text[range], mask);
        }
        end_line_after(copy, piece);
    }
}

/// Turns `;` behind a statement at the end of a line into a line end: the grammar requires one behind
/// SUBROUTINE and the like.
fn end_line_after(copy: &mut Copy, piece: &ScannedStatement) {
    for byte in &mut copy.text[piece.at.end..] {
        match byte {
            b';' => *byte = b'\n',
            b' ' => {}
            _ => break,
        }
    }
}

/// How a range is overwritten.
#[derive(Clone, Copy, Debug)]
enum Mask {
    /// All of it by one byte.
    Fill(u8),
    /// `(10)` by `( *)`.
    AssumedLength,
    /// ` final ` by `final::`.
    Final,
}

fn overwrite(range: &mut [u8], mask: Mask) {
    match mask {
        Mask::Fill(byte) => range.fill(byte),
        Mask::AssumedLength => {
            range.fill(b' ');
            if let [first, .., star, last] = range {
                (*first, *star, *last) = (b'(', b'*', b')');
            }
        }
        Mask::Final => {
            let (blanks, word) = range.split_at_mut(range.len() - FINAL.len());
            blanks.fill(b' ');
            word.copy_from_slice(FINAL);
        }
    }
}

/// `ELSE`, `ELSE IF`, `CASE`: a label before them breaks the construct.
fn is_clause(phrase: Phrase) -> bool {
    ["else", "elseif", "case", "elsewhere"].contains(&phrase.lower(0).as_str())
        && !phrase.is_assignment()
}

/// `END BLOCK`, `END ASSOCIATE`: the grammar knows no label before them. Jumps find it in the table of statements.
fn ends_scope(phrase: Phrase) -> bool {
    let second = phrase.lower(1);
    match phrase.lower(0).as_str() {
        "end" => second == "associate" || (second == "block" && !phrase.is(2, "data")),
        "endblock" => second != "data",
        "endassociate" => true,
        _ => false,
    }
}

fn find(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    // A logical IF contains another statement.
    let statement = if phrase.is(0, "if") {
        phrase.from(phrase.close(1).unwrap_or(0))
    } else {
        phrase
    };
    if statement.is_assignment() && KEYWORDS.contains(&statement.lower(0).as_str()) {
        // No keyword begins with `q`, so the grammar takes the name for a variable's.
        masked.push((statement.tokens[0].at.clone(), Mask::Fill(b'q')));
    }
    match phrase.lower(0).as_str() {
        "common" => mask_blank_common(phrase, masked),
        "character" => mask_lengths(phrase, masked),
        "use" => mask_renamed_operators(phrase, masked),
        "final" => mask_final(phrase, masked),
        _ => {}
    }
    mask_assigned_goto(statement, masked);
    mask_signed_unit(statement, masked);
    mask_comma_before_items(statement, masked);
    // Prefixes such as RECURSIVE and PURE may precede SUBROUTINE.
    let declares_subroutine = (0..4).any(|index| phrase.is(index, "subroutine"));
    if statement.is(0, "call") || declares_subroutine {
        mask_alternate_returns(statement, masked);
    }
    mask_bits(phrase, masked);
}

/// `GOTO n`, `GO TO n` to `GOTO 0`: the list of labels that may follow `n` is optional.
fn mask_assigned_goto(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    let at = if phrase.is(0, "go") && phrase.is(1, "to") {
        2
    } else {
        1
    };
    let goes = at == 2 || phrase.is(0, "goto");
    if goes && phrase.tokens.len() == at + 1 && phrase.kind(at) == Some(TokenKind::Word) {
        masked.push((phrase.tokens[at].at.clone(), Mask::Fill(b'0')));
    }
}

/// What stands for the comma before the items of READ and WRITE.
pub const COMMA: u8 = b'\x0c';

/// What stands for the sign that a unit begins with: white space, as the grammar has it.
pub const SIGN: u8 = b'\x0b';

/// `READ (-abs(u), *)` to `READ ( abs(u), *)`.
fn mask_signed_unit(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    let transfers = (phrase.is(0, "read") || phrase.is(0, "write")) && phrase.is(1, "(");
    let at = if phrase.is(2, "unit") && phrase.is(3, "=") {
        4
    } else {
        2
    };
    if transfers && (phrase.is(at, "-") || phrase.is(at, "+")) {
        masked.push((phrase.tokens[at].at.clone(), Mask::Fill(SIGN)));
    }
}

/// `WRITE (u, *), x` to `WRITE (u, *)  x`: an extension that GNU's, Intel's and NVIDIA's compilers accept. The single item
/// in the parentheses of such a READ may be a format: `READ ('(i3)'), x` becomes `READ  '(i3)' , x`. A variable there is a
/// unit or a format by its type.
fn mask_comma_before_items(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    let is_read = phrase.is(0, "read");
    if !is_read && !phrase.is(0, "write") || !phrase.is(1, "(") {
        return;
    }
    let Some(at) = phrase.close(1) else { return };
    if !phrase.is(at, ",") {
        return;
    }
    if is_read && at == 4 && phrase.kind(2) == Some(TokenKind::Text) {
        masked.push((phrase.tokens[1].at.clone(), Mask::Fill(b' ')));
        masked.push((phrase.tokens[3].at.clone(), Mask::Fill(b' ')));
    } else {
        masked.push((phrase.tokens[at].at.clone(), Mask::Fill(COMMA)));
    }
}

/// `COMMON // x` to `COMMON    x`.
fn mask_blank_common(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    if phrase.is(1, "//") {
        masked.push((phrase.tokens[1].at.clone(), Mask::Fill(b' ')));
    } else if phrase.is(1, "/") && phrase.is(2, "/") {
        masked.push((
            phrase.tokens[1].at.start..phrase.tokens[2].at.end,
            Mask::Fill(b' '),
        ));
    }
}

/// What stands for FINAL without `::`.
const FINAL: &[u8] = b"final::";

/// ` FINAL name` to `FINAL::name`: the grammar requires the `::`, which is optional (F2018 R753). Without a blank to take in, the
/// statement stays.
fn mask_final(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    let [word, name, ..] = phrase.tokens else {
        return;
    };
    if phrase.kind(1) != Some(TokenKind::Word) {
        return;
    }
    let mut start = word.at.start;
    if start > 0 && phrase.text[start - 1] == b' ' {
        start -= 1;
    }
    if name.at.start - start >= FINAL.len() {
        masked.push((start..name.at.start, Mask::Final));
    }
}

/// `USE m, OPERATOR(.a.) => OPERATOR(.b.)` to `USE m, qqqqqqqqqqqqq => qqqqqqqqqqqqq`.
fn mask_renamed_operators(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    for at in 2..phrase.tokens.len() {
        if !phrase.is(at, "operator") {
            continue;
        }
        let Some(end) = phrase.close(at + 1) else {
            continue;
        };
        if phrase.is(end, "=>") || phrase.is(at - 1, "=>") {
            let range = phrase.tokens[at].at.start..phrase.tokens[end - 1].at.end;
            masked.push((range, Mask::Fill(b'q')));
        }
    }
}

/// `CHARACTER n*(10)` to `CHARACTER n*(*)`.
fn mask_lengths(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    let mut at = 2;
    if phrase.is(1, "(")
        && let Some(end) = phrase.close(1)
    {
        at = end;
    }
    while at < phrase.tokens.len() {
        // Not `(2*(n+1))`.
        let open = if phrase.is(at, "*") { at + 1 } else { at };
        let end = if phrase.is(open, "(") {
            phrase.close(open)
        } else {
            None
        };
        let Some(end) = end else {
            at += 1;
            continue;
        };
        if open > at && !phrase.is(open + 1, "*") {
            let range = phrase.tokens[open].at.start..phrase.tokens[end - 1].at.end;
            masked.push((range, Mask::AssumedLength));
        }
        at = end;
    }
}

/// `CALL t(a, *10)` to `CALL t(a, 010)`, `SUBROUTINE s(a, *)` to `SUBROUTINE s(a, x)`.
fn mask_alternate_returns(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    for at in 1..phrase.tokens.len() {
        let begins = phrase.is(at, "*") && (phrase.is(at - 1, "(") || phrase.is(at - 1, ","));
        let byte = if phrase.kind(at + 1) == Some(TokenKind::Number) {
            b'0'
        } else {
            b'x'
        };
        let ends = byte == b'0' || phrase.is(at + 1, ")") || phrase.is(at + 1, ",");
        if begins && ends {
            masked.push((phrase.tokens[at].at.clone(), Mask::Fill(byte)));
        }
    }
}

/// `X'0F'` to `Z'0F'`, `'0F'X` to zeros: extensions of gfortran and others for BOZ constants.
fn mask_bits(phrase: Phrase, masked: &mut Vec<(Range<usize>, Mask)>) {
    for pair in phrase.tokens.windows(2) {
        let (here, next) = (&pair[0], &pair[1]);
        if here.at.end != next.at.start {
            continue;
        }
        match (here.kind, next.kind) {
            (TokenKind::Word, TokenKind::Text)
                if phrase.text[here.at.clone()].eq_ignore_ascii_case(b"x") =>
            {
                masked.push((here.at.clone(), Mask::Fill(b'z')));
            }
            (TokenKind::Text, TokenKind::Word) => {
                let radix = phrase.text[next.at.clone()].to_ascii_lowercase();
                if let [b'b' | b'o' | b'x' | b'z'] = radix[..] {
                    masked.push((here.at.start..next.at.end, Mask::Fill(b'0')));
                }
            }
            _ => {}
        }
    }
}
