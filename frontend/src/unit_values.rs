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
            if let StatementKind::Assign { target: Expression::Variable(v), value } = kind {
                values.add(*v, Some(value));
            } else if let StatementKind::InputOutput(io) = kind {
                values.unknown(&io.writes);
            } else if let StatementKind::Opaque { writes, .. } = kind {
                values.unknown(writes);
            }
            crate::outline::do_variable(kind).into_iter().for_each(|v| values.add(v, None));
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
            let procedure =
                if let Callee::Procedure(id) = callee { Some(program.procedure(*id)) } else { None };
            let dummy = procedure.and_then(|procedure| procedure.dummies.get(position).copied().flatten());
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

/// Names that a constant may be defined through, one by the next; also a guard against circles.
const DEEPEST: u32 = 64;

/// The value of an integer expression of literals and named constants.
pub(crate) fn constant(program: &Program, expression: &Expression) -> Option<i64> {
    constant_within(program, expression, DEEPEST)
}

fn constant_within(program: &Program, expression: &Expression, names: u32) -> Option<i64> {
    let value = |part: &Expression| constant_within(program, part, names);
    match expression {
        Expression::Integer(number) => Some(*number),
        Expression::Literal(text) => text.split('_').next()?.parse().ok(),
        Expression::Variable(variable) => {
            let Storage::Constant(Some(definition)) = &program.variable(*variable).storage else {
                return None;
            };
            constant_within(program, definition, names.checked_sub(1)?)
        }
        Expression::Unary { operator: Operator::Negate, operand } => value(operand)?.checked_neg(),
        Expression::Binary { operator, left, right } => fold(*operator, value(left)?, value(right)?),
        Expression::Unary { .. }
        | Expression::Reference { .. }
        | Expression::Call { .. }
        | Expression::Other(_) => None,
    }
}

fn fold(operator: Operator, left: i64, right: i64) -> Option<i64> {
    match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide => left.checked_div(right),
        Operator::Power => left.checked_pow(u32::try_from(right).ok()?),
        Operator::Concatenate
        | Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual
        | Operator::And
        | Operator::Or
        | Operator::Not
        | Operator::Equivalent
        | Operator::NotEquivalent
        | Operator::Negate
        | Operator::Plus
        | Operator::Defined => None,
    }
}
