//! Mixed loop conditions: a count and a convergence test in one (`do while (it < n .and. r > tol)`, `if (r < tol .or. it >= n) exit`).
//! The convergence test is assumed to continue the loop, and the count conjunct remains. The remaining condition ends the loop in a
//! subset of the cases in which the whole one does, so the loop runs to its count.
//!
//! Counts are recognised in [`crate::assumptions::counted_exits`]; [`crate::assumptions::proposals`] decides whether the remaining
//! condition is cheap, and the instrumenter writes it.

use crate::assumptions::atomic_conditions::parts;
use crate::assumptions::bulk_data;
use crate::assumptions::counted_exits;
use crate::assumptions::evaluated_assumptions::has_side_effects;
use crate::assumptions::loop_tests::{Repetition, Turn, enclosing_loop, turn};
use crate::effects::model::Model;
use crate::expressions::name_visibility;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::control_flow_graph::ControlFlowGraph;
use crate::ir::analysis::CountConjunct;
use crate::ir::conjuncts::remaining_condition;
use crate::ir::{Expression, StatementId, StatementKind};

/// Most atomic conditions of one condition.
const MAX_PARTS: usize = u64::BITS as usize;

/// What of a test is assumed so that its repetition runs to its count, or its other bound: not all of it, unless it is the
/// condition of a loop which a count beside it ends.
pub(crate) fn find(
    model: &Model,
    is_free: impl Fn(Clause) -> bool,
    flow: &ControlFlowGraph,
    at: Clause,
) -> Option<CountConjunct> {
    let (condition, goes_on, around) = tested(model, flow, at)?;
    let mut all = Vec::new();
    parts(condition, goes_on, true, &mut all);
    if all.len() > MAX_PARTS || has_side_effects(model, condition) {
        return None;
    }
    let is_loop = matches!(
        model.program.statement(at.statement).kind,
        StatementKind::While { .. }
    );
    let mut is_bounded = !is_loop && has_other_bound(model, flow, at);
    let is_do =
        |l: StatementId| matches!(model.program.statement(l).kind, StatementKind::Do { .. });
    let is_counted = !is_bounded || !around.is_some_and(is_do);
    let mut conjunct = CountConjunct {
        goes_on,
        dropped: 0,
        is_counted,
    };
    for (bit, part) in (0..).map(|number| 1_u64 << number).zip(&all) {
        if bulk_data::is_test_of_values(model, part.expression) {
            conjunct.dropped |= bit;
            continue;
        }
        let counts = part.is_enough && is_counted;
        is_bounded |= counts
            && counted_exits::counts(model, flow, at.statement, (part.expression, part.goes_on));
    }
    if conjunct.dropped == 0 {
        return None;
    }
    match remaining_condition(condition, conjunct) {
        Some(rest) => {
            // The instrumenter writes what remains, and the probe evaluates it.
            name_visibility::spell(model.program, &model.outline, &rest, at.statement)?;
            if has_side_effects(model, &rest) {
                return None;
            }
        }
        // Without any condition, only a loop statement still repeats, and a count has to end it.
        None if is_loop => is_bounded = false,
        None => return None,
    }
    if is_bounded || counted_exits::is_beside(model, &is_free, flow, at) {
        Some(conjunct)
    } else {
        None
    }
}

/// A condition that goes on with a repetition or ends it: which of them if it holds, and the loop around.
fn tested<'a>(
    model: &'a Model,
    flow: &ControlFlowGraph,
    at: Clause,
) -> Option<(&'a Expression, bool, Option<StatementId>)> {
    match &model.program.statement(at.statement).kind {
        StatementKind::While {
            condition: Some(condition),
            ..
        } => Some((condition, true, None)),
        StatementKind::If { branches, .. } => {
            let goes_on = match turn(model, flow, at.statement, at.number)? {
                Turn::Leaves(_) => false,
                Turn::Repeats => true,
                Turn::Neither => return None,
            };
            Some((
                &branches.get(at.number)?.0,
                goes_on,
                enclosing_loop(model, at.statement),
            ))
        }
        _ => None,
    }
}

/// Whether an IF leaves a loop that has another bound.
fn has_other_bound(model: &Model, flow: &ControlFlowGraph, at: Clause) -> bool {
    turn(model, flow, at.statement, at.number) == Some(Turn::Leaves(Repetition::Bounded))
}
