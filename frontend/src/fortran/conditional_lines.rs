//! OpenMP's conditional compilation: lines that are comments to a compiler without OpenMP and statements to one with
//! it. Their sentinel becomes two blanks, so that columns stay. Directives (`!$omp`) are none of these.

use crate::source::{Form, SourceFile};

/// The last of the columns that say what a line of fixed form is.
const MARK: usize = 5;

/// Makes statements of the conditional lines of a file.
pub fn make_statements(file: &mut SourceFile) {
    match file.form {
        Form::Fixed => make_fixed(&mut file.text),
        Form::Free => make_free(&mut file.text),
    }
}

fn make_fixed(text: &mut [u8]) {
    for row in text
        .split_mut(|&byte| byte == b'\n')
        .filter(|row| is_fixed(row))
    {
        row[..2].fill(b' ');
    }
}

/// `!$`, `c$` or `*$` in columns 1 and 2, then what may stand before the text of a statement or of its continuation.
fn is_fixed(row: &[u8]) -> bool {
    let [b'!' | b'c' | b'C' | b'*', b'$', rest @ ..] = row else {
        return false;
    };
    // A tab moves the text to column 7: nothing after it can be a continuation mark in column 6.
    let front = &rest[..rest.len().min(MARK - 2)];
    let tab = front.iter().position(|&byte| byte == b'\t');
    let front = &front[..tab.unwrap_or(front.len())];
    let has_label = front.iter().any(u8::is_ascii_digit);
    let is_front = front
        .iter()
        .all(|&byte| byte == b' ' || byte.is_ascii_digit());
    let mark = if tab.is_some() { None } else { row.get(MARK) };
    is_front && (matches!(mark, None | Some(b' ' | b'0' | b'\t')) || !has_label)
}

fn make_free(text: &mut [u8]) {
    let mut open = ContinuationState::default();
    for row in text.split_mut(|&byte| byte == b'\n') {
        if let Some(start) = free_sentinel(row, open.continues) {
            row[start..start + 2].fill(b' ');
        }
        open.pass(row);
    }
}

/// Where the sentinel of a row begins: first in it, a blank behind it, or `&` where a statement goes on.
fn free_sentinel(row: &[u8], continues: bool) -> Option<usize> {
    let start = row.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let behind = row[start..].strip_prefix(b"!$")?.first()?;
    match behind {
        b' ' | b'\t' => Some(start),
        b'&' if continues => Some(start),
        _ => None,
    }
}

/// State of the scanner between rows of free form.
#[derive(Default)]
struct ContinuationState {
    /// Whether the statement continues on the next row.
    continues: bool,
    /// The quote of the string that is open then.
    quote: Option<u8>,
}

impl ContinuationState {
    /// Updates the state by a row. Comments, preprocessor directives and blank rows do not change it.
    fn pass(&mut self, row: &[u8]) {
        if matches!(row.trim_ascii_start().first(), None | Some(b'!')) || row.starts_with(b"#") {
            return;
        }
        // A quote that is open at the end of a line continues behind the next `&`.
        let mut last = b' ';
        for &byte in row {
            match self.quote {
                Some(quote) if byte == quote => self.quote = None,
                None if byte == b'!' => break,
                None if matches!(byte, b'\'' | b'"') => self.quote = Some(byte),
                Some(_) | None => {}
            }
            last = if byte.is_ascii_whitespace() {
                last
            } else {
                byte
            };
        }
        self.continues = last == b'&';
        self.quote = self.quote.filter(|_| self.continues);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Reading, Sources};

    /// Expects the text with `@@` for two blanks that stood for a sentinel.
    #[track_caller]
    fn check(form: Form, text: &str, expect: &str) {
        let mut sources = Sources::default();
        sources.add_as(
            "a.f",
            text.as_bytes(),
            Reading {
                form: Some(form),
                ..Reading::default()
            },
        );
        make_statements(&mut sources.files[0]);
        assert_eq!(
            String::from_utf8_lossy(&sources.files[0].text),
            expect.replace("@@", "  ")
        );
    }

    #[test]
    fn free_form() {
        check(
            Form::Free,
            "!$ use omp_lib\n  !$ n = 1\r\n!$\tm = 2",
            "@@ use omp_lib\n  @@ n = 1\r\n@@\tm = 2",
        );
        let comments =
            "!$x = 4\n!$\nx = 1 !$ y = 2\nx = '!$ no'\n!$omp parallel\n!$acc loop\n! $ n\n!!$ n\n";
        check(Form::Free, comments, comments);
    }

    #[test]
    fn free_form_goes_on() {
        check(
            Form::Free,
            "!$ n = n + & ! why\n!$& 1\n",
            "@@ n = n + & ! why\n@@& 1\n",
        );
        check(
            Form::Free,
            "!$ n = n + &\n\n! why &\n  !$  & 1\n!$& 2\n",
            "@@ n = n + &\n\n! why &\n  @@  & 1\n!$& 2\n",
        );
        check(
            Form::Free,
            "n = 1 &\n!$ + 5 &\n + 2\n!$& 3\n",
            "n = 1 &\n@@ + 5 &\n + 2\n!$& 3\n",
        );
        check(
            Form::Free,
            "!$ s = 'a!&\n!$&b''&\n!$&' ! &\n!$& c\n",
            "@@ s = 'a!&\n@@&b''&\n@@&' ! &\n!$& c\n",
        );
    }

    #[test]
    fn fixed_form() {
        check(
            Form::Fixed,
            "!$    n = 1\nC$ 10 continue\n*$    m = n +\nc$   +    2\n!$   0n = 2\n!$\tn = 3\n!$ 7\tn = 4\n",
            "@@    n = 1\n@@ 10 continue\n@@    m = n +\n@@   +    2\n@@   0n = 2\n@@\tn = 3\n@@ 7\tn = 4\n",
        );
        let comments = "!$omp parallel\nc$par doall\n!$ 7 &  n\nd$    n = 1\n !$   n = 1\n      n = 1 !$ m\n*$$$$$\n";
        check(Form::Fixed, comments, comments);
    }
}
