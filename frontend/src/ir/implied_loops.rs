//! Implied DO loops of expressions, as of array constructors: they repeat work as loops do. Those of input
//! and output are separate lists of items and bounds: [`repeats_calls`] finds calls in them. Trip counts are
//! in [`crate::work::trip_counts`].

use crate::ir::iterations::{IsInteger, trips};
use crate::ir::references;
use crate::ir::{Callee, Expression, InputOutput, Program, StatementKind, Type, VariableId};

/// What counts the iterations of an implied DO.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control<'a> {
    /// The variable that counts.
    pub(crate) variable: VariableId,
    bounds: &'a [Expression],
}

impl Control<'_> {
    /// How often it repeats; `None` if that cannot be expressed.
    pub(crate) fn trips(&self, program: &Program, is_integer: IsInteger) -> Option<Expression> {
        let [from, to, step @ ..] = self.bounds else {
            return None;
        };
        trips(program, from, to, step.first(), is_integer)
    }
}

/// The control of an implied DO, which stands behind its items, and these.
pub(crate) fn of<'a>(
    program: &Program,
    parts: &'a [Expression],
) -> Option<(Control<'a>, &'a [Expression])> {
    let (Expression::Other(control), items @ [_, ..]) = parts.split_last()? else {
        return None;
    };
    let (Expression::Variable(variable), bounds @ ([_, _] | [_, _, _])) = control.split_first()?
    else {
        return None;
    };
    if !is_counter(program, *variable) {
        return None;
    }
    let control = Control {
        variable: *variable,
        bounds,
    };
    Some((control, items))
}

/// The controls of the implied DO loops of a statement's expressions that repeat a call, the outermost first.
pub(crate) fn around<'a>(
    program: &Program,
    kind: &'a StatementKind,
    callee: &Callee,
) -> Vec<Control<'a>> {
    let find = |expression| within(program, expression, callee);
    references::expressions(kind)
        .into_iter()
        .find_map(find)
        .unwrap_or_default()
}

/// Those of an expression that makes the call; `None` if it does not.
fn within<'a>(
    program: &Program,
    expression: &'a Expression,
    callee: &Callee,
) -> Option<Vec<Control<'a>>> {
    let any = |parts: &'a [Expression]| parts.iter().find_map(|part| within(program, part, callee));
    match expression {
        Expression::Integer(_) | Expression::Literal(_) | Expression::Variable(_) => None,
        Expression::Reference { .. } => {
            let mut parts = references::address(expression).into_iter();
            parts.find_map(|part| within(program, part, callee))
        }
        Expression::Call {
            callee: other,
            arguments,
        } => {
            // This very call: the expression may call the same function elsewhere, too.
            if std::ptr::eq(other, callee) {
                Some(Vec::new())
            } else {
                any(arguments)
            }
        }
        Expression::Unary { operand, .. } => within(program, operand, callee),
        Expression::Binary { left, right, .. } => {
            within(program, left, callee).or_else(|| within(program, right, callee))
        }
        Expression::Other(parts) => match of(program, parts) {
            None => any(parts),
            // Bounds are evaluated once, outside the loop.
            Some((control, items)) => {
                let repeated = any(items).map(|inner| [&[control][..], &inner].concat());
                repeated.or_else(|| any(control.bounds))
            }
        },
    }
}

/// Whether an expression names what one of some controls counts in.
pub(crate) fn names(expression: &Expression, controls: &[Control]) -> bool {
    let named = references::variables(expression);
    controls
        .iter()
        .any(|control| named.contains(&control.variable))
}

/// Whether implied DO loops of an input or output statement may repeat calls of procedures.
pub(crate) fn repeats_calls(program: &Program, io: &InputOutput) -> bool {
    let mut has_counter = false;
    for written in &io.writes {
        has_counter |=
            matches!(written, Expression::Variable(variable) if is_counter(program, *variable));
    }
    if !has_counter {
        return false;
    }
    for item in &io.reads {
        for call in references::calls(item) {
            if !matches!(call.callee, Callee::Intrinsic(_)) {
                return true;
            }
        }
    }
    false
}

fn is_counter(program: &Program, variable: VariableId) -> bool {
    let variable = program.variable(variable);
    variable.shape.is_empty() && matches!(variable.of_type, Type::Integer(_))
}
