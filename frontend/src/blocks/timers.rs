//! Which statements read a clock, and which readings belong together: what one of them stores is subtracted
//! from the other, or both are kept by procedures that are called with the same arguments (`timer_start(2)`,
//! `timer_stop(2)`). Which pair of them is the section is in [`crate::blocks::timed_section`].

use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::canonical_text;
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Expression, Operator, ProcedureId, Program, StatementId, StatementKind};
use crate::nondeterminism::varying_values;
use std::collections::BTreeSet;

/// A statement that reads a clock.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The statement.
    pub(crate) statement: StatementId,
    /// What the time is assigned to, as it is spelled.
    stored: Vec<String>,
    /// What the statement subtracts from the clock.
    since: Vec<String>,
    /// What it subtracts the clock from, and what it adds the clock to: `t = t - wtime()`, `t = t + wtime()`.
    taken_off: Vec<String>,
    added_to: Vec<String>,
    /// The procedure that is called to keep it, and with what.
    kept_by: Option<(ProcedureId, Vec<String>)>,
}

/// The procedures that read a clock; what they are called by.
pub(crate) struct Timers<'a> {
    program: &'a Program,
    outline: &'a Outline,
    /// Whether each procedure reads a clock and does not communicate; index = procedure id.
    clocks: Vec<bool>,
    /// Whether it also subtracts, as what stops a timer does.
    stops: Vec<bool>,
    /// The variables in which it takes a clock off, and those in which it adds one (`t(n) = t(n) - wtime()`, `t(n) =
    /// t(n) + wtime()`).
    signs: Vec<Signs>,
}

/// Variables by name: timers of several procedures that are one are called the same in all of them.
#[derive(Clone, Debug, Default)]
struct Signs {
    taken_off: BTreeSet<String>,
    added_to: BTreeSet<String>,
}

impl<'a> Timers<'a> {
    /// Those of a program.
    pub(crate) fn of(program: &'a Program, outline: &'a Outline, calls: &CallGraph) -> Self {
        let count = program.procedures.len();
        let (clocks, stops, signs) = (
            vec![false; count],
            vec![false; count],
            vec![Signs::default(); count],
        );
        let mut timers = Timers {
            program,
            outline,
            clocks,
            stops,
            signs,
        };
        for &procedure in &calls.bottom_up {
            let own = outline.of_procedure(procedure);
            let reads = own.iter().any(|&id| timers.clock_call(id).is_some());
            let communicates = own
                .iter()
                .any(|&id| calls.communicates[id.0 as usize] && timers.clock_call(id).is_none());
            timers.clocks[procedure.0 as usize] = reads && !communicates;
            timers.stops[procedure.0 as usize] =
                own.iter().any(|&id| !timers.differences(id).is_empty());
            timers.signs[procedure.0 as usize] = timers.signs_of(own);
        }
        timers
    }

    /// The statements of a procedure that read a clock, in order; none of a procedure that is itself a clock.
    pub(crate) fn readings(&self, procedure: ProcedureId) -> Vec<Reading> {
        if self.clocks[procedure.0 as usize] && self.program.main != Some(procedure) {
            return Vec::new();
        }
        self.outline
            .of_procedure(procedure)
            .iter()
            .filter_map(|&id| self.reading(id))
            .collect()
    }

    /// In which variables some statements take a clock off, or add one.
    fn signs_of(&self, statements: &[StatementId]) -> Signs {
        let mut signs = Signs::default();
        for &id in statements {
            let StatementKind::Assign { target, .. } = &self.program.statement(id).kind else {
                continue;
            };
            let Some(reading) = self.reading(id) else {
                continue;
            };
            let name = references::base(target).map(|v| self.program.variable(v).name.clone());
            let is_kept = |with: &[String]| with.iter().any(|what| reading.stored.contains(what));
            signs
                .taken_off
                .extend(name.clone().filter(|_| is_kept(&reading.taken_off)));
            signs
                .added_to
                .extend(name.filter(|_| is_kept(&reading.added_to)));
        }
        signs
    }

    /// Whether one procedure takes a clock off where another adds one.
    fn is_balanced(&self, starter: ProcedureId, stopper: ProcedureId) -> bool {
        let [start, stop] = [starter, stopper].map(|procedure| &self.signs[procedure.0 as usize]);
        start
            .taken_off
            .iter()
            .any(|variable| stop.added_to.contains(variable))
    }

    fn reading(&self, statement: StatementId) -> Option<Reading> {
        let kind = &self.program.statement(statement).kind;
        let call = self.clock_call(statement)?;
        let (mut kept_by, mut stored) = (None, Vec::new());
        if let StatementKind::Assign { target, .. } = kind {
            stored.push(self.key(target));
        } else if let StatementKind::Call { .. } = kind {
            let arguments = || call.arguments.iter().flatten();
            stored.extend(
                arguments()
                    .filter(|e| references::base(e).is_some())
                    .map(|e| self.key(e)),
            );
            if let Callee::Procedure(procedure) = call.callee {
                kept_by = Some((*procedure, arguments().map(|e| self.key(e)).collect()));
            }
        }
        let mut found = Reading {
            statement,
            stored,
            since: vec![],
            taken_off: vec![],
            added_to: vec![],
            kept_by,
        };
        for (operator, left, right) in self.sums(statement) {
            let subtracts = operator == Operator::Subtract;
            match (self.is_reading(left), self.is_reading(right)) {
                (true, false) if subtracts => found.since.push(self.key(right)),
                (false, true) if subtracts => found.taken_off.push(self.key(left)),
                (true, false) if operator == Operator::Add => found.added_to.push(self.key(right)),
                (false, true) if operator == Operator::Add => found.added_to.push(self.key(left)),
                (true | false, true | false) => {}
            }
        }
        if let StatementKind::Assign {
            target,
            value:
                Expression::Unary {
                    operator: Operator::Negate,
                    operand,
                },
        } = kind
            && self.is_reading(operand)
        {
            found.taken_off.push(self.key(target));
        }
        Some(found)
    }

    /// All that a procedure subtracts, and from what.
    pub(crate) fn differences_in(&self, procedure: ProcedureId) -> Vec<(String, String)> {
        self.outline
            .of_procedure(procedure)
            .iter()
            .flat_map(|&id| self.differences(id))
            .collect()
    }

    /// Whether time passes from one reading to the other as the program itself counts it, with these
    /// differences.
    pub(crate) fn is_pair(
        &self,
        begin: &Reading,
        end: &Reading,
        differences: &[(String, String)],
    ) -> bool {
        let later = || {
            differences.iter().any(|(from, what)| {
                from != what && end.stored.contains(from) && begin.stored.contains(what)
            })
        };
        let kept = match (&begin.kept_by, &end.kept_by) {
            (Some((starter, first)), Some((stopper, last))) => {
                let counts_from = !self.stops[starter.0 as usize] && self.stops[stopper.0 as usize];
                first == last
                    && starter != stopper
                    && (counts_from || self.is_balanced(*starter, *stopper))
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => false,
        };
        let begins = |what: &String| begin.stored.contains(what);
        kept || (begin.since.is_empty() && (end.since.iter().any(begins) || later()))
            || begin
                .taken_off
                .iter()
                .any(|what| begins(what) && end.added_to.contains(what))
    }

    /// Whether a reading takes the place of another: what that one began is forgotten.
    pub(crate) fn replaces(&self, other: &Reading, begin: &Reading) -> bool {
        let starts_anew = match (&begin.kept_by, &other.kept_by) {
            (Some((starter, first)), Some((procedure, arguments))) => {
                starter == procedure && first == arguments
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => false,
        };
        starts_anew
            || (begin.kept_by.is_none() && other.stored.iter().any(|s| begin.stored.contains(s)))
    }

    /// How the program counts from one reading to another, for people.
    pub(crate) fn described(&self, begin: &Reading, end: &Reading) -> String {
        let name = |(procedure, arguments): &(ProcedureId, Vec<String>)| {
            format!(
                "{}({})",
                self.program.procedure(*procedure).name,
                arguments.join(", ")
            )
        };
        match (&begin.kept_by, &end.kept_by) {
            (Some(first), Some(last)) => format!("from {} to {}", name(first), name(last)),
            (Some(_), None) | (None, Some(_)) | (None, None) => {
                format!("counted with {}", begin.stored.join(", "))
            }
        }
    }

    /// Additions and subtractions of a statement.
    fn sums(&self, statement: StatementId) -> Vec<(Operator, &'a Expression, &'a Expression)> {
        let mut found = Vec::new();
        for expression in references::expressions(&self.program.statement(statement).kind) {
            references::walk(expression, &mut |part| {
                if let Expression::Binary {
                    operator,
                    left,
                    right,
                } = part
                {
                    found.push((*operator, &**left, &**right));
                }
            });
        }
        found
    }

    /// What a statement subtracts from what.
    fn differences(&self, statement: StatementId) -> Vec<(String, String)> {
        let all = self.sums(statement).into_iter();
        let places = all.filter(|(operator, _, right)| {
            *operator == Operator::Subtract && references::base(right).is_some()
        });
        places
            .map(|(_, left, right)| (self.key(left), self.key(right)))
            .collect()
    }

    fn key(&self, expression: &Expression) -> String {
        match constant(self.program, expression) {
            Some(value) => value.to_string(),
            None => canonical_text::spell(self.program, expression),
        }
    }

    fn is_reading(&self, expression: &Expression) -> bool {
        references::calls(expression)
            .iter()
            .any(|call| self.is_clock(call.callee, call.arguments.len()))
    }

    fn clock_call(&self, statement: StatementId) -> Option<Call<'a>> {
        let calls = call_graph::calls(&self.program.statement(statement).kind);
        calls
            .into_iter()
            .find(|call| self.is_clock(call.callee, call.arguments.len()))
    }

    fn is_clock(&self, callee: &Callee, arguments: usize) -> bool {
        match callee {
            Callee::Procedure(procedure) => self.clocks[procedure.0 as usize],
            Callee::OneOf(all) => all
                .iter()
                .all(|procedure| self.clocks[procedure.0 as usize]),
            Callee::Mpi(_)
            | Callee::Intrinsic(_)
            | Callee::External(_)
            | Callee::UnknownMpi(_)
            | Callee::Variable(_) => varying_values::is_clock(callee, arguments),
        }
    }
}
