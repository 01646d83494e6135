//! Types and ranks of expressions, as far as kinds, generic names and units of input and output need them.

use super::literals;
use crate::ir::{Callee, Expression, Operator, ProcedureId, Program, Subscript, Type, VariableId};

/// Type of an expression, as far as it can be told.
pub fn type_of(program: &Program, expression: &Expression) -> Type {
    match expression {
        Expression::Integer(_) => Type::Integer(4),
        Expression::Literal(text) => literals::type_of(text),
        Expression::Variable(id) => program.variable(*id).of_type.clone(),
        Expression::Reference { base, path, .. } => program.type_of_part(*base, path),
        Expression::Unary { operator, operand } => match operator {
            Operator::Defined => Type::Unknown,
            _ => type_of(program, operand),
        },
        Expression::Binary {
            operator,
            left,
            right,
        } => binary_type(program, *operator, left, right),
        Expression::Call {
            callee: Callee::Procedure(id),
            ..
        } => result_type(program, *id),
        Expression::Call {
            callee: Callee::OneOf(all),
            ..
        } => {
            let mut types = all.iter().map(|id| result_type(program, *id));
            let first = types.next().unwrap_or(Type::Unknown);
            if types.all(|other| other == first) {
                first
            } else {
                Type::Unknown
            }
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => intrinsic_type(program, name, arguments),
        Expression::Call { .. } | Expression::Other(_) => Type::Unknown,
    }
}

fn result_type(program: &Program, id: ProcedureId) -> Type {
    program
        .procedure(id)
        .result
        .map_or(Type::Unknown, |result| {
            program.variable(result).of_type.clone()
        })
}

/// Functions whose value is of double precision, whatever their arguments are.
const DOUBLE: [&str; 36] = [
    "dble", "dfloat", "dreal", "dimag", "cdabs", "zabs", "dabs", "dsqrt", "dlog", "dlog10", "dexp",
    "dsin", "dcos", "dtan", "dasin", "dacos", "datan", "datan2", "dsinh", "dcosh", "dtanh",
    "dmax1", "dmin1", "dmod", "dsign", "ddim", "dint", "dnint", "dprod", "derf", "derfc", "dgamma",
    "dlgama", "dbesj0", "dbesj1", "dcotan",
];

/// The same of complex numbers.
const DOUBLE_COMPLEX: [&str; 12] = [
    "dcmplx", "dconjg", "cdexp", "cdlog", "cdsin", "cdcos", "cdsqrt", "zexp", "zlog", "zsin",
    "zcos", "zsqrt",
];

fn intrinsic_type(program: &Program, name: &str, arguments: &[Expression]) -> Type {
    let first = || {
        arguments
            .first()
            .map_or(Type::Unknown, |first| type_of(program, first))
    };
    match name {
        // A second argument is the kind.
        "int" | "nint" | "ceiling" | "floor" if arguments.len() > 1 => Type::Unknown,
        "size" | "lbound" | "ubound" | "index" | "count" if arguments.len() > 2 => Type::Unknown,
        "int" | "nint" | "ceiling" | "floor" | "size" | "lbound" | "ubound" | "index" | "len"
        | "len_trim" | "ichar" | "count" | "idint" | "max0" | "min0" => Type::Integer(4),
        _ if DOUBLE.contains(&name) => Type::Real(8),
        _ if DOUBLE_COMPLEX.contains(&name) => Type::Complex(16),
        "aimag" | "imag" | "imagpart" | "realpart" => match first() {
            Type::Complex(bytes) => Type::Real(bytes / 2),
            _ => Type::Unknown,
        },
        "real" | "float" | "sngl" if arguments.len() == 1 => match first() {
            // The part of a complex number has its kind.
            Type::Complex(bytes) => Type::Real(bytes / 2),
            Type::Unknown => Type::Unknown,
            _ => Type::Real(4),
        },
        "abs" => match first() {
            Type::Complex(bytes) => Type::Real(bytes / 2),
            other => other,
        },
        "char" | "achar" | "trim" | "adjustl" | "adjustr" | "repeat" => Type::Character,
        "present" | "associated" | "allocated" | "any" | "all" | "btest" => Type::Logical(4),
        "mod" | "modulo" | "max" | "min" | "sign" | "dim" | "sqrt" | "exp" | "log" | "log10"
        | "sin" | "cos" | "tan" | "sum" | "product" | "maxval" | "minval" | "iand" | "ior"
        | "ieor" | "ishft" | "merge" | "conjg" | "aint" | "anint" | "reshape" | "spread"
        | "pack" | "cshift" | "eoshift" | "transpose" => first(),
        _ => Type::Unknown,
    }
}

/// Rank of an expression, as far as it can be told.
pub fn rank_of(program: &Program, expression: &Expression) -> Option<usize> {
    match expression {
        Expression::Integer(_) | Expression::Literal(_) => Some(0),
        Expression::Variable(id) => Some(program.variable(*id).shape.len()),
        Expression::Reference {
            base,
            path,
            subscripts,
        } => part_rank(program, *base, path, subscripts),
        Expression::Unary { operator, operand } if *operator != Operator::Defined => {
            rank_of(program, operand)
        }
        Expression::Binary {
            operator,
            left,
            right,
        } if *operator != Operator::Defined => {
            Some(rank_of(program, left)?.max(rank_of(program, right)?))
        }
        Expression::Call {
            callee: Callee::Procedure(id),
            ..
        } if !program.procedure(*id).is_elemental => program
            .procedure(*id)
            .result
            .map(|result| program.variable(result).shape.len()),
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => intrinsic_rank(name, arguments, |argument| rank_of(program, argument)),
        Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => None,
    }
}

fn intrinsic_rank(
    name: &str,
    arguments: &[Expression],
    rank: impl Fn(&Expression) -> Option<usize>,
) -> Option<usize> {
    match name {
        "size" | "len" | "trim" | "present" | "associated" | "allocated" | "huge" | "tiny"
        | "epsilon" | "kind" => Some(0),
        "sum" | "product" | "maxval" | "minval" | "any" | "all" | "count"
            if arguments.len() == 1 =>
        {
            Some(0)
        }
        "real" | "dble" | "int" | "nint" | "aint" | "anint" | "ceiling" | "floor" | "abs"
        | "sqrt" | "exp" | "log" | "log10" | "sin" | "cos" | "tan" | "mod" | "modulo" | "max"
        | "min" | "sign" | "dim" | "iand" | "ior" | "ieor" | "merge" | "conjg" | "cmplx"
        | "len_trim" | "index" => arguments
            .iter()
            .try_fold(0, |most: usize, argument| Some(most.max(rank(argument)?))),
        _ => None,
    }
}

/// Dimensions of the variable and its components, less those that a single subscript takes away. (A
/// subscript that is an array takes none.)
fn part_rank(
    program: &Program,
    base: VariableId,
    path: &[String],
    subscripts: &[Subscript],
) -> Option<usize> {
    let mut dimensions = program.variable(base).shape.len();
    for end in 0..path.len() {
        let Type::Derived(of) = program.type_of_part(base, &path[..end]) else {
            return None;
        };
        dimensions += program
            .component(&of, &path[end])
            .map_or(0, |component| component.rank);
    }
    let mut single = 0;
    for subscript in subscripts {
        match subscript {
            Subscript::Element(index) => single += usize::from(rank_of(program, index)? == 0),
            Subscript::Section { .. } => {}
        }
    }
    // More subscripts than dimensions: a substring.
    if subscripts.len() > dimensions {
        Some(dimensions.saturating_sub(single))
    } else {
        dimensions.checked_sub(single)
    }
}

fn binary_type(
    program: &Program,
    operator: Operator,
    left: &Expression,
    right: &Expression,
) -> Type {
    match operator {
        Operator::Add
        | Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Power => wider(type_of(program, left), type_of(program, right)),
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
