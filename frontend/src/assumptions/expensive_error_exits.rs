//! Which error exits are too costly to honour, told from what would be needed for each. An exit makes the
//! calls that lead to it decide what comes after them; they are its *way*, and count with it.

use crate::assumptions::bulk_data;
use crate::assumptions::dependence_graph::{DependenceGraph, Need};
use crate::assumptions::user_assumptions::{self, Choice};
use crate::dataflow::control::Control;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::{Assumed, Clause};
use crate::graphs::control_flow_graph::Surroundings;
use crate::graphs::termination::{CallRounds, Terminations, statement_ends};
use crate::ir::analysis::Replacement;
use crate::ir::references;
use crate::ir::statement_tree::subtree;
use crate::ir::{ProcedureId, StatementId, StatementKind, Type};
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use std::collections::{BTreeMap, BTreeSet};

/// The error exits that are too costly to honour. Those are honoured that cost next to nothing: what
/// they need beside what is needed anyway writes no array and repeats nothing.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
    exits: &[Clause],
) -> Vec<Choice> {
    let within = inside_of(model, exits);
    let calls = calls_on_path(model, control, exits);
    let belongs = |need: Need, honoured: Option<Clause>| match need {
        Need::Decision(id) if calls.contains(&id) => true,
        Need::Evaluation(clause) if exits.contains(&clause) => Some(clause) != honoured,
        Need::Statement(id)
        | Need::Evaluation(Clause { statement: id, .. })
        | Need::Decision(id) => within.get(&id).is_some_and(|&exit| Some(exit) != honoured),
        Need::Criterion
        | Need::Place(..)
        | Need::Entry(_)
        | Need::Data(_)
        | Need::Terminations(_)
        | Need::Frame(_)
        | Need::Globals
        | Need::CallsOf(_) => false,
    };
    let mut reached = BTreeSet::new();
    needs.reach(&[Need::Criterion], |need| belongs(need, None), &mut reached);
    let mut costly: BTreeMap<Clause, Option<Cost>> =
        exits.iter().map(|&exit| (exit, None)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for exit in costly.keys().copied().collect::<Vec<_>>() {
            let way = path_to(model, exit.statement, &calls)
                .into_iter()
                .map(Need::Decision);
            let own = own_statements(model, exit)
                .into_iter()
                .chain([exit.statement])
                .map(Need::Statement);
            let all: Vec<Need> = own.chain([Need::Evaluation(exit)]).chain(way).collect();
            let found = needs.reach(&all, |need| belongs(need, Some(exit)), &mut reached);
            match found
                .iter()
                .find_map(|&need| cost(model, need, |id| within.get(&id) == Some(&exit)))
            {
                None => {
                    costly.remove(&exit);
                    changed |= !found.is_empty();
                }
                Some(cost) => {
                    found.iter().for_each(|need| _ = reached.remove(need));
                    costly.insert(exit, Some(cost));
                }
            }
        }
    }
    costly
        .into_iter()
        .map(|(exit, cost)| choice(model, exit, cost))
        .collect()
}

/// Calls after which the run goes on for certain if no exit is taken, and not otherwise.
fn calls_on_path(model: &Model, control: &Control, exits: &[Clause]) -> BTreeSet<StatementId> {
    let mut without = control.assumed.clone();
    for exit in exits {
        let assumed = &mut without[exit.statement.0 as usize];
        *assumed = assumed.and(Assumed::constant(exit.number, false));
    }
    let Model {
        program,
        outline,
        calls,
        ..
    } = model;
    let rounds = CallRounds::of(program, outline, calls, &without, None);
    let may_stop = |id: StatementId, assumed: &[Assumed], ends: &[Terminations]| {
        statement_ends(
            id,
            Surroundings {
                program,
                outline,
                calls,
                assumed,
                ends,
            },
        )
        .may_stop
    };
    let all = model
        .outline
        .all()
        .filter(|&id| model.program.statement(id).kind.bodies().is_empty());
    let only_by_exits = |&id: &StatementId| {
        may_stop(id, &control.assumed, control.ends()) && !may_stop(id, &without, rounds.last())
    };
    all.filter(only_by_exits).collect()
}

/// Those of some calls that may get to an exit.
fn path_to(model: &Model, exit: StatementId, calls: &BTreeSet<StatementId>) -> Vec<StatementId> {
    let mut leading: BTreeSet<ProcedureId> = BTreeSet::new();
    let mut pending = vec![model.program.statement(exit).procedure];
    while let Some(procedure) = pending.pop() {
        if leading.insert(procedure) {
            let callers = model
                .calls
                .pairs
                .iter()
                .filter(|(_, callee)| *callee == procedure);
            pending.extend(callers.map(|&(caller, _)| caller));
        }
    }
    let leads = |&id: &StatementId| {
        model
            .effects
            .of_statement(id)
            .calls
            .iter()
            .any(|call| leading.contains(&call.target))
    };
    calls.iter().copied().filter(leads).collect()
}

/// The exit that each statement of exits belongs to; the outermost.
fn inside_of(model: &Model, exits: &[Clause]) -> BTreeMap<StatementId, Clause> {
    let mut within = BTreeMap::new();
    for &exit in exits {
        for id in own_statements(model, exit) {
            within.entry(id).or_insert(exit);
        }
    }
    within
}

/// The statements that go with an exit: those in its branch, and the IF if that is its only one.
fn own_statements(model: &Model, exit: Clause) -> Vec<StatementId> {
    match &model.program.statement(exit.statement).kind {
        StatementKind::If {
            branches,
            otherwise,
            ..
        } if branches.len() > 1 || otherwise.is_some() => branches[exit.number]
            .1
            .iter()
            .flat_map(|&id| subtree(model.program, id))
            .collect(),
        _ => subtree(model.program, exit.statement),
    }
}

/// Why an exit is not honoured.
#[derive(Clone, Copy)]
enum Cost {
    Statement(StatementId),
    Messages,
}

fn cost(model: &Model, need: Need, inside: impl Fn(StatementId) -> bool) -> Option<Cost> {
    if let Need::Data(_) = need {
        return Some(Cost::Messages);
    }
    need.kept()
        .filter(|&id| !inside(id) && is_costly(model, id))
        .map(Cost::Statement)
}

fn is_costly(model: &Model, id: StatementId) -> bool {
    let repeats = matches!(
        model.program.statement(id).kind,
        StatementKind::Do { .. } | StatementKind::While { .. } | StatementKind::Opaque { .. }
    );
    repeats || model.effects.writes_array(id) && !is_text(model, id)
}

/// Whether a statement assigns to one text, which is no array.
fn is_text(model: &Model, id: StatementId) -> bool {
    let StatementKind::Assign { target, .. } = &model.program.statement(id).kind else {
        return false;
    };
    let variable = references::base(target).map(|base| model.program.variable(base));
    variable
        .is_some_and(|variable| variable.of_type == Type::Character && variable.shape.is_empty())
}

fn choice(model: &Model, exit: Clause, cost: Option<Cost>) -> Choice {
    let depends_on = match cost {
        Some(Cost::Statement(id)) => format!("computed data: {}", bulk_data::described(model, id)),
        Some(Cost::Messages) | None => "the data of messages".into(),
    };
    Choice {
        substitution: user_assumptions::substitution(model, exit, Replacement::Constant(false)),
        outcome: AssumedOutcome::NotTaken,
        origin: AssumptionOrigin::Proposed,
        reason: format!("an error exit that depends on {depends_on}"),
    }
}
