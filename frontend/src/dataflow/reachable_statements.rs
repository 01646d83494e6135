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
        Self::by(
            model,
            statement_tree::subtree(model.program, repeat).split_off(1),
        )
    }

    /// By consecutive statements.
    pub(crate) fn of(model: &Model, statements: &[StatementId]) -> Self {
        let mut inside = Vec::new();
        for &id in statements {
            inside.extend(statement_tree::subtree(model.program, id));
        }
        Self::by(model, inside)
    }

    /// By statements, without those inside them.
    fn by(model: &Model, mut statements: Vec<StatementId>) -> Self {
        let mut procedures: BTreeMap<ProcedureId, Vec<StatementId>> = BTreeMap::new();
        let mut next = 0;
        while let Some(&id) = statements.get(next) {
            next += 1;
            for call in &model.effects.of_statement(id).calls {
                let callers = procedures.entry(call.target).or_default();
                callers.push(id);
                // The first caller adds the body.
                if callers.len() == 1 {
                    statements.extend(model.outline.of_procedure(call.target));
                }
            }
        }
        ReachableStatements {
            // As a whole, since one insertion after the other takes longer.
            statements: statements.into_iter().collect(),
            procedures,
        }
    }
}
