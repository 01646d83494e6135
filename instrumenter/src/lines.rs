//! Lines of Fortran text that probes insert, in the form of the file they go into.

use frontend::source::Form;

/// Last column of text in fixed form.
pub(crate) const FIXED_LAST_COLUMN: usize = 72;
/// Lines of free form are kept below the 132 columns every compiler takes.
const FREE_LAST_COLUMN: usize = 120;

/// `statement` as lines of `form`, each ended by a newline, continued where it is too long.
/// `statement` holds no character constants: it may be split at any blank.
pub fn statement_lines(form: Form, label: Option<u32>, statement: &str) -> String {
    match form {
        Form::Fixed => fixed(label, statement),
        Form::Free => free(label, statement),
    }
}

/// The line that makes the compiler count from `line` of `path` again.
pub fn line_directive(line: u32, path: &str) -> String {
    format!(
        "# {line} \"{}\"\n",
        path.replace('\\', "\\\\").replace('"', "\\\"")
    )
}

fn fixed(label: Option<u32>, statement: &str) -> String {
    let mut text = match label {
        Some(label) => format!("{label:>5} "),
        None => " ".repeat(6),
    };
    let width = FIXED_LAST_COLUMN - 6;
    let mut rest = statement;
    while rest.len() > width {
        // Fixed form joins column 72 and column 7 of the next line, so a word may be split anywhere. A line that ends in ';' is
        // complete for gfortran, which refuses to continue it, also if blanks follow.
        let mut end = width;
        while end > 1 && (!rest.is_char_boundary(end) || is_complete(&rest[..end])) {
            end -= 1;
        }
        let (line, next) = rest.split_at(end);
        text.push_str(line);
        text.push_str("\n     &");
        rest = next;
    }
    text.push_str(rest);
    text.push('\n');
    text
}

/// Whether text seems to end a statement.
fn is_complete(text: &str) -> bool {
    text.trim_end().ends_with(';')
}

fn free(label: Option<u32>, statement: &str) -> String {
    let mut text = label.map_or_else(|| " ".repeat(6), |label| format!("{label} "));
    let mut column = text.len();
    for word in statement.split_inclusive(' ') {
        if column + word.len() > FREE_LAST_COLUMN {
            text.push_str(" &\n      ");
            column = 6;
        }
        text.push_str(word);
        column += word.len();
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_form_stays_within_its_columns() {
        let long = "call mpiete_block(12_4, 3_4, (/ max(0_8, int(lastrow - firstrow + 1, 8)), 5_8, 6_8 /))";
        let text = statement_lines(Form::Fixed, Some(10), long);
        assert!(text.lines().all(|line| line.len() <= 72), "{text}");
        assert!(
            text.starts_with("   10 call") && text.lines().nth(1).unwrap().starts_with("     &")
        );
        let joined: String = text.lines().map(|line| &line[6..]).collect();
        assert_eq!(joined, long);
    }

    #[test]
    fn fixed_form_never_breaks_behind_a_semicolon() {
        for blanks in 40..80 {
            let statement = format!("{}= 1; b = 2; {}", "a".repeat(blanks), "c = 3; ".repeat(30));
            let text = statement_lines(Form::Fixed, None, &statement);
            for line in text.lines().rev().skip(1) {
                assert!(
                    line.len() <= 72 && !line.trim_end().ends_with(';'),
                    "{text}"
                );
            }
            let joined: String = text.lines().map(|line| &line[6..]).collect();
            assert_eq!(joined, statement);
        }
    }

    #[test]
    fn free_form_continues_at_blanks() {
        let text = statement_lines(Form::Free, None, &"abcdefg ".repeat(40));
        assert!(text.lines().all(|line| line.len() <= 132));
        assert!(text.lines().rev().skip(1).all(|line| line.ends_with('&')));
    }
}
