//! Inquiries about arrays, SIZE, LBOUND, UBOUND and ALLOCATED, as expressions. What they answer for the arrays of a program is in
//! [`crate::memory::array_shapes`].

use crate::ir::expression_builders::intrinsic;
use crate::ir::references;
use crate::ir::{Callee, Expression};

/// Names of the functions.
pub(crate) const FUNCTIONS: [&str; 4] = ["allocated", "lbound", "size", "ubound"];

/// One of them, asked of a whole array or a whole component.
pub(crate) struct Inquiry<'a> {
    /// Name of the function.
    pub(crate) function: &'a str,
    /// What is asked of: a variable, or a component that is chosen without subscripts.
    pub(crate) array: &'a Expression,
    /// Along which dimension; ALLOCATED has none, and SIZE may be asked for all.
    pub(crate) dimension: Option<&'a Expression>,
}

impl Inquiry<'_> {
    /// The same of another array.
    pub(crate) fn of(&self, array: Expression) -> Expression {
        inquiry_call(self.function, array, self.dimension.cloned())
    }
}

/// The inquiry that an expression is, if it is one.
pub(crate) fn inquiry(expression: &Expression) -> Option<Inquiry<'_>> {
    let Expression::Call {
        callee: Callee::Intrinsic(function),
        arguments,
    } = expression
    else {
        return None;
    };
    let (array, dimension) = match &arguments[..] {
        [array] if ["allocated", "size"].contains(&function.as_str()) => (array, None),
        [array, dimension]
            if function != "allocated" && !matches!(dimension, Expression::Other(_)) =>
        {
            (array, Some(dimension))
        }
        _ => return None,
    };
    if !FUNCTIONS.contains(&function.as_str()) || !is_whole(array) {
        return None;
    }
    Some(Inquiry {
        function,
        array,
        dimension,
    })
}

/// Whether an expression is a variable or a component, without subscripts.
pub(crate) fn is_whole(array: &Expression) -> bool {
    match array {
        Expression::Variable(_) => true,
        Expression::Reference {
            path, subscripts, ..
        } => !path.is_empty() && subscripts.is_empty(),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => false,
    }
}

/// A call of one of the inquiry functions.
pub(crate) fn inquiry_call(
    function: &str,
    array: Expression,
    dimension: Option<Expression>,
) -> Expression {
    intrinsic(function, std::iter::once(array).chain(dimension).collect())
}

/// The same, but 0 where the array is not there: `merge(size(u), 0, allocated(u))`.
pub(crate) fn guarded(inquiry: &Inquiry) -> Expression {
    let is_there = inquiry_call("allocated", inquiry.array.clone(), None);
    let asked = inquiry.of(inquiry.array.clone());
    intrinsic("merge", vec![asked, Expression::Integer(0), is_there])
}

/// Whether an expression has the form of [`guarded`].
pub(crate) fn is_guarded(expression: &Expression) -> bool {
    let Expression::Call {
        callee: Callee::Intrinsic(name),
        arguments,
    } = expression
    else {
        return false;
    };
    let [size, Expression::Integer(0), is_allocated] = &arguments[..] else {
        return false;
    };
    let (Some(size), Some(guard)) = (inquiry(size), inquiry(is_allocated)) else {
        return false;
    };
    name == "merge" && guard.function == "allocated" && is_same(size.array, guard.array)
}

/// Whether two designators are of the same variable or component, whatever their subscripts.
pub(crate) fn is_same(object: &Expression, array: &Expression) -> bool {
    let (Some(object), Some(array)) = (
        references::designated(object),
        references::designated(array),
    ) else {
        return false;
    };
    object.base == array.base && object.path == array.path
}
