//! Statements that read a clock, and which readings belong together: one subtracts what the other stores, or both are stored by
//! procedures that are called with the same arguments (`timer_start(2)`, `timer_stop(2)`). Which pair is the section is in
//! [`crate::blocks::timed_section`].

use crate::effects::varying_values;
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::canonical_text;
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Expression, Operator, ProcedureId, Program, StatementId, StatementKind};
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

/// Whether two lists have a common element.
fn have_common(one: &[String], other: &[String]) -> bool {
    one.iter().any(|name| other.contains(name))
}

/// The procedures that read a clock.
pub(crate) struct Timers<'a> {
    program: &'a Program,
    outline: &'a Outline,
    calls: &'a CallGraph,
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
    pub(crate) fn of(program: &'a Program, outline: &'a Outline, calls: &'a CallGraph) -> Self {
        let count = program.procedures.len();
        let mut timers = Timers {
            program,
            outline,
            calls,
            clocks: vec![false; count],
            stops: vec![false; count],
            signs: vec![Signs::default(); count],
        };
        for &procedure in &calls.bottom_up {
            let own = outline.of_procedure(procedure);
            let (mut reads, mut communicates, mut subtracts) = (false, false, false);
            for &id in own {
                if timers.clock_call(id).is_some() {
                    reads = true;
                } else if calls.communicates[id.0 as usize] {
                    communicates = true;
                }
            }
            // Bottom up, so whether a callee is a clock is known here. A procedure that also
            // communicates is a part of the program that is timed, and no clock.
            timers.clocks[procedure.0 as usize] = reads && !communicates;
            for &id in own {
                subtracts |= !timers.differences(id).is_empty();
            }
            timers.stops[procedure.0 as usize] = subtracts;
            timers.signs[procedure.0 as usize] = timers.signs_of(own);
        }
        timers
    }

    /// The statements of a procedure that read a clock, in order; none of a procedure that is itself a clock.
    pub(crate) fn readings(&self, procedure: ProcedureId) -> Vec<Reading> {
        if self.clocks[procedure.0 as usize] && self.program.main != Some(procedure) {
            return Vec::new();
        }
        let mut readings = Vec::new();
        for &id in self.outline.of_procedure(procedure) {
            readings.extend(self.reading(id));
        }
        readings
    }

    /// The variables from which some statements subtract a clock, and to which they add one.
    fn signs_of(&self, statements: &[StatementId]) -> Signs {
        let mut signs = Signs::default();
        for &id in statements {
            let StatementKind::Assign { target, .. } = &self.program.statement(id).kind else {
                continue;
            };
            let (Some(reading), Some(base)) = (self.reading(id), references::base(target)) else {
                continue;
            };
            let name = &self.program.variable(base).name;
            if have_common(&reading.taken_off, &reading.stored) {
                signs.taken_off.insert(name.clone());
            }
            if have_common(&reading.added_to, &reading.stored) {
                signs.added_to.insert(name.clone());
            }
        }
        signs
    }

    /// Whether one procedure subtracts a clock from a variable to which the other adds one.
    fn is_balanced(&self, starter: ProcedureId, stopper: ProcedureId) -> bool {
        let start = &self.signs[starter.0 as usize];
        let stop = &self.signs[stopper.0 as usize];
        !start.taken_off.is_disjoint(&stop.added_to)
    }

    fn reading(&self, statement: StatementId) -> Option<Reading> {
        let kind = &self.program.statement(statement).kind;
        let call = self.clock_call(statement)?;
        let (mut kept_by, mut stored) = (None, Vec::new());
        if let StatementKind::Assign { target, .. } = kind {
            stored.push(self.key(target));
        } else if let StatementKind::Call { .. } = kind {
            let mut keys = Vec::new();
            for argument in call.arguments.iter().flatten() {
                keys.push(self.key(argument));
                // The call may return the time in any argument that is a variable.
                if references::base(argument).is_some() {
                    stored.push(self.key(argument));
                }
            }
            if let Callee::Procedure(procedure) = call.callee {
                kept_by = Some((*procedure, keys));
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

    /// All subtractions of a procedure.
    pub(crate) fn differences_in(&self, procedure: ProcedureId) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for &id in self.outline.of_procedure(procedure) {
            found.extend(self.differences(id));
        }
        found
    }

    /// Whether the program itself measures the time from one reading to the other, with these differences.
    pub(crate) fn is_pair(
        &self,
        begin: &Reading,
        end: &Reading,
        differences: &[(String, String)],
    ) -> bool {
        if let (Some((starter, first)), Some((stopper, last))) = (&begin.kept_by, &end.kept_by) {
            // The procedure that subtracts is the one that stops the timer.
            let counts_from = !self.stops[starter.0 as usize] && self.stops[stopper.0 as usize];
            let is_timer = counts_from || self.is_balanced(*starter, *stopper);
            if first == last && starter != stopper && is_timer {
                return true;
            }
        }
        if begin.since.is_empty() {
            // `t = wtime() - begin`, or `t = end - begin` in a later statement.
            if have_common(&end.since, &begin.stored) {
                return true;
            }
            for (from, what) in differences {
                if from != what && end.stored.contains(from) && begin.stored.contains(what) {
                    return true;
                }
            }
        }
        // `t = t - wtime()` and `t = t + wtime()`.
        for variable in &begin.taken_off {
            if begin.stored.contains(variable) && end.added_to.contains(variable) {
                return true;
            }
        }
        false
    }

    /// Whether a reading overwrites another one, which then begins nothing any more.
    pub(crate) fn replaces(&self, other: &Reading, begin: &Reading) -> bool {
        match (&begin.kept_by, &other.kept_by) {
            (Some(first), Some(second)) => first == second,
            (Some(_), None) => false,
            (None, _) => have_common(&other.stored, &begin.stored),
        }
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
                format!("clock readings in {}", begin.stored.join(", "))
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

    /// The subtractions of a statement: minuend and subtrahend.
    fn differences(&self, statement: StatementId) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (operator, left, right) in self.sums(statement) {
            if operator == Operator::Subtract && references::base(right).is_some() {
                found.push((self.key(left), self.key(right)));
            }
        }
        found
    }

    fn key(&self, expression: &Expression) -> String {
        match constant(self.program, expression) {
            Some(value) => value.to_string(),
            None => canonical_text::spell(self.program, expression),
        }
    }

    fn is_reading(&self, expression: &Expression) -> bool {
        for call in references::calls(expression) {
            if self.is_clock(call.callee, call.arguments.len()) {
                return true;
            }
        }
        false
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
            | Callee::Variable(_) => varying_values::is_clock(self.calls, callee, arguments),
        }
    }
}
