//! Sums over the iterations of a loop as expressions: a call of a function that no program can name. Which sums there are is in
//! [`crate::expressions::loop_sums`]; the language frontend spells them.

use crate::ir::references;
use crate::ir::{Callee, Expression};

/// Name of the function that stands for a sum: of index, first and last value, step, iterations and what is summed.
pub(crate) const SUM: &str = "mpiete_sum";
/// What the literals of indices begin with.
pub(crate) const INDEX: &str = "mpiete_index_of_";

/// Names of the variables that sums count in, by how deep a sum stands in others.
pub(crate) const INDICES: [&str; 3] = ["mpiete_index1", "mpiete_index2", "mpiete_index3"];

/// Whether a literal stands for an index.
pub(crate) fn is_index(literal: &str) -> bool {
    literal.starts_with(INDEX)
}

/// The parts of a sum.
pub(crate) struct Sum<'a> {
    pub(crate) index: &'a str,
    pub(crate) from: &'a Expression,
    pub(crate) to: &'a Expression,
    pub(crate) step: &'a Expression,
    /// Iterations of the loop; negative means none.
    pub(crate) trips: &'a Expression,
    pub(crate) summed: &'a Expression,
}

/// An expression as a sum.
pub(crate) fn sum(expression: &Expression) -> Option<Sum<'_>> {
    let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = expression
    else {
        return None;
    };
    let [Expression::Literal(index), from, to, step, trips, summed] = &arguments[..] else {
        return None;
    };
    (name == SUM).then_some(Sum {
        index,
        from,
        to,
        step,
        trips,
        summed,
    })
}

/// Whether there is a sum in an expression.
pub(crate) fn has_sum(expression: &Expression) -> bool {
    let mut found = false;
    references::walk(expression, &mut |part| found |= sum(part).is_some());
    found
}

/// Whether a condition that reads an index determines which summands count: `merge(count, 0_8, condition)`.
pub(crate) fn selects(summed: &Expression, index: &str) -> bool {
    let mut found = false;
    references::walk(summed, &mut |part| {
        let Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } = part
        else {
            return;
        };
        if let [_, Expression::Literal(otherwise), condition] = &arguments[..]
            && name == "merge"
            && otherwise == "0_8"
        {
            references::walk(condition, &mut |read| {
                found |= matches!(read, Expression::Literal(text) if text == index);
            });
        }
    });
    found
}

/// How many sums stand in each other in an expression.
pub(crate) fn height(expression: &Expression) -> usize {
    match expression {
        _ if let Some(sum) = sum(expression) => height(sum.summed) + 1,
        Expression::Call { arguments, .. } => arguments.iter().map(height).max().unwrap_or(0),
        Expression::Binary { left, right, .. } => height(left).max(height(right)),
        Expression::Unary { operand, .. } => height(operand),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Reference { .. }
        | Expression::Other(_) => 0,
    }
}
