//! Control expressions: those that determine how much a statement computes, from its text alone. Conditions, bounds of loops and
//! sections, sizes of allocations and of array-valued intrinsics. Locations and callees are not considered.

use crate::graphs::call_graph;
use crate::ir::references;
use crate::ir::{Callee, Expression, InputOutput, Program, StatementKind, Subscript, Type};

/// The expressions that decide how much a statement computes.
pub(crate) fn of<'a>(program: &'a Program, kind: &'a StatementKind) -> Vec<&'a Expression> {
    let mut decide = all_expressions(program, kind);
    decide.extend(of_evaluated(program, kind));
    decide
}

/// Those in what it evaluates itself, whatever follows from that.
pub(crate) fn of_evaluated<'a>(
    program: &'a Program,
    kind: &'a StatementKind,
) -> Vec<&'a Expression> {
    let mut decide = Vec::new();
    for expression in references::expressions(kind) {
        references::walk(expression, &mut |part| decide.extend(sizes(program, part)));
    }
    // An integer that is passed to code without source may be the number of things to compute.
    let unknown = call_graph::calls(kind)
        .into_iter()
        .filter(|call| is_unknown(call.callee));
    let passed = unknown.flat_map(|call| call.arguments.into_iter().flatten().collect::<Vec<_>>());
    decide.extend(passed.filter(|argument| is_number(program, argument)));
    decide
}

/// Those that a statement has because it is of its kind.
fn all_expressions<'a>(program: &Program, kind: &'a StatementKind) -> Vec<&'a Expression> {
    match kind {
        StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Goto { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Opaque { .. } => references::expressions(kind),
        StatementKind::Allocate {
            length, objects, ..
        } => objects
            .iter()
            .flat_map(references::address)
            .chain(length)
            .collect(),
        StatementKind::InputOutput(io) if has_implied_do(program, io) => io.reads.iter().collect(),
        StatementKind::InputOutput(_)
        | StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Entry
        | StatementKind::Continue => Vec::new(),
    }
}

/// Those that say how large the value of a part of an expression is.
fn sizes<'a>(program: &Program, part: &'a Expression) -> Vec<&'a Expression> {
    match part {
        Expression::Reference { subscripts, .. } => {
            let sections = subscripts
                .iter()
                .filter(|subscript| matches!(subscript, Subscript::Section { .. }));
            sections
                .flat_map(|section| references::subscript_parts(std::slice::from_ref(section)))
                .collect()
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } if ["spread", "repeat", "reshape"].contains(&&name[..]) => {
            arguments.iter().skip(1).collect()
        }
        Expression::Other(parts) => parts
            .iter()
            .flat_map(|part| implied_bounds(program, part))
            .collect(),
        Expression::Call { .. }
        | Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Unary { .. }
        | Expression::Binary { .. } => Vec::new(),
    }
}

/// The bounds of an implied DO, whose control is its variable and two or three of them.
fn implied_bounds<'a>(program: &Program, control: &'a Expression) -> &'a [Expression] {
    let Expression::Other(parts) = control else {
        return &[];
    };
    let is_control = [3, 4].contains(&parts.len()) && is_counter(program, &parts[0]);
    if is_control { &parts[1..] } else { &[] }
}

/// Whether the items of an input or output statement may be repeated: it sets DO variables.
fn has_implied_do(program: &Program, io: &InputOutput) -> bool {
    io.writes.iter().any(|written| is_counter(program, written))
}

/// Whether an expression may be a DO variable.
fn is_counter(program: &Program, expression: &Expression) -> bool {
    let Expression::Variable(variable) = expression else {
        return false;
    };
    let variable = program.variable(*variable);
    variable.shape.is_empty() && matches!(variable.of_type, Type::Integer(_))
}

/// Whether an argument may determine how much a procedure without source computes.
fn is_number(program: &Program, argument: &Expression) -> bool {
    match references::designated(argument) {
        Some(named) => {
            let is_integer = matches!(
                program.type_of_part(named.base, named.path),
                Type::Integer(_)
            );
            is_integer && (program.variable(named.base).shape.is_empty() || is_element(argument))
        }
        None => true,
    }
}

fn is_element(argument: &Expression) -> bool {
    matches!(argument, Expression::Reference { subscripts, .. }
        if subscripts.iter().all(|subscript| matches!(subscript, Subscript::Element(_))))
}

/// Whether nothing is known of what a call does.
fn is_unknown(callee: &Callee) -> bool {
    match callee {
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Mpi(_) | Callee::Intrinsic(_) => false,
    }
}
