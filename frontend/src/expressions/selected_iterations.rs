//! Iterations of a loop that a condition selects, as those of a loop with other bounds and another step, which a count needs no sum for:
//!
//! - from or to a bound: `if (i >= first .and. i <= last)`
//! - in turn, as programs distribute iterations over ranks: `if (mod(i, ranks) == me)`. For `mod(i + offset, period) == remainder` with
//!   0 <= remainder < period, the first of them from `from` on is `from + modulo(remainder - offset - from, period)`. MOD has the sign
//!   of the number, so that unless the remainder is 0 the number must not be negative: `from` is at least `-offset`.
//!
//! Only loops with a step of 1 are looked at. Conditions in no such form are left to a sum over the loop, which evaluates them in
//! each iteration ([`crate::expressions::loop_sums`]).

use crate::expressions::count_factors::Control;
use crate::expressions::speculatable;
use crate::ir::expression_builders::{binary, intrinsic, plus};
use crate::ir::references;
use crate::ir::{Callee, Expression, Operator, Program};

/// Iterations that a condition selects.
pub(crate) struct Selected {
    /// A loop over them, and over those that the rest deselects.
    pub(crate) control: Control,
    /// How many iterations that loop has, where they are not all; negative means none.
    pub(crate) trips: Option<Expression>,
    /// The parts of the condition that the loop does not express.
    pub(crate) rest: Vec<Expression>,
}

/// The iterations of a loop for which all conditions hold.
pub(crate) fn selected(
    program: &Program,
    control: &Control,
    conditions: &[Expression],
) -> Selected {
    let index = &control.index;
    let has_unit_step = matches!(control.step, Expression::Integer(1));
    let mut bounds = Bounds {
        from: in_64_bits(&control.from),
        to: in_64_bits(&control.to),
    };
    let (mut is_narrowed, mut periodic, mut rest) = (false, None, Vec::new());
    let mut open: Vec<&Expression> = conditions.iter().rev().collect();
    while let Some(condition) = open.pop() {
        if let Expression::Binary {
            operator: Operator::And,
            left,
            right,
        } = condition
        {
            open.extend([&**right, &**left]);
        } else if !has_unit_step || !reads(condition, index) {
            rest.push(condition.clone());
        } else if bounds.narrow(condition, index) {
            is_narrowed = true;
        } else if periodic.is_none()
            && let Some(found) = Periodic::of(condition, index)
        {
            periodic = Some(found);
        } else {
            rest.push(condition.clone());
        }
    }
    let (control, trips) = match periodic {
        Some(periodic) => bounds.in_turn(program, control, &periodic),
        None if is_narrowed => bounds.all(control),
        None => {
            return Selected {
                control: control.clone(),
                trips: None,
                rest,
            };
        }
    };
    Selected {
        control,
        trips: Some(trips),
        rest,
    }
}

/// The first and the last iteration, in 64 bits.
struct Bounds {
    from: Expression,
    to: Expression,
}

impl Bounds {
    /// Takes a comparison of the index into account; whether the condition is one.
    fn narrow(&mut self, condition: &Expression, index: &str) -> bool {
        let Expression::Binary {
            operator,
            left,
            right,
        } = condition
        else {
            return false;
        };
        let (side, bound, operator) = match (reads(left, index), reads(right, index)) {
            (true, false) => (left, right, *operator),
            (false, true) => (right, left, mirrored(*operator)),
            (_, _) => return false,
        };
        let Some(offset) = offset(side, index) else {
            return false;
        };
        let bound = offset.subtracted_from(in_64_bits(bound));
        match operator {
            Operator::Less => self.end_at(plus(&bound, -1)),
            Operator::LessEqual => self.end_at(bound),
            Operator::Greater => self.begin_at(plus(&bound, 1)),
            Operator::GreaterEqual => self.begin_at(bound),
            Operator::Equal => {
                self.begin_at(bound.clone());
                self.end_at(bound);
            }
            _ => return false,
        }
        true
    }

    fn begin_at(&mut self, bound: Expression) {
        self.from = intrinsic("max", vec![self.from.clone(), bound]);
    }

    fn end_at(&mut self, bound: Expression) {
        self.to = intrinsic("min", vec![self.to.clone(), bound]);
    }

    fn all(self, control: &Control) -> (Control, Expression) {
        let trips = binary(Operator::Subtract, self.to.clone(), self.from.clone());
        let control = Control {
            index: control.index.clone(),
            from: self.from,
            to: self.to,
            step: Expression::Integer(1),
        };
        (control, plus(&trips, 1))
    }

    /// Those of the iterations for which a remainder has a value.
    fn in_turn(
        self,
        program: &Program,
        control: &Control,
        periodic: &Periodic,
    ) -> (Control, Expression) {
        // A program that divides by 0 ends.
        let period = speculatable::unguarded_divisor(program, &periodic.period);
        let period = intrinsic("max", vec![wide(1), in_64_bits(period)]);
        let from = self.without_negative(control, periodic);
        let remainder = in_64_bits(&periodic.remainder);
        let distance = binary(
            Operator::Subtract,
            periodic.offset.subtracted_from(remainder.clone()),
            from.clone(),
        );
        let behind = intrinsic("modulo", vec![distance, period.clone()]);
        let first = binary(Operator::Add, from, behind);
        let behind_first = binary(Operator::Subtract, self.to.clone(), first.clone());
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
            to: self.to,
            step: period,
        };
        (control, trips)
    }

    /// The first iteration whose number is not negative, or the first of all where that makes no difference.
    fn without_negative(&self, control: &Control, periodic: &Periodic) -> Expression {
        let Periodic {
            offset, remainder, ..
        } = periodic;
        if !periodic.is_signed || matches!(remainder, Expression::Integer(0)) {
            return self.from.clone();
        }
        // A bound of a condition is only later.
        if let (Expression::Integer(from), None) = (&control.from, &offset.variable)
            && from
                .checked_add(offset.number)
                .is_some_and(|first| first >= 0)
        {
            return self.from.clone();
        }
        let later = intrinsic(
            "max",
            vec![
                self.from.clone(),
                in_64_bits(&offset.subtracted_from(wide(0))),
            ],
        );
        let is_zero = binary(Operator::Equal, in_64_bits(remainder), wide(0));
        intrinsic("merge", vec![self.from.clone(), later, is_zero])
    }
}

/// The comparison that holds with its sides exchanged.
fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterEqual => Operator::LessEqual,
        other => other,
    }
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
