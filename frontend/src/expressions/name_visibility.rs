//! Name visibility: whether a name denotes a given variable at a statement; what probes evaluate there is written in names of the
//! program, and constructs and procedures around may have others of the same spelling.

use crate::effects::model::Model;
use crate::fortran;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{Expression, Program, StatementId, VariableId};

/// Whether a variable is known by its own name where a statement stands.
pub(crate) fn is_known(model: &Model, variable: VariableId, at: StatementId) -> bool {
    is_known_in(model.program, &model.outline, variable, at)
}

fn is_known_in(
    program: &Program,
    outline: &Outline,
    variable: VariableId,
    at: StatementId,
) -> bool {
    let name = &program.variable(variable).name;
    let mut around = outline
        .ancestors(at)
        .filter_map(|construct| program.own_names.get(&construct));
    match around.find_map(|names| names.get(name)) {
        Some(meant) => *meant == Some(variable),
        None => program
            .procedure(program.statement(at).procedure)
            .known
            .binary_search(&variable)
            .is_ok(),
    }
}

/// Text of an expression that means the same where a statement stands; `None` if it cannot be written there.
pub(crate) fn spell(model: &Model, expression: &Expression, at: StatementId) -> Option<String> {
    spell_in(model.program, &model.outline, expression, at)
}

/// The same of a program of which no more is at hand.
pub(crate) fn spell_in(
    program: &Program,
    outline: &Outline,
    expression: &Expression,
    at: StatementId,
) -> Option<String> {
    for variable in references::variables(expression) {
        if !is_known_in(program, outline, variable, at) {
            return None;
        }
    }
    fortran::spell(program, expression)
}
