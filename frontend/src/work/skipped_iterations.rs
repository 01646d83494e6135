//! `if (condition) cycle` in the body of a loop: what is behind it in the body is the other branch of the condition.

use crate::effects::model::Model;
use crate::ir::{Expression, StatementId, StatementKind};

/// An IF without ELSE whose one branch is a CYCLE of the loop in whose body it stands.
pub(crate) struct SkippedIteration<'a> {
    pub(crate) condition: &'a Expression,
    /// The branch: the CYCLE.
    pub(crate) branch: &'a [StatementId],
    /// The loop.
    pub(crate) target: StatementId,
}

impl<'a> SkippedIteration<'a> {
    /// That of a statement.
    pub(crate) fn of(model: &Model<'a>, id: StatementId) -> Option<Self> {
        let program = model.program;
        let StatementKind::If {
            branches,
            otherwise: None,
            ..
        } = &program.statement(id).kind
        else {
            return None;
        };
        let [(condition, branch)] = &branches[..] else {
            return None;
        };
        let &[only] = &branch[..] else {
            return None;
        };
        let StatementKind::Cycle(target) = program.statement(only).kind else {
            return None;
        };
        if model.outline.ancestors(id).next() != Some(target) {
            return None;
        }
        Some(SkippedIteration {
            condition,
            branch,
            target,
        })
    }
}

/// Whether a CYCLE is that of a [`SkippedIteration`].
pub(crate) fn is_of_rest(model: &Model, cycle: StatementId) -> bool {
    let above = model.outline.ancestors(cycle).next();
    above.is_some_and(|above| SkippedIteration::of(model, above).is_some())
}
