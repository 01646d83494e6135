//! Places in a meta-program, and errors that point at them.

use std::fmt;

/// A range of bytes of the source. All spans are equal to each other, so that syntax trees are compared by meaning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// First byte behind it.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Span {
    /// From the start of one to the end of the other.
    pub fn to(self, end: Span) -> Span {
        Span {
            start: self.start,
            end: end.end,
        }
    }
}

/// What is wrong, and where; the source text is added by [`Fault::locate`].
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Not an error, but the end of the common execution of ranks: from here on, these sets of ranks differ.
    pub(crate) parts: Option<Vec<Vec<u32>>>,
}

impl Fault {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            parts: None,
        }
    }

    /// Lets sets of ranks be executed apart.
    pub(crate) fn parted(parts: Vec<Vec<u32>>) -> Self {
        Self {
            span: Span::default(),
            message: String::new(),
            parts: Some(parts),
        }
    }

    /// The error for a user.
    pub(crate) fn locate(self, file: &str, text: &str) -> MetaError {
        let start = floor_boundary(text, self.span.start as usize);
        let end = floor_boundary(text, self.span.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &text[line_start..];
        let source_line = rest.split('\n').next().unwrap_or("");
        let source_line = source_line.strip_suffix('\r').unwrap_or(source_line);
        // A span over several lines is marked on its first one.
        let marked_end = end.min(line_start + source_line.len()).max(start);
        MetaError {
            file: file.into(),
            line: line_of(text, start),
            column: 1 + text[line_start..start].chars().count(),
            // An empty span, such as the end of the file, gets one mark.
            width: text[start..marked_end].chars().count().max(1),
            source_line: source_line.into(),
            message: self.message,
        }
    }
}

/// The largest position up to `position` at which a character begins.
fn floor_boundary(text: &str, position: usize) -> usize {
    let mut position = position.min(text.len());
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}

/// The line of a byte, from 1.
pub(crate) fn line_of(text: &str, position: usize) -> u32 {
    let before = &text.as_bytes()[..position.min(text.len())];
    1 + before.iter().filter(|&&byte| byte == b'\n').count() as u32
}

/// An error of a meta-program, with the place and the line that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaError {
    /// The file, as the caller named it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: usize,
    /// Characters that are marked.
    pub width: usize,
    /// The line of the source.
    pub source_line: String,
    /// One sentence: what is wrong, and the remedy.
    pub message: String,
}

impl fmt::Display for MetaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            width,
            source_line,
            message,
        } = self;
        write!(f, "{file}:{line}:{column}: {message}")?;
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs stay tabs, so that the mark is below its text.
        let indent: String = source_line
            .chars()
            .take(column - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        write!(
            f,
            "\n  {number} | {source_line}\n  {margin} | {indent}{}",
            "^".repeat(*width)
        )
    }
}

impl std::error::Error for MetaError {}
