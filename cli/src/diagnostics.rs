//! Diagnostics as a compiler shows them: file, line, column, the line and what is meant underlined; in
//! colour on a terminal.

use crate::project::Project;
use anyhow::{Result, bail};
use frontend::diagnostics::{Diagnostic, Severity};
use frontend::ir::StatementId;
use frontend::source::Span;
use serde::Serialize;
use std::io::IsTerminal;

/// Columns of a source line that are shown.
const WIDEST: usize = 160;

/// Columns shown before what is meant, where a line is wider.
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
    /// What a diagnostic says, and where.
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

/// `file:line:column: warning: sentence`, the source line, and what is meant underlined.
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
    let (text, before, width) = place.excerpt();
    let mark = paint.of("1;32", &format!("^{}", "~".repeat(width.saturating_sub(1))));
    let (number, gap) = (
        place.line.to_string(),
        " ".repeat(place.line.to_string().len()),
    );
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
    let line = |remark: &Diagnostic| {
        let place = remark.span.map(|span| SourceExcerpt::of(project, span));
        let sentence = sentence(remark, place.as_ref());
        match &place {
            Some(place) => format!("{}:{}: {sentence}", place.path, place.line),
            None => sentence.to_string(),
        }
    };
    project.analysis.unpredicted.iter().map(line).collect()
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
    let said = place.and_then(|place| {
        let rest = diagnostic.sentence.strip_prefix(place.path.as_str())?;
        rest.strip_prefix(&format!(":{}: ", place.line))
    });
    said.unwrap_or(&diagnostic.sentence)
}

/// Where a span begins, and its line.
struct SourceExcerpt {
    path: String,
    line: u32,
    /// In bytes, from 1, as compilers count.
    column: usize,
    text: String,
    /// Characters before what is meant, and of it on its first line.
    before: usize,
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
            text: String::from_utf8_lossy(text).replace('\t', " "),
            before: characters(&text[..from]),
            width: characters(text[from..to.max(from)].trim_ascii_end()).max(1),
        }
    }

    /// The line or a part of it, what stands there before what is meant, and how much of it is seen.
    fn excerpt(&self) -> (String, usize, usize) {
        let skipped = match self.text.chars().count() > WIDEST {
            true => self.before.saturating_sub(BEFORE),
            false => 0,
        };
        let text: String = self.text.chars().skip(skipped).take(WIDEST).collect();
        let before = self.before - skipped;
        let seen = text.chars().count().saturating_sub(before).max(1);
        (text, before, self.width.min(seen))
    }
}
