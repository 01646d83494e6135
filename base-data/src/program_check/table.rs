//! Whether the ids inside a block table are within it.

use super::{Checked, within};
use crate::block_table::{BlockTable, SourceSpan};
use crate::ids::LoopId;

/// Checks the spans and loop paths of a table.
pub(crate) fn check_table(table: &BlockTable) -> Checked {
    for (i, entry) in table.loops.iter().enumerate() {
        check_place(&entry.span, &entry.loop_path, table)
            .map_err(|what| format!("loop {i}: {what}"))?;
    }
    for (i, block) in table.blocks.iter().enumerate() {
        let named = |what| format!("block {i}: {what}");
        check_place(&block.span, &block.loop_path, table).map_err(named)?;
        block
            .work_terms
            .iter()
            .try_for_each(|term| check_span(&term.span, table))
            .map_err(named)?;
    }
    for (i, site) in table.call_sites.iter().enumerate() {
        let span = site.span.clone().unwrap_or_default();
        check_place(&span, &site.loop_path, table)
            .map_err(|what| format!("call site {i}: {what}"))?;
    }
    Ok(())
}

fn check_place(span: &SourceSpan, path: &[LoopId], table: &BlockTable) -> Checked {
    path.iter()
        .try_for_each(|id| within("loop", id.index(), table.loops.len()))?;
    check_span(span, table)
}

/// A span names files of the table, or is the empty one of a place that is not known.
pub(crate) fn check_span(span: &SourceSpan, table: &BlockTable) -> Checked {
    // It names file 0, which a table without files lacks.
    if *span == SourceSpan::default() {
        return Ok(());
    }
    within("file", span.file as usize, table.files.len())?;
    span.included_through
        .iter()
        .try_for_each(|line| within("file", line.file as usize, table.files.len()))
}
