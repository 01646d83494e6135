//! Reachable statements: those inside some statements, and in the procedures that they call, transitively. How often they execute is
//! in [`crate::work::trip_counts`], what determines that in [`crate::dataflow::dependence_sources`].

use crate::effects::model::Model;
use crate::ir::statement_tree;
use crate::ir::{ProcedureId, StatementId};
use std::collections::{BTreeMap, BTreeSet};

/// Statements and procedures that are executed.
#[derive(Default)]
pub(crate) struct ReachableStatements {
    pub(crate) statements: BTreeSet<StatementId>,
    /// Those that are called, and by which of the statements.
    pub(crate) procedures: BTreeMap<ProcedureId, Vec<StatementId>>,
}

impl ReachableStatements {
    /// By one iteration of a loop.
    pub(crate) fn in_body(model: &Model, repeat: StatementId) -> Self {
        let mut executed = Self::default();
        executed.add(model, &statement_tree::subtree(model.program, repeat)[1..]);
        executed
    }

    /// By consecutive statements.
    pub(crate) fn of(model: &Model, statements: &[StatementId]) -> Self {
        let mut executed = Self::default();
        statements
            .iter()
            .for_each(|&id| executed.add(model, &statement_tree::subtree(model.program, id)));
        executed
    }

    fn add(&mut self, model: &Model, statements: &[StatementId]) {
        self.statements.extend(statements);
        for &id in statements {
            for call in &model.effects.of_statement(id).calls {
                let callers = self.procedures.entry(call.target).or_default();
                callers.push(id);
                // The first caller adds the body; this also ends the recursion through a cycle of
                // calls.
                if callers.len() == 1 {
                    self.add(model, model.outline.of_procedure(call.target));
                }
            }
        }
    }
}
