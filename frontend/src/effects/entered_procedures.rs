//! The procedures that a run of the program may enter: what the others contain is never executed.
//!
//! Reachability in the call graph from the main program, from what code without source or the MPI library may call, and
//! from what the sources pass or point at. Without a main program any procedure may be entered.

use crate::effects::program_effects::Effects;
use crate::graphs::call_graph::CallGraph;
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{ProcedureId, Program};

/// Whether a run may enter each procedure; index = procedure id.
pub(crate) fn find(
    program: &Program,
    outline: &Outline,
    calls: &CallGraph,
    effects: &Effects,
) -> Vec<bool> {
    let count = program.procedures.len();
    let Some(main) = program.main else {
        return vec![true; count];
    };
    let mut pending = vec![main];
    for (id, procedure) in (0..).map(ProcedureId).zip(&program.procedures) {
        let is_root = procedure.is_whole || calls.is_named(id) || effects.callbacks.may_call(id);
        if is_root {
            pending.push(id);
        }
    }
    let in_specifications = called_in_specifications(program, calls);
    let mut entered = vec![false; count];
    while let Some(procedure) = pending.pop() {
        let number = procedure.0 as usize;
        if std::mem::replace(&mut entered[number], true) {
            continue;
        }
        pending.extend(&calls.callees[number]);
        pending.extend(&in_specifications[number]);
        // Implicit calls, such as of final procedures, stand in no expression.
        for &id in outline.of_procedure(procedure) {
            for call in &effects.of_statement(id).calls {
                pending.push(call.target);
            }
        }
    }
    entered
}

/// The functions in specification expressions of each procedure; index = procedure id.
fn called_in_specifications(program: &Program, calls: &CallGraph) -> Vec<Vec<ProcedureId>> {
    let mut found = vec![Vec::new(); program.procedures.len()];
    for variable in &program.variables {
        let Some(owner) = variable.owner else {
            continue;
        };
        for bound in variable.specification() {
            for call in references::calls(bound) {
                found[owner.0 as usize].extend(calls.targets(call.callee));
            }
        }
    }
    found
}
