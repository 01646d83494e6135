//! Method switches: branches on global results that end no loop. A solver takes another method once its error is small, or examines
//! the error only after an estimated number of iterations. Like a convergence test, such a branch is evaluated in each iteration,
//! by all ranks alike, and depends on bulk data directly: through no other condition.

use crate::assumptions::bulk_data;
use crate::assumptions::error_exits::ErrorExits;
use crate::assumptions::loop_tests::{Turn, turn};
use crate::assumptions::removal_conditions;
use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::StatementReads;
use crate::dataflow::rank_varying;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::{ProcedureId, StatementId, StatementKind};
use crate::slice::dependence_graph::{DependenceGraph, NeedSet};
use crate::slice::needs::Need;
use std::collections::BTreeSet;

/// The branches, in source order, without those that are `computed`.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
    exits: &ErrorExits,
    computed: &BTreeSet<Clause>,
) -> Vec<Clause> {
    let free = removal_conditions::all_free_clauses(model, control);
    let mut found = Vec::new();
    for p in (0..model.program.procedures.len() as u32).map(ProcedureId) {
        found.extend(branches_in_loops(model, control, p, &free));
    }
    found.retain(|at| !computed.contains(at));
    found.retain(|&at| depends_directly_on_bulk_data(model, needs, &free, at));
    if found.is_empty() {
        return found;
    }
    // If some ranks take a branch and others do not, no outcome is right for all.
    let statements: Vec<StatementId> = found.iter().map(|at| at.statement).collect();
    let reads = StatementReads::of(model);
    let mut bulk = vec![false; model.program.statements.len()];
    for id in model.outline.all() {
        bulk[id.0 as usize] = bulk_data::computes(model, id);
    }
    let unequal =
        rank_varying::tests_of_local_data(&reads, control, &exits.tests, &statements, &bulk);
    found.retain(|at| !unequal.contains(&at.statement));
    found
}

/// The free conditions of IFs of a procedure that are evaluated in each iteration of a loop and do not end it.
fn branches_in_loops(
    model: &Model,
    control: &Control,
    procedure: ProcedureId,
    free: &BTreeSet<Clause>,
) -> Vec<Clause> {
    let mut branches = Vec::new();
    for &id in model.outline.of_procedure(procedure) {
        let kind = &model.program.statement(id).kind;
        if matches!(kind, StatementKind::If { .. }) {
            branches.extend(Clause::of(kind, id).filter(|at| free.contains(at)));
        }
    }
    if branches.is_empty() {
        return branches;
    }
    let flow = control.flow(model, procedure, &control.assumed);
    branches.retain(|at| turn(model, &flow, at.statement, at.number) == Some(Turn::Neither));
    branches
}

/// Whether a condition needs bulk data, and not only through other conditions. What sets a flag by such a condition is a switch, what
/// reads the flag is none: an assumption about the flag would say nothing about its other readers.
fn depends_directly_on_bulk_data(
    model: &Model,
    needs: &DependenceGraph,
    free: &BTreeSet<Clause>,
    at: Clause,
) -> bool {
    let is_other = |need: Need| matches!(need, Need::Evaluation(clause) if clause != at && free.contains(&clause));
    let reached = needs.reach(&[Need::Evaluation(at)], is_other, &mut NeedSet::default());
    bulk_data::first_computed(model, &reached).is_some()
}
