//! User assumptions, by FILE:LINE: which condition or bound each is about, and whether it can be assumed. Each rejected one is
//! one message.

use crate::assumptions::evaluated_assumptions::has_side_effects;
use crate::assumptions::loop_tests::{Turn, turn};
use crate::assumptions::mixed_conditions;
use crate::assumptions::selections::{self, Ending};
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::{Assumed, Clause, MAX_CLAUSES};
use crate::graphs::control_flow_graph::ControlFlowGraph;
use crate::graphs::statement_ends::Surroundings;
use crate::ir::analysis::{
    CountConjunct, OTHER_BOUND, REST_OF_CONDITION, Replacement, SelectionBranch, Substitution,
};
use crate::ir::conjuncts;
use crate::ir::references;
use crate::ir::source_map::SourceMap;
use crate::ir::{Expression, StatementId, StatementKind};
use crate::options::{AssumptionRequest, LineRequest};
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::{Sources, Span, is_named};
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use std::collections::BTreeSet;

/// An assumption that the analysis applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AppliedAssumption {
    /// How it is written into the program.
    pub(crate) substitution: Substitution,
    /// The assumed outcome.
    pub(crate) outcome: AssumedOutcome,
    /// Its origin.
    pub(crate) origin: AssumptionOrigin,
    /// Its reason, for reports.
    pub(crate) reason: String,
}

impl AppliedAssumption {
    /// Its effect on the flow graph.
    pub(crate) fn assumed(&self) -> Assumed {
        let Substitution {
            clause,
            replacement,
            is_asked,
            ..
        } = self.substitution;
        let assumed = match replacement {
            Replacement::Constant(holds) => Assumed::constant(clause, holds),
            Replacement::Counted { .. } | Replacement::Bound(_) | Replacement::LeftAfter(_) => {
                Assumed::counted(clause)
            }
            Replacement::Conjunct(part) => Assumed::conjunct(clause, part),
            Replacement::Goes(way) => Assumed::Goes(way),
            Replacement::Turns { .. } => Assumed::Turns,
        };
        if is_asked {
            assumed.asking(clause)
        } else {
            assumed
        }
    }
}

/// What stands in place of a clause. Conditions that do more than answer are evaluated all the same.
pub(crate) fn substitution(model: &Model, at: Clause, replacement: Replacement) -> Substitution {
    let Clause {
        statement,
        number: clause,
    } = at;
    let is_asked = condition(model, at).is_some_and(|condition| has_side_effects(model, condition));
    Substitution {
        statement,
        clause,
        replacement,
        is_asked,
    }
}

/// What is evaluated of a condition, given that its tests of values do not end the repetition.
fn count_conjunct(model: &Model, at: Clause) -> Option<CountConjunct> {
    match &model.program.statement(at.statement).kind {
        StatementKind::If { .. } | StatementKind::While { .. } => {
            with_free_flow(model, at.statement, |flow| {
                mixed_conditions::find(model, |_| true, flow, at)
            })
        }
        _ => None,
    }
}

/// What ends a repetition then, for people.
pub(crate) fn ended_by(model: &Model, at: Clause, part: CountConjunct) -> &'static str {
    let condition = condition(model, at);
    match condition.and_then(|condition| conjuncts::remaining_condition(condition, part)) {
        Some(_) => REST_OF_CONDITION,
        None => OTHER_BOUND,
    }
}

/// A condition of an IF, or of a loop.
pub(crate) fn condition<'a>(model: &'a Model, at: Clause) -> Option<&'a Expression> {
    match &model.program.statement(at.statement).kind {
        StatementKind::If { branches, .. } => {
            branches.get(at.number).map(|(condition, _)| condition)
        }
        StatementKind::While { condition, .. } => condition.as_ref(),
        _ => None,
    }
}

/// Where requests are looked up.
pub(crate) struct UserAssumptions<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) map: &'a SourceMap,
    pub(crate) sources: &'a Sources,
}

impl UserAssumptions<'_> {
    /// What the requests say, and what is wrong with those that cannot be met.
    pub(crate) fn choices(
        &self,
        requests: &[AssumptionRequest],
    ) -> (Vec<AppliedAssumption>, Vec<Diagnostic>) {
        let (mut choices, mut wrong): (Vec<AppliedAssumption>, _) = (Vec::new(), Vec::new());
        for request in requests {
            match self
                .choice(request)
                .and_then(|choice| self.alone(choice, &choices))
            {
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

    fn choice(&self, request: &AssumptionRequest) -> Result<AppliedAssumption, String> {
        let (statement, clause) = self.place(request)?;
        let at = Clause {
            statement,
            number: clause,
        };
        let conjunct = match request.outcome {
            // Of a condition that also contains a count, only the test of values is assumed.
            AssumedOutcome::NotTaken => count_conjunct(self.model, at),
            AssumedOutcome::Taken | AssumedOutcome::Trips(_) | AssumedOutcome::Label(_) => None,
        };
        let (replacement, reason) = match conjunct {
            Some(part) => (
                Replacement::Conjunct(part),
                ended_by(self.model, at, part).into(),
            ),
            None => (
                replacement(self.model, statement, clause, request.outcome)?,
                String::new(),
            ),
        };
        Ok(AppliedAssumption {
            substitution: substitution(self.model, at, replacement),
            outcome: request.outcome,
            origin: request.origin,
            reason,
        })
    }

    /// Of each condition of an IF something else may be assumed, of other statements one thing.
    fn alone(
        &self,
        choice: AppliedAssumption,
        others: &[AppliedAssumption],
    ) -> Result<AppliedAssumption, String> {
        let Substitution {
            statement, clause, ..
        } = choice.substitution;
        let is_if = matches!(
            self.model.program.statement(statement).kind,
            StatementKind::If { .. }
        );
        let same = |other: &AppliedAssumption| {
            let Substitution {
                statement: at,
                clause: of,
                ..
            } = other.substitution;
            at == statement && (of == clause || !is_if)
        };
        match others.iter().any(same) {
            true => Err(
                "something else is already assumed there; give one assumption for each condition"
                    .into(),
            ),
            false => Ok(choice),
        }
    }

    /// Whether a span begins on a line.
    fn is_at(&self, span: Span, file: &str, line: u32) -> bool {
        let place = self.map.place(span.file, span.start);
        let path = &self.sources.file(place.file).path;
        place.line == line && is_named(file, path)
    }

    /// The conditions that begin on some lines.
    pub(crate) fn conditions_at(&self, lines: &[LineRequest]) -> BTreeSet<Clause> {
        let mut found = BTreeSet::new();
        for request in lines {
            for id in self.model.outline.all() {
                found.extend(self.condition_at(id, &request.file, request.line));
            }
        }
        found
    }

    /// The condition of a statement that begins on a line.
    fn condition_at(&self, statement: StatementId, file: &str, line: u32) -> Option<Clause> {
        let count = conditions(&self.model.program.statement(statement).kind)?;
        // Clause 0 begins where the statement does, each further one at its ELSE IF or CASE.
        let place = self.map.statement(statement);
        let mut begins = std::iter::once(&place.header)
            .chain(&place.clauses)
            .take(count);
        let number = begins.position(|span| self.is_at(*span, file, line))?;
        Some(Clause { statement, number })
    }

    /// The statement, and which of its conditions, that begins on a line.
    fn place(&self, request: &AssumptionRequest) -> Result<(StatementId, usize), String> {
        let files = &self.sources.files;
        if !files.iter().any(|file| is_named(&request.file, &file.path)) {
            return Err("no such file among the sources; name it as it was given".into());
        }
        for id in self.model.outline.all() {
            let kind = &self.model.program.statement(id).kind;
            // `IF (…) GOTO (10, 20), k` holds two conditions.
            let is_goto = matches!(kind, StatementKind::Goto { .. });
            if matches!(request.outcome, AssumedOutcome::Label(_)) && !is_goto {
                continue;
            }
            if let Some(at) = self.condition_at(id, &request.file, request.line) {
                return Ok((id, at.number));
            }
        }
        Err(match request.outcome {
            AssumedOutcome::Label(_) => NO_JUMP,
            AssumedOutcome::Taken | AssumedOutcome::NotTaken | AssumedOutcome::Trips(_) => {
                "no IF, ELSE IF, CASE or DO begins there, nor a GOTO with a choice; an assumption is made of a \
                 condition, a selection or a loop"
            }
        }
        .into())
    }
}

/// Why no statement can be assumed to go to a label.
const NO_JUMP: &str =
    "no computed GOTO or arithmetic IF begins there; goto=LABEL is assumed of one";

/// How many conditions, bounds or cases of a statement can be assumed; `None` if it decides nothing.
pub(crate) fn conditions(kind: &StatementKind) -> Option<usize> {
    match kind {
        StatementKind::If { branches, .. } => Some(branches.len()),
        StatementKind::Do { .. } | StatementKind::While { .. } => Some(1),
        // Clause 0 of a selection is that no case is taken.
        StatementKind::Select { cases, .. } => Some(cases.len() + 1),
        StatementKind::Goto {
            selector: Some(_), ..
        } => Some(1),
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
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

/// What stands in place of a condition or bound if this is assumed of it, or why it cannot be assumed.
pub(crate) fn replacement(
    model: &Model,
    statement: StatementId,
    clause: usize,
    outcome: AssumedOutcome,
) -> Result<Replacement, String> {
    if clause >= MAX_CLAUSES {
        return Err(format!(
            "something can be assumed of the first {MAX_CLAUSES} conditions of a statement only"
        ));
    }
    match (&model.program.statement(statement).kind, outcome) {
        (StatementKind::If { branches, .. }, _) => {
            may_be_asked(model, statement, &branches[clause].0)?;
            match outcome {
                AssumedOutcome::Taken => Ok(Replacement::Constant(true)),
                AssumedOutcome::NotTaken => Ok(Replacement::Constant(false)),
                AssumedOutcome::Trips(trips) => counted_test(model, statement, clause, trips),
                AssumedOutcome::Label(_) => Err(NO_JUMP.into()),
            }
        }
        (StatementKind::Select { cases, .. }, _) if selections::selects_types(cases) => Err(
            "this selects by type or rank, which is not computed; nothing is assumed of it".into(),
        ),
        (kind @ (StatementKind::Select { .. } | StatementKind::Goto { .. }), _) => {
            if model
                .program
                .procedure(model.program.statement(statement).procedure)
                .is_whole
            {
                return Err(WHOLE.into());
            }
            selections::selector(kind)
                .map_or(Ok(()), |selector| harmless(model, selector, SELECTOR))?;
            selection(model, statement, clause, outcome)
        }
        (_, AssumedOutcome::Label(_)) => Err(NO_JUMP.into()),
        (_, AssumedOutcome::Taken | AssumedOutcome::NotTaken) => {
            Err("this is a loop: assume its trip count with trips=N".into())
        }
        (
            StatementKind::While {
                condition: Some(condition),
                ..
            },
            AssumedOutcome::Trips(trips),
        ) => {
            may_be_asked(model, statement, condition)?;
            Ok(Replacement::Counted {
                // The condition is evaluated once more than the body is executed, and fails then.
                evaluations: trips + 1,
                at_last: false,
            })
        }
        (
            StatementKind::While {
                condition: None, ..
            },
            AssumedOutcome::Trips(trips),
        ) => Ok(Replacement::LeftAfter(trips)),
        (kind, AssumedOutcome::Trips(trips)) => {
            let mut bounds = references::expressions(kind).into_iter();
            // A replaced bound is not evaluated, so its functions must not have effects.
            bounds.try_for_each(|bound| harmless(model, bound, "bounds call"))?;
            Ok(Replacement::Bound(trips))
        }
    }
}

/// A selection that goes one way, or two by count.
fn selection(
    model: &Model,
    statement: StatementId,
    clause: usize,
    outcome: AssumedOutcome,
) -> Result<Replacement, String> {
    match (&model.program.statement(statement).kind, outcome) {
        (_, AssumedOutcome::Trips(trips)) => turning(model, statement, clause, trips),
        (StatementKind::Select { .. }, AssumedOutcome::Taken) if clause > 0 => {
            Ok(Replacement::Goes(SelectionBranch::Case(clause)))
        }
        (StatementKind::Select { cases, .. }, AssumedOutcome::NotTaken) if clause > 0 => {
            let ends = with_free_flow(model, statement, |flow| {
                selections::ending(model, flow, statement)
            });
            // Cases without statements may be several, of which one is not taken.
            let alone = ends.filter(|end| {
                end.leaves == SelectionBranch::Case(clause) && !cases[clause - 1].1.is_empty()
            });
            Ok(alone.map_or(Replacement::Constant(false), |end| {
                Replacement::Goes(end.stays)
            }))
        }
        (StatementKind::Select { cases, .. }, AssumedOutcome::NotTaken)
            if cases.iter().all(|(values, _)| !values.is_empty()) =>
        {
            Ok(Replacement::Goes(SelectionBranch::Case(0)))
        }
        (StatementKind::Select { .. }, _) => {
            Err("to assume a case, give taken at the line of its CASE".into())
        }
        (StatementKind::Goto { labels, .. }, AssumedOutcome::Label(label))
            if labels.contains(&label) =>
        {
            Ok(Replacement::Goes(SelectionBranch::Label(label)))
        }
        (
            StatementKind::Goto {
                falls_through: true,
                ..
            },
            AssumedOutcome::NotTaken,
        ) => Ok(Replacement::Goes(SelectionBranch::Next)),
        (StatementKind::Goto { labels, .. }, _) => {
            let labels: Vec<String> = labels.iter().map(u32::to_string).collect();
            Err(format!(
                "to assume where this goes, give goto=LABEL, one of {}",
                labels.join(", ")
            ))
        }
        (_, _) => Err(NO_JUMP.into()),
    }
}

/// A selection of two ways that ends a repetition in its `trips`-th iteration.
fn turning(
    model: &Model,
    statement: StatementId,
    clause: usize,
    trips: u64,
) -> Result<Replacement, String> {
    if trips == 0 {
        return Err(AT_LEAST_ONE.into());
    }
    let is_select = matches!(
        model.program.statement(statement).kind,
        StatementKind::Select { .. }
    );
    match with_free_flow(model, statement, |flow| {
        selections::ending(model, flow, statement)
    }) {
        Some(Ending { leaves, stays, .. })
            if !is_select || (clause > 0 && leaves == SelectionBranch::Case(clause)) =>
        {
            Ok(Replacement::Turns {
                evaluations: trips,
                leaves,
                stays,
            })
        }
        Some(_) | None if is_select => Err(
            "this is not the one of two cases that ends a loop; assume taken of the case that is"
                .into(),
        ),
        Some(_) | None => Err(
            "this does not choose between ending a loop and going on; assume goto=LABEL of it"
                .into(),
        ),
    }
}

/// Whether a condition, the bound or the selector of a statement may be left out.
pub(crate) fn is_replaceable(model: &Model, Clause { statement, number }: Clause) -> bool {
    let kind = &model.program.statement(statement).kind;
    let Some(selector) = selections::selector(kind) else {
        let can_be = |outcome| replacement(model, statement, number, outcome).is_ok();
        let decides = conditions(kind).is_some();
        return decides && (can_be(AssumedOutcome::NotTaken) || can_be(AssumedOutcome::Trips(1)));
    };
    let is_whole = model
        .program
        .procedure(model.program.statement(statement).procedure)
        .is_whole;
    !is_whole && harmless(model, selector, SELECTOR).is_ok()
}

/// Why no test ends a repetition before the first iteration.
const AT_LEAST_ONE: &str =
    "the condition is evaluated in each iteration, so there is at least one: trips=1";

/// Why nothing is assumed of selections in some procedures.
const WHOLE: &str = "control takes ways in this procedure that are not followed (ENTRY, alternate RETURN, assigned \
                     GOTO), and nothing is assumed of its selections";

/// Asks something of the flow around a statement, nothing assumed.
fn with_free_flow<T>(
    model: &Model,
    statement: StatementId,
    ask: impl FnOnce(&ControlFlowGraph) -> T,
) -> T {
    let Model {
        program,
        outline,
        calls,
        ..
    } = model;
    // Each assumption is judged on the program as it is written. So whether one is possible does
    // not depend on the others, nor on their order.
    let nothing = vec![Assumed::Nothing; program.statements.len()];
    let ends = crate::graphs::termination::CallRounds::of(program, outline, calls, &nothing, None);
    let around = Surroundings {
        program,
        outline,
        calls,
        assumed: &nothing,
        ends: ends.last(),
    };
    ask(&ControlFlowGraph::of(
        program.statement(statement).procedure,
        around,
    ))
}

/// An IF that ends a repetition in its `trips`-th iteration.
fn counted_test(
    model: &Model,
    statement: StatementId,
    clause: usize,
    trips: u64,
) -> Result<Replacement, String> {
    if trips == 0 {
        return Err(AT_LEAST_ONE.into());
    }
    match with_free_flow(model, statement, |flow| {
        turn(model, flow, statement, clause)
    }) {
        Some(Turn::Leaves(_) | Turn::Neither) => Ok(Replacement::Counted {
            evaluations: trips,
            at_last: true,
        }),
        Some(Turn::Repeats) => Ok(Replacement::Counted {
            evaluations: trips,
            at_last: false,
        }),
        None => Err("this IF is in no loop and makes none; assume taken or not-taken of it".into()),
    }
}

/// A condition that does more than answer stays and is evaluated, which a procedure that is PURE cannot do.
fn may_be_asked(
    model: &Model,
    statement: StatementId,
    condition: &Expression,
) -> Result<(), String> {
    match model
        .program
        .procedure(model.program.statement(statement).procedure)
        .is_pure
    {
        true => harmless(model, condition, "condition calls"),
        false => Ok(()),
    }
}

/// What calls in a selector, in [`harmless`].
const SELECTOR: &str = "selector calls";

/// A selector or bound may be left out if evaluating it does nothing but answer.
fn harmless(model: &Model, expression: &Expression, calling: &str) -> Result<(), String> {
    match has_side_effects(model, expression) {
        false => Ok(()),
        true => Err(format!(
            "its {calling} a function with side effects, which must be evaluated; make the \
            assumption inside the function"
        )),
    }
}
