//! What would have to hold for a statement to leave the slice: the fewest conditions and bounds that would
//! separate it from the MPI calls if something were assumed of them. What of each, its user knows.

use crate::analysis::WhyNot;
use crate::control::Control;
use crate::ir::{StatementId, StatementKind};
use crate::model::Model;
use crate::needs::{Need, Needs};
use crate::requests;
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
        false => needs.smallest_cut(is_test, &[target]).into_iter().filter_map(Need::evaluated).collect(),
    };
    WhyNot { statement, assume }
}

/// Whether nothing is assumed of a statement yet, and what it evaluates could be left out by one assumption.
fn is_free(model: &Model, control: &Control, id: StatementId) -> bool {
    let kind = &model.program.statement(id).kind;
    let is_endless = matches!(kind, StatementKind::While { condition: None, .. });
    let decides_alone = requests::conditions(kind) == Some(1) && !is_endless;
    let is_free = !control.assumed[id.0 as usize].is_any() && !control.dead[id.0 as usize];
    decides_alone && is_free && requests::is_replaceable(model, id)
}
