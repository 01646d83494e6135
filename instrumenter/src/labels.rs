//! Labelled DO loops whose terminal statement needs a probe: they get a terminal statement of
//! their own, so that the probe stays inside the loop and jumps to the old label still pass it.

use frontend::analysis::Analysis;
use frontend::ir::{ProcedureId, StatementId, StatementKind};
use frontend::source::{Sources, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The loops that were given another label.
#[derive(Debug, Default)]
pub(crate) struct Relabelled {
    /// Label digits of DO statements, with the new label.
    headers: Vec<(Span, u32)>,
    /// After which statement the new terminal statement stands.
    after: BTreeMap<StatementId, u32>,
}

impl Relabelled {
    /// The label of the CONTINUE that must follow `statement`.
    pub(crate) fn terminal_after(&self, statement: StatementId) -> Option<u32> {
        self.after.get(&statement).copied()
    }

    /// Label digits of DO statements, with the new label.
    pub(crate) fn headers(&self) -> Vec<(Span, u32)> {
        self.headers.clone()
    }
}

/// Finds the loops to relabel: those with a terminal statement that is, or ends, one of `touched`.
pub(crate) fn relabel(sources: &Sources, analysis: &Analysis, touched: &BTreeSet<StatementId>) -> Relabelled {
    let mut result = Relabelled::default();
    let mut used: BTreeMap<ProcedureId, BTreeSet<u32>> = BTreeMap::new();
    for &statement in touched {
        let headers = loops_ended_by(sources, analysis, statement);
        if headers.is_empty() {
            continue;
        }
        let procedure = analysis.program.statement(statement).procedure;
        let labels = used.entry(procedure).or_insert_with(|| labels_of(sources, analysis, procedure));
        let Some(fresh) = (1..=99_999).rev().find(|label| !labels.contains(label)) else { continue };
        labels.insert(fresh);
        result.headers.extend(headers.into_iter().map(|span| (span, fresh)));
        result.after.insert(statement, fresh);
    }
    result
}

/// Label digits of the labelled DOs around `statement` that end where it ends.
fn loops_ended_by(sources: &Sources, analysis: &Analysis, statement: StatementId) -> Vec<Span> {
    let end = analysis.source_map.statement(statement).whole.end;
    let loops = (0..analysis.program.statements.len() as u32).map(StatementId).filter(|&id| {
        let place = analysis.source_map.statement(id);
        let inside = analysis.source_map.statement(statement).whole;
        let around =
            place.whole.file == inside.file && place.whole.start < inside.start && place.whole.end == end;
        let labelled =
            matches!(analysis.program.statement(id).kind, StatementKind::Do { terminal: Some(_), .. });
        id != statement && labelled && around
    });
    loops.filter_map(|id| label_digits(sources, analysis.source_map.statement(id).header)).collect()
}

/// Whether a labelled DO of the procedure names `label`.
pub(crate) fn is_terminal(analysis: &Analysis, procedure: ProcedureId, label: u32) -> bool {
    analysis.program.statements.iter().any(|statement| {
        let named =
            matches!(statement.kind, StatementKind::Do { terminal: Some(terminal), .. } if terminal == label);
        statement.procedure == procedure && named
    })
}

/// The digits after `do` in a DO statement.
fn label_digits(sources: &Sources, header: Span) -> Option<Span> {
    let text = &sources.files[header.file.0 as usize].text[header.start as usize..header.end as usize];
    let is_do = |window: &[u8]| window.eq_ignore_ascii_case(b"do");
    let after_do = text.windows(2).position(is_do)? + 2;
    let blanks = text[after_do..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let digits = text[after_do + blanks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let start = header.start + (after_do + blanks) as u32;
    (digits > 0).then_some(Span { start, end: start + digits as u32, ..header })
}

/// All labels in the text of a procedure: numbers at the start of a line, FORMATs' among them.
fn labels_of(sources: &Sources, analysis: &Analysis, procedure: ProcedureId) -> BTreeSet<u32> {
    let span = analysis.source_map.procedure(procedure).whole;
    let text = &sources.files[span.file.0 as usize].text[span.start as usize..span.end as usize];
    let lines = text.split(|&byte| byte == b'\n');
    let numbers = lines.filter_map(|line| {
        let line = line.trim_ascii_start();
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&line[..digits]).ok()?.parse().ok()
    });
    numbers.collect()
}
