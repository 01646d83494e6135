//! Atomic conditions: the operands of NOT, AND and OR in a condition that ends a repetition.

use crate::ir::Expression;
use crate::ir::conjuncts::{combined, either_terminates, negated};

/// An atomic condition: an operand of NOT, AND and OR that is none of these itself.
pub(crate) struct AtomicCondition<'e> {
    pub(crate) expression: &'e Expression,
    /// The value with which the repetition continues.
    pub(crate) goes_on: bool,
    /// Whether its other value ends the repetition independently of the other conditions.
    pub(crate) is_enough: bool,
}

/// Adds the atomic conditions of an expression, with whose value `goes_on` a repetition continues; `is_enough` as in
/// [`AtomicCondition`].
pub(crate) fn parts<'e>(
    expression: &'e Expression,
    goes_on: bool,
    is_enough: bool,
    found: &mut Vec<AtomicCondition<'e>>,
) {
    if let Some(operand) = negated(expression) {
        return parts(operand, !goes_on, is_enough, found);
    }
    match combined(expression) {
        Some((operator, one, other)) => {
            let is_enough = is_enough && either_terminates(operator, goes_on);
            parts(one, goes_on, is_enough, found);
            parts(other, goes_on, is_enough, found);
        }
        None => found.push(AtomicCondition {
            expression,
            goes_on,
            is_enough,
        }),
    }
}

/// The parts of a condition of which each ends a repetition by itself, and whether it goes on if they hold.
pub(crate) fn sufficient_conjuncts(
    condition: &Expression,
    goes_on: bool,
) -> Vec<(&Expression, bool)> {
    let mut found = Vec::new();
    parts(condition, goes_on, true, &mut found);
    found
        .iter()
        .filter(|part| part.is_enough)
        .map(|part| (part.expression, part.goes_on))
        .collect()
}
