//! Outputs of the frontend as text, for the cases of `tests/ui`: each function is the output of its name.

use crate::harness::Analysed;
use base_data::block_table::{Block, BlockKind};
use frontend::analysis::{BlockPlace, Extent};
use frontend::ir::StatementId;
use std::fmt::Write;

/// Marks the first line of a compute block; outputs of blocks are then those of marked ones alone.
pub const BLOCK: &str = "!block";

/// Lines of statements.
fn lines_of(analysed: &Analysed, statements: &[StatementId]) -> String {
    let lines: Vec<String> = statements
        .iter()
        .map(|id| analysed.line(id.0 as usize).to_string())
        .collect();
    lines.join(" ")
}

/// The lines that stay.
pub fn slice(analysed: &Analysed) -> String {
    let mut found = String::new();
    for line in analysed.kept() {
        let _ = writeln!(found, "{line:4} {}", analysed.lines[line - 1]);
    }
    found
}

/// Remarks with their lines.
pub fn diagnostics(analysed: &Analysed) -> String {
    let mut found = String::new();
    for remark in &analysed.analysis.diagnostics {
        let severity = format!("{:?}", remark.severity).to_lowercase();
        let _ = match remark.span {
            Some(span) => {
                let line = analysed.analysis.source_map.line(span.file, span.start);
                writeln!(found, "{line}: {severity}: {}", remark.sentence)
            }
            None => writeln!(found, "{severity}: {}", remark.sentence),
        };
    }
    if analysed.analysis.is_refused() {
        found.push_str("no probes can be written\n");
    }
    found
}

/// Call sites, and how much of their messages the slice needs.
pub fn levels(analysed: &Analysed) -> String {
    let mut found = String::new();
    for (site, level) in analysed.analysis.sites.iter().zip(analysed.levels()) {
        let _ = writeln!(
            found,
            "{}: {level}",
            analysed.line(site.statement.0 as usize)
        );
    }
    found
}

fn lines_of_block(block: &Block) -> String {
    let (first, last) = (block.span.first_line, block.span.last_line);
    if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}

fn has_mark(analysed: &Analysed, block: &Block) -> bool {
    let lines = &analysed.lines[block.span.first_line as usize - 1..block.span.last_line as usize];
    lines.iter().any(|line| line.contains(BLOCK))
}

/// Compute blocks that begin at a mark, or that contain one: without their lines, which would differ between variants.
/// All of them, with lines, where no line is marked.
fn compute_blocks(analysed: &Analysed) -> Vec<(String, &Block, &BlockPlace)> {
    let is_marked = analysed.lines.iter().any(|line| line.contains(BLOCK));
    let analysis = &analysed.analysis;
    let mut found = Vec::new();
    for (block, place) in analysis.table.blocks.iter().zip(&analysis.blocks) {
        if block.kind != BlockKind::Compute {
            continue;
        }
        if !is_marked {
            found.push((lines_of_block(block), block, place));
        } else if has_mark(analysed, block) {
            found.push(("marked".to_string(), block, place));
        }
    }
    found
}

/// A head and whether the block depends on data beside its work terms, then these.
fn with_terms(head: &str, block: &Block) -> String {
    let dependent = if block.data_dependent {
        ", data-dependent"
    } else {
        ""
    };
    let mut found = format!("{head}{dependent}\n");
    for term in &block.work_terms {
        let _ = writeln!(found, "  {}", term.expression);
    }
    found
}

/// Work terms of compute blocks.
pub fn terms(analysed: &Analysed) -> String {
    let mut found = String::new();
    for (name, block, _) in compute_blocks(analysed) {
        found.push_str(&with_terms(&format!("block {name}"), block));
    }
    found
}

/// What the work of compute blocks depends on.
pub fn work(analysed: &Analysed) -> String {
    let mut found = String::new();
    for (name, block, place) in compute_blocks(analysed) {
        let analysis = &analysed.analysis;
        let mut facts = Vec::new();
        if block.data_dependent {
            facts.push("depends on data");
        }
        if place.work_changes {
            facts.push("changes between iterations");
        }
        if analysis.decided_by_others.contains(&place.id) {
            facts.push("depends on messages");
        }
        if analysis.unequal_callees.contains(&place.id) {
            facts.push("depends on which procedure is called");
        }
        if facts.is_empty() {
            facts.push("known");
        }
        let _ = writeln!(found, "block {name}: {}", facts.join(", "));
    }
    found
}

/// All blocks.
pub fn blocks(analysed: &Analysed) -> String {
    let mut found = String::new();
    for block in &analysed.analysis.table.blocks {
        let _ = write!(found, "{} {}", block.kind, lines_of_block(block));
        for id in &block.loop_path {
            let _ = write!(found, " in loop {id}");
        }
        found.push('\n');
    }
    found
}

/// Blocks that are parts of control statements, with their terms.
pub fn parts(analysed: &Analysed) -> String {
    let analysis = &analysed.analysis;
    let mut found = String::new();
    for (block, place) in analysis.table.blocks.iter().zip(&analysis.blocks) {
        let part = match &place.extent {
            Extent::Whole => continue,
            Extent::Head { again } if again.is_empty() => "prologue".to_string(),
            Extent::Head { again } => format!("prologue, also evaluated at {} places", again.len()),
            Extent::Tail => "epilogue".to_string(),
        };
        let head = format!("{}: {part}", lines_of_block(block));
        found.push_str(&with_terms(&head, block));
    }
    found
}

/// Loops with communication.
pub fn loops(analysed: &Analysed) -> String {
    let mut found = String::new();
    for place in &analysed.analysis.loops {
        let mut facts = Vec::new();
        match &place.invariant {
            Some(conditions) if conditions.is_empty() => facts.push("invariant".to_string()),
            Some(conditions) => facts.push(format!("invariant by {}", conditions.join("; "))),
            None => facts.push("not invariant".to_string()),
        }
        if place.holds_requests_open {
            facts.push("requests outlive it".to_string());
        }
        if place.is_over_data {
            facts.push("indexes data".to_string());
        }
        if place.holds_changing_work {
            facts.push("work changes".to_string());
        }
        let line = analysed.line(place.statement.0 as usize);
        let _ = writeln!(found, "{line}: {}", facts.join(", "));
    }
    found
}

/// Loops that only count, and what stands for them.
pub fn counting(analysed: &Analysed) -> String {
    let mut found = String::new();
    for (statement, assignments) in &analysed.analysis.counting {
        let line = analysed.line(statement.0 as usize);
        let _ = writeln!(found, "{line}: {}", assignments.join("; "));
    }
    found
}

/// The section to be predicted.
pub fn section(analysed: &Analysed) -> String {
    let Some(place) = &analysed.analysis.section else {
        return "none".to_string();
    };
    let mut found = String::new();
    for (what, statements) in [
        ("begins before", &place.begin_before),
        ("ends after", &place.end_after),
        ("ends before", &place.end_before),
        ("called at", &place.way),
    ] {
        if !statements.is_empty() {
            let _ = writeln!(found, "{what} {}", lines_of(analysed, statements));
        }
    }
    if !place.reason.is_empty() {
        let _ = writeln!(found, "{}", place.reason);
    }
    found
}

/// Where the sequence of calls may depend on time, and calls whose order was proven not to matter.
pub fn order(analysed: &Analysed) -> String {
    let analysis = &analysed.analysis;
    let name = |site: base_data::CallSiteId| {
        let place = &analysis.sites[site.0 as usize];
        let line = analysed.line(place.statement.0 as usize);
        format!("{line} {}", place.function.name)
    };
    let mut found = String::new();
    for place in &analysis.time_dependent {
        let _ = writeln!(
            found,
            "{}: time-dependent: {}",
            name(place.site),
            place.reason
        );
    }
    for site in &analysis.any_order {
        let _ = writeln!(found, "{}: independent of order", name(*site));
    }
    found
}

/// What is assumed of conditions and bounds.
pub fn assumptions(analysed: &Analysed) -> String {
    let mut found = String::new();
    for (_, assumption) in &analysed.analysis.slice.assumptions {
        let _ = writeln!(
            found,
            "{}: {:?}: {}",
            assumption.span.first_line, assumption.outcome, assumption.reason
        );
    }
    found
}
