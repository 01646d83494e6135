//! Bulk numerical data: the statements that compute what the program is for, recognised by their form. They write elements of
//! real or complex arrays in loops, or whole arrays, and do not reach MPI.

use crate::assumptions::loop_tests::enclosing_loop;
use crate::assumptions::outcome_codes;
use crate::effects::model::Model;
use crate::effects::varying_values;
use crate::ir::references;
use crate::ir::{Expression, StatementId, StatementKind, Type};
use crate::slice::needs::Need;

/// Whether a statement computes bulk data.
pub(crate) fn computes(model: &Model, id: StatementId) -> bool {
    if model.calls.reaches_mpi[id.0 as usize] {
        return false;
    }
    match &model.program.statement(id).kind {
        StatementKind::Assign { target, .. } => {
            type_of(model, target).is_real()
                && (is_whole(model, target) || is_repeated(model, id, target))
        }
        StatementKind::Opaque { writes, .. } => {
            writes.iter().any(|target| type_of(model, target).is_real())
        }
        StatementKind::Call { callee, arguments } => {
            // A timer also writes a real number, but that is no bulk data.
            !varying_values::is_clock(&model.calls, callee, arguments.len())
                && writes_reals(model, id)
        }
        StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. } => false,
    }
}

/// The first statement of some needs whose value is needed and that computes bulk data. A statement may also stay for its calls alone:
/// `x(i) = next_word()`, if a later word is needed.
pub(crate) fn first_computed(model: &Model, needs: &[Need]) -> Option<StatementId> {
    let mut evaluated = needs.iter().filter_map(|need| need.evaluated());
    let first = evaluated.find(|clause| computes(model, clause.statement))?;
    Some(first.statement)
}

/// What a statement writes, for people, with the name in backquotes: a variable may be called `to`.
pub(crate) fn described(model: &Model, id: StatementId) -> String {
    let line = model.lines[id.0 as usize];
    match model.effects.first_written(id) {
        Some(location) => format!("`{}` (line {line})", model.locations.get(location).name),
        None => format!("the loop at line {line}"),
    }
}

/// Whether an expression compares or holds reals or logicals, as tests of convergence do, or a code for the outcome of such a
/// test.
pub(crate) fn is_test_of_values(model: &Model, condition: &Expression) -> bool {
    let mut found = false;
    references::walk(condition, &mut |part| {
        found |= returns_value(model, part) || is_value(&type_of(model, part));
        if let Expression::Binary {
            operator,
            left,
            right,
        } = part
        {
            found |= outcome_codes::is_comparison(model, *operator, left, right);
        }
    });
    // What a SELECT CASE or an arithmetic IF selects by.
    if let Expression::Variable(variable) = condition {
        found |= outcome_codes::is_code(model, *variable);
    }
    found
}

/// Whether an expression is a function of the program whose result is real or logical.
fn returns_value(model: &Model, expression: &Expression) -> bool {
    let Expression::Call { callee, .. } = expression else {
        return false;
    };
    for target in model.calls.targets(callee) {
        if let Some(result) = model.program.procedure(target).result
            && is_value(&model.program.variable(result).of_type)
        {
            return true;
        }
    }
    false
}

fn is_value(of_type: &Type) -> bool {
    of_type.is_real() || matches!(of_type, Type::Logical(_))
}

/// Type of a variable or of a part of one; of anything else not known.
fn type_of(model: &Model, expression: &Expression) -> Type {
    match expression {
        Expression::Variable(variable) => model.program.variable(*variable).of_type.clone(),
        Expression::Reference { base, path, .. } => model.program.type_of_part(*base, path),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => Type::Unknown,
    }
}

/// Whether a target is an array as a whole.
fn is_whole(model: &Model, target: &Expression) -> bool {
    matches!(target, Expression::Variable(variable) if !model.program.variable(*variable).shape.is_empty())
}

/// Whether a target is part of an array, and written in a loop.
fn is_repeated(model: &Model, id: StatementId, target: &Expression) -> bool {
    let is_part =
        matches!(target, Expression::Reference { subscripts, .. } if !subscripts.is_empty());
    is_part && enclosing_loop(model, id).is_some()
}

/// Whether a call of a procedure without source may write real arrays.
fn writes_reals(model: &Model, id: StatementId) -> bool {
    let effects = model.effects.of_statement(id);
    // The statements of a procedure with source are examined themselves.
    if !effects.calls.is_empty() {
        return false;
    }
    for definition in &effects.definitions {
        for &variable in &model.known_as[definition.location.index()] {
            let variable = model.program.variable(variable);
            let attributes = &variable.attributes;
            let may_be_array =
                attributes.pointer || attributes.allocatable || !variable.shape.is_empty();
            if variable.of_type.is_real() && may_be_array {
                return true;
            }
        }
    }
    false
}
