//! Diagnostics about sources. The frontend never fails on code: it reports.

use crate::source::{FileId, Span};
use std::collections::BTreeMap;

/// Most errors that are reported for one file.
const MAX_ERRORS: usize = 50;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For information.
    Note,
    /// The result may be larger than it need be, never wrong.
    Warning,
    /// Probes cannot be written for this program.
    Error,
}

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where; `None` for the program as a whole.
    pub span: Option<Span>,
    /// One sentence: what was found, what was expected, what to do.
    pub sentence: String,
}

/// The first errors of each file and, in place of the rest, how many there are; and all other remarks.
pub(crate) fn capped(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut errors: BTreeMap<FileId, (usize, Span)> = BTreeMap::new();
    let mut kept = Vec::new();
    for diagnostic in diagnostics {
        match diagnostic
            .span
            .filter(|_| diagnostic.severity == Severity::Error)
        {
            Some(span) => {
                let (count, _) = *errors
                    .entry(span.file)
                    .and_modify(|(count, _)| *count += 1)
                    .or_insert((1, span));
                if count == MAX_ERRORS + 1 {
                    errors.insert(span.file, (count, span));
                }
                if count <= MAX_ERRORS {
                    kept.push(diagnostic);
                }
            }
            None => kept.push(diagnostic),
        }
    }
    let further = errors
        .into_values()
        .filter(|(count, _)| *count > MAX_ERRORS);
    kept.extend(further.map(|(count, span)| Diagnostic {
        severity: Severity::Error,
        span: Some(span),
        sentence: format!(
            "from here on, {} more errors in this file",
            count - MAX_ERRORS
        ),
    }));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_of_a_file_are_capped() {
        let at = |file, start| Diagnostic {
            severity: Severity::Error,
            span: Some(Span {
                file: FileId(file),
                start,
                end: start + 1,
            }),
            sentence: "wrong".into(),
        };
        let all = (0..3000)
            .map(|start| at(0, start))
            .chain([at(1, 0)])
            .collect();
        let kept = capped(all);
        assert_eq!(kept.len(), 52);
        assert_eq!(
            kept[51].sentence,
            "from here on, 2950 more errors in this file"
        );
        assert_eq!(kept[51].span.map(|span| span.start), Some(50));
    }
}
