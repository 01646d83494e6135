//! OpenMP's parallel regions in which MPI is called: directives are comments to the analysis, so that what
//! several threads do there counts once. Work-sharing loops and other directives change no sequence of calls.

use crate::diagnostics::{Diagnostic, Severity};
use crate::model::Model;
use crate::source::{FileId, Sources};
use crate::source_map::SourceMap;
use std::ops::Range;

/// What begins a directive in both forms, in lower case.
const SENTINELS: [&str; 3] = ["!$omp", "c$omp", "*$omp"];

/// A remark for each region that leads to MPI.
pub(crate) fn remarks(model: &Model, map: &SourceMap, sources: &Sources) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (file, source) in (0..).map(FileId).zip(&sources.files) {
        for region in regions(&source.text) {
            let inside =
                |span: &crate::source::Span| span.file == file && region.contains(&(span.start as usize));
            let leading = model.outline.all().filter(|id| model.calls.own_leads[id.0 as usize]);
            let first = leading.map(|id| map.statement(id).header).find(inside);
            found.extend(first.map(|span| Diagnostic {
                severity: Severity::Warning,
                span: Some(span),
                sentence: "MPI is called inside an OpenMP parallel region: probes take it for one thread's work; \
                           compile them without OpenMP"
                    .into(),
            }));
        }
    }
    found
}

/// From a `PARALLEL` directive to its `END PARALLEL`, in bytes. Combined ones (`PARALLEL DO`) need no end and
/// hold a single construct.
fn regions(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let words = directive(line).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["parallel", "do" | "sections" | "workshare" | "loop", ..] => {}
            ["parallel", ..] => open = open.or(Some(at)),
            ["end", "parallel"] | ["endparallel"] => found.extend(open.take().map(|start| start..at)),
            [..] => {}
        }
        at += line.len();
    }
    found
}

/// The words of a directive, in lower case.
fn directive(line: &[u8]) -> Option<Vec<String>> {
    // Most lines are none: one byte says so.
    let line = line.trim_ascii();
    if line.get(1) != Some(&b'$') {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?.to_ascii_lowercase();
    let rest = SENTINELS.iter().find_map(|sentinel| text.strip_prefix(sentinel))?;
    Some(rest.split([' ', '(', '\t']).filter(|word| !word.is_empty()).map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_reach_from_parallel_to_its_end() {
        let text = b"x=1\n!$omp parallel private(i)\ncall s\n!$OMP end parallel\n!$omp parallel do\ndo\n";
        assert_eq!(regions(text).len(), 1);
        assert_eq!(&text[regions(text)[0].clone()], b"!$omp parallel private(i)\ncall s\n");
    }
}
