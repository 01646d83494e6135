//! What would have to hold for a statement to leave the slice: the fewest conditions, selections and bounds that would
//! separate it from the MPI calls if something were assumed of them. What of each, its user knows.

use crate::analysis::{Open, WhyNot};
use crate::assumed;
use crate::control::Control;
use crate::ir::{StatementId, StatementKind};
use crate::model::Model;
use crate::needs::{Need, Needs};
use crate::requests;
use base_data::program_data::AssumedOutcome;
use std::collections::BTreeSet;

/// The assumptions that would do, if any do.
pub(crate) fn find(model: &Model, control: &Control, needs: &Needs, statement: StatementId) -> WhyNot {
    let can_be_assumed: BTreeSet<StatementId> =
        model.outline.all().filter(|&id| id != statement && is_free(model, control, id)).collect();
    let is_test = |need: Need| matches!(need, Need::Evaluation(id) if can_be_assumed.contains(&id));
    let (target, mut anyway) = (Need::Statement(statement), BTreeSet::new());
    needs.reach(&[Need::Criterion], is_test, &mut anyway);
    let assume = match anyway.contains(&target) {
        true => Vec::new(),
        false => open(model, needs, &needs.smallest_cut(is_test, &[target]), &[target]),
    };
    WhyNot { statement, assume }
}

/// The decisions of a cut, each with the one of its conditions that some targets hang on.
pub(crate) fn open(model: &Model, needs: &Needs, cut: &[Need], targets: &[Need]) -> Vec<Open> {
    let statements = cut.iter().filter_map(|need| need.evaluated());
    statements.map(|id| open_clause(model, needs, id, targets)).collect()
}

fn open_clause(model: &Model, needs: &Needs, statement: StatementId, targets: &[Need]) -> Open {
    let clauses = match &model.program.statement(statement).kind {
        StatementKind::If { branches, .. } => branches.len(),
        _ => 1,
    };
    let leads = |&clause: &usize| {
        let evaluated = evaluated(model, needs, statement, clause);
        let found = needs.reach(&evaluated, |need| need == Need::Evaluation(statement), &mut BTreeSet::new());
        found.iter().any(|need| targets.contains(need))
    };
    let leading: Vec<usize> = if clauses == 1 { vec![0] } else { (0..clauses).filter(leads).collect() };
    let clause = leading.first().copied().unwrap_or_default();
    let repeats = requests::replacement(model, statement, clause, AssumedOutcome::Trips(1)).is_ok();
    Open { statement, clause, only_taken: leading.len() > 1, repeats }
}

/// What one of the conditions of an IF needs.
fn evaluated(model: &Model, needs: &Needs, statement: StatementId, clause: usize) -> Vec<Need> {
    let effects = assumed::effects_of_clause(model, statement, clause);
    let is_own = |need: &Need| match need {
        Need::Place(location, _) => effects.uses.contains(location) || !effects.calls.is_empty(),
        Need::Criterion
        | Need::Statement(_)
        | Need::Evaluation(_)
        | Need::Decision(_)
        | Need::Entry(_)
        | Need::Data(_)
        | Need::Ends(_)
        | Need::Frame(_)
        | Need::Globals
        | Need::CallsOf(_) => !effects.calls.is_empty(),
    };
    needs.direct(Need::Evaluation(statement)).into_iter().filter(is_own).collect()
}

/// Whether nothing is assumed of a statement yet, and what it evaluates could be left out by one assumption.
pub(crate) fn is_free(model: &Model, control: &Control, id: StatementId) -> bool {
    let kind = &model.program.statement(id).kind;
    let is_endless = matches!(kind, StatementKind::While { condition: None, .. });
    let decides = requests::conditions(kind).is_some() && !is_endless;
    let is_free = !control.assumed[id.0 as usize].is_any() && !control.dead[id.0 as usize];
    decides && is_free && requests::is_replaceable(model, id)
}
