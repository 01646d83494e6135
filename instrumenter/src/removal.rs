//! Removes statements: their lines become comments, so that every other line keeps its number. A statement that shares
//! its line becomes CONTINUE, and so do all statements of a construct if one of them does. A label that a jump or a loop
//! still needs moves to a CONTINUE.

use crate::edit::Order;
use crate::lines::statement_lines;
use crate::plan::ProbePlan;
use crate::probes::{InstrumentError, Writer};
use frontend::ir::{ProcedureId, Program, StatementId, StatementKind};
use frontend::source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Adds the edits that remove `plan.removed`.
pub(crate) fn remove(writer: &mut Writer, plan: &ProbePlan) -> Result<(), InstrumentError> {
    let mut remover = Remover {
        needed: needed_labels(writer, plan),
        commented: BTreeSet::new(),
    };
    for &statement in &plan.removed {
        remover.remove(writer, statement)?;
    }
    // Last: only now all END lines that become comments are known.
    remover.carry_end_labels(writer);
    Ok(())
}

struct Remover {
    needed: BTreeMap<ProcedureId, BTreeSet<u32>>,
    commented: BTreeSet<(FileId, u32)>,
}

impl Remover {
    fn remove(
        &mut self,
        writer: &mut Writer,
        statement: StatementId,
    ) -> Result<(), InstrumentError> {
        let analysis = writer.analysis;
        let place = analysis.source_map.statement(statement);
        let kind = &analysis.program.statement(statement).kind;
        if place.whole.start == place.whole.end {
            // The label of an END statement, which stays or goes with its construct.
            return Ok(());
        }
        let simple =
            kind.bodies().is_empty() || matches!(kind, StatementKind::If { logical: true, .. });
        // A comment would also remove the other statements of a line, so a shared line gets CONTINUE.
        if simple && !place.alone {
            self.replace_by_continue(writer, place.whole);
        } else if simple {
            self.comment_out(writer, place.whole);
        } else {
            let own = std::iter::once(&place.header)
                .chain(&place.declarations)
                .chain(&place.clauses);
            for &span in own.chain(&place.end) {
                match place.alone {
                    true => self.comment_out(writer, span),
                    false => self.replace_by_continue(writer, span),
                }
            }
            // Lines between statements, such as comments and directives, stay. They mean nothing without the
            // construct around them.
            for body in kind.bodies() {
                for &inner in body {
                    self.remove(writer, inner)?;
                }
            }
        }
        if place
            .label
            .is_some_and(|label| self.is_commented(writer, label))
        {
            self.carry_label(writer, statement);
        }
        Ok(())
    }

    fn comment_out(&mut self, writer: &mut Writer, span: Span) {
        let (first, last) = writer.analysis.source_map.rows(span);
        for row in first..=last {
            let start = writer
                .analysis
                .source_map
                .row_start(writer.sources, span.file, row);
            // A line marker of the preprocessor gives the lines behind it their numbers, so it stays; and a row
            // that two spans share gets one `!` only.
            let is_directive = writer.text(span.file).get(start as usize) == Some(&b'#');
            if !is_directive && self.commented.insert((span.file, row)) {
                writer
                    .edits
                    .insert(span.file, start, Order::Comment, "!".into());
            }
        }
    }

    fn replace_by_continue(&mut self, writer: &mut Writer, span: Span) {
        writer
            .edits
            .replace(span.file, span.start, span.end, "continue".into());
        let (first, last) = writer.analysis.source_map.rows(span);
        // A statement of several lines becomes one line: the compiler would number what follows too low.
        if first != last {
            let next = writer.next_line(span);
            let directive = writer.directive_at(span.file, next);
            writer
                .edits
                .insert(span.file, next, Order::After, directive);
        }
    }

    /// Labels of END statements whose lines have become comments.
    fn carry_end_labels(&mut self, writer: &mut Writer) {
        let analysis = writer.analysis;
        for statement in (0..analysis.program.statements.len() as u32).map(StatementId) {
            let place = analysis.source_map.statement(statement);
            let is_end_label = place.whole.start == place.whole.end;
            let Some(label) = place.label.filter(|_| is_end_label) else {
                continue;
            };
            if self.is_commented(writer, label) {
                self.carry_label(writer, statement);
            }
        }
    }

    fn is_commented(&self, writer: &Writer, span: Span) -> bool {
        self.commented.contains(&(
            span.file,
            writer.analysis.source_map.row(span.file, span.start),
        ))
    }

    fn carry_label(&mut self, writer: &mut Writer, statement: StatementId) {
        let analysis = writer.analysis;
        let (place, own) = (
            analysis.source_map.statement(statement),
            analysis.program.statement(statement),
        );
        let Some(label) = own.label else { return };
        let is_needed = self
            .needed
            .get(&own.procedure)
            .is_some_and(|labels| labels.contains(&label));
        // A label that nothing refers to may go; one that another edit has moved would be defined twice.
        if !is_needed || writer.label_moved.contains(&statement) {
            return;
        }
        let next = writer.next_line(place.whole);
        let mut text = statement_lines(writer.form(place.whole.file), Some(label), "continue");
        text += &writer.directive_at(place.whole.file, next);
        writer
            .edits
            .insert(place.whole.file, next, Order::Label, text);
    }
}

/// What goes, with all that stands in it.
fn gone(program: &Program, plan: &ProbePlan) -> BTreeSet<StatementId> {
    let mut gone = BTreeSet::new();
    let mut stack = plan.removed.clone();
    while let Some(statement) = stack.pop() {
        gone.insert(statement);
        for body in program.statement(statement).kind.bodies() {
            stack.extend_from_slice(body);
        }
    }
    gone
}

/// The BLOCKs that stay and declare variables with names of procedures, which statements that go may have mentioned.
pub(crate) fn hiding_blocks<'a>(
    program: &'a Program,
    plan: &ProbePlan,
) -> Vec<(StatementId, &'a [String])> {
    if plan.removed.is_empty() {
        return Vec::new();
    }
    let gone = gone(program, plan);
    let all = program
        .hiding_procedures
        .iter()
        .filter(|(block, _)| !gone.contains(block));
    all.map(|(&block, names)| (block, names.as_slice()))
        .collect()
}

/// Labels that statements which stay refer to, by procedure.
fn needed_labels(writer: &Writer, plan: &ProbePlan) -> BTreeMap<ProcedureId, BTreeSet<u32>> {
    let program = &writer.analysis.program;
    let gone = gone(program, plan);
    let mut needed: BTreeMap<ProcedureId, BTreeSet<u32>> = BTreeMap::new();
    for (index, statement) in program.statements.iter().enumerate() {
        if !gone.contains(&StatementId(index as u32)) {
            needed
                .entry(statement.procedure)
                .or_default()
                .extend(labels_in(&statement.kind));
        }
    }
    needed
}

/// Labels that a statement jumps to, or that its loop ends at.
fn labels_in(kind: &StatementKind) -> impl Iterator<Item = u32> + '_ {
    kind.jump_labels()
        .iter()
        .copied()
        .chain(kind.terminal_label())
}
