//! Compute blocks with a call whose callee is determined at run time (type-bound procedures, procedure pointers), where one
//! possible callee executes much more than another. Ranks with the same work terms may then differ.
//!
//! Work terms of such calls are in [`crate::work::trip_counts`], branches in [`crate::work::data_dependent_branches`].

use crate::blocks::block_finder::{ElementKind, ProgramElement};
use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::ir::statement_tree;
use crate::ir::{ProcedureId, StatementId};
use crate::work::statement_costs::{By, Nothing, RELEVANT, StatementCosts};
use std::collections::BTreeSet;

/// By compute block in order: whether it contains such a call.
pub(crate) fn find(model: &Model, found: &[ProgramElement]) -> Vec<bool> {
    let mut scales = By::ALL.map(|by| StatementCosts::new(model, &[], by, Nothing));
    let mut blocks = Vec::new();
    for found in found {
        if !found.kind.is_compute() {
            continue;
        }
        blocks.push(match &found.kind {
            ElementKind::Compute(statements) => calls_unequal(model, statements, &mut scales),
            // A callee with much work has blocks of its own.
            ElementKind::Own(..)
            | ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Unknown(..)
            | ElementKind::Structure(_) => false,
        });
    }
    blocks
}

fn calls_unequal(
    model: &Model,
    block: &[StatementId],
    scales: &mut [StatementCosts<Nothing>],
) -> bool {
    let mut open = Vec::new();
    for &id in block {
        open.extend(statement_tree::subtree(model.program, id));
    }
    let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        // A call in a procedure that the block calls belongs to the block, too.
        for call in call_graph::calls(&model.program.statement(id).kind) {
            let targets = model.calls.targets(call.callee);
            if are_unequal(model, &targets, scales) {
                return true;
            }
            for target in targets {
                if called.insert(target) {
                    open.extend(model.outline.of_procedure(target));
                }
            }
        }
    }
    false
}

/// Whether the static costs of some procedures differ by a relevant share.
fn are_unequal(
    model: &Model,
    procedures: &[ProcedureId],
    scales: &mut [StatementCosts<Nothing>],
) -> bool {
    if procedures.len() < 2 {
        return false;
    }
    for scales in scales {
        let mut least = f64::INFINITY;
        let mut most = 0.0_f64;
        for &one in procedures {
            let cost = scales.weigh(&model.program.procedure(one).body).all;
            least = least.min(cost);
            most = most.max(cost);
        }
        if most > least && most - least >= RELEVANT * most {
            return true;
        }
    }
    false
}
