//! Fixed form to free form, length kept: columns, continuations, comments, tabs, Hollerith and
//! tokens split at column 72. Blanks inside tokens are closed in `fixed_blanks`.

use super::fixed_blanks;
use super::parser_copy::{Copy, Label, Line, is_word, physical_lines, trim};
use crate::source::Reading;
use std::ops::Range;

/// Last column of statement text where nothing else is said.
const LAST_COLUMN: usize = 72;

/// What a physical line is.
enum Row {
    /// Comment or blank.
    Comment,
    /// First line of a statement: label columns and text.
    Initial(Range<usize>, Range<usize>),
    /// Continuation: its text.
    Continuation(Range<usize>),
}

/// A statement of fixed form whose continuation lines are being joined.
struct FixedFormStatement {
    /// One past its last byte so far.
    end: usize,
    /// The quote of an open string.
    quote: Option<u8>,
    /// Whether its last part ran up to the column limit.
    full: bool,
}

/// Last column of statement text.
pub fn last_column(reading: &Reading) -> usize {
    match reading.last_column {
        None => LAST_COLUMN,
        Some(0) => usize::MAX,
        // Text begins in column 7.
        Some(column) => (column as usize).max(7),
    }
}

/// Rewrites a whole file. `hidden` lines (of the preprocessor) are blank already in `text`.
pub fn rewrite(text: &[u8], reading: &Reading) -> Copy {
    let mut copy = Copy::new(text);
    let columns = Columns {
        last: last_column(reading),
        debug_lines: reading.debug_lines,
    };
    let mut open: Option<FixedFormStatement> = None;
    for row in physical_lines(text) {
        match columns.classify(text, row.clone()) {
            Row::Comment => copy.blank(row),
            Row::Initial(label, body) => open = Some(columns.start(&mut copy, row, label, body)),
            Row::Continuation(body) => {
                copy.blank(row.start..body.start);
                copy.blank(body.end..row.end);
                match &mut open {
                    Some(open) => columns.join(&mut copy, open, body),
                    None => {
                        open = Some(columns.start(&mut copy, row, body.start..body.start, body))
                    }
                }
            }
        }
    }
    let mut copy = copy.finish();
    fixed_blanks::close(&mut copy);
    copy
}

/// What of a row belongs to statements: neither label, mark of continuation or comment line, nor what stands
/// beyond the last column.
pub fn text_of_row(text: &[u8], row: Range<usize>, reading: &Reading) -> Range<usize> {
    let columns = Columns {
        last: last_column(reading),
        debug_lines: reading.debug_lines,
    };
    match columns.classify(text, row.clone()) {
        Row::Comment => row.start..row.start,
        Row::Initial(_, body) | Row::Continuation(body) => body,
    }
}

/// Where text stands in a line.
struct Columns {
    /// Last column of statement text.
    last: usize,
    /// Whether a D in column 1 is a blank.
    debug_lines: bool,
}

impl Columns {
    fn classify(&self, text: &[u8], row: Range<usize>) -> Row {
        let line = &text[row.clone()];
        let first = line.iter().position(|byte| !byte.is_ascii_whitespace());
        let Some(first) = first else {
            return Row::Comment;
        };
        let debug = first == 0 && self.debug_lines && line[0].eq_ignore_ascii_case(&b'd');
        if (b"cC*dD!".contains(&line[0]) && !debug) || (line[first] == b'!' && first != 5) {
            return Row::Comment;
        }
        if let Some(tab) = line.iter().take(6).position(|&byte| byte == b'\t') {
            return self.classify_tab(line, row, tab, usize::from(debug));
        }
        let body = (row.start + 6).min(row.end)..row.start.saturating_add(self.last).min(row.end);
        // The D of a debugging line is no part of its label.
        let label = row.start + usize::from(debug)..(row.start + 5).min(row.end);
        let mark = line.get(5).copied().unwrap_or(b' ');
        match mark {
            b' ' | b'0' => Row::Initial(label, body),
            _ if first == 5 || debug => Row::Continuation(body),
            // Text that starts before column 7 is illegal: read as if it started there.
            _ => Row::Initial(
                row.start..row.start,
                row.start + first..body.end.max(row.start + first),
            ),
        }
    }

    /// A tab in front goes to column 7, whence columns are counted. `marks` bytes stand before the label.
    fn classify_tab(&self, line: &[u8], row: Range<usize>, tab: usize, marks: usize) -> Row {
        let after = row.start + tab + 1;
        let end = |start: usize| start.saturating_add(self.last - 6).min(row.end);
        match line.get(tab + 1) {
            Some(b'1'..=b'9') => Row::Continuation(after + 1..end(after + 1)),
            _ => Row::Initial(row.start + marks..row.start + tab, after..end(after)),
        }
    }

    /// Whether a part of a statement reaches the last column.
    fn is_full(&self, body: &Range<usize>) -> bool {
        body.len() == self.last - 6
    }

    /// Begins a statement with its first line.
    fn start(
        &self,
        copy: &mut Copy,
        row: Range<usize>,
        label: Range<usize>,
        body: Range<usize>,
    ) -> FixedFormStatement {
        copy.blank(row.start..label.start);
        copy.blank(label.end..body.start);
        copy.blank(body.end..row.end);
        let label = compact_label(copy, label);
        let mut open = FixedFormStatement {
            end: body.start,
            quote: None,
            full: false,
        };
        copy.lines.push(Line {
            body: body.start..body.start,
            label,
        });
        let full = self.is_full(&body);
        scan(copy, &mut open, body, full);
        open
    }

    /// Adds a continuation to a statement: all between its parts becomes blank.
    fn join(&self, copy: &mut Copy, open: &mut FixedFormStatement, mut body: Range<usize>) {
        copy.blank(open.end..body.start);
        let full = self.is_full(&body);
        let split = open.full && body.start < body.end && touches(copy, open, body.start);
        if split {
            // The rest of a string may hold doubled quotes: all of the part moves with it.
            let word = || {
                body.clone()
                    .take_while(|&at| is_word(copy.text[at]))
                    .count()
            };
            let moved = if open.quote.is_some() {
                body.len()
            } else {
                word()
            };
            let at = open.end;
            copy.move_left(body.start..body.start + moved, at);
            // What was moved stands before the rest, which is scanned with it.
            body = at..if open.quote.is_some() {
                at + moved
            } else {
                body.end
            };
        }
        scan(copy, open, body, full);
    }
}

/// Whether a token goes on from one part to the next.
fn touches(copy: &Copy, open: &FixedFormStatement, next: usize) -> bool {
    open.quote.is_some() || (is_word(copy.text[open.end - 1]) && is_word(copy.text[next]))
}

/// Scans a part: finds its end (a comment may follow), the quote state, and Hollerith constants. `full` is
/// whether its line reaches the last column.
fn scan(copy: &mut Copy, open: &mut FixedFormStatement, body: Range<usize>, full: bool) {
    let mut at = body.start;
    while at < body.end {
        let byte = copy.text[at];
        match open.quote {
            Some(quote) if byte == quote => open.quote = None,
            Some(_) => {}
            None if byte == b'\'' || byte == b'"' => open.quote = Some(byte),
            None if byte == b'!' => {
                copy.blank(at..body.end);
                break;
            }
            None if byte.is_ascii_digit() => at = skip_number(copy, at, body.end) - 1,
            None => {}
        }
        at += 1;
    }
    let content = trim(&copy.text, body.clone());
    let end = if open.quote.is_some() {
        body.end
    } else {
        content.end
    };
    open.full = full && end == body.end && end > body.start;
    open.end = end.max(open.end);
    if let Some(line) = copy.lines.last_mut() {
        line.body.end = open.end;
    }
}

/// Passes digits; digits with `H` are a Hollerith constant, which becomes a quoted one.
fn skip_number(copy: &mut Copy, start: usize, limit: usize) -> usize {
    let end = (start..limit)
        .find(|&at| !copy.text[at].is_ascii_digit())
        .unwrap_or(limit);
    let after_name =
        start > 0 && (is_word(copy.text[start - 1]) || b"*.".contains(&copy.text[start - 1]));
    if after_name || end >= limit || !copy.text[end].eq_ignore_ascii_case(&b'h') {
        return end;
    }
    let count = std::str::from_utf8(&copy.text[start..end])
        .ok()
        .and_then(|digits| digits.parse::<usize>().ok());
    match count {
        Some(count) if count >= 1 && count < limit - end => hollerith(copy, start, end + 1, count),
        _ => end,
    }
}

/// `4Habcd` to `'abcd'`: one digit makes room for one quote, `H` for the other.
fn hollerith(copy: &mut Copy, start: usize, text: usize, count: usize) -> usize {
    let quote = if copy.text[text..text + count].contains(&b'\'') {
        b'"'
    } else {
        b'\''
    };
    for at in text..text + count {
        if copy.text[at] == quote {
            copy.text[at] = b'_';
        }
    }
    copy.move_left(text..text + count, start + 1);
    copy.text[start] = quote;
    copy.text[start + 1 + count] = quote;
    text + count
}

/// The label in columns 1 to 5, blanks inside it closed.
fn compact_label(copy: &mut Copy, columns: Range<usize>) -> Option<Label> {
    let digits: Vec<usize> = columns
        .filter(|&at| copy.text[at].is_ascii_digit())
        .collect();
    let start = *digits.first()?;
    for (i, &at) in digits
        .iter()
        .enumerate()
        .filter(|&(i, &at)| at != start + i)
    {
        copy.move_left(at..at + 1, start + i);
    }
    let at = start..start + digits.len();
    let value = std::str::from_utf8(&copy.text[at.clone()])
        .ok()?
        .parse()
        .ok()?;
    Some(Label { value, at })
}
