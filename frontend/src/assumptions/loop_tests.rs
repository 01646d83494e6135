//! Loop tests: branches that determine how often a loop repeats, that is IFs that leave a loop and IFs that jump back.
//! Assumptions about them are in [`crate::assumptions::proposals`] and [`crate::assumptions::user_assumptions`].

use crate::effects::model::Model;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::{StatementId, StatementKind};

/// What an IF does to a repetition when its condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It ends it.
    Leaves(Repetition),
    /// It goes on with it.
    Repeats,
    /// Neither by itself: it is evaluated in each iteration and decides something else.
    Neither,
}

/// What is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// A loop with an end of its own.
    Bounded,
    /// A loop that only what is in it ends.
    Unbounded,
}

/// What a branch of an IF does to the innermost repetition around it; `None` outside of any.
pub(crate) fn turn(
    model: &Model,
    flow: &ControlFlowGraph,
    id: StatementId,
    clause: usize,
) -> Option<Turn> {
    let StatementKind::If { branches, .. } = &model.program.statement(id).kind else {
        return None;
    };
    let first = flow.number(CfgNode::Statement(*branches.get(clause)?.1.first()?));
    turn_at(model, flow, id, first)
}

/// The same of the way that begins at this point after a statement.
pub(crate) fn turn_at(
    model: &Model,
    flow: &ControlFlowGraph,
    id: StatementId,
    first: usize,
) -> Option<Turn> {
    let me = flow.number(CfgNode::Statement(id));
    let around = enclosing_loop(model, id);
    let header = around.map(|l| flow.number(CfgNode::Statement(l)));
    // Only paths in one iteration of the innermost loop count: its header would join the next one.
    let stays = |number: usize| match (around, flow.points_at(number)) {
        (None, _) => true,
        (Some(l), CfgNode::Statement(at)) => at != l && model.outline.is_within(at, l),
        (Some(_), CfgNode::Entry | CfgNode::Return | CfgNode::Exit) => false,
    };
    let others: Vec<usize> = flow
        .successors(me)
        .into_iter()
        .filter(|&to| to != first)
        .collect();
    let returns_to = |from: &[usize], to: usize| reaches(flow, from, to, stays);
    match (returns_to(&[first], me), returns_to(&others, me)) {
        // A cycle that does not pass the header is a repetition by jumps, inside the loop.
        (true, false) => return Some(Turn::Repeats),
        (false, true) => return Some(Turn::Leaves(Repetition::Unbounded)),
        (true, true) => return Some(Turn::Neither),
        (false, false) => {}
    }
    let header = header?;
    Some(
        match (returns_to(&[first], header), returns_to(&others, header)) {
            (false, _) => Turn::Leaves(repetition(model, around?)),
            (true, false) => Turn::Repeats,
            (true, true) => Turn::Neither,
        },
    )
}

fn repetition(model: &Model, id: StatementId) -> Repetition {
    let endless = matches!(
        model.program.statement(id).kind,
        StatementKind::While {
            condition: None,
            ..
        }
    );
    if endless {
        Repetition::Unbounded
    } else {
        Repetition::Bounded
    }
}

/// The innermost loop around a statement.
pub(crate) fn enclosing_loop(model: &Model, id: StatementId) -> Option<StatementId> {
    model
        .outline
        .ancestors(id)
        .find(|&above| model.program.statement(above).kind.is_loop())
}

/// Whether control gets from one of some points to another without leaving those for which `stays` holds.
fn reaches(
    flow: &ControlFlowGraph,
    from: &[usize],
    to: usize,
    stays: impl Fn(usize) -> bool,
) -> bool {
    let mut seen = vec![false; flow.len()];
    let mut stack = from.to_vec();
    while let Some(at) = stack.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) && stays(at) {
            stack.extend(flow.successors(at));
        }
    }
    false
}
