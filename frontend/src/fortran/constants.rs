//! Constant expressions: values by Fortran's rules (integer division truncates), types and kinds.

use super::literals;
use crate::ir::{Callee, Expression, Operator, Program, Storage, Type};

/// Deepest chain of constants and operators that is followed.
const DEEPEST: u32 = 400;

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
    fn real(self) -> Option<f64> {
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
    if depth > DEEPEST {
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
        Expression::Binary { operator, left, right } => binary(*operator, sub(left)?, sub(right)?),
        Expression::Call { callee: Callee::Intrinsic(name), arguments } => {
            let kinds = kind_intrinsic(program, name, arguments);
            kinds.or_else(|| intrinsic(name, &arguments.iter().map(sub).collect::<Option<Vec<_>>>()?))
        }
        Expression::Call { .. } | Expression::Reference { .. } | Expression::Other(_) => None,
    }
}

/// A constant takes the type it is declared with.
fn convert(value: Value, of_type: &Type) -> Option<Value> {
    match (of_type, value) {
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

/// Intrinsics that ask for kinds, not values.
fn kind_intrinsic(program: &Program, name: &str, arguments: &[Expression]) -> Option<Value> {
    let number = |index: usize| arguments.get(index).and_then(|argument| fold_integer(program, argument));
    let kind = match name {
        "kind" => match type_of(program, arguments.first()?) {
            Type::Integer(bytes) | Type::Real(bytes) | Type::Logical(bytes) => i64::from(bytes),
            Type::Complex(bytes) => i64::from(bytes / 2),
            Type::Character => 1,
            Type::Derived(_) | Type::Unknown => return None,
        },
        "selected_int_kind" => match number(0)? {
            ..=2 => 1,
            3..=4 => 2,
            5..=9 => 4,
            10..=18 => 8,
            19..=38 => 16,
            _ => -1,
        },
        "selected_real_kind" => match (number(0).unwrap_or(0), number(1).unwrap_or(0)) {
            (..=6, ..=37) => 4,
            (..=15, ..=307) => 8,
            (..=18, ..=4931) => 10,
            _ => 16,
        },
        _ => return None,
    };
    Some(Value::Integer(kind))
}

fn intrinsic(name: &str, values: &[Value]) -> Option<Value> {
    if let Some(value) = integer_intrinsic(name, values) {
        return Some(Value::Integer(value));
    }
    let first = values.first()?.real()?;
    let value = match name {
        "real" | "dble" | "float" | "dfloat" | "sngl" => first,
        "sqrt" | "dsqrt" => first.sqrt(),
        "log" | "dlog" | "alog" => first.ln(),
        "log10" | "dlog10" | "alog10" => first.log10(),
        "exp" | "dexp" => first.exp(),
        "sin" | "dsin" => first.sin(),
        "cos" | "dcos" => first.cos(),
        "tan" | "dtan" => first.tan(),
        "atan" | "datan" => first.atan(),
        "acos" | "dacos" => first.acos(),
        "abs" | "dabs" => first.abs(),
        "int" | "idint" | "ifix" => return Some(Value::Integer(first as i64)),
        "nint" | "idnint" => return Some(Value::Integer(first.round() as i64)),
        "ceiling" => return Some(Value::Integer(first.ceil() as i64)),
        "floor" => return Some(Value::Integer(first.floor() as i64)),
        "max" | "dmax1" | "amax1" => {
            values.iter().try_fold(first, |most, value| Some(most.max(value.real()?)))?
        }
        "min" | "dmin1" | "amin1" => {
            values.iter().try_fold(first, |least, value| Some(least.min(value.real()?)))?
        }
        _ => return None,
    };
    Some(Value::Real(value))
}

fn integer_intrinsic(name: &str, values: &[Value]) -> Option<i64> {
    let integer = |value: &Value| match value {
        Value::Integer(value) => Some(*value),
        Value::Real(_) | Value::Logical(_) => None,
    };
    let all: Vec<i64> = values.iter().map(integer).collect::<Option<_>>()?;
    match (name, &all[..]) {
        ("max" | "max0", [_, ..]) => all.iter().max().copied(),
        ("min" | "min0", [_, ..]) => all.iter().min().copied(),
        ("mod", [a, b]) => a.checked_rem(*b),
        ("modulo", [a, b]) => a.checked_rem_euclid(*b).map(|r| if *b < 0 && r != 0 { r + b } else { r }),
        ("abs" | "iabs", [a]) => a.checked_abs(),
        ("int" | "nint" | "floor" | "ceiling", [a, ..]) => Some(*a),
        ("iand" | "and", [a, b]) => Some(a & b),
        ("ior" | "or", [a, b]) => Some(a | b),
        ("ieor" | "xor", [a, b]) => Some(a ^ b),
        ("ishft", [a, b @ 0..=62]) => a.checked_shl(*b as u32),
        ("ishft", [a, b @ -62..=-1]) => a.checked_shr(b.unsigned_abs() as u32),
        ("sign" | "isign", [a, b]) => Some(if *b < 0 { -a.checked_abs()? } else { a.checked_abs()? }),
        _ => None,
    }
}

/// Type of an expression, as far as it can be told.
pub fn type_of(program: &Program, expression: &Expression) -> Type {
    match expression {
        Expression::Integer(_) => Type::Integer(4),
        Expression::Literal(text) => literals::type_of(text),
        Expression::Variable(id) => program.variable(*id).of_type.clone(),
        Expression::Reference { base, path, .. } if path.is_empty() => {
            program.variable(*base).of_type.clone()
        }
        Expression::Unary { operand, .. } => type_of(program, operand),
        Expression::Binary { operator, left, right } => binary_type(program, *operator, left, right),
        Expression::Call { callee: Callee::Procedure(id), .. } => program
            .procedure(*id)
            .result
            .map_or(Type::Unknown, |result| program.variable(result).of_type.clone()),
        Expression::Call { callee: Callee::Intrinsic(name), arguments } => {
            intrinsic_type(program, name, arguments)
        }
        Expression::Call { .. } | Expression::Reference { .. } | Expression::Other(_) => Type::Unknown,
    }
}

fn intrinsic_type(program: &Program, name: &str, arguments: &[Expression]) -> Type {
    match name {
        "int" | "nint" | "mod" | "ceiling" | "floor" | "size" | "index" | "len" | "len_trim" | "ichar"
        | "count" | "iand" | "ior" | "ieor" | "ubound" | "lbound" | "idint" | "max0" | "min0" => {
            Type::Integer(4)
        }
        "dble" | "dsqrt" | "dabs" | "dlog" | "dexp" | "dfloat" | "dmax1" | "dmin1" | "dmod" | "dsign" => {
            Type::Real(8)
        }
        "char" | "achar" | "trim" | "adjustl" | "adjustr" | "repeat" => Type::Character,
        _ => arguments.first().map_or(Type::Unknown, |first| type_of(program, first)),
    }
}

fn binary_type(program: &Program, operator: Operator, left: &Expression, right: &Expression) -> Type {
    match operator {
        Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Power => {
            wider(type_of(program, left), type_of(program, right))
        }
        Operator::Concatenate => Type::Character,
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessEqual
        | Operator::Greater
        | Operator::GreaterEqual
        | Operator::And
        | Operator::Or
        | Operator::Not
        | Operator::Equivalent
        | Operator::NotEquivalent => Type::Logical(4),
        Operator::Negate | Operator::Plus | Operator::Defined => Type::Unknown,
    }
}

/// Type of an arithmetic operation's result.
fn wider(left: Type, right: Type) -> Type {
    match (left, right) {
        (Type::Integer(a), Type::Integer(b)) => Type::Integer(a.max(b)),
        (Type::Real(a), Type::Real(b)) => Type::Real(a.max(b)),
        (Type::Complex(a), Type::Complex(b)) => Type::Complex(a.max(b)),
        (Type::Complex(a), Type::Real(b)) | (Type::Real(b), Type::Complex(a)) => {
            Type::Complex(a.max(b.saturating_mul(2)))
        }
        (Type::Integer(_), other @ (Type::Real(_) | Type::Complex(_)))
        | (other @ (Type::Real(_) | Type::Complex(_)), Type::Integer(_)) => other,
        _ => Type::Unknown,
    }
}
