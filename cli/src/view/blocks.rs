//! A block table as sections: compute blocks, call sites, and loops with communication, on the
//! user's own lines.

use super::document::{ColumnStyle, Section, SectionElement, Table, TableCell};
use base_data::LoopId;
use base_data::block_table::{BlockKind, BlockTable};

/// Blocks, and call sites, that a terminal shows.
const TOP: usize = 40;

/// The three lists.
pub fn sections(table: &BlockTable) -> [Section; 3] {
    [compute_blocks(table, TOP), call_sites(table), loops(table)]
}

/// The compute blocks; `shown` of them in a terminal.
pub fn compute_blocks(table: &BlockTable, shown: usize) -> Section {
    let compute = table
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Compute);
    let rows = compute.map(|block| {
        let terms = block
            .work_terms
            .iter()
            .map(|term| term.expression.as_str())
            .collect::<Vec<_>>();
        let data = if block.data_dependent { "yes" } else { "" };
        [
            TableCell::from(table.place(&block.span)),
            block.key.procedure.as_str().into(),
            loop_path(table, &block.loop_path).into(),
            terms.join(", ").into(),
            data.into(),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("procedure", ColumnStyle::Words),
        ("in loops at", ColumnStyle::Place),
        ("work terms", ColumnStyle::Words),
        ("data-dependent", ColumnStyle::Words),
    ];
    Section::new(
        "compute blocks",
        [SectionElement::Table(
            Table::new(columns, rows).showing(shown),
        )],
    )
}

fn call_sites(table: &BlockTable) -> Section {
    let rows = table.call_sites.iter().enumerate().map(|(index, site)| {
        [
            TableCell::from(table.site_place(base_data::CallSiteId::from_index(index))),
            site.function.as_str().into(),
            site.procedure.as_str().into(),
            loop_path(table, &site.loop_path).into(),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("function", ColumnStyle::Words),
        ("procedure", ColumnStyle::Words),
        ("in loops at", ColumnStyle::Place),
    ];
    Section::new(
        "MPI calls",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

/// The loops with communication.
pub fn loops(table: &BlockTable) -> Section {
    let rows = table.loops.iter().map(|found| {
        [
            TableCell::from(table.place(&found.span)),
            found.procedure.as_str().into(),
            loop_path(table, &found.loop_path).into(),
        ]
    });
    let columns = [
        ("where", ColumnStyle::Place),
        ("procedure", ColumnStyle::Words),
        ("in loops at", ColumnStyle::Place),
    ];
    Section::new(
        "loops with communication",
        [SectionElement::Table(
            Table::new(columns, rows).showing(TOP),
        )],
    )
}

/// First lines of the loops, outermost first: `300, 412`.
pub fn loop_path(table: &BlockTable, path: &[LoopId]) -> String {
    let line = |id: &LoopId| {
        table
            .loops
            .get(id.index())
            .map(|found| found.span.first_line.to_string())
    };
    path.iter().filter_map(line).collect::<Vec<_>>().join(", ")
}
