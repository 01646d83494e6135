//! Loop exits by a count, in loops without a bound of their own: each iteration compares a variable, which it
//! increments or decrements by a constant, with a loop-invariant expression (`if (it >= itmax) exit`). Counted DO loops have trip
//! counts ([`crate::work::trip_counts`]); conditions that mix a count with other tests are in
//! [`crate::assumptions::mixed_conditions`].

use crate::assumptions::atomic_conditions;
use crate::assumptions::loop_tests::{Turn, enclosing_loop, turn};
use crate::effects::model::Model;
use crate::expressions::speculatable::is_harmless;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::constant_values;
use crate::ir::references;
use crate::ir::{Expression, Operator, StatementId, StatementKind, Type, VariableId};
use crate::memory::location_id::LocationId;
use std::collections::BTreeSet;

/// Whether the repetition that a test ends has such an end beside it, of which nothing else is assumed.
pub(crate) fn is_beside(
    model: &Model,
    is_free: impl Fn(Clause) -> bool,
    flow: &ControlFlowGraph,
    test: Clause,
) -> bool {
    let repeated = Repeated::by(model, flow, test.statement);
    let later = |id: StatementId| {
        if id == test.statement {
            test.number + 1
        } else {
            0
        }
    };
    repeated.statements.iter().any(|&id| {
        let at = Clause {
            statement: id,
            number: later(id),
        };
        is_free(at) && repeated.is_ended_at(at)
    })
}

/// Whether a part of a condition, with which the repetition goes on if it holds or else if it does not, counts the repetition's
/// iterations.
pub(crate) fn counts(
    model: &Model,
    flow: &ControlFlowGraph,
    asked: StatementId,
    (part, goes_on): (&Expression, bool),
) -> bool {
    Repeated::by(model, flow, asked).ends_at(part, goes_on, asked)
}

/// How a number changes in each iteration.
#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
}

/// The statements of a repetition.
struct Repeated<'a> {
    model: &'a Model<'a>,
    flow: &'a ControlFlowGraph,
    test: StatementId,
    around: Option<StatementId>,
    /// Whether jumps repeat it, not the loop around it.
    by_jumps: bool,
    statements: BTreeSet<StatementId>,
}

impl<'a> Repeated<'a> {
    /// What is repeated with a test, in the innermost loop around it.
    fn by(model: &'a Model<'a>, flow: &'a ControlFlowGraph, test: StatementId) -> Self {
        let around = match &model.program.statement(test).kind {
            StatementKind::While { .. } => Some(test),
            _ => enclosing_loop(model, test),
        };
        let mut found = Repeated {
            model,
            flow,
            test,
            around,
            by_jumps: true,
            statements: BTreeSet::new(),
        };
        found.by_jumps = around != Some(test) && found.is_reachable(test, test, None);
        let all = model
            .outline
            .of_procedure(model.program.statement(test).procedure);
        let is_repeated = |id: &StatementId| {
            found.is_reachable(test, *id, None) && found.is_reachable(*id, test, None)
        };
        found.statements = all.iter().copied().filter(is_repeated).collect();
        found
    }

    /// Whether control comes from behind one statement to another in the same loop, past none that is left out.
    fn is_reachable(
        &self,
        from: StatementId,
        to: StatementId,
        without: Option<StatementId>,
    ) -> bool {
        let is_in = |id: StatementId| {
            self.around
                .is_none_or(|l| self.model.outline.is_within(id, l))
        };
        let mut open = self
            .flow
            .successors(self.flow.number(CfgNode::Statement(from)));
        let mut seen = BTreeSet::new();
        while let Some(at) = open.pop() {
            let CfgNode::Statement(id) = self.flow.points_at(at) else {
                continue;
            };
            let is_next = self.by_jumps && Some(id) == self.around;
            if !is_in(id) || is_next || Some(id) == without || !seen.insert(at) {
                continue;
            }
            if id == to {
                return true;
            }
            open.extend(self.flow.successors(at));
        }
        false
    }

    /// Whether each iteration comes to a condition that ends them by a count.
    fn is_ended_at(&self, at: Clause) -> bool {
        let StatementKind::If { branches, .. } = &self.model.program.statement(at.statement).kind
        else {
            return false;
        };
        let Some((condition, _)) = branches.get(at.number) else {
            return false;
        };
        // Every cycle has to pass this condition: on another one the count would run past its
        // bound.
        let is_asked = at.statement == self.test
            || !self.is_reachable(self.test, self.test, Some(at.statement));
        let is_same_loop = enclosing_loop(self.model, at.statement) == self.around;
        let goes_on = match turn(self.model, self.flow, at.statement, at.number) {
            Some(Turn::Leaves(_)) => false,
            Some(Turn::Repeats) => true,
            Some(Turn::Neither) | None => return false,
        };
        let ends = |(part, goes_on)| self.ends_at(part, goes_on, at.statement);
        is_asked
            && is_same_loop
            && atomic_conditions::sufficient_conjuncts(condition, goes_on)
                .into_iter()
                .any(ends)
    }

    /// Whether a comparison ends the repetition, as one of its sides grows or falls to the other and beyond. `it == n` is not
    /// accepted: a count may begin beyond its bound.
    fn ends_at(&self, part: &Expression, goes_on: bool, asked: StatementId) -> bool {
        let Expression::Binary {
            operator,
            left,
            right,
        } = part
        else {
            return false;
        };
        let reaches_bound = |number: &Expression, bound: &Expression, way: Direction| match number {
            Expression::Variable(number) => self.reaches_bound(*number, bound, asked, way),
            _ => false,
        };
        let (less, more) = match (operator, goes_on) {
            (Operator::Less | Operator::LessEqual, true)
            | (Operator::Greater | Operator::GreaterEqual, false) => (left, right),
            (Operator::Greater | Operator::GreaterEqual, true)
            | (Operator::Less | Operator::LessEqual, false) => (right, left),
            _ => return false,
        };
        // It goes on while the one is less than the other.
        reaches_bound(less, more, Direction::Up) || reaches_bound(more, less, Direction::Down)
    }

    /// Whether a variable moves in one direction before each evaluation, and nothing else changes it or its bound.
    fn reaches_bound(
        &self,
        number: VariableId,
        bound: &Expression,
        asked: StatementId,
        way: Direction,
    ) -> bool {
        let program = self.model.program;
        let variable = program.variable(number);
        if !matches!(variable.of_type, Type::Integer(_)) || !variable.shape.is_empty() {
            return false;
        }
        let Some(place) = self.model.locations.of_variable(number) else {
            return false;
        };
        // A second writer could set the count back.
        let [only] = self.writers(place)[..] else {
            return false;
        };
        let StatementKind::Assign {
            target: Expression::Variable(target),
            value,
        } = &program.statement(only).kind
        else {
            return false;
        };
        let Some(step) = self.step(*target, value) else {
            return false;
        };
        let moves = match way {
            Direction::Up => step > 0,
            Direction::Down => step < 0,
        };
        // An iteration that skips the step could repeat for ever.
        let is_stepped_in_each = !self.is_reachable(asked, asked, Some(only));
        *target == number && moves && self.is_invariant(bound) && is_stepped_in_each
    }

    /// The constant that a value adds to a variable.
    fn step(&self, variable: VariableId, value: &Expression) -> Option<i64> {
        let Expression::Binary {
            operator,
            left,
            right,
        } = value
        else {
            return None;
        };
        let program = self.model.program;
        let is_old = |old: &Expression| matches!(old, Expression::Variable(id) if *id == variable);
        match operator {
            Operator::Add if is_old(left) => constant_values::constant(program, right),
            Operator::Add if is_old(right) => constant_values::constant(program, left),
            Operator::Subtract if is_old(left) => {
                constant_values::constant(program, right)?.checked_neg()
            }
            _ => None,
        }
    }

    /// Whether no iteration changes the value of an expression.
    fn is_invariant(&self, expression: &Expression) -> bool {
        if !is_harmless(expression) {
            return false;
        }
        for variable in references::variables(expression) {
            if let Some(place) = self.model.locations.of_variable(variable)
                && !self.writers(place).is_empty()
            {
                return false;
            }
        }
        true
    }

    /// The statements of the loop that may write a location.
    fn writers(&self, place: LocationId) -> Vec<StatementId> {
        let parts = self.model.locations.innermost(place);
        let mut writers = self.statements.iter().copied().collect::<Vec<_>>();
        writers.retain(|&id| self.may_write(id, &parts));
        writers
    }

    fn may_write(&self, id: StatementId, parts: &[LocationId]) -> bool {
        let effects = self.model.effects.of_statement(id);
        let indirect = self.model.effects.written_indirectly(id);
        for &part in parts {
            // A write under another name is not among the definitions.
            if self.model.aliased.contains(part.index()) || indirect.contains(part) {
                return true;
            }
            for definition in &effects.definitions {
                if definition.location == part {
                    return true;
                }
            }
        }
        false
    }
}
