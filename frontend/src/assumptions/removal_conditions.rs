//! Removal conditions: what must be assumed for a statement to leave the slice. They are a minimum cut of conditions,
//! selections and loop bounds in the dependence graph, between the MPI calls and the statement. The user chooses the outcomes.

use crate::assumptions::user_assumptions;
use crate::dataflow::control::Control;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::analysis::{AssumptionCandidate, RemovalConditions};
use crate::ir::{StatementId, StatementKind};
use crate::slice::dependence_graph::{DependenceGraph, NeedSet};
use crate::slice::needs::Need;
use base_data::program_data::AssumedOutcome;
use std::collections::{BTreeMap, BTreeSet};

/// The assumptions that remove a statement; empty if none do.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
    statement: StatementId,
) -> RemovalConditions {
    let mut free = all_free_clauses(model, control);
    // An assumption about the statement itself does not remove it.
    free.retain(|clause| clause.statement != statement);
    let is_test = |need: Need| matches!(need, Need::Evaluation(at) if free.contains(&at));
    let (target, mut inevitable) = (Need::Statement(statement), NeedSet::default());
    needs.reach(&[Need::Criterion], is_test, &mut inevitable);
    let assume = if needs.contains(&inevitable, target) {
        Vec::new()
    } else {
        open(model, &needs.minimum_cut(is_test, &[target]))
    };
    RemovalConditions { statement, assume }
}

/// The branches of a cut; of several conditions of one IF only the first, since the others are not evaluated if it holds.
pub(crate) fn open(model: &Model, cut: &[Need]) -> Vec<AssumptionCandidate> {
    let mut numbers: BTreeMap<StatementId, Vec<usize>> = BTreeMap::new();
    let mut statements = Vec::new();
    for need in cut {
        if let Some(Clause { statement, number }) = need.evaluated() {
            numbers.entry(statement).or_default().push(number);
            statements.push((statement, number));
        }
    }
    let mut found = Vec::new();
    for (statement, number) in statements {
        let all = &numbers[&statement];
        if all.iter().min() != Some(&number) {
            continue;
        }
        let outcome = AssumedOutcome::Trips(1);
        let repeats = user_assumptions::replacement(model, statement, number, outcome).is_ok();
        found.push(AssumptionCandidate {
            statement,
            clause: number,
            only_taken: all.len() > 1,
            repeats,
        });
    }
    found
}

/// The clauses of a statement about which nothing is assumed yet and whose evaluation an assumption can replace.
fn free_clauses(model: &Model, control: &Control, id: StatementId) -> Vec<Clause> {
    let kind = &model.program.statement(id).kind;
    let is_endless = matches!(
        kind,
        StatementKind::While {
            condition: None,
            ..
        }
    );
    if user_assumptions::conditions(kind).is_none() || is_endless {
        return Vec::new();
    }
    let is_free = |&at: &Clause| control.is_free(at) && user_assumptions::is_replaceable(model, at);
    Clause::of(kind, id).filter(is_free).collect()
}

/// The free clauses of all statements.
pub(crate) fn all_free_clauses(model: &Model, control: &Control) -> BTreeSet<Clause> {
    let mut free = BTreeSet::new();
    for id in model.outline.all() {
        free.extend(free_clauses(model, control, id));
    }
    free
}
