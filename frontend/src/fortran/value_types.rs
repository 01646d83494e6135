//! Types and ranks of expressions, to the extent that kinds, generic names and input/output units need them.

use super::literals;
use crate::ir::{Callee, Expression, Operator, ProcedureId, Program, Subscript, Type, VariableId};

/// Type of an expression, as far as it is known.
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
            let Some((first, others)) = all.split_first() else {
                return Type::Unknown;
            };
            let of_type = result_type(program, *first);
            for other in others {
                if result_type(program, *other) != of_type {
                    return Type::Unknown;
                }
            }
            of_type
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => intrinsic_type(program, name, arguments),
        Expression::Call { .. } | Expression::Other(_) => Type::Unknown,
    }
}

/// Whether the value of an expression is an integer, of whatever kind.
pub fn is_integer(program: &Program, expression: &Expression) -> bool {
    match expression {
        Expression::Unary { operator, operand } => {
            *operator != Operator::Defined && is_integer(program, operand)
        }
        Expression::Binary {
            operator:
                Operator::Add
                | Operator::Subtract
                | Operator::Multiply
                | Operator::Divide
                | Operator::Power,
            left,
            right,
        } => is_integer(program, left) && is_integer(program, right),
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if INTEGER.contains(&name.as_str())
            || TYPE_OF_FIRST_ARGUMENT.contains(&name.as_str()) =>
        {
            // KIND, which these may have as their last argument, changes the kind only.
            INTEGER.contains(&name.as_str())
                || arguments
                    .first()
                    .is_some_and(|first| is_integer(program, first))
        }
        _ => matches!(type_of(program, expression), Type::Integer(_)),
    }
}

fn result_type(program: &Program, id: ProcedureId) -> Type {
    match program.procedure(id).result {
        Some(result) => program.variable(result).of_type.clone(),
        None => Type::Unknown,
    }
}

/// Functions that return a default INTEGER.
const INTEGER: [&str; 24] = [
    "int", "nint", "ceiling", "floor", "size", "lbound", "ubound", "index", "len", "len_trim",
    "ichar", "count", "idint", "max0", "min0", "idnint", "ifix", "max1", "min1", "popcnt",
    "poppar", "leadz", "trailz", "rank",
];

/// Functions that return CHARACTER.
const CHARACTER: [&str; 6] = ["char", "achar", "trim", "adjustl", "adjustr", "repeat"];

/// Functions that return a default LOGICAL.
const LOGICAL: [&str; 6] = ["present", "associated", "allocated", "any", "all", "btest"];

/// Functions that return the type of their first argument.
const TYPE_OF_FIRST_ARGUMENT: [&str; 43] = [
    "mod",
    "modulo",
    "max",
    "min",
    "sign",
    "dim",
    "sqrt",
    "exp",
    "log",
    "log10",
    "sin",
    "cos",
    "tan",
    "sum",
    "product",
    "maxval",
    "minval",
    "iand",
    "ior",
    "ieor",
    "ishft",
    "ishftc",
    "shiftl",
    "shiftr",
    "shifta",
    "not",
    "ibits",
    "ibset",
    "ibclr",
    "iabs",
    "isign",
    "idim",
    "bit_size",
    "merge",
    "conjg",
    "aint",
    "anint",
    "reshape",
    "spread",
    "pack",
    "cshift",
    "eoshift",
    "transpose",
];

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
    if takes_kind_last(name, arguments.len()) {
        return Type::Unknown;
    }
    if INTEGER.contains(&name) {
        return Type::Integer(4);
    }
    if DOUBLE.contains(&name) {
        return Type::Real(8);
    }
    if DOUBLE_COMPLEX.contains(&name) {
        return Type::Complex(16);
    }
    if CHARACTER.contains(&name) {
        return Type::Character;
    }
    if LOGICAL.contains(&name) {
        return Type::Logical(4);
    }
    let first = match arguments.first() {
        Some(first) => type_of(program, first),
        None => Type::Unknown,
    };
    if TYPE_OF_FIRST_ARGUMENT.contains(&name) {
        return first;
    }
    // Type::Complex counts the bytes of both parts (F2018 7.4.3.3: each part has the number's kind).
    match (name, first) {
        ("aimag" | "imag", Type::Complex(bytes)) => Type::Real(bytes / 2),
        ("imagpart" | "realpart", Type::Complex(bytes)) => Type::Real(bytes / 2),
        ("abs", Type::Complex(bytes)) => Type::Real(bytes / 2),
        ("abs", other) => other,
        // REAL(z) without a kind keeps the kind of a complex argument (F2018 16.9, REAL).
        ("real" | "float", Type::Complex(bytes)) if arguments.len() == 1 => Type::Real(bytes / 2),
        ("sngl", Type::Complex(bytes)) if arguments.len() == 1 => Type::Real(bytes / 2),
        (_, Type::Unknown) => Type::Unknown,
        ("real" | "float", _) if arguments.len() == 1 => Type::Real(4),
        ("sngl", _) if arguments.len() == 1 => Type::Real(4),
        _ => Type::Unknown,
    }
}

/// Whether a call has so many arguments that the last can be KIND. Its value is not evaluated here, so
/// that the result's type is unknown.
fn takes_kind_last(name: &str, arguments: usize) -> bool {
    match name {
        "int" | "nint" => arguments > 1,
        "ceiling" | "floor" => arguments > 1,
        "size" | "lbound" => arguments > 2,
        "ubound" | "index" => arguments > 2,
        "count" => arguments > 2,
        _ => false,
    }
}

/// Rank of an expression, as far as it is known.
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
        } if !program.procedure(*id).is_elemental => {
            let result = program.procedure(*id).result?;
            Some(program.variable(result).shape.len())
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => intrinsic_rank(program, name, arguments),
        Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => None,
    }
}

fn intrinsic_rank(program: &Program, name: &str, arguments: &[Expression]) -> Option<usize> {
    if SCALAR_VALUED.contains(&name) {
        return Some(0);
    }
    // With DIM the result has a rank of one less than ARRAY; with MASK alone it is a scalar, but the
    // two cannot be distinguished by their number.
    if REDUCTIONS.contains(&name) && arguments.len() == 1 {
        return Some(0);
    }
    if !ELEMENTAL.contains(&name) {
        return None;
    }
    let mut rank = 0;
    for argument in arguments {
        rank = rank.max(rank_of(program, argument)?);
    }
    Some(rank)
}

/// Functions that return a scalar for arguments of any rank.
const SCALAR_VALUED: [&str; 10] = [
    "size",
    "len",
    "trim",
    "present",
    "associated",
    "allocated",
    "huge",
    "tiny",
    "epsilon",
    "kind",
];

/// Functions that reduce an array to a scalar unless DIM is present.
const REDUCTIONS: [&str; 7] = ["sum", "product", "maxval", "minval", "any", "all", "count"];

/// Elemental functions: their result has the largest rank of their arguments.
const ELEMENTAL: [&str; 30] = [
    "real", "dble", "int", "nint", "aint", "anint", "ceiling", "floor", "abs", "sqrt", "exp",
    "log", "log10", "sin", "cos", "tan", "mod", "modulo", "max", "min", "sign", "dim", "iand",
    "ior", "ieor", "merge", "conjg", "cmplx", "len_trim", "index",
];

/// Dimensions of the variable and its components, less one for each scalar subscript. (A vector subscript
/// keeps its dimension.)
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
        if let Some(component) = program.component(&of, &path[end]) {
            dimensions += component.rank;
        }
    }
    let mut single = 0;
    for subscript in subscripts {
        match subscript {
            Subscript::Element(index) => single += usize::from(rank_of(program, index)? == 0),
            Subscript::Section { .. } => {}
        }
    }
    // More subscripts than dimensions: the last is a substring range, which the grammar does not
    // distinguish from an array section.
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
            // A complex number of the real operand's kind has twice its bytes.
            Type::Complex(a.max(b.saturating_mul(2)))
        }
        (Type::Integer(_), other @ (Type::Real(_) | Type::Complex(_)))
        | (other @ (Type::Real(_) | Type::Complex(_)), Type::Integer(_)) => other,
        _ => Type::Unknown,
    }
}
