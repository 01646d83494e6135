//! OpenMP directives and the parallel regions between them, in the text alone. The work of regions is in
//! [`crate::work::parallel_regions`].

use crate::source::Form;
use std::ops::Range;

/// What begins a directive, in lower case; the second and the third in fixed form only.
const SENTINELS: [&str; 3] = ["!$omp", "c$omp", "*$omp"];
/// Regions that are one construct with another one, mostly a loop, and whose end may be left out.
const COMBINED: [&str; 5] = [
    "paralleldo",
    "parallelsections",
    "parallelworkshare",
    "parallelloop",
    "parallelfor",
];
/// What a region divides among its threads, or leaves to one of them.
const SHARING: [&str; 7] = [
    "do",
    "loop",
    "sections",
    "single",
    "master",
    "masked",
    "workshare",
];

/// A part of a region of which each statement is executed as often as by one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shared {
    kind: &'static str,
    /// Where the row behind its directive begins.
    pub(crate) begin: usize,
    /// Where the directive begins that ends it; `None` of a loop for which none does.
    pub(crate) end: Option<usize>,
}

/// A region from `PARALLEL` to `END PARALLEL`, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Where the row begins that has the directive.
    pub(crate) start: usize,
    /// Where what is inside begins: the row behind the directive and its continuations.
    pub(crate) inside: usize,
    /// Where the row begins that ends it.
    pub(crate) end: usize,
    /// Its clauses: lower case, without blanks.
    pub(crate) clauses: String,
    /// Whether it is inside another one.
    pub(crate) is_nested: bool,
    /// What its threads share, of its own directives.
    pub(crate) shared: Vec<Shared>,
}

impl Region {
    fn share(&mut self, directive: &Directive) {
        let words = directive.words.as_str();
        let kind = |words: &str| SHARING.into_iter().find(|kind| words.starts_with(kind));
        if let Some(kind) = kind(words) {
            self.shared.push(Shared {
                kind,
                begin: directive.end,
                end: None,
            });
        }
        // END of the innermost open construct of that kind.
        let ended = words.strip_prefix("end").and_then(kind);
        let open = self
            .shared
            .iter_mut()
            .rev()
            .find(|shared| shared.end.is_none() && Some(shared.kind) == ended);
        open.into_iter()
            .for_each(|shared| shared.end = Some(directive.start));
    }

    /// What stands between the brackets of its clauses of a name.
    pub(crate) fn clause<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let starts = self
            .clauses
            .match_indices(name)
            .map(|(at, found)| (at, at + found.len()));
        let whole = starts.filter(|&(at, _)| {
            !self.clauses[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        });
        whole.filter_map(|(_, end)| {
            let inner = self.clauses[end..].strip_prefix('(')?;
            let mut depth = 1;
            let close = inner.find(|c: char| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                depth == 0
            })?;
            Some(&inner[..close])
        })
    }
}

/// The regions of a text, as they end.
pub(crate) fn regions(text: &[u8], form: Form) -> Vec<Region> {
    let mut found = Vec::new();
    let mut open: Vec<Region> = Vec::new();
    for directive in directives(text, form) {
        let words = directive.words.as_str();
        let is_combined = |words: &str| COMBINED.iter().any(|combined| words.starts_with(combined));
        if let Some(ended) = words.strip_prefix("end") {
            if ended.starts_with("parallel") && !is_combined(ended) {
                found.extend(open.pop().map(|region| Region {
                    end: directive.start,
                    ..region
                }));
            }
        } else if let Some(clauses) = words
            .strip_prefix("parallel")
            .filter(|_| !is_combined(words))
        {
            open.push(Region {
                start: directive.start,
                inside: directive.end,
                end: directive.end,
                clauses: clauses.to_string(),
                is_nested: !open.is_empty(),
                shared: Vec::new(),
            });
        }
        if let Some(region) = open.last_mut() {
            region.share(&directive);
        }
    }
    found
}

/// Constructs that end with a directive of their own, of OpenMP and OpenACC (`!$omp target` to `!$omp end target`): what is inside, in
/// bytes.
pub(crate) fn constructs(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut at = 0;
    for row in text.split_inclusive(|&byte| byte == b'\n') {
        let (start, end) = (at, at + row.len());
        at = end;
        let row = row.trim_ascii();
        if row.get(1) != Some(&b'$') {
            continue;
        }
        let words = String::from_utf8_lossy(row).to_ascii_lowercase();
        let words: String = words.split_ascii_whitespace().collect();
        let mut models = ["$omp", "$acc"].into_iter();
        let Some(words) = models.find_map(|model| words[1..].strip_prefix(model)) else {
            continue;
        };
        let Some(ended) = words.strip_prefix("end") else {
            open.push((words.to_string(), end));
            continue;
        };
        let is_combined = |words: &str| COMBINED.iter().any(|combined| words.starts_with(combined));
        let begin = open.iter().rposition(|(begun, _)| {
            begun.starts_with(ended) && is_combined(begun) == is_combined(ended)
        });
        if let Some(begin) = begin {
            found.push(open[begin].1..start);
            open.truncate(begin);
        }
    }
    found
}

/// A directive, its continuations joined.
struct Directive {
    start: usize,
    /// Where the row behind it begins.
    end: usize,
    /// In lower case, without blanks.
    words: String,
}

fn directives(text: &[u8], form: Form) -> Vec<Directive> {
    let mut found: Vec<Directive> = Vec::new();
    let (mut at, mut continues) = (0, false);
    for row in text.split_inclusive(|&byte| byte == b'\n') {
        let (start, end) = (at, at + row.len());
        at = end;
        // Comments and blank lines may stand between a directive and its continuation.
        let Some(rest) = behind_sentinel(row, form) else {
            continues &= matches!(row.trim_ascii_start().first(), None | Some(b'!' | b'#'));
            continue;
        };
        let (is_continuation, rest) = match form {
            Form::Fixed => (
                !rest.starts_with([' ', '0', '\t']) && !rest.is_empty(),
                rest.get(1..).unwrap_or(""),
            ),
            Form::Free => (
                continues || rest.starts_with('&'),
                rest.trim_start_matches('&'),
            ),
        };
        // A comment may follow on the line.
        let rest = rest.split('!').next().unwrap_or_default().trim_end();
        continues = form == Form::Free && rest.ends_with('&');
        let words = rest
            .trim_end_matches('&')
            .split_ascii_whitespace()
            .collect::<String>();
        match found.last_mut().filter(|_| is_continuation) {
            Some(directive) => {
                directive.words += &words;
                directive.end = end;
            }
            None => found.push(Directive { start, end, words }),
        }
    }
    found
}

/// What of a row stands behind a directive's sentinel, in lower case, without blanks at its end; `None` of a row that is no
/// directive of OpenMP.
pub fn behind_sentinel(row: &[u8], form: Form) -> Option<String> {
    let row = if form == Form::Free {
        row.trim_ascii()
    } else {
        row.trim_ascii_end()
    };
    // Most rows are none: one byte says so.
    if row.get(1) != Some(&b'$') {
        return None;
    }
    let text = String::from_utf8_lossy(row).to_ascii_lowercase();
    let known = if form == Form::Free {
        &SENTINELS[..1]
    } else {
        &SENTINELS[..]
    };
    known
        .iter()
        .find_map(|sentinel| text.strip_prefix(sentinel))
        .map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructs_have_ends() {
        let text = "!$omp parallel\na\n!$omp do\nb\n!$omp parallel do\nc\n!$omp end parallel\n\
            !$acc data copy(x)\nd\n  !$ACC End Data\n!$omp target\n!$omp end target data\n";
        let found = constructs(text.as_bytes());
        let inside: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        let parallel = "a\n!$omp do\nb\n!$omp parallel do\nc\n";
        assert_eq!(inside, [parallel, "d\n"]);
    }

    /// What is inside each region, with its clauses.
    #[track_caller]
    fn check(form: Form, text: &str, expect: &[(&str, &str)]) {
        let found = regions(text.as_bytes(), form);
        let inside: Vec<(&str, &str)> = found
            .iter()
            .map(|region| (&text[region.inside..region.end], &region.clauses[..]))
            .collect();
        assert_eq!(inside, expect, "{text}");
    }

    #[test]
    fn free_form() {
        check(
            Form::Free,
            "x=1\n !$OMP Parallel private(i) ! why\ncall s\n!$omp end parallel\n!$omp parallel do\ndo\n",
            &[("call s\n", "private(i)")],
        );
        check(
            Form::Free,
            "!$omp parallel &\n! why\n\n!$omp shared(a, & ! what\n!$omp& b)\nx\n!$omp endparallel\n",
            &[("x\n", "shared(a,b)")],
        );
        check(
            Form::Free,
            "!$omp parallel sections\n!$omp end parallel sections\nc$omp parallel\n",
            &[],
        );
    }

    #[test]
    fn fixed_form() {
        check(
            Form::Fixed,
            "C$OMP PARALLEL IF(N>1)\nc$omp+ num_threads(n)\n      x\n*$OMP END PARALLEL\n!$omp paralleldo\n",
            &[("      x\n", "if(n>1)num_threads(n)")],
        );
    }

    #[test]
    fn regions_in_regions() {
        let text =
            "!$omp parallel\na\n!$omp parallel if(b)\nc\n!$omp end parallel\n!$omp end parallel\n";
        let found = regions(text.as_bytes(), Form::Free);
        assert_eq!(
            found
                .iter()
                .map(|region| region.is_nested)
                .collect::<Vec<_>>(),
            [true, false]
        );
        assert_eq!(&text[found[0].inside..found[0].end], "c\n");
    }

    #[test]
    fn clauses() {
        let text = "!$omp parallel reduction(+: n, m) if (a(1) > 2) notif(3) reduction(max:k)\n!$omp end parallel\n";
        let region = &regions(text.as_bytes(), Form::Free)[0];
        let clauses = |name: &str| region.clause(name).map(String::from).collect::<Vec<_>>();
        assert_eq!(clauses("reduction"), ["+:n,m", "max:k"]);
        assert_eq!(clauses("if"), ["a(1)>2"]);
        assert!(clauses("num_threads").is_empty());
    }
}
