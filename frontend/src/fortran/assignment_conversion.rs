//! Type conversion in assignments: the target's type may differ from the value's (F2018 10.2.1.3). Types of
//! expressions are in [`super::value_types`].

use super::value_types::{rank_of, type_of};
use crate::ir::expression_builders::intrinsic;
use crate::ir::{Expression, Program, Type};

/// Bytes of what INTEGER means where no kind is named.
const DEFAULT_INTEGER: u8 = 4;

/// What a scalar target has after an assignment, whose value is here in other words. `None` for arrays, which have a value for
/// each element, and where the converted value is not known.
pub fn assigned(
    program: &Program,
    (target, value): (&Expression, &Expression),
    in_other_words: Expression,
) -> Option<Expression> {
    if rank_of(program, target) != Some(0) {
        return None;
    }
    let (to, from) = (type_of(program, target), type_of(program, value));
    let convert = |function: &str, bytes: Option<u8>| {
        let kind = bytes.map(|bytes| Expression::Integer(bytes.into()));
        Some(intrinsic(
            function,
            std::iter::once(in_other_words.clone())
                .chain(kind)
                .collect(),
        ))
    };
    match to {
        // Texts of another length are cut or filled.
        Type::Character | Type::Unknown => None,
        Type::Logical(_) if matches!(from, Type::Logical(_) | Type::Unknown) => {
            Some(in_other_words)
        }
        _ if to == from => Some(in_other_words),
        Type::Integer(DEFAULT_INTEGER) => convert("int", None),
        Type::Integer(bytes) => convert("int", Some(bytes)),
        Type::Real(bytes) => convert("real", Some(bytes)),
        Type::Logical(_) | Type::Complex(_) | Type::Derived(_) => None,
    }
}
