//! Assumed-shape dummies to which some caller passes a noncontiguous section. Passing such a dummy on to an explicit-shape
//! dummy makes the compiler copy it; which copies a call makes is in [`crate::memory::array_operations`].
//!
//! Interprocedural forward fixpoint over the set of marked dummies.

use crate::graphs::call_graph;
use crate::ir::{ProcedureId, Program, VariableId};
use crate::memory::array_operations;
use std::collections::BTreeSet;

/// Sets [`crate::ir::Attributes::in_pieces`] of those dummies.
pub(crate) fn mark(program: &mut Program) {
    while let found @ 1.. = mark_further(program) {
        debug_assert!(found <= program.variables.len(), "each once");
    }
}

/// Marks dummies to which a noncontiguous section or an already marked dummy is passed; returns how many are new.
fn mark_further(program: &mut Program) -> usize {
    // Collected first and marked afterwards, so that one round does not depend on the order of
    // calls.
    let mut found: BTreeSet<VariableId> = BTreeSet::new();
    for statement in &program.statements {
        for call in call_graph::calls(&statement.kind) {
            for (position, argument) in call.arguments.iter().enumerate() {
                let Some(argument) = argument else { continue };
                let mut unmarked = Vec::new();
                for &procedure in call.callee.procedures() {
                    if let Some(dummy) = dummy(program, procedure, position)
                        && array_operations::accepts_noncontiguous(program, dummy)
                        && !program.variable(dummy).attributes.in_pieces
                    {
                        unmarked.push(dummy);
                    }
                }
                if !unmarked.is_empty() && array_operations::is_noncontiguous(program, argument) {
                    found.extend(unmarked);
                }
            }
        }
    }
    for &variable in &found {
        program.variables[variable.0 as usize].attributes.in_pieces = true;
    }
    found.len()
}

fn dummy(program: &Program, procedure: ProcedureId, position: usize) -> Option<VariableId> {
    program
        .procedure(procedure)
        .dummies
        .get(position)
        .copied()
        .flatten()
}
