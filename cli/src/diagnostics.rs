//! Diagnostics as a compiler shows them: file, line, column, the line and a caret.

use crate::project::Project;
use anyhow::{Result, bail};
use frontend::diagnostics::{Diagnostic, Severity};
use frontend::ir::StatementId;
use frontend::source::Span;
use frontend::source_map::Place;

/// `file:line:column: warning: sentence`, the source line and a caret below.
pub fn render(project: &Project, diagnostic: &Diagnostic) -> String {
    let word = match diagnostic.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let Some(span) = diagnostic.span else { return format!("{word}: {}\n", diagnostic.sentence) };
    let (place, column, text) = position(project, span);
    let (path, line) = (&project.sources.file(place.file).path, place.line);
    let caret = " ".repeat(column - 1);
    let rendered =
        format!("{path}:{line}:{column}: {word}: {}\n    {text}\n    {caret}^", diagnostic.sentence);
    crate::failure::shown(&rendered) + "\n"
}

/// `file:line` of a statement.
pub fn place_of(project: &Project, statement: StatementId) -> String {
    let span = project.analysis.source_map.statement(statement).whole;
    let place = project.analysis.source_map.place(span.file, span.start);
    format!("{}:{}", project.sources.file(place.file).path, place.line)
}

/// Ends the command if there are errors: the first in full, the number of the others.
pub fn refuse_errors(project: &Project) -> Result<()> {
    let errors: Vec<&Diagnostic> = project
        .analysis
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    let Some(first) = errors.first() else { return Ok(()) };
    let more = match errors.len() {
        1 => String::new(),
        count => format!("(and {} more errors, see `mpiete analyze`)", count - 1),
    };
    bail!("{}{more}", render(project, first))
}

fn position(project: &Project, span: Span) -> (Place, usize, String) {
    let map = &project.analysis.source_map;
    let row = map.row(span.file, span.start);
    let start = map.row_start(&project.sources, span.file, row);
    let end = map.row_start(&project.sources, span.file, row + 1);
    let text = &project.sources.files[span.file.0 as usize].text[start as usize..end as usize];
    let shown = String::from_utf8_lossy(text).trim_end().replace('\t', " ");
    (map.place(span.file, span.start), (span.start - start) as usize + 1, shown)
}
