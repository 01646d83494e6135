//! Constant folding of intrinsic functions.

use super::constant_value::Value;
use super::value_types::type_of;
use crate::ir::{Expression, Program, Type};

/// Intrinsics that ask for kinds, not values. `fold_integer` returns the value of a constant integer expression.
pub fn kind_intrinsic(
    program: &Program,
    name: &str,
    arguments: &[Expression],
    fold_integer: fn(&Program, &Expression) -> Option<i64>,
) -> Option<Value> {
    let number = |index: usize| {
        arguments
            .get(index)
            .and_then(|argument| fold_integer(program, argument))
    };
    let kind = match name {
        "kind" => match type_of(program, arguments.first()?) {
            Type::Integer(bytes) | Type::Real(bytes) | Type::Logical(bytes) => i64::from(bytes),
            Type::Complex(bytes) => i64::from(bytes / 2),
            Type::Character => 1,
            Type::Derived(_) | Type::Unknown => return None,
        },
        // Ranges of the kinds that gfortran has on x86-64 and AArch64 (F2018 16.9, SELECTED_INT_KIND).
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

/// Value of an intrinsic function of these values.
pub fn intrinsic(name: &str, values: &[Value]) -> Option<Value> {
    if let Some(value) = integer_intrinsic(name, values) {
        return Some(Value::Integer(value));
    }
    let first = values.first()?.real()?;
    let value = match name {
        "real" | "dble" | "float" | "dfloat" | "sngl" => first,
        "sqrt" | "dsqrt" => first.map(f32::sqrt, f64::sqrt),
        "log" | "dlog" | "alog" => first.map(f32::ln, f64::ln),
        "log10" | "dlog10" | "alog10" => first.map(f32::log10, f64::log10),
        "exp" | "dexp" => first.map(f32::exp, f64::exp),
        "sin" | "dsin" => first.map(f32::sin, f64::sin),
        "cos" | "dcos" => first.map(f32::cos, f64::cos),
        "tan" | "dtan" => first.map(f32::tan, f64::tan),
        "atan" | "datan" => first.map(f32::atan, f64::atan),
        "acos" | "dacos" => first.map(f32::acos, f64::acos),
        "abs" | "dabs" => first.map(f32::abs, f64::abs),
        "int" | "idint" | "ifix" => return first.integer(f64::trunc).map(Value::Integer),
        "nint" | "idnint" => return first.integer(f64::round).map(Value::Integer),
        "ceiling" => return first.integer(f64::ceil).map(Value::Integer),
        "floor" => return first.integer(f64::floor).map(Value::Integer),
        "max" | "dmax1" | "amax1" => values.iter().try_fold(first, |most, value| {
            Some(most.combine(value.real()?, f32::max, f64::max))
        })?,
        "min" | "dmin1" | "amin1" => values.iter().try_fold(first, |least, value| {
            Some(least.combine(value.real()?, f32::min, f64::min))
        })?,
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
        // The result has the sign of the divisor (F2018 16.9, MODULO); Rust's Euclidean remainder is never
        // negative.
        ("modulo", [a, b]) => a
            .checked_rem_euclid(*b)
            .map(|r| if *b < 0 && r != 0 { r + b } else { r }),
        ("abs" | "iabs", [a]) => a.checked_abs(),
        ("int" | "nint" | "floor" | "ceiling", [a, ..]) => Some(*a),
        ("iand" | "and", [a, b]) => Some(a & b),
        ("ior" | "or", [a, b]) => Some(a | b),
        ("ieor" | "xor", [a, b]) => Some(a ^ b),
        // Shifts of 63 and more depend on the kind of the argument, which is not known here.
        ("ishft", [a, b @ 0..=62]) => a.checked_shl(*b as u32),
        ("ishft", [a, b @ -62..=-1]) => a.checked_shr(b.unsigned_abs() as u32),
        ("sign" | "isign", [a, b]) => Some(if *b < 0 {
            -a.checked_abs()?
        } else {
            a.checked_abs()?
        }),
        _ => None,
    }
}
