//! Variables of which MPI tells the address (MPI_GET_ADDRESS): datatypes may be made of it, so that messages hold them without
//! naming them. Of a dummy, also what is passed for it.

use crate::graphs::call_graph;
use crate::ir::references;
use crate::ir::{Callee, ProcedureId, Program, StatementId, Storage, VariableId};
use std::collections::BTreeSet;

/// Those of the statements of a program.
pub(crate) fn variables(program: &Program, order: &[StatementId]) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else {
                continue;
            };
            if ["MPI_Get_address", "MPI_Address"].contains(&function.name) {
                let told = call.arguments.first().copied().flatten();
                found.extend(told.and_then(references::base));
            }
        }
    }
    let mut open: Vec<VariableId> = found.iter().copied().collect();
    while let Some(id) = open.pop() {
        for passed in passed_for(program, order, id) {
            if found.insert(passed) {
                open.push(passed);
            }
        }
    }
    found
}

/// What is passed for a dummy anywhere.
fn passed_for(program: &Program, order: &[StatementId], dummy: VariableId) -> Vec<VariableId> {
    let variable = program.variable(dummy);
    let (Storage::Dummy(position), Some(owner)) = (&variable.storage, variable.owner) else {
        return Vec::new();
    };
    let may_be = |callee: &Callee, owner: ProcedureId| match callee {
        Callee::Procedure(id) => *id == owner,
        Callee::OneOf(all) => all.contains(&owner),
        Callee::Variable(_) => true,
        Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::External(_) | Callee::Intrinsic(_) => {
            false
        }
    };
    let calls = order
        .iter()
        .flat_map(|id| call_graph::calls(&program.statement(*id).kind));
    let calls = calls.filter(|call| may_be(call.callee, owner));
    calls
        .filter_map(|call| {
            references::base(call.arguments.get(*position as usize).copied().flatten()?)
        })
        .collect()
}
