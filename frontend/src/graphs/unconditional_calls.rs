//! Unconditional calls: those that a statement makes whenever it is executed. A processor need not evaluate an operand that does not
//! affect the value of an expression (Fortran 2018, 10.1.7), so functions behind `.and.` and `.or.` are not among them.

use crate::graphs::call_graph::Call;
use crate::ir::references;
use crate::ir::{Callee, Expression, Operator, StatementKind};

/// Intrinsic functions that need not evaluate what they are given.
const CHOOSING: [&str; 6] = ["merge", "present", "size", "shape", "lbound", "ubound"];

/// Whether a statement that is executed makes a call of its own for certain.
pub(crate) fn is_made(kind: &StatementKind, call: &Call) -> bool {
    !call.is_function
        || evaluated(kind)
            .into_iter()
            .any(|expression| makes(expression, call.callee))
}

/// Expressions that are evaluated for certain.
fn evaluated(kind: &StatementKind) -> Vec<&Expression> {
    match kind {
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Goto { .. } => references::expressions(kind),
        // Further conditions are evaluated only if the first one does not hold.
        StatementKind::If { branches, .. } => branches
            .iter()
            .take(1)
            .map(|(condition, _)| condition)
            .collect(),
        StatementKind::Select { selector, .. } => vec![selector],
        StatementKind::InputOutput(_)
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. }
        | StatementKind::Entry
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue => vec![],
    }
}

/// Whether an expression that is evaluated makes this very call for certain.
fn makes(expression: &Expression, callee: &Callee) -> bool {
    let any = |parts: &[Expression]| parts.iter().any(|part| makes(part, callee));
    match expression {
        Expression::Integer(_) | Expression::Literal(_) | Expression::Variable(_) => false,
        Expression::Reference { .. } => references::address(expression)
            .into_iter()
            .any(|part| makes(part, callee)),
        Expression::Call {
            callee: Callee::Intrinsic(name),
            ..
        } if CHOOSING.contains(&name.as_str()) => false,
        Expression::Call {
            callee: other,
            arguments,
        } => std::ptr::eq(other, callee) || any(arguments),
        Expression::Unary { operand, .. } => makes(operand, callee),
        Expression::Binary {
            operator: Operator::And | Operator::Or,
            ..
        } => false,
        Expression::Binary { left, right, .. } => makes(left, callee) || makes(right, callee),
        // An implied DO may have no iteration.
        Expression::Other(_) => false,
    }
}
