//! Who calls whom, as a tree from the main program: each procedure once with what it calls.

use super::document::{ColumnStyle, Section, SectionElement, Table, TableCell};
use base_data::block_table::BlockTable;
use frontend::analysis::Analysis;
use frontend::ir::ProcedureId;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of levels that are shown by indentation.
const DEEPEST: usize = 15;

/// The call graph.
pub fn section(analysis: &Analysis, table: &BlockTable) -> Section {
    let tree = Tree::of(analysis);
    let columns = [
        ("procedure", ColumnStyle::Words),
        ("where", ColumnStyle::Place),
        ("MPI calls", ColumnStyle::Number),
    ];
    let rows = tree.lines.iter().map(|line| row(analysis, table, line));
    let others: Vec<&str> = (0..analysis.program.procedures.len() as u32)
        .map(ProcedureId)
        .filter(|id| !tree.seen.contains(id))
        .map(|id| analysis.program.procedure(id).name.as_str())
        .collect();
    let others = match others.as_slice() {
        [] => String::new(),
        names => format!("never called: {}", names.join(", ")),
    };
    Section::new(
        "call graph",
        [
            SectionElement::Table(Table::new(columns, rows)),
            SectionElement::Paragraph(others),
        ],
    )
}

struct Line {
    procedure: ProcedureId,
    depth: usize,
    /// Whether what it calls stands further up.
    known: bool,
}

struct Tree {
    lines: Vec<Line>,
    seen: BTreeSet<ProcedureId>,
}

impl Tree {
    fn of(analysis: &Analysis) -> Self {
        let mut callees: BTreeMap<ProcedureId, Vec<ProcedureId>> = BTreeMap::new();
        for &(caller, callee) in &analysis.call_graph {
            callees.entry(caller).or_default().push(callee);
        }
        let (mut lines, mut seen) = (Vec::new(), BTreeSet::new());
        let mut open: Vec<(ProcedureId, usize)> = analysis
            .program
            .main
            .map(|main| (main, 0))
            .into_iter()
            .collect();
        while let Some((procedure, depth)) = open.pop() {
            let below = callees.get(&procedure).map_or(&[][..], Vec::as_slice);
            let first = seen.insert(procedure);
            lines.push(Line {
                procedure,
                depth,
                known: !first && !below.is_empty(),
            });
            if first {
                open.extend(below.iter().rev().map(|&callee| (callee, depth + 1)));
            }
        }
        Self { lines, seen }
    }
}

fn row(analysis: &Analysis, table: &BlockTable, line: &Line) -> [TableCell; 3] {
    let name = &analysis.program.procedure(line.procedure).name;
    let blanks = "  ".repeat(line.depth.min(DEEPEST));
    let above = if line.known { " (see above)" } else { "" };
    let span = analysis.source_map.procedure(line.procedure).whole;
    let place = super::analysis::place(analysis, table, span);
    let calls = analysis
        .sites
        .iter()
        .filter(|site| site.procedure == line.procedure)
        .count() as u64;
    let calls = if calls == 0 {
        TableCell::default()
    } else {
        TableCell::count(calls)
    };
    [format!("{blanks}{name}{above}").into(), place.into(), calls]
}
