//! Address-taken variables: those passed to MPI_Get_address. A derived datatype may contain the address, so that a message
//! accesses the variable without naming it. A dummy whose address is taken makes its actual arguments address-taken as well:
//! a worklist propagates from dummies to actual arguments.

use crate::graphs::call_graph;
use crate::ir::references;
use crate::ir::{Callee, ProcedureId, Program, StatementId, Storage, VariableId};
use std::collections::BTreeSet;

/// The address-taken variables of a program with these statements.
pub(crate) fn variables(program: &Program, order: &[StatementId]) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else {
                continue;
            };
            if ["MPI_Get_address", "MPI_Address"].contains(&function.name)
                && let Some(&Some(variable)) = call.arguments.first()
            {
                found.extend(references::base(variable));
            }
        }
    }
    let mut open: Vec<VariableId> = found.iter().copied().collect();
    while let Some(id) = open.pop() {
        for actual in actual_arguments(program, order, id) {
            if found.insert(actual) {
                open.push(actual);
            }
        }
    }
    found
}

/// The variables that any call passes for a dummy; none for other variables.
fn actual_arguments(
    program: &Program,
    order: &[StatementId],
    dummy: VariableId,
) -> Vec<VariableId> {
    let variable = program.variable(dummy);
    let (Storage::Dummy(position), Some(owner)) = (&variable.storage, variable.owner) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            if !may_call(call.callee, owner) {
                continue;
            }
            if let Some(&Some(actual)) = call.arguments.get(*position as usize) {
                found.extend(references::base(actual));
            }
        }
    }
    found
}

fn may_call(callee: &Callee, procedure: ProcedureId) -> bool {
    match callee {
        Callee::Procedure(id) => *id == procedure,
        Callee::OneOf(all) => all.contains(&procedure),
        // A procedure pointer or dummy procedure: its targets are not known yet, since they depend on aliases.
        Callee::Variable(_) => true,
        Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::External(_) | Callee::Intrinsic(_) => {
            false
        }
    }
}
