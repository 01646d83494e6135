//! Dummies that take arrays as they lie, and which some caller passes a section that does not lie in one piece: passed on to
//! what takes arrays in one piece, they are copied.
//!
//! Not here: what is copied where ([`crate::memory::array_operations`]).

use crate::graphs::call_graph;
use crate::ir::{ProcedureId, Program, VariableId};
use crate::memory::array_operations;
use std::collections::BTreeSet;

/// Marks the dummies.
pub(crate) fn mark(program: &mut Program) {
    while let found @ 1.. = further(program) {
        debug_assert!(found <= program.variables.len(), "each once");
    }
}

/// Marks those that are passed a section, or another one that is marked; how many were not before.
fn further(program: &mut Program) -> usize {
    let mut found: BTreeSet<VariableId> = BTreeSet::new();
    for statement in &program.statements {
        for call in call_graph::calls(&statement.kind) {
            for (position, argument) in call.arguments.iter().enumerate() {
                let Some(argument) = argument else { continue };
                let dummies = call
                    .callee
                    .procedures()
                    .iter()
                    .filter_map(|&p| dummy(program, p, position));
                let new = dummies.filter(|&dummy| {
                    array_operations::accepts_noncontiguous(program, dummy)
                        && !program.variable(dummy).attributes.in_pieces
                });
                let new: Vec<VariableId> = new.collect();
                if !new.is_empty() && array_operations::is_noncontiguous(program, argument) {
                    found.extend(new);
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
