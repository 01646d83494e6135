//! Literals: values and types by their spelling.

use super::constant_value::{Real, Value};
use crate::ir::Type;

/// Value of a literal; `None` for text, complex and bit patterns.
pub fn value(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (body, _) = lower.split_once('_').unwrap_or((&lower, ""));
    match body {
        ".true." => return Some(Value::Logical(true)),
        ".false." => return Some(Value::Logical(false)),
        _ => {}
    }
    if !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if body.bytes().all(|byte| byte.is_ascii_digit()) {
        return body.parse().ok().map(Value::Integer);
    }
    Real::nearest(&body.replace('d', "e")).map(Value::Real)
}

/// Type of a literal by its form and kind.
pub fn type_of(text: &str) -> Type {
    let lower = text.to_ascii_lowercase();
    if lower.starts_with(['\'', '"']) || lower.ends_with(['\'', '"']) {
        return Type::Character;
    }
    let (body, kind) = lower
        .split_once('_')
        .map_or((&lower[..], None), |(body, kind)| (body, Some(kind)));
    let bytes = |default: u8| match kind {
        Some(kind) => kind.parse().unwrap_or(0),
        None => default,
    };
    let found = match value(text) {
        Some(Value::Logical(_)) => Type::Logical(bytes(4)),
        Some(Value::Integer(_)) => Type::Integer(bytes(4)),
        Some(Value::Real(_)) if body.contains('d') => Type::Real(8),
        Some(Value::Real(_)) => Type::Real(bytes(4)),
        None => Type::Unknown,
    };
    match found {
        // A kind by name is not looked up here.
        Type::Integer(0) | Type::Real(0) | Type::Logical(0) => Type::Unknown,
        known => known,
    }
}

/// A number literal as IR holds it: the value of an integer of the usual kind, otherwise the spelling.
pub fn number(text: &str) -> crate::ir::Expression {
    let (body, kind) = text.split_once('_').unwrap_or((text, "4"));
    match body.parse::<i64>() {
        Ok(value) if kind == "4" && body.bytes().all(|byte| byte.is_ascii_digit()) => {
            crate::ir::Expression::Integer(value)
        }
        _ => crate::ir::Expression::Literal(text.to_ascii_lowercase()),
    }
}
