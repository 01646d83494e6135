//! References of an expression: variables that it reads, and functions that it calls. Abstract memory
//! locations are in [`crate::memory`].

use crate::ir::{Callee, Expression, InputOutput, IoUnit, StatementKind, Subscript, VariableId};

/// A call in an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionCall<'a> {
    /// The callee.
    pub(crate) callee: &'a Callee,
    /// The arguments.
    pub(crate) arguments: &'a [Expression],
}

/// Calls `visit` on an expression and all its parts, outermost first.
pub(crate) fn walk<'a>(expression: &'a Expression, visit: &mut impl FnMut(&'a Expression)) {
    visit(expression);
    match expression {
        Expression::Integer(_) | Expression::Literal(_) | Expression::Variable(_) => {}
        Expression::Reference { subscripts, .. } => {
            subscripts
                .iter()
                .for_each(|subscript| walk_subscript(subscript, visit));
        }
        Expression::Call { arguments, .. } | Expression::Other(arguments) => {
            arguments.iter().for_each(|argument| walk(argument, visit));
        }
        Expression::Unary { operand, .. } => walk(operand, visit),
        Expression::Binary { left, right, .. } => {
            walk(left, visit);
            walk(right, visit);
        }
    }
}

fn walk_subscript<'a>(subscript: &'a Subscript, visit: &mut impl FnMut(&'a Expression)) {
    match subscript {
        Subscript::Element(expression) => walk(expression, visit),
        Subscript::Section {
            lower,
            upper,
            stride,
        } => {
            [lower, upper, stride]
                .into_iter()
                .flatten()
                .for_each(|bound| walk(bound, visit));
        }
    }
}

/// The expressions in subscripts.
pub(crate) fn subscript_parts(subscripts: &[Subscript]) -> Vec<&Expression> {
    subscripts
        .iter()
        .flat_map(|subscript| match subscript {
            Subscript::Element(expression) => vec![expression],
            Subscript::Section {
                lower,
                upper,
                stride,
            } => [lower, upper, stride].into_iter().flatten().collect(),
        })
        .collect()
}

/// A variable, or a part of one: with the components that lead to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Designated<'a> {
    /// The variable.
    pub(crate) base: VariableId,
    /// Component names, outermost first.
    pub(crate) path: &'a [String],
}

/// What an expression designates, if it is a variable or a part of one.
pub(crate) fn designated(expression: &Expression) -> Option<Designated<'_>> {
    let path = match expression {
        Expression::Reference { path, .. } => &path[..],
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => &[],
    };
    base(expression).map(|base| Designated { base, path })
}

/// All that an expression names, subscripts and arguments included.
pub(crate) fn named(expression: &Expression) -> Vec<Designated<'_>> {
    let mut found = Vec::new();
    walk(expression, &mut |part| found.extend(designated(part)));
    found
}

/// The variables an expression reads, subscripts and arguments included.
pub(crate) fn variables(expression: &Expression) -> Vec<VariableId> {
    let mut found = Vec::new();
    walk(expression, &mut |part| found.extend(base(part)));
    found
}

/// Inquiry functions: they do not depend on the value of their first argument (F2018 16.1).
const INQUIRIES: [&str; 14] = [
    "size",
    "shape",
    "lbound",
    "ubound",
    "allocated",
    "associated",
    "present",
    "len",
    "kind",
    "rank",
    "storage_size",
    "is_contiguous",
    "huge",
    "epsilon",
];

/// Intrinsic subroutines that write none of their arguments.
const READING: [&str; 4] = ["exit", "flush", "sleep", "srand"];

/// Intrinsic functions that write their arguments: compilers' own.
const WRITING: [&str; 2] = ["dtime", "etime"];

/// Whether an intrinsic function may write its arguments.
pub(crate) fn function_writes_arguments(function: &str) -> bool {
    WRITING.contains(&function)
}

/// Intrinsic subroutines that write all their arguments and read none.
const ANSWERING: [&str; 9] = [
    "cpu_time",
    "date_and_time",
    "dtime",
    "etime",
    "idate",
    "itime",
    "random_number",
    "second",
    "system_clock",
];

/// Whether an intrinsic subroutine writes all its arguments, whatever they hold.
pub(crate) fn is_inquiry(subroutine: &str) -> bool {
    ANSWERING.contains(&subroutine)
}

/// Whether an intrinsic subroutine may write its arguments.
pub(crate) fn writes_arguments(subroutine: &str) -> bool {
    !READING.contains(&subroutine)
}

/// What an expression reads the values of: not what it only asks about.
pub(crate) fn values(expression: &Expression) -> Vec<Designated<'_>> {
    let mut found = Vec::new();
    collect_values(expression, &mut found);
    found
}

fn collect_values<'a>(expression: &'a Expression, found: &mut Vec<Designated<'a>>) {
    match expression {
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if INQUIRIES.contains(&&name[..]) => {
            let Some((inquired, rest)) = arguments.split_first() else {
                return;
            };
            // `size(a(f(i), :))` evaluates the subscript although it does not read the array.
            let evaluated = if base(inquired).is_some() {
                address(inquired)
            } else {
                vec![inquired]
            };
            evaluated
                .into_iter()
                .chain(rest)
                .for_each(|part| collect_values(part, found));
        }
        Expression::Integer(_) | Expression::Literal(_) => {}
        Expression::Variable(_) | Expression::Reference { .. } => {
            found.extend(designated(expression));
            address(expression)
                .into_iter()
                .for_each(|part| collect_values(part, found));
        }
        Expression::Call { arguments, .. } | Expression::Other(arguments) => {
            arguments
                .iter()
                .for_each(|argument| collect_values(argument, found));
        }
        Expression::Unary { operand, .. } => collect_values(operand, found),
        Expression::Binary { left, right, .. } => {
            collect_values(left, found);
            collect_values(right, found);
        }
    }
}

/// The function calls in an expression, outermost first.
pub(crate) fn calls(expression: &Expression) -> Vec<FunctionCall<'_>> {
    let mut found = Vec::new();
    walk(expression, &mut |part| {
        if let Expression::Call { callee, arguments } = part {
            found.push(FunctionCall { callee, arguments });
        }
    });
    found
}

/// The variable that an expression is, or is a part of.
pub(crate) fn base(expression: &Expression) -> Option<VariableId> {
    match expression {
        Expression::Variable(variable) => Some(*variable),
        Expression::Reference { base, .. } => Some(*base),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => None,
    }
}

/// What is evaluated to find out where an expression that is a variable or a part of one is.
pub(crate) fn address(expression: &Expression) -> Vec<&Expression> {
    match expression {
        Expression::Reference { subscripts, .. } => subscript_parts(subscripts),
        Expression::Variable(_) => vec![],
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => vec![],
    }
}

/// The expressions of a statement itself, not of statements inside it: what it reads, what it
/// writes (with subscripts), the arguments of a CALL.
pub(crate) fn expressions(kind: &StatementKind) -> Vec<&Expression> {
    let mut found = Vec::new();
    each_expression(kind, &mut |expression| found.push(expression));
    found
}

/// Calls `visit` on what [`expressions`] returns. Many analyses visit all statements only to skip most: they allocate nothing.
pub(crate) fn each_expression<'a>(kind: &'a StatementKind, visit: &mut impl FnMut(&'a Expression)) {
    match kind {
        StatementKind::Assign { target, value } => {
            visit(target);
            visit(value);
        }
        StatementKind::Call { arguments, .. } => arguments.iter().flatten().for_each(visit),
        StatementKind::If { branches, .. } => {
            for (condition, _) in branches {
                visit(condition);
            }
        }
        StatementKind::Do { from, to, step, .. } => {
            visit(from);
            visit(to);
            step.iter().for_each(visit);
        }
        StatementKind::While { condition, .. } => condition.iter().for_each(visit),
        StatementKind::Select { selector, cases } => {
            visit(selector);
            for (values, _) in cases {
                for value in values {
                    value.expressions().for_each(&mut *visit);
                }
            }
        }
        StatementKind::Scoped { reads, .. } => reads.iter().for_each(visit),
        StatementKind::PointerAssignment { pointer, target } => {
            visit(pointer);
            visit(target);
        }
        StatementKind::Goto { selector, .. } => selector.iter().for_each(visit),
        StatementKind::InputOutput(io) => io_expressions(io).for_each(visit),
        StatementKind::Allocate {
            length,
            objects,
            status,
        } => length.iter().chain(objects).chain(status).for_each(visit),
        StatementKind::Deallocate { objects, status } => {
            objects.iter().chain(status).for_each(visit);
        }
        StatementKind::Opaque { reads, writes } => reads.iter().chain(writes).for_each(visit),
        StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Entry
        | StatementKind::Continue => {}
    }
}

fn io_expressions(io: &InputOutput) -> impl Iterator<Item = &Expression> {
    let unit = match &io.unit {
        IoUnit::Number(unit) | IoUnit::Internal(unit) => Some(unit),
        IoUnit::Standard | IoUnit::None => None,
    };
    unit.into_iter()
        .chain(&io.file)
        .chain(&io.reads)
        .chain(&io.writes)
}
