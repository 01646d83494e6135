//! Types of expressions, as far as kinds, generic names and units of input and output need them.

use super::literals;
use crate::ir::{Callee, Expression, Operator, Program, Type};

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
