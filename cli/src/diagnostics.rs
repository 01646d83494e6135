//! Diagnostics in the form of compilers: file, line, column, and the line with the span underlined; in colour on a terminal.

use crate::project::Project;
use anyhow::{Result, bail};
use frontend::diagnostics::{Diagnostic, Severity};
use frontend::ir::StatementId;
use frontend::source::Span;
use serde::Serialize;
use std::io::IsTerminal;

/// Columns of a source line that are shown.
const WIDEST: usize = 160;

/// Columns shown before the span if a line is wider.
const BEFORE: usize = 60;

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorMode {
    /// No.
    Plain,
    /// By ANSI sequences.
    Colour,
}

impl ColorMode {
    /// For standard error: colour on a terminal that can and where NO_COLOR is not set.
    pub fn for_stderr() -> Self {
        // The convention of no-color.org: any non-empty value switches colours off.
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var("TERM").is_ok_and(|terminal| terminal != "dumb");
        if wanted && able && std::io::stderr().is_terminal() {
            ColorMode::Colour
        } else {
            ColorMode::Plain
        }
    }

    fn of(self, code: &str, text: &str) -> String {
        match self {
            ColorMode::Plain => text.to_string(),
            ColorMode::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// A diagnostic for other programs.
#[derive(Serialize)]
pub struct JsonDiagnostic {
    severity: &'static str,
    file: Option<String>,
    line: Option<u32>,
    column: Option<usize>,
    message: String,
}

impl JsonDiagnostic {
    /// The text and the place of a diagnostic.
    pub fn of(project: &Project, diagnostic: &Diagnostic) -> Self {
        let place = diagnostic.span.map(|span| SourceExcerpt::of(project, span));
        Self {
            severity: severity_name(diagnostic.severity),
            file: place.as_ref().map(|place| place.path.clone()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column),
            message: sentence(diagnostic, place.as_ref()).to_string(),
        }
    }
}

/// `file:line:column: warning: sentence`, and the source line with the span underlined.
pub fn render(project: &Project, diagnostic: &Diagnostic, paint: ColorMode) -> String {
    use crate::failure::sanitized;
    let colour = match diagnostic.severity {
        Severity::Note => "1;36",
        Severity::Warning => "1;35",
        Severity::Error => "1;31",
    };
    let severity = paint.of(colour, &format!("{}:", severity_name(diagnostic.severity)));
    let Some(span) = diagnostic.span else {
        return format!("{severity} {}\n", sanitized(&diagnostic.sentence));
    };
    let place = SourceExcerpt::of(project, span);
    let head = paint.of(
        "1",
        &sanitized(&format!("{}:{}:{}:", place.path, place.line, place.column)),
    );
    let Excerpt {
        text,
        before,
        width,
    } = place.excerpt();
    let mark = paint.of("1;32", &format!("^{}", "~".repeat(width.saturating_sub(1))));
    let number = place.line.to_string();
    let gap = " ".repeat(number.len());
    let sentence = sanitized(sentence(diagnostic, Some(&place)));
    let blanks = " ".repeat(before);
    format!(
        "{head} {severity} {sentence}\n {number} | {}\n {gap} | {blanks}{mark}\n",
        sanitized(&text)
    )
}

/// `file:line` of a statement.
pub fn place_of(project: &Project, statement: StatementId) -> String {
    let span = project.analysis.source_map.statement(statement).whole;
    let place = project.analysis.source_map.place(span.file, span.start);
    format!("{}:{}", project.sources.file(place.file).path, place.line)
}

/// The limitations of predictions, each in one line.
pub fn unpredicted(project: &Project) -> Vec<String> {
    let mut lines = Vec::new();
    for limitation in &project.analysis.unpredicted {
        let place = limitation.span.map(|span| SourceExcerpt::of(project, span));
        let sentence = sentence(limitation, place.as_ref());
        lines.push(match &place {
            Some(place) => format!("{}:{}: {sentence}", place.path, place.line),
            None => sentence.to_string(),
        });
    }
    lines
}

/// Prints the limitations of predictions: the procedures without source that a slice depends on, with the side effects that
/// are assumed, and work outside all blocks.
pub fn report_limitations(project: &Project) {
    for remark in &project.analysis.unpredicted {
        report!(
            "{}",
            render(project, remark, ColorMode::for_stderr()).trim_end()
        );
    }
}

/// Ends the command if there are errors: the first in full, the number of the others.
pub fn check_errors(project: &Project) -> Result<()> {
    let errors: Vec<&Diagnostic> = project
        .analysis
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    let Some(first) = errors.first() else {
        return Ok(());
    };
    let more = match errors.len() {
        1 => String::new(),
        2 => "(and another error, see `mpiete analyze`)".to_string(),
        count => format!("(and {} more errors, see `mpiete analyze`)", count - 1),
    };
    bail!("{}{more}", render(project, first, ColorMode::Plain))
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// The sentence without its place, which stands before it.
fn sentence<'a>(diagnostic: &'a Diagnostic, place: Option<&SourceExcerpt>) -> &'a str {
    let Some(place) = place else {
        return &diagnostic.sentence;
    };
    // Some sentences of the frontend begin with the place, which the caller prints.
    let prefix = format!("{}:{}: ", place.path, place.line);
    match diagnostic.sentence.strip_prefix(&prefix) {
        Some(rest) => rest,
        None => &diagnostic.sentence,
    }
}

/// The beginning of a span, and its line.
struct SourceExcerpt {
    path: String,
    line: u32,
    /// In bytes, from 1, as compilers count.
    column: usize,
    text: String,
    /// Characters before the span.
    before: usize,
    /// Characters of the span on its first line.
    width: usize,
}

/// The shown part of a line.
struct Excerpt {
    text: String,
    /// Characters before the span.
    before: usize,
    /// Visible characters of the span, at least one.
    width: usize,
}

impl SourceExcerpt {
    fn of(project: &Project, span: Span) -> Self {
        let (sources, map) = (&project.sources, &project.analysis.source_map);
        let row = map.row(span.file, span.start);
        let start = map.row_start(sources, span.file, row) as usize;
        let end = map.row_start(sources, span.file, row + 1) as usize;
        let text = sources.file(span.file).text[start..end].trim_ascii_end();
        let inside = |offset: u32| (offset as usize).saturating_sub(start).min(text.len());
        let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
        let (from, to) = (inside(span.start), inside(span.end));
        let place = map.place(span.file, span.start);
        SourceExcerpt {
            path: sources.file(place.file).path.clone(),
            line: place.line,
            column: (span.start as usize).saturating_sub(start) + 1,
            // A terminal would expand a tab to several columns and shift the line against the mark
            // below.
            text: String::from_utf8_lossy(text).replace('\t', " "),
            before: characters(&text[..from]),
            width: characters(text[from..to.max(from)].trim_ascii_end()).max(1),
        }
    }

    /// The line, or the part of it around the span.
    fn excerpt(&self) -> Excerpt {
        let mut skipped = 0;
        if self.text.chars().count() > WIDEST {
            skipped = self.before.saturating_sub(BEFORE);
        }
        let text: String = self.text.chars().skip(skipped).take(WIDEST).collect();
        let before = self.before - skipped;
        let visible = text.chars().count().saturating_sub(before).max(1);
        Excerpt {
            text,
            before,
            width: self.width.min(visible),
        }
    }
}
