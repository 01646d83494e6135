//! Edits of a part of a statement, on lines of their own, so that the rest of the statement keeps its columns.

use crate::edit::Order;
use crate::probes::{InstrumentError, Writer};
use crate::statement_text;
use frontend::source::{Form, Span};

/// What stands between the first parentheses of a statement.
pub(crate) fn between_parentheses(writer: &Writer, span: Span) -> Result<Span, InstrumentError> {
    let mut depth = 0;
    let mut open = None;
    for (at, byte) in statement_text::code(writer, span) {
        match byte {
            b'(' => {
                depth += 1;
                open = open.or(Some(at + 1));
            }
            b')' => depth -= 1,
            _ => {}
        }
        if let Some(start) = open.filter(|_| depth == 0) {
            return Ok(Span {
                start,
                end: at,
                ..span
            });
        }
    }
    Err(writer.error(
        span,
        "the condition of this statement was not found in its text; please report this program",
    ))
}

/// What follows a part of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// The rest of it.
    Statement,
    /// Nothing of it.
    Nothing,
}

/// Replaces a part of a statement on lines of its own, so that the rest keeps its columns. Where nothing of the
/// statement would stand on a line of free form, none is broken.
pub(crate) fn break_in(writer: &mut Writer, span: Span, text: &str, follows: Behind) {
    let rest = Span {
        start: span.end,
        ..span
    };
    let indent = writer.columns(rest);
    let broken = match writer.form(span.file) {
        Form::Fixed => {
            let mut lines = String::new();
            // Columns 7 to 72 hold a statement in fixed form.
            text.as_bytes().chunks(66).for_each(|part| {
                lines += "\n     &";
                lines += &String::from_utf8_lossy(part);
            });
            format!("{lines}\n     &{}", indent.get(6..).unwrap_or_default())
        }
        Form::Free => {
            let before = if statement_text::begins_row(writer, span) {
                ""
            } else {
                " &\n "
            };
            let ends = follows == Behind::Nothing || statement_text::ends_row(writer, rest);
            let behind = if ends { "" } else { " &\n" };
            let indent = if behind.is_empty() { "" } else { &indent };
            format!("{before}{text}{behind}{indent}")
        }
    };
    writer
        .edits
        .replace(span.file, span.start, span.end, broken);
}

/// The compiler counts lines again after these.
pub(crate) fn count_lines_again(writer: &mut Writer, span: Span) {
    let next = writer.next_line(span);
    let directive = writer.directive_at(span.file, next);
    writer
        .edits
        .insert(span.file, next, Order::After, directive);
}
