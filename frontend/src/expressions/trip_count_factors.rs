//! Factors of trip counts: where they can be evaluated, and their product as one expression. The factors of
//! a statement's count come from [`crate::work::trip_counts`]; speculatable expressions are in
//! [`crate::expressions::speculatable`].

use crate::expressions::count_factors::{Factor, clamped};
use crate::expressions::loop_sums;
use crate::expressions::speculatable;
use crate::ir::constant_values::constant;
use crate::ir::expression_builders::binary;
use crate::ir::sums::has_sum;
use crate::ir::{Expression, Operator, Program};
use crate::memory::array_shapes;

/// Which factors of a count the program asks for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// How many of them, from the first, are evaluated for certain if those before them are not 0.
    pub(crate) first: usize,
    /// Unless the run ends before that.
    pub(crate) is_after_exit: bool,
}

/// Factors as they can be evaluated at the entry, where no condition has been evaluated yet and the outermost loop may have
/// no iteration. Inner factors must be speculatable, or valid wherever the outermost count is; the outermost must be
/// speculatable if it is not among the factors that are `evaluated` for certain. If the run may end before, it is made
/// speculatable. A factor that reads the index of a loop among them is summed over that loop. With them, how many are evaluated for certain.
pub(crate) fn evaluable(
    program: &Program,
    factors: &[Factor],
    evaluated: Asked,
) -> Option<(Vec<Factor>, Asked)> {
    let factors: Vec<Factor> = factors.iter().map(bare).collect();
    let (closed, first) = loop_sums::closed(program, &factors, evaluated.first);
    let mut all = closed.iter().flat_map(Factor::expressions);
    if all.any(loop_sums::reads_index) {
        return None;
    }
    let evaluated = Asked { first, ..evaluated };
    Some((evaluable_of_closed(program, &closed, evaluated)?, evaluated))
}

/// A loop or a section has no less than no iteration anyway.
fn bare(factor: &Factor) -> Factor {
    match factor {
        Factor::Count(count) => {
            Factor::Count(array_shapes::extent_if_any(count).unwrap_or(count).clone())
        }
        Factor::If(_) | Factor::Loop(_) => factor.clone(),
    }
}

/// The same of factors of which none reads the index of another.
fn evaluable_of_closed(
    program: &Program,
    factors: &[Factor],
    evaluated: Asked,
) -> Option<Vec<Factor>> {
    let conditional = factors.iter().any(|factor| matches!(factor, Factor::If(_)));
    // Loops with so many iterations for certain are no doubt entered.
    let mut outermost = 0;
    while outermost < factors.len() && is_certain(program, &factors[outermost]) {
        outermost += 1;
    }
    if outermost == factors.len() && !conditional {
        return Some(factors.to_vec());
    }
    // A sum evaluates what stands in several loops, of which an inner one need not be entered.
    let is_sum = matches!(factors.get(outermost), Some(Factor::Count(count)) if has_sum(count));
    let is_reached = outermost < evaluated.first && !is_sum;
    let mut guarded = Vec::new();
    for (at, factor) in factors.iter().enumerate() {
        let is_evaluated =
            at == outermost && is_reached && !conditional && !evaluated.is_after_exit;
        guarded.push(match factor {
            Factor::Count(count) if !is_evaluated => {
                Factor::Count(speculatable::guarded(program, count))
            }
            Factor::If(condition) => Factor::If(speculatable::guarded(program, condition)),
            Factor::Count(_) | Factor::Loop(_) => factor.clone(),
        });
    }
    let (entered, rest) = guarded.split_at(outermost);
    let Some((Factor::Count(count), inside)) = rest.split_first().filter(|_| !conditional) else {
        let mut all = Vec::new();
        for factor in &guarded {
            all.push(anywhere(program, factor)?);
        }
        return Some(all);
    };
    let count = if is_reached {
        count.clone()
    } else {
        speculatable::speculatable_integer(program, count)?
    };
    // The program divides by that, too: but what is a constant here may be one that only another call makes.
    if speculatable::divides_by_zero(program, &count) {
        return None;
    }
    let first = Factor::Count(count.clone());
    let mut all = entered.to_vec();
    all.push(if evaluated.is_after_exit {
        beside(program, &first, &Expression::Integer(1))?
    } else {
        first
    });
    for factor in inside {
        all.push(beside(program, factor, &count)?);
    }
    Some(all)
}

/// Whether a factor is a constant greater than 0.
fn is_certain(program: &Program, factor: &Factor) -> bool {
    match factor {
        Factor::Count(count) | Factor::If(count) => {
            constant(program, count).is_some_and(|count| count > 0)
        }
        Factor::Loop(_) => false,
    }
}

/// Whether a factor is speculatable as it is.
fn is_speculatable(program: &Program, factor: &Factor) -> bool {
    match factor {
        Factor::Count(count) => speculatable::is_integer(program, count),
        Factor::If(condition) => speculatable::is_condition(program, condition),
        Factor::Loop(_) => false,
    }
}

/// A factor in a form that is speculatable; `None` if there is none.
fn anywhere(program: &Program, factor: &Factor) -> Option<Factor> {
    match factor {
        Factor::Count(count) => {
            speculatable::speculatable_integer(program, count).map(Factor::Count)
        }
        Factor::If(_) | Factor::Loop(_) if is_speculatable(program, factor) => Some(factor.clone()),
        Factor::If(_) | Factor::Loop(_) => None,
    }
}

/// A factor in a form that can be evaluated wherever `other` can.
fn beside(program: &Program, factor: &Factor, other: &Expression) -> Option<Factor> {
    if is_speculatable(program, factor) {
        return Some(factor.clone());
    }
    match factor {
        Factor::Count(count) if has_sum(count) => anywhere(program, factor),
        Factor::Count(count) => {
            speculatable::integer_beside(program, count, other).map(Factor::Count)
        }
        Factor::If(_) | Factor::Loop(_) => None,
    }
}

/// One count as it is (the probe takes no less than 0); several, each at least 0, in 64 bits.
pub(crate) fn product(factors: &[Factor]) -> Expression {
    match factors {
        [Factor::Count(count)] => count.clone(),
        [] => Expression::Integer(1),
        [first, rest @ ..] => rest.iter().fold(clamped(first), |left, factor| {
            binary(Operator::Multiply, left, clamped(factor))
        }),
    }
}
