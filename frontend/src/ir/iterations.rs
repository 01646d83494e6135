//! How often a loop runs, as an expression of its bounds, in few words.
//!
//! Whether it can be evaluated before the loop is decided in [`crate::work::trip_counts`].

use crate::ir::array_inquiries;
use crate::ir::expression_builders::{binary, plus};
use crate::ir::{Expression, Operator, Program, VariableId};

/// Whether the values of an expression are integers. The types of expressions are known to the language frontend.
pub(crate) type IsInteger = fn(&Program, &Expression) -> bool;

/// `(to - from + step) / step`; if the run determines the step, only of integers.
pub(crate) fn trips(
    program: &Program,
    from: &Expression,
    to: &Expression,
    step: Option<&Expression>,
    is_integer: IsInteger,
) -> Option<Expression> {
    let step = match step {
        None => 1,
        Some(step) => match crate::ir::constant_values::constant(program, step) {
            // The standard forbids a step of 0, and the formula would divide by it.
            Some(0) => return None,
            Some(constant) => constant,
            None => {
                let mut parts = [from, to, step].into_iter();
                return parts
                    .all(|part| is_integer(program, part))
                    .then(|| trips_of_variable_step(from, to, step));
            }
        },
    };
    let span = match (distance(from, to), from) {
        (Some(distance), _) => Expression::Integer(distance.saturating_add(step)),
        (None, Expression::Integer(from)) => plus(to, step.saturating_sub(*from)),
        // `ubound - lbound` is `size - 1`, also of a dimension without elements, whose bounds are 1
        // and 0.
        (None, from) if let Some((size, more)) = whole_dimension(from, to) => {
            plus(&size, more.saturating_add(step).saturating_sub(1))
        }
        (None, from) => plus(&binary(Operator::Subtract, to.clone(), from.clone()), step),
    };
    Some(match (span, step) {
        (span, 1) => span,
        (Expression::Integer(span), step) => Expression::Integer(span.saturating_div(step)),
        (span, step) => binary(Operator::Divide, span, Expression::Integer(step)),
    })
}

/// `(to - from + step) / step` with a step that the run determines. Fortran divides towards zero, so this holds for steps of
/// both signs, and a loop without iterations has a quotient of at most 0. A step of 0 is left to those who evaluate it.
fn trips_of_variable_step(from: &Expression, to: &Expression, step: &Expression) -> Expression {
    // From one step on: the first iteration is the step itself.
    let begins_at_step =
        matches!((from, step), (Expression::Variable(a), Expression::Variable(b)) if a == b);
    let known = distance(from, to);
    // In 64 bits: the distance of two numbers may need a bit more than they have, and the least number has no quotient by -1.
    let to = binary(Operator::Add, Expression::Literal("0_8".into()), to.clone());
    let span = match known {
        _ if begins_at_step => to,
        Some(0) => step.clone(),
        Some(distance) => plus(step, distance),
        None => {
            let distance = match from {
                Expression::Integer(from) => plus(&to, from.saturating_neg()),
                from => binary(Operator::Subtract, to, from.clone()),
            };
            binary(Operator::Add, distance, step.clone())
        }
    };
    binary(Operator::Divide, span, step.clone())
}

/// From the lower bound of a dimension to its upper one, but for a number: how large it is, and that number.
fn whole_dimension(from: &Expression, to: &Expression) -> Option<(Expression, i64)> {
    let (upper, more) = match to {
        Expression::Binary {
            operator: Operator::Add,
            left,
            right,
        } if let Expression::Integer(more) = **right => (&**left, more),
        Expression::Binary {
            operator: Operator::Subtract,
            left,
            right,
        } if let Expression::Integer(less) = **right => (&**left, less.saturating_neg()),
        other => (other, 0),
    };
    let (lower, upper) = (
        array_inquiries::inquiry(from)?,
        array_inquiries::inquiry(upper)?,
    );
    let is_one = match (lower.dimension, upper.dimension) {
        (Some(Expression::Integer(one)), Some(Expression::Integer(other))) => one == other,
        _ => false,
    };
    let is_of = lower.function == "lbound" && upper.function == "ubound";
    if !is_of || !is_one || !array_inquiries::is_same(lower.array, upper.array) {
        return None;
    }
    let size = array_inquiries::inquiry_call("size", lower.array.clone(), lower.dimension.cloned());
    Some((size, more))
}

/// How far it is from one expression to another, if both are the same variable but for a number.
fn distance(from: &Expression, to: &Expression) -> Option<i64> {
    let ((of, behind), (other, further)) = (from_variable(from)?, from_variable(to)?);
    if of != other {
        return None;
    }
    Some(further.saturating_sub(behind))
}

/// A variable and what is added to it.
fn from_variable(expression: &Expression) -> Option<(VariableId, i64)> {
    match expression {
        Expression::Variable(variable) => Some((*variable, 0)),
        Expression::Binary {
            operator,
            left,
            right,
        } => match (operator, &**left, &**right) {
            (Operator::Add, Expression::Variable(variable), Expression::Integer(more)) => {
                Some((*variable, *more))
            }
            (Operator::Subtract, Expression::Variable(variable), Expression::Integer(less)) => {
                Some((*variable, less.saturating_neg()))
            }
            (_, _, _) => None,
        },
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Reference { .. }
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Other(_) => None,
    }
}
