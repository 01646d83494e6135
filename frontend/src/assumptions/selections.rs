//! The ways that a selection may go: the cases of a SELECT CASE, the labels of a computed GOTO or an
//! arithmetic IF. What is assumed of them is in [`crate::assumptions::proposals`] and [`crate::assumptions::user_assumptions`].

use crate::assumptions::loop_tests::{Repetition, Turn, turn_at};
use crate::effects::model::Model;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::analysis::SelectionBranch;
use crate::ir::statement_tree::Outline;
use crate::ir::{Expression, StatementId, StatementKind};
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

/// The ways of a statement that selects, each with the point where it begins; empty for others.
fn ways(model: &Model, flow: &ControlFlowGraph, id: StatementId) -> Vec<(SelectionBranch, usize)> {
    let number = |first: StatementId| flow.number(CfgNode::Statement(first));
    match &model.program.statement(id).kind {
        StatementKind::Select { cases, .. } => {
            let firsts: Vec<Option<usize>> = cases
                .iter()
                .map(|(_, body)| body.first().copied().map(number))
                .collect();
            let behind = behind(flow, id, firsts.iter().copied().flatten());
            let of_case = |(i, first): (usize, &Option<usize>)| {
                Some((SelectionBranch::Case(i + 1), first.or(behind)?))
            };
            let none = behind.map(|to| (SelectionBranch::Case(0), to));
            firsts
                .iter()
                .enumerate()
                .filter_map(of_case)
                .chain(none)
                .collect()
        }
        StatementKind::Goto {
            labels,
            selector: Some(_),
            falls_through,
        } => {
            let target = |&label: &u32| {
                Some((
                    SelectionBranch::Label(label),
                    number(labelled(model, id, label)?),
                ))
            };
            let mut found: Vec<(SelectionBranch, usize)> =
                labels.iter().filter_map(target).collect();
            let next = falls_through.then(|| behind(flow, id, found.iter().map(|way| way.1)));
            found.extend(next.flatten().map(|to| (SelectionBranch::Next, to)));
            found
        }
        _ => Vec::new(),
    }
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

/// The statement of a procedure that has a label.
fn labelled(model: &Model, id: StatementId, label: u32) -> Option<StatementId> {
    let own = |outline: &Outline| {
        outline
            .of_procedure(model.program.statement(id).procedure)
            .to_vec()
    };
    own(&model.outline)
        .into_iter()
        .find(|&other| model.program.statement(other).label == Some(label))
}

/// Which of exactly two ways ends a repetition, and which goes on with it.
pub(crate) fn ending(model: &Model, flow: &ControlFlowGraph, id: StatementId) -> Option<Ending> {
    let ways = ways(model, flow, id);
    let [first, second] = flow.successors(flow.number(CfgNode::Statement(id)))[..] else {
        return None;
    };
    let named = |to: usize| ways.iter().find(|way| way.1 == to).map(|way| way.0);
    [(first, second), (second, first)]
        .into_iter()
        .find_map(|(leaves, stays)| match turn_at(model, flow, id, leaves)? {
            Turn::Leaves(repetition) => Some(Ending {
                leaves: named(leaves)?,
                stays: named(stays)?,
                repetition,
            }),
            Turn::Repeats | Turn::Neither => None,
        })
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
pub(crate) fn selects_types(cases: &[(Vec<Expression>, Vec<StatementId>)]) -> bool {
    let has_none =
        |values: &[Expression]| matches!(values, [Expression::Other(parts)] if parts.is_empty());
    cases.iter().any(|(values, _)| has_none(values))
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
