//! What would have to hold for a statement to leave the slice: the fewest conditions, selections and bounds that would
//! separate it from the MPI calls if something were assumed of them. What of each, its user knows.

use crate::assumptions::dependence_graph::{DependenceGraph, Need};
use crate::assumptions::user_assumptions;
use crate::dataflow::control::Control;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::analysis::{Open, RemovalConditions};
use crate::ir::{StatementId, StatementKind};
use base_data::program_data::AssumedOutcome;
use std::collections::BTreeSet;

/// The assumptions that would do, if any do.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
    statement: StatementId,
) -> RemovalConditions {
    let others = model.outline.all().filter(|&id| id != statement);
    let can_be_assumed: BTreeSet<Clause> = others
        .flat_map(|id| free_clauses(model, control, id))
        .collect();
    let is_test = |need: Need| matches!(need, Need::Evaluation(at) if can_be_assumed.contains(&at));
    let (target, mut anyway) = (Need::Statement(statement), BTreeSet::new());
    needs.reach(&[Need::Criterion], is_test, &mut anyway);
    let assume = match anyway.contains(&target) {
        true => Vec::new(),
        false => open(model, &needs.minimum_cut(is_test, &[target])),
    };
    RemovalConditions { statement, assume }
}

/// The decisions of a cut; of several conditions of one IF the first, since no other is asked if it holds.
pub(crate) fn open(model: &Model, cut: &[Need]) -> Vec<Open> {
    let clauses: Vec<Clause> = cut.iter().filter_map(|need| need.evaluated()).collect();
    let of_one = |at: Clause| {
        clauses
            .iter()
            .filter(move |other| other.statement == at.statement)
    };
    let firsts = clauses
        .iter()
        .copied()
        .filter(|&at| of_one(at).min() == Some(&at));
    let open = |at: Clause| {
        let Clause { statement, number } = at;
        let repeats =
            user_assumptions::replacement(model, statement, number, AssumedOutcome::Trips(1))
                .is_ok();
        Open {
            statement,
            clause: number,
            only_taken: of_one(at).count() > 1,
            repeats,
        }
    };
    firsts.map(open).collect()
}

/// The clauses of a statement of which nothing is assumed yet, and what each evaluates could be left out by one assumption.
pub(crate) fn free_clauses(model: &Model, control: &Control, id: StatementId) -> Vec<Clause> {
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
