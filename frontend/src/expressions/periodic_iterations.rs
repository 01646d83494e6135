//! Iterations of a loop that a condition selects periodically, as programs distribute them over ranks in turn:
//! `do i = 1, n; if (mod(i, ranks) == me) …`. They are those of a loop with the period as its step, which a count needs no sum for.
//!
//! For `mod(i + offset, period) == remainder` with 0 <= remainder < period, the first of them from `from` on is
//! `from + modulo(remainder - offset - from, period)`. MOD has the sign of the number, so that unless the remainder is 0 the number must
//! not be negative: `from` is at least `-offset`. With MODULO it may be.

use crate::expressions::count_factors::Control;
use crate::expressions::speculatable;
use crate::ir::expression_builders::{binary, intrinsic, plus};
use crate::ir::references;
use crate::ir::{Callee, Expression, Operator, Program};

/// A loop over the selected iterations alone, and how many there are; negative means none. `None` for other conditions.
pub(crate) fn selected(
    program: &Program,
    control: &Control,
    condition: &Expression,
) -> Option<(Control, Expression)> {
    if !matches!(control.step, Expression::Integer(1)) {
        return None;
    }
    let Periodic {
        offset,
        period,
        remainder,
        is_signed,
    } = Periodic::of(condition, &control.index)?;
    // A program that divides by 0 ends.
    let period = speculatable::unguarded_divisor(program, &period);
    let period = intrinsic("max", vec![wide(1), in_64_bits(period)]);
    let from = match is_signed {
        false => in_64_bits(&control.from),
        true => from_without_negative(control, &offset, &remainder),
    };
    let remainder = in_64_bits(&remainder);
    let distance = binary(
        Operator::Subtract,
        offset.subtracted_from(remainder.clone()),
        from.clone(),
    );
    let behind = intrinsic("modulo", vec![distance, period.clone()]);
    let first = binary(Operator::Add, from, behind);
    let behind_first = binary(Operator::Subtract, in_64_bits(&control.to), first.clone());
    let trips = binary(
        Operator::Divide,
        binary(Operator::Add, behind_first, period.clone()),
        period.clone(),
    );
    let occurs = binary(
        Operator::And,
        binary(Operator::GreaterEqual, remainder.clone(), wide(0)),
        binary(Operator::Less, remainder, period.clone()),
    );
    let trips = intrinsic("merge", vec![trips, wide(0), occurs]);
    let control = Control {
        index: control.index.clone(),
        from: first,
        to: in_64_bits(&control.to),
        step: period,
    };
    Some((control, trips))
}

/// The first iteration whose number is not negative, or the first of all if the remainder is 0.
fn from_without_negative(control: &Control, offset: &Offset, remainder: &Expression) -> Expression {
    let from = in_64_bits(&control.from);
    if matches!(remainder, Expression::Integer(0)) {
        return from;
    }
    if let (Expression::Integer(from_number), None) = (&control.from, &offset.variable)
        && from_number
            .checked_add(offset.number)
            .is_some_and(|first| first >= 0)
    {
        return from;
    }
    let least = offset.subtracted_from(wide(0));
    let later = intrinsic("max", vec![from.clone(), least]);
    let is_zero = binary(Operator::Equal, in_64_bits(remainder), wide(0));
    intrinsic("merge", vec![from, later, is_zero])
}

/// `mod(index + offset, period) == remainder`.
struct Periodic {
    offset: Offset,
    period: Expression,
    remainder: Expression,
    /// Whether the remainder of a negative number is negative.
    is_signed: bool,
}

/// What is added to an index.
struct Offset {
    /// In 64 bits.
    variable: Option<Expression>,
    number: i64,
}

impl Offset {
    fn subtracted_from(&self, expression: Expression) -> Expression {
        let rest = match &self.variable {
            None => expression,
            Some(variable) => binary(Operator::Subtract, expression, variable.clone()),
        };
        plus(&rest, self.number.saturating_neg())
    }
}

impl Periodic {
    fn of(condition: &Expression, index: &str) -> Option<Self> {
        let Expression::Binary {
            operator: Operator::Equal,
            left,
            right,
        } = condition
        else {
            return None;
        };
        Self::of_sides(left, right, index).or_else(|| Self::of_sides(right, left, index))
    }

    fn of_sides(side: &Expression, remainder: &Expression, index: &str) -> Option<Self> {
        let Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } = side
        else {
            return None;
        };
        let [number, period] = &arguments[..] else {
            return None;
        };
        let is_signed = match name.as_str() {
            "mod" => true,
            "modulo" => false,
            _ => return None,
        };
        if reads(period, index) || reads(remainder, index) {
            return None;
        }
        Some(Periodic {
            offset: offset(number, index)?,
            period: period.clone(),
            remainder: remainder.clone(),
            is_signed,
        })
    }
}

/// What is added to the index in `index + … - …`.
fn offset(number: &Expression, index: &str) -> Option<Offset> {
    match number {
        Expression::Literal(text) if text == index => Some(Offset {
            variable: None,
            number: 0,
        }),
        // The index in the kind of its variable.
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if name == "int" && matches!(arguments[..], [_, Expression::Integer(_)]) => {
            offset(&arguments[0], index)
        }
        Expression::Binary {
            operator: operator @ (Operator::Add | Operator::Subtract),
            left,
            right,
        } => {
            let (inside, other) = match (operator, reads(left, index), reads(right, index)) {
                (_, true, false) => (left, right),
                (Operator::Add, false, true) => (right, left),
                (_, _, _) => return None,
            };
            let Offset { variable, number } = offset(inside, index)?;
            let is_added = *operator == Operator::Add;
            if let Expression::Integer(value) = **other {
                let value = if is_added {
                    value
                } else {
                    value.checked_neg()?
                };
                let number = number.checked_add(value)?;
                return Some(Offset { variable, number });
            }
            let other = in_64_bits(other);
            let variable = match (variable, is_added) {
                (Some(before), _) => binary(*operator, before, other),
                (None, true) => other,
                (None, false) => binary(Operator::Subtract, wide(0), other),
            };
            Some(Offset {
                variable: Some(variable),
                number,
            })
        }
        _ => None,
    }
}

fn reads(expression: &Expression, index: &str) -> bool {
    let mut found = false;
    references::walk(expression, &mut |part| {
        found |= matches!(part, Expression::Literal(text) if text == index);
    });
    found
}

fn wide(value: i64) -> Expression {
    Expression::Literal(format!("{value}_8"))
}

fn in_64_bits(expression: &Expression) -> Expression {
    match expression {
        Expression::Integer(value) if *value >= 0 => wide(*value),
        _ => intrinsic("int", vec![expression.clone(), Expression::Integer(8)]),
    }
}
