//! What counts are products of, where these can be evaluated, and what they are as one expression.
//!
//! Not here: which factors a statement's count has ([`crate::trip_counts`]), and what has an answer anywhere
//! ([`crate::anywhere`]).

use crate::anywhere;
use crate::ir::{Expression, Operator, Program};
use crate::iterations::{binary, intrinsic};
use crate::shapes;
use crate::unit_values::constant;

/// What the total count of one loop is a product of.
#[derive(Clone, Debug)]
pub(crate) enum Factor {
    /// Iterations of a loop, each time it is entered; negative means none.
    Count(Expression),
    /// One if this holds, otherwise none.
    If(Expression),
}

impl Factor {
    /// What is evaluated.
    pub(crate) fn expression(&self) -> &Expression {
        match self {
            Factor::Count(expression) | Factor::If(expression) => expression,
        }
    }
}

/// Which factors of a count the program asks for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// How many of them, from the first, are asked for certain if those before them are not 0.
    pub(crate) first: usize,
    /// Unless the run ends before that.
    pub(crate) is_behind_end: bool,
}

/// Factors as they can be evaluated at the entry, where nobody has asked conditions yet, and the outermost loop may be found
/// to have no iteration: what is evaluated in it must have an answer anywhere, or wherever the outermost count has one; and
/// that one anywhere if it is not among the factors that are `asked` for certain. If the run may end before they are, it is made to
/// have an answer.
pub(crate) fn evaluable(program: &Program, factors: &[Factor], asked: Asked) -> Option<Vec<Factor>> {
    // A loop or a section has no less than no iteration anyway.
    let bare = |factor: &Factor| match factor {
        Factor::Count(count) => Factor::Count(shapes::extent_if_any(count).unwrap_or(count).clone()),
        Factor::If(_) => factor.clone(),
    };
    let factors: &[Factor] = &factors.iter().map(bare).collect::<Vec<_>>();
    let conditional = factors.iter().any(|factor| matches!(factor, Factor::If(_)));
    let harmless = |factor: &Factor| match factor {
        Factor::Count(count) => anywhere::is_integer(program, count),
        Factor::If(condition) => anywhere::is_condition(program, condition),
    };
    // Loops with so many iterations for certain are no doubt entered.
    let certain = |factor: &&Factor| constant(program, factor.expression()).is_some_and(|count| count > 0);
    let (entered, rest) = factors.split_at(factors.iter().take_while(certain).count());
    if rest.is_empty() && !conditional {
        return Some(factors.to_vec());
    }
    let is_asked = entered.len() < asked.first && !conditional && !asked.is_behind_end;
    let outermost = entered.len();
    let factors: Vec<Factor> = factors
        .iter()
        .enumerate()
        .map(|(at, factor)| match factor {
            Factor::Count(_) if at == outermost && is_asked => factor.clone(),
            Factor::Count(count) => Factor::Count(anywhere::guarded(program, count)),
            Factor::If(condition) => Factor::If(anywhere::guarded(program, condition)),
        })
        .collect();
    let (entered, rest) = factors.split_at(outermost);
    let anywhere = |factor: &Factor| match factor {
        Factor::Count(count) => anywhere::integer_anywhere(program, count).map(Factor::Count),
        Factor::If(_) => harmless(factor).then(|| factor.clone()),
    };
    let Some((first @ Factor::Count(_), inside)) = rest.split_first().filter(|_| !conditional) else {
        return factors.iter().map(anywhere).collect();
    };
    let is_certain = entered.len() < asked.first;
    let first = if is_certain { first.clone() } else { anywhere(first)? };
    let outermost = first.expression();
    // The program divides by that, too: but what is a constant here may be one that only another call makes.
    if anywhere::divides_by_nought(program, outermost) {
        return None;
    }
    let beside = |factor: &Factor, other: &Expression| match harmless(factor) {
        true => Some(factor.clone()),
        false => anywhere::integer_beside(program, factor.expression(), other).map(Factor::Count),
    };
    let always = if asked.is_behind_end { beside(&first, &Expression::Integer(1))? } else { first.clone() };
    let always = entered.iter().cloned().chain([always]).map(Some);
    always.chain(inside.iter().map(|factor| beside(factor, outermost))).collect()
}

/// One count as it is (the probe takes no less than 0); several, each at least 0, in 64 bits.
pub(crate) fn product(factors: &[Factor]) -> Expression {
    match factors {
        [Factor::Count(count)] => count.clone(),
        [] => Expression::Integer(1),
        [first, rest @ ..] => {
            rest.iter().fold(clamped(first), |left, factor| binary(Operator::Multiply, left, clamped(factor)))
        }
    }
}

/// A factor in 64 bits, at least 0.
pub(crate) fn clamped(factor: &Factor) -> Expression {
    let wide = |value: i64| Expression::Literal(format!("{value}_8"));
    match factor {
        Factor::Count(Expression::Integer(value)) => wide((*value).max(0)),
        Factor::Count(count) => {
            let count = intrinsic("int", vec![count.clone(), Expression::Integer(8)]);
            intrinsic("max", vec![wide(0), count])
        }
        Factor::If(condition) => intrinsic("merge", vec![wide(1), wide(0), condition.clone()]),
    }
}
