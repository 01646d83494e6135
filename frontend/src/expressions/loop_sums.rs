//! Sums over the iterations of a loop: what an inner loop's count is in all iterations of an outer one whose index its bounds
//! read. An expression names such an index by a literal of its own, and the sum that closes over it evaluates the count for
//! each of its values, so that `min`, `max`, quotients and steps are exact.
//!
//! Sums are spelled in [`crate::fortran`]; expressions that read an index come from
//! [`crate::work::statement_range`].

use crate::expressions::count_factors::{Factor, bytes, clamped, index_name};
use crate::expressions::selected_iterations;
use crate::expressions::speculatable;
use crate::ir::expression_builders::{binary, intrinsic};
use crate::ir::references;
use crate::ir::sums::{SUM, is_index, sum};
use crate::ir::{Expression, Operator, Program, StatementId, StatementKind};

/// The value of a DO variable in an iteration of its loop, in the variable's kind.
pub(crate) fn index_of(program: &Program, id: StatementId) -> Option<Expression> {
    let StatementKind::Do { variable, .. } = &program.statement(id).kind else {
        return None;
    };
    let index = Expression::Literal(index_name(id));
    Some(match bytes(program, *variable)? {
        8 => index,
        bytes => intrinsic("int", vec![index, Expression::Integer(i64::from(bytes))]),
    })
}

/// Whether an expression reads the index of a loop that no sum in it closes over.
pub(crate) fn reads_index(expression: &Expression) -> bool {
    let (mut read, mut closed) = (Vec::new(), Vec::new());
    references::walk(expression, &mut |part| {
        if let Expression::Literal(text) = part
            && is_index(text)
        {
            read.push(text);
        }
        closed.extend(sum(part).map(|sum| sum.index));
    });
    read.into_iter()
        .any(|index| !closed.contains(&index.as_str()))
}

fn reads(factor: &Factor, index: &str) -> bool {
    let mut found = false;
    for expression in factor.expressions() {
        references::walk(expression, &mut |part| {
            found |= matches!(part, Expression::Literal(text) if text == index);
        });
    }
    found
}

/// Takes out the conditions that read an index.
fn taken_conditions(factors: &mut Vec<(Factor, bool)>, index: &str) -> Vec<Expression> {
    let mut conditions = Vec::new();
    factors.retain(|(factor, _)| match factor {
        Factor::If(condition) if reads(factor, index) => {
            conditions.push(condition.clone());
            false
        }
        Factor::If(_) | Factor::Count(_) | Factor::Loop(_) => true,
    });
    conditions
}

/// Factors of which none reads the index of a loop: those that do are summed over that loop. Loops that nothing reads are gone. With how
/// many of them, from the first, are among the first `asked` ones. A condition that selects iterations in a way that no bounds and
/// step express is evaluated in each iteration by a sum.
pub(crate) fn closed(program: &Program, factors: &[Factor], asked: usize) -> (Vec<Factor>, usize) {
    let is_all = asked >= factors.len();
    let mut kept: Vec<(Factor, bool)> = factors
        .iter()
        .enumerate()
        .map(|(at, factor)| (factor.clone(), at < asked))
        .collect();
    // Innermost loops first: their sums may read the indices of outer ones.
    while let Some(last) = kept
        .iter()
        .rposition(|(factor, _)| matches!(factor, Factor::Loop(_)))
    {
        let mut inside = kept.split_off(last + 1);
        let Some((Factor::Loop(mut control), _)) = kept.pop() else {
            break;
        };
        let conditions = taken_conditions(&mut inside, &control.index);
        if !conditions.is_empty() {
            let selected = selected_iterations::selected(program, &control, &conditions);
            control = selected.control;
            if let (Some(selected), Some((Factor::Count(trips), _))) =
                (selected.trips, kept.last_mut())
            {
                *trips = selected;
            }
            let rest = selected.rest.into_iter();
            inside.extend(rest.map(|condition| (Factor::If(condition), false)));
        }
        let (summed, others): (Vec<_>, Vec<_>) = inside
            .into_iter()
            .partition(|(factor, _)| reads(factor, &control.index));
        // A sum takes the place of its loop's trip count, which it contains. Factors that do not
        // read the index are multiplied with it as before.
        if !summed.is_empty()
            && let Some((Factor::Count(trips), _)) = kept.pop()
        {
            let product = summed.iter().map(|(factor, _)| clamped(factor));
            let product = product.reduce(|left, right| binary(Operator::Multiply, left, right));
            let step = speculatable::never_zero(program, &control.step);
            let parts = [control.from, control.to, step, trips]
                .into_iter()
                .chain(product);
            let arguments = std::iter::once(Expression::Literal(control.index))
                .chain(parts)
                .collect();
            kept.push((Factor::Count(intrinsic(SUM, arguments)), is_all));
        }
        kept.extend(others);
    }
    let asked = match is_all {
        true => usize::MAX,
        false => kept.iter().take_while(|(_, is_asked)| *is_asked).count(),
    };
    let factors = kept.into_iter().map(|(factor, _)| factor).collect();
    (factors, asked)
}
