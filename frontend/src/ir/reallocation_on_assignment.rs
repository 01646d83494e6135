//! Reallocation on assignment: whether an assignment may allocate its target (F2018 10.2.1.3). Other
//! allocations are in [`crate::effects::effect_collector`].

use crate::ir::object_components::may_have_component;
use crate::ir::{
    Attributes, Callee, Component, Expression, Operator, Program, Subscript, Type, VariableId,
};

/// Whether an assignment may allocate its target anew: a whole allocatable, or an object that holds allocatables or pointers.
/// An array gets another shape only from a value that has one of its own: not from a scalar, and not from itself.
pub(crate) fn may_allocate(program: &Program, target: &Expression, value: &Expression) -> bool {
    match target {
        Expression::Variable(id) => {
            let variable = program.variable(*id);
            let keeps_shape = !variable.shape.is_empty() && is_scalar(program, value)
                || is_made_of(value, target);
            holds_targets(program, &variable.attributes, &variable.of_type)
                || variable.attributes.allocatable
                    && !(keeps_shape && variable.of_type.is_numeric())
        }
        Expression::Reference {
            base,
            path,
            subscripts,
        } => {
            let Some((last, front)) = path.split_last() else {
                let variable = program.variable(*base);
                return holds_targets(program, &variable.attributes, &variable.of_type);
            };
            let Type::Derived(of) = program.type_of_part(*base, front) else {
                return true;
            };
            let is_section = subscripts.len() > subscripts_before(program, *base, front);
            let allocates = |one: &Component| {
                let same_shape = is_scalar(program, value) || is_made_of(value, target);
                let keeps_shape =
                    is_section || one.rank > 0 && one.of_type.is_numeric() && same_shape;
                one.attributes.allocatable && !keeps_shape
                    || holds_targets(program, &one.attributes, &one.of_type)
            };
            // A component that is not known may be allocatable.
            program.component(&of, last).is_none_or(allocates)
        }
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => false,
    }
}

/// How many subscripts a variable and components of it can have; one more belongs to what follows.
fn subscripts_before(program: &Program, base: VariableId, path: &[String]) -> usize {
    let rank = |length: usize| {
        let Type::Derived(of) = program.type_of_part(base, &path[..length]) else {
            return usize::MAX;
        };
        program
            .component(&of, &path[length])
            .map_or(usize::MAX, |one| one.rank)
    };
    let ranks = (0..path.len()).map(rank);
    ranks.fold(program.variable(base).shape.len(), usize::saturating_add)
}

/// Whether an object may have components whose data lie outside it: an assignment allocates those anew, or lets them point
/// elsewhere.
fn holds_targets(program: &Program, attributes: &Attributes, of_type: &Type) -> bool {
    attributes.polymorphic
        || may_have_component(program, of_type, |of_component| {
            of_component.pointer || of_component.allocatable || of_component.polymorphic
        })
}

/// Whether an expression is surely a scalar: made of literals, scalars and elements.
fn is_scalar(program: &Program, expression: &Expression) -> bool {
    match expression {
        Expression::Integer(_) | Expression::Literal(_) => true,
        Expression::Variable(id) => {
            let variable = program.variable(*id);
            variable.shape.is_empty() && variable.of_type.is_numeric()
        }
        Expression::Reference {
            base,
            path,
            subscripts,
        } => {
            let variable = program.variable(*base);
            let is_index = |one: &Subscript| match one {
                Subscript::Element(index) => is_scalar(program, index),
                Subscript::Section { .. } => false,
            };
            path.is_empty() && variable.of_type.is_numeric() && subscripts.iter().all(is_index)
        }
        Expression::Unary { operator, operand } => {
            *operator != Operator::Defined && is_scalar(program, operand)
        }
        Expression::Binary {
            operator,
            left,
            right,
        } => {
            *operator != Operator::Defined && is_scalar(program, left) && is_scalar(program, right)
        }
        Expression::Call { .. } | Expression::Other(_) => false,
    }
}

/// Intrinsic functions whose value has the shape of their arguments, which all have the same.
pub(crate) const ELEMENTAL: [&str; 33] = [
    "abs", "acos", "aimag", "aint", "anint", "asin", "atan", "atan2", "ceiling", "conjg", "cos",
    "cosh", "dble", "dim", "exp", "floor", "int", "log", "log10", "max", "merge", "min", "mod",
    "modulo", "nint", "not", "real", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
];

/// Whether an expression has the shape of a whole array, since that is one of the operands, which all have the same.
fn is_made_of(expression: &Expression, array: &Expression) -> bool {
    match expression {
        Expression::Variable(_) | Expression::Reference { .. } => is_same(expression, array),
        Expression::Unary { operator, operand } => {
            *operator != Operator::Defined && is_made_of(operand, array)
        }
        Expression::Binary {
            operator,
            left,
            right,
        } => {
            *operator != Operator::Defined && (is_made_of(left, array) || is_made_of(right, array))
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => ELEMENTAL.contains(&&name[..]) && arguments.iter().any(|one| is_made_of(one, array)),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Other(_) => false,
    }
}

/// Whether two expressions surely are one object: names and components are the same, and so are the numbers and variables
/// that are their subscripts.
fn is_same(one: &Expression, other: &Expression) -> bool {
    match (one, other) {
        (Expression::Integer(a), Expression::Integer(b)) => a == b,
        (Expression::Variable(a), Expression::Variable(b)) => a == b,
        (
            Expression::Reference {
                base: a,
                path: of_a,
                subscripts: in_a,
            },
            Expression::Reference {
                base: b,
                path: of_b,
                subscripts: in_b,
            },
        ) => {
            let is_element = |(a, b): (&Subscript, &Subscript)| match (a, b) {
                (Subscript::Element(a), Subscript::Element(b)) => is_same(a, b),
                (Subscript::Section { .. }, _) | (_, Subscript::Section { .. }) => false,
            };
            a == b
                && of_a == of_b
                && in_a.len() == in_b.len()
                && in_a.iter().zip(in_b).all(is_element)
        }
        _ => false,
    }
}
