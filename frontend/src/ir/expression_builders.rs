//! Expressions that the analysis makes: sums with numbers, operations, calls of intrinsic functions.

use crate::ir::{Callee, Expression, Operator};

/// An expression plus a number, in few words.
pub(crate) fn plus(expression: &Expression, number: i64) -> Expression {
    if let Expression::Integer(value) = expression {
        return Expression::Integer(value.saturating_add(number));
    }
    if let Expression::Binary {
        operator,
        left,
        right,
    } = expression
    {
        match (operator, &**right) {
            (Operator::Add, Expression::Integer(value)) => {
                return plus(left, number.saturating_add(*value));
            }
            (Operator::Subtract, Expression::Integer(value)) => {
                return plus(left, number.saturating_sub(*value));
            }
            (_, _) => {}
        }
    }
    let (operator, size) = if number < 0 {
        (Operator::Subtract, number.saturating_neg())
    } else {
        (Operator::Add, number)
    };
    match size {
        0 => expression.clone(),
        size => binary(operator, expression.clone(), Expression::Integer(size)),
    }
}

/// A call of an intrinsic function.
pub(crate) fn intrinsic(name: &str, arguments: Vec<Expression>) -> Expression {
    Expression::Call {
        callee: Callee::Intrinsic(name.into()),
        arguments,
    }
}

/// `left operator right`.
pub(crate) fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}
