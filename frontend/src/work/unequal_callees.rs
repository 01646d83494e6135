//! Compute blocks that call one of several procedures, as the type of an object or a procedure pointer decides, of which
//! one executes much more than another: a rank of another kind may hide among many that are alike.
//!
//! Not here: what a block's work terms tell of such calls ([`crate::work::trip_counts`]), and branches
//! ([`crate::work::data_dependent_branches`]).

use crate::blocks::block_finder::{Found, What};
use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::ir::statement_tree;
use crate::ir::{ProcedureId, StatementId};
use crate::work::statement_costs::{By, Nothing, RELEVANT, StatementCosts};
use std::collections::BTreeSet;

/// By compute block in order: whether it makes such a call.
pub(crate) fn find(model: &Model, found: &[Found]) -> Vec<bool> {
    let mut scales = By::ALL.map(|by| StatementCosts::new(model, &[], by, Nothing));
    let computes = found
        .iter()
        .filter(|found| found.what.is_compute())
        .map(|found| match &found.what {
            What::Compute(statements) => calls_unequal(model, statements, &mut scales),
            // What it calls that does much has blocks of its own.
            What::Own(..)
            | What::Site(..)
            | What::Loop(_)
            | What::Unknown(..)
            | What::Structure(_) => false,
        });
    computes.collect()
}

fn calls_unequal(
    model: &Model,
    block: &[StatementId],
    scales: &mut [StatementCosts<Nothing>],
) -> bool {
    let mut open: Vec<StatementId> = block
        .iter()
        .flat_map(|&id| statement_tree::subtree(model.program, id))
        .collect();
    let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            let targets = model.calls.targets(call.callee);
            if are_unequal(model, &targets, scales) {
                return true;
            }
            for target in targets.into_iter().filter(|&target| called.insert(target)) {
                open.extend(model.outline.of_procedure(target));
            }
        }
    }
    false
}

/// Whether one of some procedures executes much more than another.
fn are_unequal(
    model: &Model,
    procedures: &[ProcedureId],
    scales: &mut [StatementCosts<Nothing>],
) -> bool {
    scales.iter_mut().any(|scales| {
        let weights = procedures
            .iter()
            .map(|&one| scales.weigh(&model.program.procedure(one).body).all);
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for weight in weights {
            (least, most) = (least.min(weight), most.max(weight));
        }
        procedures.len() > 1 && most - least >= RELEVANT * most && most > least
    })
}
