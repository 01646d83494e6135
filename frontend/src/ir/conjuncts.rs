//! Conjuncts of a loop condition: what remains of it if some of its parts are assumed. Which parts these are is decided in
//! [`crate::assumptions::mixed_conditions`].

use crate::ir::analysis::CountConjunct;
use crate::ir::{Expression, Operator};

/// What is left of a condition of which parts are assumed; `None` where nothing is, and the repetition goes on.
pub fn remaining_condition(condition: &Expression, conjunct: CountConjunct) -> Option<Expression> {
    remaining_operand(condition, conjunct, conjunct.goes_on, &mut 0)
}

fn remaining_operand(
    expression: &Expression,
    conjunct: CountConjunct,
    goes_on: bool,
    number: &mut usize,
) -> Option<Expression> {
    if let Some(operand) = negated(expression) {
        let operand = Box::new(remaining_operand(operand, conjunct, !goes_on, number)?);
        return Some(Expression::Unary {
            operator: Operator::Not,
            operand,
        });
    }
    if let Some((operator, one, other)) = combined(expression) {
        let sides = (
            remaining_operand(one, conjunct, goes_on, number),
            remaining_operand(other, conjunct, goes_on, number),
        );
        return match sides {
            (Some(one), Some(other)) => Some(Expression::Binary {
                operator,
                left: Box::new(one),
                right: Box::new(other),
            }),
            // Where either side alone ends the repetition, the other remains. Where only both together
            // end it, a dropped side means that the whole never does.
            (one, other) if either_terminates(operator, goes_on) => one.or(other),
            _ => None,
        };
    }
    let bit = 1_u64.checked_shl(*number as u32).unwrap_or_default();
    *number += 1;
    if conjunct.dropped & bit != 0 {
        return None;
    }
    Some(expression.clone())
}

pub(crate) fn negated(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::Unary {
            operator: Operator::Not,
            operand,
        } => Some(operand),
        _ => None,
    }
}

pub(crate) fn combined(expression: &Expression) -> Option<(Operator, &Expression, &Expression)> {
    match expression {
        Expression::Binary {
            operator: operator @ (Operator::And | Operator::Or),
            left,
            right,
        } => Some((*operator, left, right)),
        _ => None,
    }
}

/// Whether either side ends the repetition by itself.
pub(crate) fn either_terminates(operator: Operator, goes_on: bool) -> bool {
    (operator == Operator::And) == goes_on
}
