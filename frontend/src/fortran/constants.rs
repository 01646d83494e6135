//! Constant folding of PARAMETER expressions by Fortran's rules (integer division truncates), types and kinds.

use super::constant_value::{Real, Value};
use super::folded_intrinsics::{intrinsic, kind_intrinsic};
use super::literals;
use crate::ir::{Callee, Expression, Operator, Program, Storage, Type};
use std::ops::{Add, Div, Mul, Sub};

/// Deepest chain of constants and operators that is followed.
const MAX_DEPTH: u32 = 400;

/// Value of an expression, where it is constant and known.
pub fn fold(program: &Program, expression: &Expression) -> Option<Value> {
    fold_at(program, expression, 0)
}

/// Value of an integer expression, where it is constant and known.
pub fn fold_integer(program: &Program, expression: &Expression) -> Option<i64> {
    match fold(program, expression)? {
        Value::Integer(value) => Some(value),
        Value::Real(_) | Value::Logical(_) => None,
    }
}

fn fold_at(program: &Program, expression: &Expression, depth: u32) -> Option<Value> {
    // Wrong sources may define constants by each other.
    if depth > MAX_DEPTH {
        return None;
    }
    let sub = |inner: &Expression| fold_at(program, inner, depth + 1);
    match expression {
        Expression::Integer(value) => Some(Value::Integer(*value)),
        Expression::Literal(text) => literals::value(text),
        Expression::Variable(id) => match &program.variable(*id).storage {
            Storage::Constant(Some(value)) => convert(sub(value)?, &program.variable(*id).of_type),
            Storage::Constant(None)
            | Storage::Local
            | Storage::Static
            | Storage::Dummy(_)
            | Storage::Common { .. }
            | Storage::Module(_) => None,
        },
        Expression::Unary { operator, operand } => unary(*operator, sub(operand)?),
        Expression::Binary {
            operator,
            left,
            right,
        } => binary(*operator, sub(left)?, sub(right)?),
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => {
            let kinds = kind_intrinsic(program, name, arguments, fold_integer);
            kinds.or_else(|| {
                intrinsic(
                    name,
                    &arguments.iter().map(sub).collect::<Option<Vec<_>>>()?,
                )
            })
        }
        Expression::Call { .. } | Expression::Reference { .. } | Expression::Other(_) => None,
    }
}

/// A constant takes the type it is declared with.
fn convert(value: Value, of_type: &Type) -> Option<Value> {
    match (of_type, value) {
        // Truncated towards zero, as INT does.
        (Type::Integer(_), Value::Real(real)) => real.integer(f64::trunc).map(Value::Integer),
        (Type::Real(_), value) => value.real().map(Value::Real),
        _ => Some(value),
    }
}

fn unary(operator: Operator, value: Value) -> Option<Value> {
    match (operator, value) {
        (Operator::Negate, Value::Integer(value)) => value.checked_neg().map(Value::Integer),
        (Operator::Negate, Value::Real(value)) => {
            Some(Value::Real(value.map(|single| -single, |double| -double)))
        }
        (Operator::Plus, value) => Some(value),
        (Operator::Not, Value::Logical(value)) => Some(Value::Logical(!value)),
        _ => None,
    }
}

fn binary(operator: Operator, left: Value, right: Value) -> Option<Value> {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => integers(operator, left, right),
        (Value::Logical(left), Value::Logical(right)) => logicals(operator, left, right),
        (left, right) => reals(operator, left.real()?, right.real()?),
    }
}

fn integers(operator: Operator, left: i64, right: i64) -> Option<Value> {
    let value = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide => left.checked_div(right),
        Operator::Power => integer_power(left, right),
        Operator::Equal => return Some(Value::Logical(left == right)),
        Operator::NotEqual => return Some(Value::Logical(left != right)),
        Operator::Less => return Some(Value::Logical(left < right)),
        Operator::LessEqual => return Some(Value::Logical(left <= right)),
        Operator::Greater => return Some(Value::Logical(left > right)),
        Operator::GreaterEqual => return Some(Value::Logical(left >= right)),
        Operator::Concatenate
        | Operator::And
        | Operator::Or
        | Operator::Not
        | Operator::Equivalent
        | Operator::NotEquivalent
        | Operator::Negate
        | Operator::Plus
        | Operator::Defined => None,
    };
    value.map(Value::Integer)
}

fn integer_power(base: i64, power: i64) -> Option<i64> {
    match (base, power) {
        (_, 0..) => base.checked_pow(u32::try_from(power).ok()?),
        // A negative power is 1 / base**n, which truncates to 0 except for the bases 1 and -1.
        (1, _) => Some(1),
        (-1, _) => Some(if power % 2 == 0 { 1 } else { -1 }),
        (0, _) => None,
        _ => Some(0),
    }
}

fn reals(operator: Operator, left: Real, right: Real) -> Option<Value> {
    let value = match operator {
        Operator::Add => left.combine(right, f32::add, f64::add),
        Operator::Subtract => left.combine(right, f32::sub, f64::sub),
        Operator::Multiply => left.combine(right, f32::mul, f64::mul),
        Operator::Divide => left.combine(right, f32::div, f64::div),
        Operator::Power => left.combine(right, f32::powf, f64::powf),
        Operator::Equal => return left.compare(right, f64::eq).map(Value::Logical),
        Operator::NotEqual => return left.compare(right, f64::ne).map(Value::Logical),
        Operator::Less => return left.compare(right, f64::lt).map(Value::Logical),
        Operator::LessEqual => return left.compare(right, f64::le).map(Value::Logical),
        Operator::Greater => return left.compare(right, f64::gt).map(Value::Logical),
        Operator::GreaterEqual => return left.compare(right, f64::ge).map(Value::Logical),
        Operator::Concatenate
        | Operator::And
        | Operator::Or
        | Operator::Not
        | Operator::Equivalent
        | Operator::NotEquivalent
        | Operator::Negate
        | Operator::Plus
        | Operator::Defined => return None,
    };
    Some(Value::Real(value))
}

fn logicals(operator: Operator, left: bool, right: bool) -> Option<Value> {
    match operator {
        Operator::And => Some(Value::Logical(left && right)),
        Operator::Or => Some(Value::Logical(left || right)),
        Operator::Equivalent => Some(Value::Logical(left == right)),
        Operator::NotEquivalent => Some(Value::Logical(left != right)),
        Operator::Add
        | Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Power
        | Operator::Concatenate
        | Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual
        | Operator::Not
        | Operator::Negate
        | Operator::Plus
        | Operator::Defined => None,
    }
}
