//! What the user assumes, FILE:LINE by FILE:LINE: which condition or bound is meant, and whether the
//! assumption can be made of it. Everything that cannot is one sentence.

use crate::analysis::{Replacement, Substitution};
use crate::assumed::Assumed;
use crate::call_graph::CallGraph;
use crate::diagnostics::{Diagnostic, Severity};
use crate::flow_graph::{FlowGraph, Surroundings};
use crate::ir::{Expression, StatementId, StatementKind};
use crate::loop_tests::{Turn, turn};
use crate::model::Model;
use crate::options::AssumptionRequest;
use crate::references;
use crate::source::{Sources, Span};
use crate::source_map::SourceMap;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};

/// An assumption that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// How it is written into the program.
    pub(crate) substitution: Substitution,
    /// What is assumed.
    pub(crate) outcome: AssumedOutcome,
    /// Who says so.
    pub(crate) origin: AssumptionOrigin,
    /// What it hangs on, for people.
    pub(crate) reason: String,
}

impl Choice {
    /// As the analyses see it.
    pub(crate) fn assumed(&self) -> Assumed {
        let clause = self.substitution.clause;
        match self.substitution.replacement {
            Replacement::Constant(holds) => Assumed::Constant { clause, holds },
            Replacement::Counted { .. } | Replacement::Bound(_) | Replacement::LeftAfter(_) => {
                Assumed::Counted { clause }
            }
        }
    }
}

/// Where requests are looked up.
pub(crate) struct Requests<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) map: &'a SourceMap,
    pub(crate) sources: &'a Sources,
}

impl Requests<'_> {
    /// What the requests say, and what is wrong with those that cannot be met.
    pub(crate) fn choices(&self, requests: &[AssumptionRequest]) -> (Vec<Choice>, Vec<Diagnostic>) {
        let (mut choices, mut wrong): (Vec<Choice>, _) = (Vec::new(), Vec::new());
        for request in requests {
            match self.choice(request).and_then(|choice| alone(choice, &choices)) {
                Ok(choice) => choices.push(choice),
                Err(why) => wrong.push(Diagnostic {
                    severity: Severity::Error,
                    span: None,
                    sentence: format!("{}:{}: {why}", request.file, request.line),
                }),
            }
        }
        (choices, wrong)
    }

    fn choice(&self, request: &AssumptionRequest) -> Result<Choice, String> {
        let (statement, clause) = self.place(request)?;
        let replacement = replacement(self.model, statement, clause, request.outcome)?;
        Ok(Choice {
            substitution: Substitution { statement, clause, replacement },
            outcome: request.outcome,
            origin: request.origin,
            reason: String::new(),
        })
    }

    /// The statement, and which of its conditions, that begins on a line.
    fn place(&self, request: &AssumptionRequest) -> Result<(StatementId, usize), String> {
        let here = |span: Span| {
            let place = self.map.place(span.file, span.start);
            let path = &self.sources.file(place.file).path;
            place.line == request.line && names(&request.file, path)
        };
        if !self.sources.files.iter().any(|file| names(&request.file, &file.path)) {
            return Err("no such file among the sources; name it as it was given".into());
        }
        let all = self.model.outline.all();
        let conditions = all.filter_map(|id| Some((id, conditions(&self.model.program.statement(id).kind)?)));
        for (id, count) in conditions {
            let place = self.map.statement(id);
            let spans = std::iter::once(place.header).chain(place.clauses.iter().copied());
            if let Some(clause) = spans.take(count).position(here) {
                return Ok((id, clause));
            }
        }
        Err("no IF, ELSE IF or DO begins there; an assumption is made of a condition or of a loop".into())
    }
}

/// Whether a path is what the user typed, or ends with it.
pub(crate) fn names(typed: &str, path: &str) -> bool {
    path == typed || path.strip_suffix(typed).is_some_and(|front| front.ends_with('/'))
}

/// How many conditions or bounds of a statement can be assumed; `None` if it decides nothing.
pub(crate) fn conditions(kind: &StatementKind) -> Option<usize> {
    match kind {
        StatementKind::If { branches, .. } => Some(branches.len()),
        StatementKind::Do { .. } | StatementKind::While { .. } => Some(1),
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::Select { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Point { .. }
        | StatementKind::Entry
        | StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => None,
    }
}

fn alone(choice: Choice, others: &[Choice]) -> Result<Choice, String> {
    let same = |other: &Choice| other.substitution.statement == choice.substitution.statement;
    match others.iter().any(same) {
        true => {
            Err("something else is already assumed of this statement; give one assumption for each".into())
        }
        false => Ok(choice),
    }
}

/// What stands in place of a condition or bound if this is assumed of it, or why it cannot be assumed.
pub(crate) fn replacement(
    model: &Model,
    statement: StatementId,
    clause: usize,
    outcome: AssumedOutcome,
) -> Result<Replacement, String> {
    match (&model.program.statement(statement).kind, outcome) {
        (StatementKind::If { branches, .. }, _) => {
            harmless(model, &branches[clause].0)?;
            match outcome {
                AssumedOutcome::Taken => Ok(Replacement::Constant(true)),
                AssumedOutcome::NotTaken => Ok(Replacement::Constant(false)),
                AssumedOutcome::Trips(trips) => counted_test(model, statement, clause, trips),
            }
        }
        (_, AssumedOutcome::Taken | AssumedOutcome::NotTaken) => {
            Err("this is a loop: how often it is run is assumed with trips=N".into())
        }
        (StatementKind::While { condition: Some(condition), .. }, AssumedOutcome::Trips(trips)) => {
            harmless(model, condition)?;
            Ok(Replacement::Counted { evaluations: trips + 1, at_last: false })
        }
        (StatementKind::While { condition: None, .. }, AssumedOutcome::Trips(trips)) => {
            Ok(Replacement::LeftAfter(trips))
        }
        (_, AssumedOutcome::Trips(trips)) => Ok(Replacement::Bound(trips)),
    }
}

/// Whether a condition may be left out.
pub(crate) fn is_replaceable(model: &Model, statement: StatementId, clause: usize) -> bool {
    replacement(model, statement, clause, AssumedOutcome::NotTaken).is_ok()
        || replacement(model, statement, clause, AssumedOutcome::Trips(1)).is_ok()
}

/// An IF that ends a repetition in its `trips`-th iteration.
fn counted_test(
    model: &Model,
    statement: StatementId,
    clause: usize,
    trips: u64,
) -> Result<Replacement, String> {
    if trips == 0 {
        return Err("the condition is evaluated in each iteration, so there is at least one: trips=1".into());
    }
    let nothing = vec![Assumed::Nothing; model.program.statements.len()];
    let ends = crate::ends::Rounds::of(model.program, &model.outline, &model.calls, &nothing, None);
    let Model { program, outline, calls, .. } = model;
    let around = Surroundings { program, outline, calls, assumed: &nothing, ends: ends.last() };
    let flow = FlowGraph::of(model.program.statement(statement).procedure, around);
    match turn(model, &flow, statement, clause) {
        Some(Turn::Leaves(_) | Turn::Neither) => {
            Ok(Replacement::Counted { evaluations: trips, at_last: true })
        }
        Some(Turn::Repeats) => Ok(Replacement::Counted { evaluations: trips, at_last: false }),
        None => Err("this IF is in no loop and makes none; assume taken or not-taken of it".into()),
    }
}

/// A condition may be left out if evaluating it does nothing but answer.
fn harmless(model: &Model, condition: &Expression) -> Result<(), String> {
    let calls = references::calls(condition);
    match calls.iter().find(|call| does_more(model, call.callee)) {
        None => Ok(()),
        Some(_) => Err("its condition calls a function that does more than answer, and must be evaluated; \
                        make the assumption where the function decides"
            .into()),
    }
}

fn does_more(model: &Model, callee: &crate::ir::Callee) -> bool {
    let graph: &CallGraph = &model.calls;
    let writes = |p: &crate::ir::ProcedureId| model.effects.summaries.get(*p).writes.iter().next().is_some();
    graph.call_leads(callee) || graph.is_unknown(callee) || graph.targets(callee).iter().any(writes)
}
