//! What a study folder holds: the state of the program between `prepare` and `estimate`.

use super::document::{Document, Section, SectionElement};
use super::{assumptions, blocks, html, numbers, text as terminal};
use base_data::block_table::BlockTable;
use base_data::program_data::Assumption;

/// A study of `name` for a terminal: its slice (executable statements kept, and all), assumptions, blocks
/// and calls.
pub fn study(name: &str, table: &BlockTable, assumed: &[Assumption], share: (u64, u64)) -> String {
    terminal::render(&document(name, table, assumed, share))
}

/// The same as one self-contained page.
pub fn study_page(
    name: &str,
    table: &BlockTable,
    assumed: &[Assumption],
    share: (u64, u64),
) -> String {
    html::page(&document(name, table, assumed, share))
}

fn document(
    name: &str,
    table: &BlockTable,
    assumed: &[Assumption],
    (kept, all): (u64, u64),
) -> Document {
    let share = if all == 0 {
        0.0
    } else {
        kept as f64 / all as f64
    };
    let slice = format!(
        "keeps {kept} of {all} executable statements ({})",
        numbers::percent(share)
    );
    let mut sections = vec![
        Section::new("", [SectionElement::facts([("slice", slice)])]),
        assumptions::section(table, assumed),
    ];
    sections.extend(blocks::sections(table));
    Document {
        title: format!("study of {name}"),
        sections,
    }
}
