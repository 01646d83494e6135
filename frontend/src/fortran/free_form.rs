//! Free form, length kept: comments go, continued lines become one line.

use super::parser_copy::{Copy, Label, Line, is_word, physical_lines};
use std::ops::Range;

/// A statement of free form whose continuation lines are being joined.
struct FreeFormStatement {
    /// Offset of its `&` at the end of the last line.
    ampersand: usize,
    /// The quote of an open string.
    quote: Option<u8>,
}

/// Rewrites a whole file.
pub fn rewrite(text: &[u8]) -> Copy {
    let mut copy = Copy::new(text);
    let mut open: Option<FreeFormStatement> = None;
    for row in physical_lines(text) {
        let Some(first) = row.clone().find(|&at| copy.text[at] != b' ') else {
            continue;
        };
        let comment = copy.text[first] == b'!';
        open = match open.take() {
            Some(open) if comment => {
                copy.blank(row);
                Some(open)
            }
            Some(open) => join(&mut copy, open, first..row.end),
            None if comment => {
                copy.blank(row);
                None
            }
            None => {
                copy.lines.push(Line {
                    body: first..first,
                    label: None,
                });
                scan(&mut copy, None, first..row.end)
            }
        };
    }
    let mut copy = copy.finish();
    for index in 0..copy.lines.len() {
        let (label, body) = split_label(&copy.text, copy.lines[index].body.clone());
        copy.lines[index] = Line { body, label };
    }
    copy.finish()
}

/// Adds a continuation line: all between the parts becomes blank. A token or string that goes on
/// right after a leading `&` is moved to the part before.
fn join(copy: &mut Copy, open: FreeFormStatement, row: Range<usize>) -> Option<FreeFormStatement> {
    let leading = copy.text[row.start] == b'&';
    let body = row.start + usize::from(leading)..row.end;
    copy.blank(open.ampersand..body.start);
    let end = open.ampersand;
    let adjacent = leading && end > 0 && body.start < body.end;
    if !adjacent {
        return scan(copy, open.quote, body);
    }
    let (before, after) = (copy.text[end - 1], copy.text[body.start]);
    // The rest of a string may hold doubled quotes: all of the line moves with it.
    if open.quote.is_some() || is_split_pair(before, after) {
        let length = body.len();
        copy.move_left(body, end);
        return scan(copy, open.quote, end..end + length);
    }
    if !(is_word(before) && is_word(after)) {
        return scan(copy, open.quote, body);
    }
    let length = body
        .clone()
        .take_while(|&at| is_word(copy.text[at]))
        .count();
    copy.move_left(body.start..body.start + length, end);
    scan(copy, None, end..row.end)
}

/// Whether two characters are one token: a doubled quote within a string, or an operator.
fn is_split_pair(before: u8, after: u8) -> bool {
    let doubled = before == after && matches!(before, b'"' | b'\'' | b'*' | b'/' | b'=' | b':');
    doubled
        || (after == b'=' && matches!(before, b'/' | b'<' | b'>'))
        || (before, after) == (b'=', b'>')
}

/// Scans a part: blanks its comment, finds the `&` that continues it.
fn scan(copy: &mut Copy, mut quote: Option<u8>, body: Range<usize>) -> Option<FreeFormStatement> {
    let mut last = None;
    for at in body.clone() {
        let byte = copy.text[at];
        match quote {
            Some(mark) if byte == mark => quote = None,
            Some(_) => {}
            None if byte == b'\'' || byte == b'"' => quote = Some(byte),
            None if byte == b'!' => {
                copy.blank(at..body.end);
                break;
            }
            None => {}
        }
        if byte != b' ' {
            last = Some((at, byte));
        }
    }
    let end = last.map_or(body.start, |(at, _)| at + 1);
    let continued = matches!(last, Some((_, b'&')));
    if let Some(line) = copy.lines.last_mut() {
        line.body.end = if continued {
            end - 1
        } else {
            end.max(line.body.end)
        };
    }
    // A string that is open at the end of a line without `&` is an error: it ends there.
    if !continued {
        return None;
    }
    Some(FreeFormStatement {
        ampersand: end - 1,
        quote,
    })
}

/// Digits before a statement.
pub fn split_label(text: &[u8], body: Range<usize>) -> (Option<Label>, Range<usize>) {
    let end = body
        .clone()
        .find(|&at| !text[at].is_ascii_digit())
        .unwrap_or(body.end);
    let at = body.start..end;
    let value = std::str::from_utf8(&text[at.clone()])
        .ok()
        .and_then(|digits| digits.parse().ok());
    let separate = end == body.end || text[end] == b' ';
    match value {
        Some(value) if separate && at.len() <= 5 => (Some(Label { value, at }), end..body.end),
        _ => (None, body),
    }
}
