//! Repetitions without a bound of their own that a count ends all the same: each iteration asks whether a number, which it makes
//! larger by a constant, has come to what the iterations do not change (`if (it >= itmax) exit`).
//!
//! Not here: counted loops, and counts that stand in one condition with other tests.

use crate::anywhere::is_harmless;
use crate::assumed::Clause;
use crate::control::Control;
use crate::flow_graph::{FlowGraph, Point};
use crate::ir::{Expression, Operator, StatementId, StatementKind, Type, VariableId};
use crate::locations::LocationId;
use crate::loop_tests::{Turn, enclosing_loop, turn};
use crate::model::Model;
use crate::references;
use crate::unit_values;
use std::collections::BTreeSet;

/// Whether the repetition that a test ends has such an end beside it.
pub(crate) fn is_beside(model: &Model, control: &Control, flow: &FlowGraph, test: Clause) -> bool {
    let repeated = Repeated::by(model, flow, test.statement);
    let later = |id: StatementId| if id == test.statement { test.number + 1 } else { 0 };
    repeated.statements.iter().any(|&id| {
        let at = Clause { statement: id, number: later(id) };
        control.is_free(at) && repeated.is_ended_at(at)
    })
}

/// The statements of a repetition.
struct Repeated<'a> {
    model: &'a Model<'a>,
    flow: &'a FlowGraph,
    test: StatementId,
    around: Option<StatementId>,
    statements: BTreeSet<StatementId>,
}

impl<'a> Repeated<'a> {
    /// What is repeated with a test, in the innermost loop around it.
    fn by(model: &'a Model<'a>, flow: &'a FlowGraph, test: StatementId) -> Self {
        let around = enclosing_loop(model, test);
        let mut found = Repeated { model, flow, test, around, statements: BTreeSet::new() };
        let all = model.outline.of_procedure(model.program.statement(test).procedure);
        let is_repeated = |id: &StatementId| found.comes(test, *id, None) && found.comes(*id, test, None);
        found.statements = all.iter().copied().filter(is_repeated).collect();
        found
    }

    /// Whether control comes from behind one statement to another in the same loop, past none that is left out.
    fn comes(&self, from: StatementId, to: StatementId, without: Option<StatementId>) -> bool {
        let is_in = |id: StatementId| self.around.is_none_or(|l| self.model.outline.is_within(id, l));
        let mut open = self.flow.successors(self.flow.number(Point::Statement(from)));
        let mut seen = BTreeSet::new();
        while let Some(at) = open.pop() {
            let Point::Statement(id) = self.flow.points_at(at) else { continue };
            if !is_in(id) || Some(id) == without || !seen.insert(at) {
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
        let StatementKind::If { branches, .. } = &self.model.program.statement(at.statement).kind else {
            return false;
        };
        let Some((condition, _)) = branches.get(at.number) else { return false };
        let is_asked = at.statement == self.test || !self.comes(self.test, self.test, Some(at.statement));
        let is_same_loop = enclosing_loop(self.model, at.statement) == self.around;
        let ends_if_more = match turn(self.model, self.flow, at.statement, at.number) {
            Some(Turn::Leaves(_)) => true,
            Some(Turn::Repeats) => false,
            Some(Turn::Neither) | None => return false,
        };
        let compared = compared(condition, ends_if_more);
        is_asked
            && is_same_loop
            && compared.is_some_and(|(number, bound)| self.grows_to(number, bound, at.statement))
    }

    /// Whether a number grows before each asking, and nothing else changes it or its bound.
    fn grows_to(&self, number: VariableId, bound: &Expression, asked: StatementId) -> bool {
        let program = self.model.program;
        let variable = program.variable(number);
        let is_integer = matches!(variable.of_type, Type::Integer(_)) && variable.shape.is_empty();
        let Some(place) = self.model.locations.of_variable(number).filter(|_| is_integer) else {
            return false;
        };
        let [only] = self.writers(place)[..] else { return false };
        let StatementKind::Assign { target: Expression::Variable(target), value } =
            &program.statement(only).kind
        else {
            return false;
        };
        let is_made_larger = match value {
            Expression::Binary { operator: Operator::Add, left, right } => {
                let grows = |old: &Expression, more: &Expression| {
                    matches!(old, Expression::Variable(id) if id == target)
                        && unit_values::constant(program, more).is_some_and(|more| more > 0)
                };
                grows(left, right) || grows(right, left)
            }
            _ => false,
        };
        let stays = |id: &VariableId| match self.model.locations.of_variable(*id) {
            Some(place) => self.writers(place).is_empty(),
            None => true,
        };
        let is_fixed = is_harmless(bound) && references::variables(bound).iter().all(stays);
        *target == number && is_made_larger && is_fixed && !self.comes(asked, asked, Some(only))
    }

    /// Who may write a place in an iteration.
    fn writers(&self, place: LocationId) -> Vec<StatementId> {
        let parts = self.model.locations.innermost(place);
        let writes = |id: &&StatementId| {
            let effects = self.model.effects.of_statement(**id);
            let unnamed = self.model.effects.written_unnamed(**id);
            parts.iter().any(|one| {
                self.model.aliased.contains(one.index())
                    || effects.definitions.iter().any(|definition| definition.location == *one)
                    || unnamed.contains(*one)
            })
        };
        self.statements.iter().filter(writes).copied().collect()
    }
}

/// What is compared if a condition holds where a number is at least, or more than, another; or, if it goes on with the iterations,
/// where it is at most or less.
fn compared(condition: &Expression, ends_if_more: bool) -> Option<(VariableId, &Expression)> {
    let Expression::Binary { operator, left, right } = condition else { return None };
    let is_more = match operator {
        Operator::Greater | Operator::GreaterEqual => true,
        Operator::Less | Operator::LessEqual => false,
        _ => return None,
    };
    let (number, bound) = if is_more == ends_if_more { (left, right) } else { (right, left) };
    let Expression::Variable(number) = **number else { return None };
    Some((number, bound))
}
