//! OpenMP's directives belong to the loop or construct behind or before them: what is inserted there goes to their
//! other side. Those that choose among threads (MASTER, SINGLE, CRITICAL) are no such: a call inside is only theirs.

use frontend::directives::behind_sentinel;
use frontend::source::Form;

/// First words of directives that all threads meet and that nothing may come behind, or whose region begins there.
const CONSTRUCTS: [&str; 11] = [
    "parallel",
    "do",
    "simd",
    "distribute",
    "loop",
    "taskloop",
    "target",
    "teams",
    "workshare",
    "sections",
    "atomic",
];

/// A line of a source.
enum Line {
    /// Of this text, in lower case, behind what begins it.
    Directive(String),
    /// A comment, or nothing.
    Remark,
    Code,
}

/// Where the directives begin that belong to the statement of a line, which starts at `start`: there, if there
/// are none.
pub(crate) fn above(text: &[u8], form: Form, start: u32) -> u32 {
    let (mut found, mut at) = (start as usize, start as usize);
    while at > 0 {
        let line_start = line_start(text, at);
        let line = &text[line_start..at];
        at = line_start;
        match sort(line, form) {
            Line::Remark => {}
            Line::Directive(words) if is_continuation(&words, &text[..at], form) => {}
            Line::Directive(words) if is_construct(words.trim_start()) => found = at,
            Line::Directive(_) | Line::Code => break,
        }
    }
    found as u32
}

/// Where the first of the directives between a line, which starts at `start`, and the statement before it begins.
pub(crate) fn above_all(text: &[u8], form: Form, start: u32) -> u32 {
    let (mut found, mut at) = (start as usize, start as usize);
    while at > 0 {
        let line_start = line_start(text, at);
        let line = &text[line_start..at];
        at = line_start;
        match sort(line, form) {
            Line::Remark => {}
            Line::Directive(_) => found = at,
            Line::Code => break,
        }
    }
    found as u32
}

/// Where the directives end that end what the statement before the line at `next` is: there, if there are none.
pub(crate) fn below(text: &[u8], form: Form, next: u32) -> u32 {
    let mut found = next as usize;
    let mut at = found;
    for line in text[at..].split_inclusive(|&byte| byte == b'\n') {
        at += line.len();
        match sort(line, form) {
            Line::Remark => {}
            Line::Directive(words) if is_end(words.trim_start()) => found = at,
            Line::Directive(_) | Line::Code => break,
        }
    }
    found as u32
}

/// Where the line before `at`, which is the start of one, begins.
fn line_start(text: &[u8], at: usize) -> usize {
    text[..at - 1]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1)
}

fn sort(line: &[u8], form: Form) -> Line {
    if let Some(words) = behind_sentinel(line, form) {
        return Line::Directive(words);
    }
    let is_remark = match form {
        Form::Free => line.trim_ascii_start().starts_with(b"!"),
        Form::Fixed => {
            matches!(line.first(), Some(b'c' | b'C' | b'*'))
                || line.trim_ascii_start().starts_with(b"!")
        }
    };
    if is_remark || line.trim_ascii().is_empty() {
        Line::Remark
    } else {
        Line::Code
    }
}

/// Whether a directive's line continues the one before it, which ends the text `before`.
fn is_continuation(words: &str, before: &[u8], form: Form) -> bool {
    match form {
        // As for statements in fixed form: any character but blank and 0 in column 6.
        Form::Fixed => !words.is_empty() && !words.starts_with([' ', '0', '\t']),
        Form::Free if words.starts_with('&') => true,
        Form::Free if before.is_empty() => false,
        Form::Free => match sort(&before[line_start(before, before.len())..], form) {
            Line::Directive(words) => words.trim_end().ends_with('&'),
            Line::Remark | Line::Code => false,
        },
    }
}

fn is_construct(words: &str) -> bool {
    // By prefix, since clauses and further words follow: `parallel do`, `do schedule(static)`.
    CONSTRUCTS
        .iter()
        .any(|construct| words.starts_with(construct))
}

fn is_end(words: &str) -> bool {
    // Both `end parallel` and `endparallel` are allowed.
    words
        .strip_prefix("end")
        .is_some_and(|rest| is_construct(rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with `|` where what belongs to the statement at `<` begins and to the one before `>` ends.
    fn check(form: Form, text: &str) {
        let plain = text.replace(['<', '>', '|'], "");
        let place = |mark: &str| {
            text.replace(['|'], "")
                .replace(if mark == "<" { ">" } else { "<" }, "")
                .find(mark)
        };
        let expected = text.replace(['<', '>'], "").find('|').unwrap() as u32;
        if let Some(start) = place("<") {
            assert_eq!(
                above(plain.as_bytes(), form, start as u32),
                expected,
                "{text}"
            );
        }
        if let Some(next) = place(">") {
            assert_eq!(
                below(plain.as_bytes(), form, next as u32),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_begins_a_construct_belongs_to_it() {
        check(Form::Free, "x = 1\n|!$omp parallel do\n<do i = 1, n\n");
        check(
            Form::Free,
            "x = 1\n|  !$OMP PARALLEL default(shared) &\n!$omp private(i)\n\n! why\n!$omp do\n<do\n",
        );
        check(
            Form::Free,
            "x = 1\n|!$omp parallel do &\n!$omp& private(i)\n<do\n",
        );
        check(
            Form::Fixed,
            "      X = 1\n|C$OMP PARALLEL DO\n!$OMP+ PRIVATE(I)\nC WHY\n<      DO 10\n",
        );
        check(Form::Free, "|!$omp atomic\n<x = x + 1\n");
    }

    #[test]
    fn other_directives_do_not() {
        check(Form::Free, "!$omp end parallel\n|<do\n");
        check(Form::Free, "!$omp parallel\n!$omp master\n|<call f\n");
        check(
            Form::Free,
            "integer :: a\n!$omp threadprivate(a)\n! why\n|<a = 1\n",
        );
        check(Form::Free, "c$omp = 1\n|<x = 1\n");
        check(Form::Free, "!$ x = omp_get_max_threads()\n|<x = 1\n");
    }

    #[test]
    fn what_ends_a_construct_belongs_to_it() {
        check(
            Form::Free,
            "end do\n>!$omp end do nowait\n\n!$omp endparallel\n|!$omp parallel do\ndo\n",
        );
        check(
            Form::Fixed,
            "   10 CONTINUE\n>C WHY\nC$OMP END PARALLEL DO\n|C WHAT\n      X = 1\n",
        );
        check(
            Form::Free,
            "call f\n>|!$omp end master\n!$omp end parallel\n",
        );
        check(Form::Free, "end do\n>|");
    }
}
