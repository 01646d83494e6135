//! Branches of a selection: the cases of a SELECT CASE, the labels of a computed GOTO or an arithmetic IF. Assumptions about them
//! are in [`crate::assumptions::proposals`] and [`crate::assumptions::user_assumptions`].

use crate::assumptions::loop_tests::{Repetition, Turn, turn_at};
use crate::effects::model::Model;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::analysis::SelectionBranch;

use crate::ir::{CaseValue, Expression, StatementId, StatementKind};
use base_data::program_data::AssumedOutcome;

/// A selection of two ways, one of which ends the repetition around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The way that ends it.
    pub(crate) leaves: SelectionBranch,
    /// The other one.
    pub(crate) stays: SelectionBranch,
    /// What is repeated.
    pub(crate) repetition: Repetition,
}

/// The branches of a selection, each with the node where it begins; none of other statements.
fn ways(model: &Model, flow: &ControlFlowGraph, id: StatementId) -> Vec<(SelectionBranch, usize)> {
    let number = |first: StatementId| flow.number(CfgNode::Statement(first));
    let mut found = Vec::new();
    match &model.program.statement(id).kind {
        StatementKind::Select { cases, .. } => {
            let mut firsts = Vec::new();
            for (_, body) in cases {
                firsts.push(body.first().copied().map(number));
            }
            // A case without statements continues behind the construct, as no case does.
            let behind = behind(flow, id, firsts.iter().copied().flatten());
            for (case, first) in firsts.into_iter().enumerate() {
                if let Some(to) = first.or(behind) {
                    found.push((SelectionBranch::Case(case + 1), to));
                }
            }
            if let Some(to) = behind {
                found.push((SelectionBranch::Case(0), to));
            }
        }
        StatementKind::Goto {
            labels,
            selector: Some(_),
            falls_through,
        } => {
            for &label in labels {
                if let Some(target) = labelled(model, id, label) {
                    found.push((SelectionBranch::Label(label), number(target)));
                }
            }
            if *falls_through && let Some(to) = behind(flow, id, found.iter().map(|way| way.1)) {
                found.push((SelectionBranch::Next, to));
            }
        }
        _ => {}
    }
    found
}

/// Where control goes that takes none of some ways.
fn behind(
    flow: &ControlFlowGraph,
    id: StatementId,
    others: impl Iterator<Item = usize>,
) -> Option<usize> {
    let others: Vec<usize> = others.collect();
    let successors = flow.successors(flow.number(CfgNode::Statement(id)));
    successors.into_iter().find(|to| !others.contains(to))
}

/// The statement with a label, in the procedure of a statement.
fn labelled(model: &Model, id: StatementId, label: u32) -> Option<StatementId> {
    let procedure = model.program.statement(id).procedure;
    let mut statements = model.outline.of_procedure(procedure).iter().copied();
    statements.find(|&other| model.program.statement(other).label == Some(label))
}

/// Which of exactly two branches ends a loop, and which continues it.
pub(crate) fn ending(model: &Model, flow: &ControlFlowGraph, id: StatementId) -> Option<Ending> {
    let ways = ways(model, flow, id);
    let [first, second] = flow.successors(flow.number(CfgNode::Statement(id)))[..] else {
        return None;
    };
    let named = |to: usize| ways.iter().find(|way| way.1 == to).map(|way| way.0);
    for (leaves, stays) in [(first, second), (second, first)] {
        match turn_at(model, flow, id, leaves) {
            Some(Turn::Leaves(repetition)) => {
                if let (Some(leaves), Some(stays)) = (named(leaves), named(stays)) {
                    return Some(Ending {
                        leaves,
                        stays,
                        repetition,
                    });
                }
            }
            Some(Turn::Repeats | Turn::Neither) | None => {}
        }
    }
    None
}

/// What decides among the ways.
pub(crate) fn selector(kind: &StatementKind) -> Option<&Expression> {
    match kind {
        StatementKind::Select { selector, cases } if !selects_types(cases) => Some(selector),
        StatementKind::Goto { selector, .. } => selector.as_ref(),
        _ => None,
    }
}

/// Whether the cases are types or ranks (SELECT TYPE, SELECT RANK), which have no values.
pub(crate) fn selects_types(cases: &[(Vec<CaseValue>, Vec<StatementId>)]) -> bool {
    let is_type = |value: &CaseValue| matches!(value, CaseValue::TypeOrRank);
    cases.iter().any(|(values, _)| values.iter().any(is_type))
}

/// What is assumed of which clause for a repetition to go on: that the case is not taken that ends it, or to which
/// label control goes.
pub(crate) fn avoided(leaves: SelectionBranch, stays: SelectionBranch) -> (usize, AssumedOutcome) {
    match leaves {
        SelectionBranch::Case(clause) if clause > 0 => (clause, AssumedOutcome::NotTaken),
        SelectionBranch::Case(_) | SelectionBranch::Label(_) | SelectionBranch::Next => {
            assumed(stays)
        }
    }
}

/// Which clause of its statement a way belongs to, and what is assumed of that clause for it to be taken.
pub(crate) fn assumed(way: SelectionBranch) -> (usize, AssumedOutcome) {
    match way {
        SelectionBranch::Case(0) => (0, AssumedOutcome::NotTaken),
        SelectionBranch::Case(clause) => (clause, AssumedOutcome::Taken),
        SelectionBranch::Label(label) => (0, AssumedOutcome::Label(label)),
        SelectionBranch::Next => (0, AssumedOutcome::NotTaken),
    }
}
