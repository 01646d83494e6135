//! Labelled DO loops whose terminal statement needs a probe: they get a terminal statement of
//! their own, so that the probe stays inside the loop and jumps to the old label still pass it.

use crate::plan::{Insertion, InsertionPoint};
use frontend::analysis::Analysis;
use frontend::ir::{ProcedureId, StatementId};
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

/// Finds the loops to relabel: those that end with a statement whose label moves away or after
/// which a probe stands. Each gets one new label; loops between which nothing stands share it.
pub(crate) fn relabel(
    sources: &Sources,
    analysis: &Analysis,
    insertions: &[Insertion],
) -> Relabelled {
    let mut ends = BTreeSet::new();
    for insertion in insertions {
        if needs_terminal(analysis, insertion) {
            ends.insert(insertion.statement);
        }
    }
    let mut result = Relabelled::default();
    let mut used: BTreeMap<ProcedureId, BTreeSet<u32>> = BTreeMap::new();
    for id in (0..analysis.program.statements.len() as u32).map(StatementId) {
        let Some(last) = outermost_end(analysis, id, &ends) else {
            continue;
        };
        let Some(digits) = label_digits(sources, analysis.source_map.statement(id).header) else {
            continue;
        };
        let procedure = analysis.program.statement(id).procedure;
        // The text is searched once for each procedure; new labels are added to the set.
        let labels = used
            .entry(procedure)
            .or_insert_with(|| labels_of(sources, analysis, procedure));
        // Loops that end with the same statement share one terminal statement, as they did before. Other labels
        // come from the top of the range, where programs have few.
        let shared = result.terminal_after(last);
        let Some(label) =
            shared.or_else(|| (1..=99_999).rev().find(|label| !labels.contains(label)))
        else {
            continue;
        };
        labels.insert(label);
        result.headers.push((digits, label));
        result.after.insert(last, label);
    }
    result
}

/// Whether loops that end with the statement must end later: something stands after it, or it
/// leaves its label to a CONTINUE before it. What stands before or within an inner loop does not
/// touch the loops around it.
fn needs_terminal(analysis: &Analysis, insertion: &Insertion) -> bool {
    match insertion.place {
        InsertionPoint::After => true,
        InsertionPoint::Before => !is_labelled_do(analysis, insertion.statement),
        InsertionPoint::BodyStart | InsertionPoint::CaseStart(_) => false,
    }
}

/// The outermost of `ends` within the labelled DO `id` that ends where the DO ends.
fn outermost_end(
    analysis: &Analysis,
    id: StatementId,
    ends: &BTreeSet<StatementId>,
) -> Option<StatementId> {
    if !is_labelled_do(analysis, id) {
        return None;
    }
    let around = analysis.source_map.statement(id).whole;
    let mut outermost: Option<(u32, StatementId)> = None;
    for &end in ends {
        let span = analysis.source_map.statement(end).whole;
        // Both end with the same statement: the label of one is the label of the other.
        let ends_here = span.file == around.file && span.end == around.end;
        if !ends_here || span.start <= around.start {
            continue;
        }
        match outermost {
            Some((start, _)) if start <= span.start => {}
            _ => outermost = Some((span.start, end)),
        }
    }
    outermost.map(|(_, end)| end)
}

fn is_labelled_do(analysis: &Analysis, id: StatementId) -> bool {
    analysis
        .program
        .statement(id)
        .kind
        .terminal_label()
        .is_some()
}

/// Whether a labelled DO of the procedure names `label`.
pub(crate) fn is_terminal(analysis: &Analysis, procedure: ProcedureId, label: u32) -> bool {
    for statement in &analysis.program.statements {
        let is_own = statement.procedure == procedure;
        if is_own && statement.kind.terminal_label() == Some(label) {
            return true;
        }
    }
    false
}

/// The digits after `do` in a DO statement.
fn label_digits(sources: &Sources, header: Span) -> Option<Span> {
    let text =
        &sources.files[header.file.0 as usize].text[header.start as usize..header.end as usize];
    let is_do = |window: &[u8]| window.eq_ignore_ascii_case(b"do");
    // A construct name may precede DO.
    let after_do = text.windows(2).position(is_do)? + 2;
    let blanks = text[after_do..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let digits = text[after_do + blanks..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let start = header.start + (after_do + blanks) as u32;
    if digits > 0 {
        Some(Span {
            start,
            end: start + digits as u32,
            ..header
        })
    } else {
        None
    }
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
