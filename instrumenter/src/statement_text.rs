//! Bytes of a statement that are code: outside comments, character constants, and the columns that fixed
//! form reserves.

use crate::probes::Writer;
use frontend::language::text_of_row;
use frontend::source::Span;
use std::ops::Range;

/// The bytes of a statement that are neither in character constants nor in comments, with their offsets.
pub(crate) fn code(writer: &Writer, span: Span) -> Vec<(u32, u8)> {
    let mut quote = None;
    let mut found = Vec::new();
    for row in rows(writer, span) {
        for at in row {
            let byte = writer.text(span.file)[at];
            match quote {
                // A doubled quote inside a constant ends it and begins it again: both are outside of code.
                Some(open) if byte == open => quote = None,
                Some(_) => {}
                None if byte == b'!' => break,
                None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
                None => found.push((at as u32, byte)),
            }
        }
    }
    found
}

/// Whether only a mark of continuation stands before `place` on its line of free form.
pub(crate) fn begins_row(writer: &Writer, place: Span) -> bool {
    let before = &writer.text(place.file)[writer.own_line(place) as usize..place.start as usize];
    matches!(before.trim_ascii(), b"" | b"&")
}

/// Whether only a mark of continuation and a remark follow the beginning of `place` on its line of free form.
pub(crate) fn ends_row(writer: &Writer, place: Span) -> bool {
    let text = &writer.text(place.file)[place.start as usize..];
    let rest = text
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default()
        .trim_ascii();
    rest.strip_prefix(b"&")
        .is_some_and(|rest| matches!(rest.trim_ascii_start().first(), None | Some(b'!')))
}

/// What belongs to statements of each row that a span lies in.
fn rows(writer: &Writer, span: Span) -> Vec<Range<usize>> {
    let file = &writer.sources.files[span.file.0 as usize];
    let first = writer.own_line(span) as usize;
    let mut rows = Vec::new();
    let mut start = first;
    for line in file.text[first..span.end as usize].split_inclusive(|&byte| byte == b'\n') {
        // A row ends before its line feed, also where the span ends before.
        let end = start + line.len() - usize::from(line.ends_with(b"\n"));
        let own = text_of_row(file, start..end);
        rows.push(own.start.max(span.start as usize)..own.end);
        start += line.len();
    }
    rows
}
