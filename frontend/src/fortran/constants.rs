//! Constant folding of PARAMETER expressions by Fortran's rules (integer division truncates), types and kinds.

use super::folded_intrinsics::{intrinsic, kind_intrinsic};
use super::literals;
use crate::ir::{Callee, Expression, Operator, Program, Storage, Type};

/// Deepest chain of constants and operators that is followed.
const MAX_DEPTH: u32 = 400;

/// A constant's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Integer.
    Integer(i64),
    /// Real of any kind.
    Real(f64),
    /// Logical.
    Logical(bool),
}

impl Value {
    /// As a real number; a logical is none.
    pub fn real(self) -> Option<f64> {
        match self {
            Value::Integer(value) => Some(value as f64),
            Value::Real(value) => Some(value),
            Value::Logical(_) => None,
        }
    }
}

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
            let kinds = kind_intrinsic(program, name, arguments);
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
        (Type::Integer(_), Value::Real(real)) => Some(Value::Integer(real as i64)),
        (Type::Real(_), value) => value.real().map(Value::Real),
        _ => Some(value),
    }
}

fn unary(operator: Operator, value: Value) -> Option<Value> {
    match (operator, value) {
        (Operator::Negate, Value::Integer(value)) => value.checked_neg().map(Value::Integer),
        (Operator::Negate, Value::Real(value)) => Some(Value::Real(-value)),
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

fn reals(operator: Operator, left: f64, right: f64) -> Option<Value> {
    match operator {
        Operator::Add => Some(Value::Real(left + right)),
        Operator::Subtract => Some(Value::Real(left - right)),
        Operator::Multiply => Some(Value::Real(left * right)),
        Operator::Divide => Some(Value::Real(left / right)),
        Operator::Power => Some(Value::Real(left.powf(right))),
        Operator::Equal => Some(Value::Logical(left == right)),
        Operator::NotEqual => Some(Value::Logical(left != right)),
        Operator::Less => Some(Value::Logical(left < right)),
        Operator::LessEqual => Some(Value::Logical(left <= right)),
        Operator::Greater => Some(Value::Logical(left > right)),
        Operator::GreaterEqual => Some(Value::Logical(left >= right)),
        Operator::Concatenate
        | Operator::And
        | Operator::Or
        | Operator::Not
        | Operator::Equivalent
        | Operator::NotEquivalent
        | Operator::Negate
        | Operator::Plus
        | Operator::Defined => None,
    }
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
