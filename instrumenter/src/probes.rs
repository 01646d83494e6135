//! Writes a plan as text: calls of the token runtime in Fortran's spelling, as edits of the
//! user's own lines. [`crate::plan`] determines the insertions; [`crate::removal`] removes statements.

use crate::directives;
use crate::edit::{Edits, Order};
use crate::labels::{self, Relabelled};
use crate::lines::{FIXED_LAST_COLUMN, line_directive, statement_lines};
use crate::plan::{Direction, Insertion, InsertionPoint, Probe, ProbePlan};
use frontend::analysis::{Analysis, ParallelRegion};
use frontend::ir::{ProcedureId, StatementId, StatementKind};
use frontend::language::{mpi_constant_functions, term_indices};
use frontend::source::{FileId, Form, Sources, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A source file of a probe program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenFile {
    /// The original.
    pub file: FileId,
    /// Its path as the user gave it.
    pub path: String,
    /// New text.
    pub text: Vec<u8>,
}

/// Why a probe cannot be written. The sentence names file, line and remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct InstrumentError {
    /// `file:line`.
    pub place: String,
    /// What stands in the way and what to do.
    pub reason: String,
}

/// What is inserted round one statement.
#[derive(Default)]
pub(crate) struct EditPosition<'a> {
    before: Vec<&'a Probe>,
    after: Vec<&'a Probe>,
    body: Vec<&'a Probe>,
    /// By number of the case.
    cases: Vec<(usize, &'a Probe)>,
}

pub(crate) fn group(insertions: &[Insertion]) -> BTreeMap<StatementId, EditPosition<'_>> {
    let mut spots: BTreeMap<StatementId, EditPosition> = BTreeMap::new();
    for insertion in insertions {
        let spot = spots.entry(insertion.statement).or_default();
        match insertion.place {
            InsertionPoint::Before => spot.before.push(&insertion.probe),
            InsertionPoint::After => spot.after.push(&insertion.probe),
            InsertionPoint::BodyStart => spot.body.push(&insertion.probe),
            InsertionPoint::CaseStart(case) => spot.cases.push((case, &insertion.probe)),
        }
    }
    spots
}

/// Edits in the making.
pub(crate) struct Writer<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) analysis: &'a Analysis,
    pub(crate) edits: Edits,
    /// Statements of logical IFs.
    guarded: BTreeSet<StatementId>,
    /// Labelled DOs that got a terminal statement of their own.
    relabelled: Relabelled,
    /// Statements whose label now stands before them.
    pub(crate) label_moved: BTreeSet<StatementId>,
    /// Semicolons after which a line begins now.
    split: BTreeSet<(FileId, u32)>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(sources: &'a Sources, analysis: &'a Analysis, plan: &ProbePlan) -> Self {
        let guarded =
            analysis
                .program
                .statements
                .iter()
                .filter_map(|statement| match &statement.kind {
                    StatementKind::If {
                        branches,
                        logical: true,
                        ..
                    } => branches.first()?.1.first().copied(),
                    _ => None,
                });
        Self {
            sources,
            analysis,
            edits: Edits::default(),
            guarded: guarded.collect(),
            relabelled: labels::relabel(sources, analysis, &plan.insertions),
            label_moved: BTreeSet::new(),
            split: BTreeSet::new(),
        }
    }

    pub(crate) fn rewritten(self) -> Vec<RewrittenFile> {
        let own = self
            .sources
            .files
            .iter()
            .enumerate()
            .filter(|(_, file)| !file.included);
        own.map(|(index, file)| {
            let id = FileId(index as u32);
            RewrittenFile {
                file: id,
                path: file.path.clone(),
                text: self.edits.apply(id, &file.text),
            }
        })
        .collect()
    }

    pub(crate) fn error(&self, span: Span, reason: &str) -> InstrumentError {
        let place = self.analysis.source_map.place(span.file, span.start);
        let path = &self.sources.file(place.file).path;
        InstrumentError {
            place: format!("{path}:{}", place.line),
            reason: reason.into(),
        }
    }

    pub(crate) fn form(&self, file: FileId) -> Form {
        self.sources.files[file.0 as usize].form
    }

    pub(crate) fn text(&self, file: FileId) -> &'a [u8] {
        &self.sources.files[file.0 as usize].text
    }

    /// Offset where the row after `span` starts.
    pub(crate) fn next_line(&self, span: Span) -> u32 {
        let (_, last) = self.analysis.source_map.rows(span);
        self.analysis
            .source_map
            .row_start(self.sources, span.file, last + 1)
    }

    /// Offset where the row of `span` starts.
    pub(crate) fn own_line(&self, span: Span) -> u32 {
        let row = self.analysis.source_map.row(span.file, span.start);
        self.analysis
            .source_map
            .row_start(self.sources, span.file, row)
    }

    /// A line directive that gives the line at `offset` its number in the user's file, whatever was inserted before it.
    pub(crate) fn directive_at(&self, file: FileId, offset: u32) -> String {
        let place = self.analysis.source_map.place(file, offset);
        line_directive(place.line, &self.sources.file(place.file).path)
    }

    pub(crate) fn declare(&mut self, procedure: ProcedureId, functions: &BTreeSet<&str>) {
        let mut lines = Vec::new();
        for function in functions {
            lines.push(format!("{} {function}", type_of(function)));
            if !term_indices().contains(function) {
                lines.push(format!("external {function}"));
            }
        }
        self.begin(procedure, &lines);
    }

    /// Lines before the first executable statement of a procedure.
    pub(crate) fn begin(&mut self, procedure: ProcedureId, lines: &[String]) {
        let span = self
            .analysis
            .source_map
            .procedure(procedure)
            .first_executable;
        let (form, start) = (self.form(span.file), self.own_line(span));
        let label = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_whitespace();
        let before = &self.text(span.file)[start as usize..span.start as usize];
        // The head of the procedure or a declaration may stand on the same line.
        let shared = before
            .iter()
            .rposition(|byte| !label(byte))
            .map(|last| start + last as u32 + 1);
        let offset =
            shared.unwrap_or_else(|| directives::above_all(self.text(span.file), form, start));
        let mut text = if shared.is_some() {
            "\n".to_string()
        } else {
            String::new()
        };
        for line in lines {
            text += &statement_lines(form, None, line);
        }
        text += &self.directive_at(span.file, offset);
        if shared.is_some() {
            text += &self.columns(Span {
                start: offset,
                end: offset,
                ..span
            });
        }
        self.edits.insert(span.file, offset, Order::Before, text);
    }

    /// Mentions variables of a BLOCK that hide procedures, in a statement that is never executed. GNU Fortran 12 takes such
    /// a name for the procedure's where it stands nowhere but alone as an argument, as it may where statements are gone.
    pub(crate) fn mention(&mut self, block: StatementId, names: &[String]) {
        let place = self.analysis.source_map.statement(block);
        let Some(&last) = place.declarations.last() else {
            return;
        };
        let form = self.form(last.file);
        let mut text = statement_lines(form, None, "if (.false.) then");
        for name in names {
            // This is valid for variables of any type, rank and attributes.
            text += &statement_lines(form, None, &format!("associate (mpiete_named => {name})"));
            text += &statement_lines(form, None, "end associate");
        }
        text += &statement_lines(form, None, "end if");
        self.insert_text_after(last, text);
    }

    /// Reports the beginning and end of the region to the token runtime.
    pub(crate) fn record_region(&mut self, region: &ParallelRegion) {
        let form = self.form(region.file);
        for (offset, call) in [
            (region.begin, "mpiete_parallel(1_4)"),
            (region.end, "mpiete_parallel(0_4)"),
        ] {
            let text = statement_lines(form, None, &format!("call {call}"));
            let text = text + &self.directive_at(region.file, offset);
            self.edits.insert(region.file, offset, Order::Before, text);
        }
    }

    pub(crate) fn insert(
        &mut self,
        statement: StatementId,
        spot: &EditPosition,
    ) -> Result<(), InstrumentError> {
        let place = self.analysis.source_map.statement(statement);
        if self.guarded.contains(&statement) {
            self.unfold_logical_if(statement, spot);
            return Ok(());
        }
        if place.whole.start == place.whole.end {
            return self.insert_at_end_label(statement, spot);
        }
        if !spot.before.is_empty() {
            self.insert_before(statement, &spot.before);
        }
        if !spot.body.is_empty() {
            self.insert_after(place.header, &spot.body, None);
        }
        for &(case, probe) in &spot.cases {
            self.insert_after(place.clauses[case - 1], &[probe], None);
        }
        let terminal = self.relabelled.terminal_after(statement);
        if !spot.after.is_empty() || terminal.is_some() {
            self.insert_after(place.whole, &spot.after, terminal);
        }
        Ok(())
    }

    /// `if (c) call f` becomes `if (c) then`, probes, `call f`, probes, `end if`.
    fn unfold_logical_if(&mut self, statement: StatementId, spot: &EditPosition) {
        let span = self.analysis.source_map.statement(statement).whole;
        let form = self.form(span.file);
        let (directive, column) = (self.directive_at(span.file, span.start), self.columns(span));
        let then = self.then(form, span);
        let before = format!(
            "{then}\n{}{directive}{column}",
            probe_lines(form, &spot.before)
        );
        self.edits
            .insert(span.file, span.start, Order::Before, before);
        let next = self.next_line(span);
        let rest = self.text(span.file)[span.end as usize..next as usize].trim_ascii();
        // Text beyond the last column of fixed form is a comment there; moved to the shorter line of the END IF, it
        // would become part of the statement.
        let remark = if rest.is_empty() || rest.starts_with(b";") {
            ""
        } else {
            " !"
        };
        let after = format!("\n{}      end if{remark}", probe_lines(form, &spot.after));
        self.edits.insert(span.file, span.end, Order::After, after);
        let terminal = self.relabelled.terminal_after(statement);
        let mut text = terminal.map_or_else(String::new, |label| {
            statement_lines(form, Some(label), "continue")
        });
        text += &self.directive_at(span.file, next);
        self.edits.insert(span.file, next, Order::After, text);
    }

    /// `10 end do`: the label goes to a CONTINUE of its own before the END statement, the probes between.
    fn insert_at_end_label(
        &mut self,
        statement: StatementId,
        spot: &EditPosition,
    ) -> Result<(), InstrumentError> {
        let (place, own) = (
            self.analysis.source_map.statement(statement),
            self.analysis.program.statement(statement),
        );
        let (Some(span), Some(label)) = (place.label, own.label) else {
            return Ok(());
        };
        if labels::is_terminal(self.analysis, own.procedure, label) {
            // A CONTINUE with this label would end the loop before the probe.
            let reason = "a probe is needed before this END DO, whose label the DO names; leave the label out of both";
            return Err(self.error(span, reason));
        }
        let (form, start) = (self.form(span.file), self.own_line(span));
        let mut text = statement_lines(form, Some(label), "continue");
        text += &probe_lines(form, &spot.before);
        text += &probe_lines(form, &spot.after);
        text += &self.directive_at(span.file, start);
        self.edits.insert(span.file, start, Order::Before, text);
        // Blanks in place of the label: the statement keeps its columns.
        self.edits.replace(
            span.file,
            span.start,
            span.end,
            " ".repeat((span.end - span.start) as usize),
        );
        self.label_moved.insert(statement);
        Ok(())
    }

    fn insert_before(&mut self, statement: StatementId, probes: &[&Probe]) {
        let place = self.analysis.source_map.statement(statement);
        let (file, form) = (place.whole.file, self.form(place.whole.file));
        let start = self.own_line(place.whole);
        let above = directives::above(self.text(file), form, start);
        let lead = place.label.map_or(place.whole.start, |label| label.start);
        let first_on_line = self.text(file)[start as usize..lead as usize]
            .iter()
            .all(u8::is_ascii_whitespace);
        let mut text = if first_on_line {
            String::new()
        } else {
            "\n".to_string()
        };
        // Jumps to the statement must execute its probes, too: the label moves in front of them.
        if let (Some(span), Some(label)) = (
            place.label,
            self.analysis.program.statement(statement).label,
        ) {
            text += &statement_lines(form, Some(label), "continue");
            self.edits.replace(
                file,
                span.start,
                span.end,
                " ".repeat((span.end - span.start) as usize),
            );
            self.label_moved.insert(statement);
        }
        text += &probe_lines(form, probes);
        if !first_on_line {
            text += &self.directive_at(file, start);
            text += &self.columns(Span {
                start: lead,
                end: lead,
                ..place.whole
            });
            self.edits.insert(file, lead, Order::Before, text);
            return;
        }
        text += &self.directive_at(file, above);
        self.edits.insert(file, above, Order::Before, text);
    }

    fn insert_after(&mut self, span: Span, probes: &[&Probe], terminal: Option<u32>) {
        let (form, next) = (self.form(span.file), self.next_line(span));
        let mut text = probe_lines(form, probes);
        if let Some(label) = terminal {
            text += &statement_lines(form, Some(label), "continue");
        }
        if let Some(next_on_line) = self.split_at_semicolon(span) {
            self.edits
                .insert(span.file, next_on_line, Order::After, text);
            return;
        }
        // A terminal CONTINUE ends its loop, so it precedes the directive that ends the loop's construct.
        let is_outside = terminal.is_none();
        let next = if is_outside {
            directives::below(self.text(span.file), form, next)
        } else {
            next
        };
        text += &self.directive_at(span.file, next);
        self.edits.insert(span.file, next, Order::After, text);
    }

    /// Lines behind a declaration.
    fn insert_text_after(&mut self, span: Span, mut text: String) {
        if let Some(next_on_line) = self.split_at_semicolon(span) {
            self.edits
                .insert(span.file, next_on_line, Order::Label, text);
            return;
        }
        let next = self.next_line(span);
        text += &self.directive_at(span.file, next);
        self.edits.insert(span.file, next, Order::Label, text);
    }

    /// Where another statement follows on the line of `span`: it gets a line of its own. Where that begins.
    fn split_at_semicolon(&mut self, span: Span) -> Option<u32> {
        let rest = &self.text(span.file)[span.end as usize..self.next_line(span) as usize];
        let blanks = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        if rest.get(blanks) != Some(&b';') {
            return None;
        }
        let semicolon = span.end + blanks as u32;
        let follows = Span {
            start: semicolon + 1,
            end: semicolon + 1,
            ..span
        };
        // Several insertions may follow one semicolon, which is replaced once.
        if self.split.insert((span.file, semicolon)) {
            self.edits
                .replace(span.file, semicolon, semicolon + 1, "\n".into());
            let text = self.directive_at(span.file, semicolon) + &self.columns(follows);
            self.edits
                .insert(span.file, semicolon + 1, Order::Comment, text);
        }
        Some(semicolon + 1)
    }

    /// `then` before the statement of a logical IF, on a line of its own where there is no room.
    fn then(&self, form: Form, span: Span) -> &'static str {
        let column = (span.start - self.own_line(span)) as usize;
        match form {
            Form::Fixed if column + "then".len() > FIXED_LAST_COLUMN => "\n     &then",
            Form::Fixed | Form::Free => "then",
        }
    }

    /// Blanks up to where `span` begins in its line: text that moves to a line of its own keeps its
    /// columns, which in fixed form belong to constants that go on in the next line.
    pub(crate) fn columns(&self, span: Span) -> String {
        let before = &self.text(span.file)[self.own_line(span) as usize..span.start as usize];
        let blank = |byte: &u8| if *byte == b'\t' { '\t' } else { ' ' };
        before.iter().map(blank).collect()
    }

    /// Gives DO statements the labels of the terminal statements that were added for them.
    pub(crate) fn apply_relabelling(&mut self) {
        for (span, label) in self.relabelled.headers() {
            self.edits
                .replace(span.file, span.start, span.end, label.to_string());
        }
    }
}

/// Result type of a function of the token runtime.
fn type_of(function: &str) -> &'static str {
    match function {
        "mpiete_jump" | "mpiete_sign" => "integer(4)",
        _ if mpi_constant_functions().any(|one| one == function) => "integer(4)",
        _ if term_indices().contains(&function) => "integer(8)",
        _ => "logical(4)",
    }
}

fn probe_lines(form: Form, probes: &[&Probe]) -> String {
    probes
        .iter()
        .map(|probe| statement_lines(form, None, &spell(probe)))
        .collect()
}

fn spell(probe: &Probe) -> String {
    // Literals have kinds, since options of the compiler may change the default kind of integers.
    match probe {
        Probe::Call(site, level) => format!("call mpiete_call({site}_4, {}_4)", *level as i32),
        Probe::Block(block, terms) => {
            format!("call mpiete_block({block}_4, {})", spell_terms(terms))
        }
        Probe::Begin(block, terms) => {
            format!("call mpiete_begin({block}_4, {})", spell_terms(terms))
        }
        Probe::IterationDependentBlock(block) => {
            format!("call mpiete_iteration_dependent({block}_4)")
        }
        Probe::End(block) => format!("call mpiete_end({block}_4)"),
        Probe::Prologue(block, terms) => {
            format!("call mpiete_prologue({block}_4, {})", spell_terms(terms))
        }
        Probe::Epilogue(block, terms) => {
            format!("call mpiete_epilogue({block}_4, {})", spell_terms(terms))
        }
        Probe::Loop(id) => format!("call mpiete_loop({id}_4)"),
        Probe::DataLoop(id) => format!("call mpiete_data_loop({id}_4)"),
        Probe::IterationDependentLoop(id) => {
            format!("call mpiete_iteration_dependent_loop({id}_4)")
        }
        Probe::Cut(id) => format!("if (mpiete_cut({id}_4)) exit"),
        Probe::Assign(assignment) => assignment.clone(),
        Probe::SectionBegin(0) => "call mpiete_section(1_4)".into(),
        Probe::SectionEnd(0) => "call mpiete_section(2_4)".into(),
        Probe::SectionBegin(way) => format!("call mpiete_section_on_call_path(1_4, {way}_4)"),
        Probe::SectionEnd(way) => format!("call mpiete_section_on_call_path(2_4, {way}_4)"),
        Probe::SelectionBranch(Direction::In) => "call mpiete_call_path(1_4)".into(),
        Probe::SelectionBranch(Direction::Out) => "call mpiete_call_path(-1_4)".into(),
        Probe::EnterInvariantLoop(id) => format!("call mpiete_repeat({id}_4)"),
        Probe::SkipIteration(id, signature) => {
            format!(
                "if (mpiete_loop_iteration({id}_4, {})) cycle",
                spell_signature(signature)
            )
        }
        Probe::LeaveInvariantLoop(id) => format!("call mpiete_repeated({id}_4)"),
        Probe::Allocate(object, replaces, bytes) => {
            format!(
                "call mpiete_allocate({object}_4, {}_4, int({bytes}, 8))",
                i32::from(*replaces)
            )
        }
        Probe::Free(object) => format!("call mpiete_free({object}_4)"),
        Probe::Count(statements) => format!("call mpiete_count({statements}_4)"),
        Probe::Enter(number) => format!("call mpiete_enter({number}_4)"),
        Probe::EnterLoop(number) => format!("call mpiete_enter_loop({number}_4)"),
        Probe::Leave(number, evaluations) => {
            format!("if (mpiete_trip({number}_4, {evaluations}_8)) exit")
        }
        Probe::Iteration(number) => format!("call mpiete_iteration({number}_4)"),
        Probe::Assumption(number) => format!("call mpiete_assumption({number}_4)"),
        Probe::BranchTaken(number) => format!("call mpiete_branch_taken({number}_4)"),
        Probe::Profile(statements) => statements.clone(),
    }
}

/// Number and values of the conditions, 1 for one that holds; without any, one value that is never read.
fn spell_signature(conditions: &[String]) -> String {
    if conditions.is_empty() {
        return spell_terms(&[]);
    }
    let values: Vec<String> = conditions
        .iter()
        .map(|one| format!("merge(1_8, 0_8, {one})"))
        .collect();
    format!("{}_4, (/ {} /)", values.len(), values.join(", "))
}

/// Number and values of the terms; without terms, one value that is never read.
fn spell_terms(terms: &[String]) -> String {
    if terms.is_empty() {
        return "0_4, (/ 0_8 /)".into();
    }
    let values: Vec<String> = terms
        .iter()
        // A term is an amount of work: below 0, as the trip count of a loop that does not run, it is none.
        .map(|term| format!("max(0_8, int({term}, 8))"))
        .collect();
    format!("{}_4, (/ {} /)", terms.len(), values.join(", "))
}
