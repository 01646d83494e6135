//! Static costs of statements themselves, in executed statements, without their bodies and the procedures that they call: those are
//! in [`crate::work::statement_costs`]. Each block's costs contain the same statements again, so each is computed once.

use crate::expressions::expression_costs;
use crate::ir::{Expression, Program, StatementKind, Subscript};
use crate::memory::array_operations;

/// Iterations of a loop whose bounds are not constants: more than a few.
pub(crate) const DEFAULT_TRIP_COUNT: f64 = 16.0;

/// The costs of all statements of a program; index = statement id.
pub(crate) struct OwnCosts {
    /// Each statement is one.
    pub(crate) statements: Vec<f64>,
    /// The time of functions and operators, in usual statements.
    pub(crate) time: Vec<f64>,
}

impl OwnCosts {
    pub(crate) fn of(program: &Program) -> Self {
        let mut costs = OwnCosts {
            statements: Vec::with_capacity(program.statements.len()),
            time: Vec::with_capacity(program.statements.len()),
        };
        for statement in &program.statements {
            let own = own(program, &statement.kind);
            let expressions = expression_costs::of_statement(program, &statement.kind);
            costs.statements.push(own);
            costs.time.push(own * (1.0 + expressions));
        }
        costs
    }
}

/// A statement itself: whole arrays and sections are loops, and jumps cost nothing.
fn own(program: &Program, kind: &StatementKind) -> f64 {
    match kind {
        StatementKind::Assign { target, .. } if is_array(program, target) => DEFAULT_TRIP_COUNT,
        _ if !array_operations::of_statement(program, kind).is_empty() => DEFAULT_TRIP_COUNT,
        StatementKind::Entry
        | StatementKind::Continue
        | StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return => 0.0,
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Stop
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => 1.0,
    }
}

fn is_array(program: &Program, target: &Expression) -> bool {
    match target {
        Expression::Variable(variable) => !program.variable(*variable).shape.is_empty(),
        Expression::Reference { subscripts, .. } => subscripts
            .iter()
            .any(|subscript| matches!(subscript, Subscript::Section { .. })),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => false,
    }
}
