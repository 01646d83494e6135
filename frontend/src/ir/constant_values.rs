//! The values of constant expressions.

use crate::ir::{Expression, Operator, Program, Storage};

/// Names that a constant may be defined through, one by the next; also a guard against circles.
const MAX_DEPTH: u32 = 64;

/// The value of an integer expression of literals and named constants.
pub(crate) fn constant(program: &Program, expression: &Expression) -> Option<i64> {
    constant_within(program, expression, MAX_DEPTH)
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
        Expression::Unary {
            operator: Operator::Negate,
            operand,
        } => value(operand)?.checked_neg(),
        Expression::Binary {
            operator,
            left,
            right,
        } => fold(*operator, value(left)?, value(right)?),
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
