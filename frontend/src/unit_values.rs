//! The constants that unit numbers may hold, and the values of constant expressions.

use crate::ir::{Callee, Expression, Operator, Program, StatementId, StatementKind, Storage, VariableId};
use crate::references;
use std::collections::{BTreeMap, BTreeSet};

/// A unit number, or any unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Number {
    /// This one.
    Known(i64),
    /// What cannot be seen.
    Unknown,
}

/// The constants that integer scalars may hold.
pub(crate) struct Values {
    sources: BTreeMap<VariableId, Vec<Option<Expression>>>,
}

impl Values {
    /// What is assigned to each variable; `None` for what cannot be seen.
    pub(crate) fn of(program: &Program, order: &[StatementId]) -> Self {
        let mut values = Values { sources: BTreeMap::new() };
        for &id in order {
            let kind = &program.statement(id).kind;
            match kind {
                StatementKind::Assign { target: Expression::Variable(v), value } => {
                    values.add(*v, Some(value))
                }
                StatementKind::Do { variable, .. } => values.add(*variable, None),
                StatementKind::InputOutput(io) => values.unknown(&io.writes),
                StatementKind::Opaque { writes, .. } => values.unknown(writes),
                _ => {}
            }
            for call in crate::call_graph::calls(kind) {
                values.call(program, call.callee, &call.arguments);
            }
        }
        values
    }

    fn add(&mut self, variable: VariableId, value: Option<&Expression>) {
        self.sources.entry(variable).or_default().push(value.cloned());
    }

    fn unknown(&mut self, targets: &[Expression]) {
        for variable in targets.iter().filter_map(references::base) {
            self.add(variable, None);
        }
    }

    /// Dummies get their actuals' values. A callee that writes its dummy writes its actual: the
    /// dummy's own sources say so only to the dummy, so the actual takes them over.
    fn call(&mut self, program: &Program, callee: &Callee, arguments: &[Option<&Expression>]) {
        for (position, argument) in arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            let dummy = match callee {
                Callee::Procedure(procedure) => {
                    program.procedure(*procedure).dummies.get(position).copied().flatten()
                }
                _ => None,
            };
            match (dummy, callee, argument) {
                (Some(dummy), _, Expression::Variable(actual)) => {
                    self.add(dummy, Some(argument));
                    self.add(*actual, Some(&Expression::Variable(dummy)));
                }
                (Some(dummy), _, _) => self.add(dummy, Some(argument)),
                (None, Callee::Intrinsic(_), _) => {}
                (None, _, _) => self.unknown(std::slice::from_ref(*argument)),
            }
        }
    }

    /// The numbers that a unit may have.
    pub(crate) fn units(&self, program: &Program, expression: &Expression) -> BTreeSet<Number> {
        let mut found = BTreeSet::new();
        self.collect(program, expression, &mut BTreeSet::new(), &mut found);
        if found.is_empty() { BTreeSet::from([Number::Unknown]) } else { found }
    }

    fn collect(
        &self,
        program: &Program,
        expression: &Expression,
        seen: &mut BTreeSet<VariableId>,
        found: &mut BTreeSet<Number>,
    ) {
        if let Some(value) = constant(program, expression) {
            found.insert(Number::Known(value));
            return;
        }
        let Expression::Variable(variable) = expression else {
            found.insert(Number::Unknown);
            return;
        };
        // Static variables may hold what DATA put there; COMMON, what others did.
        if !matches!(program.variable(*variable).storage, Storage::Local | Storage::Dummy(_)) {
            found.insert(Number::Unknown);
            return;
        }
        if !seen.insert(*variable) {
            return;
        }
        for source in self.sources.get(variable).into_iter().flatten() {
            match source {
                Some(value) => self.collect(program, value, seen, found),
                None => {
                    found.insert(Number::Unknown);
                }
            }
        }
    }
}

/// The value of an integer expression of literals and named constants.
pub(crate) fn constant(program: &Program, expression: &Expression) -> Option<i64> {
    match expression {
        Expression::Integer(value) => Some(*value),
        Expression::Literal(text) => text.split('_').next()?.parse().ok(),
        Expression::Variable(variable) => match &program.variable(*variable).storage {
            Storage::Constant(Some(value)) => constant(program, value),
            Storage::Constant(None)
            | Storage::Local
            | Storage::Static
            | Storage::Dummy(_)
            | Storage::Common { .. }
            | Storage::Module(_) => None,
        },
        Expression::Unary { operator: Operator::Negate, operand } => {
            constant(program, operand)?.checked_neg()
        }
        Expression::Unary { .. } => None,
        Expression::Binary { operator, left, right } => {
            fold(*operator, constant(program, left)?, constant(program, right)?)
        }
        Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => None,
    }
}

fn fold(operator: Operator, left: i64, right: i64) -> Option<i64> {
    match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide => left.checked_div(right),
        Operator::Power => left.checked_pow(u32::try_from(right).ok()?),
        _ => None,
    }
}
