//! Expensive error exits: those whose conditions depend on bulk data or messages, so that the slice assumes them not taken. Which
//! dependences an exit adds is computed on the dependence graph. An exit also makes the calls that reach it control what comes
//! after them; those calls are its *path* and count with it.

use crate::assumptions::bulk_data;
use crate::assumptions::user_assumptions::{self, AppliedAssumption};
use crate::dataflow::control::Control;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::{Assumed, Clause};
use crate::graphs::statement_ends::Surroundings;
use crate::graphs::statement_ends::statement_ends;
use crate::graphs::termination::CallRounds;
use crate::ir::analysis::Replacement;
use crate::ir::references;
use crate::ir::statement_tree::subtree;
use crate::ir::{ProcedureId, StatementId, StatementKind, Type};
use crate::slice::dependence_graph::{DependenceGraph, NeedSet};
use crate::slice::needs::Need;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use std::collections::{BTreeMap, BTreeSet};

/// The expensive error exits, as assumptions. An exit is cheap, and stays, if its dependences beyond those that the slice has
/// anyway write no array and contain no loop.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
    exits: &[Clause],
) -> Vec<AppliedAssumption> {
    let within = inside_of(model, exits);
    let calls = calls_on_path(model, control, exits);
    let paths = paths(model, exits, &calls);
    let all: BTreeSet<Clause> = exits.iter().copied().collect();
    let belongs = |need: Need, honoured: Option<Clause>| match need {
        Need::Decision(id) if calls.contains(&id) => true,
        Need::Evaluation(clause) if all.contains(&clause) => Some(clause) != honoured,
        Need::Statement(id)
        | Need::Evaluation(Clause { statement: id, .. })
        | Need::Decision(id) => match within.get(&id) {
            Some(&exit) => Some(exit) != honoured,
            None => false,
        },
        Need::Criterion
        | Need::Place(..)
        | Need::Entry(_)
        | Need::Data(_)
        | Need::Sent(_)
        | Need::Terminations(_)
        | Need::Frame(_)
        | Need::Globals
        | Need::CallsOf(_) => false,
    };
    let mut reached = NeedSet::default();
    needs.reach(&[Need::Criterion], |need| belongs(need, None), &mut reached);
    let mut costly: BTreeMap<Clause, Option<Cost>> = BTreeMap::new();
    for &exit in exits {
        costly.insert(exit, None);
    }
    // A cheap exit adds its dependences to the slice, which may make others cheap: repeat until nothing changes.
    let mut changed = true;
    while changed {
        changed = false;
        for exit in costly.keys().copied().collect::<Vec<_>>() {
            // What the exit adds: everything that it reaches and that the slice, with the exits
            // that stay so far, does not reach.
            let own = needs_of(model, exit, &paths);
            let found = needs.reach(&own, |need| belongs(need, Some(exit)), &mut reached);
            let is_inside = |id| within.get(&id) == Some(&exit);
            let expense = found.iter().find_map(|&need| cost(model, need, is_inside));
            if expense.is_some() {
                // An expensive exit goes, and takes what only it reached with it.
                for need in found {
                    needs.remove(&mut reached, need);
                }
                costly.insert(exit, expense);
            } else {
                costly.remove(&exit);
                changed |= !found.is_empty();
            }
        }
    }
    let mut choices = Vec::new();
    for (exit, cost) in costly {
        choices.push(choice(model, exit, cost));
    }
    choices
}

/// What the slice needs to honour an exit: its statements, its condition, and the decisions of the calls that may reach it.
fn needs_of(
    model: &Model,
    exit: Clause,
    paths: &BTreeMap<ProcedureId, Vec<StatementId>>,
) -> Vec<Need> {
    let mut needs = Vec::new();
    for id in own_statements(model, exit) {
        needs.push(Need::Statement(id));
    }
    needs.push(Need::Statement(exit.statement));
    needs.push(Need::Evaluation(exit));
    let procedure = model.program.statement(exit.statement).procedure;
    for &call in paths.get(&procedure).into_iter().flatten() {
        needs.push(Need::Decision(call));
    }
    needs
}

/// Calls after which the run may end, but only by one of the exits.
fn calls_on_path(model: &Model, control: &Control, exits: &[Clause]) -> BTreeSet<StatementId> {
    let Model {
        program,
        outline,
        calls,
        ..
    } = model;
    let mut without = control.assumed.clone();
    for exit in exits {
        let assumed = &mut without[exit.statement.0 as usize];
        *assumed = assumed.and(Assumed::constant(exit.number, false));
    }
    let rounds = CallRounds::of(program, outline, calls, &without, None);
    let with_exits = Surroundings {
        program,
        outline,
        calls,
        assumed: &control.assumed,
        ends: control.ends(),
    };
    let without_exits = Surroundings {
        assumed: &without,
        ends: rounds.last(),
        ..with_exits
    };
    let mut found = BTreeSet::new();
    for id in outline.all() {
        let is_simple = program.statement(id).kind.bodies().is_empty();
        if is_simple
            && statement_ends(id, with_exits).may_stop
            && !statement_ends(id, without_exits).may_stop
        {
            found.insert(id);
        }
    }
    found
}

/// By procedure of an exit: those of some calls that may reach it.
fn paths(
    model: &Model,
    exits: &[Clause],
    calls: &BTreeSet<StatementId>,
) -> BTreeMap<ProcedureId, Vec<StatementId>> {
    let count = model.program.procedures.len();
    let mut callers: Vec<Vec<ProcedureId>> = vec![Vec::new(); count];
    for &(caller, callee) in &model.calls.pairs {
        callers[callee.0 as usize].push(caller);
    }
    let mut calls_of: Vec<Vec<StatementId>> = vec![Vec::new(); count];
    for &id in calls {
        for call in &model.effects.of_statement(id).calls {
            calls_of[call.target.0 as usize].push(id);
        }
    }
    let mut paths = BTreeMap::new();
    for exit in exits {
        let procedure = model.program.statement(exit.statement).procedure;
        paths.entry(procedure).or_insert_with(|| {
            let mut leading: BTreeSet<ProcedureId> = BTreeSet::new();
            let mut found = BTreeSet::new();
            let mut pending = vec![procedure];
            while let Some(callee) = pending.pop() {
                if leading.insert(callee) {
                    found.extend(&calls_of[callee.0 as usize]);
                    pending.extend(&callers[callee.0 as usize]);
                }
            }
            found.into_iter().collect()
        });
    }
    paths
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
    let id = need.kept()?;
    if inside(id) || !is_costly(model, id) {
        return None;
    }
    Some(Cost::Statement(id))
}

fn is_costly(model: &Model, id: StatementId) -> bool {
    let repeats = matches!(
        model.program.statement(id).kind,
        StatementKind::Do { .. } | StatementKind::While { .. } | StatementKind::Opaque { .. }
    );
    repeats || model.effects.writes_array(id) && !is_text(model, id)
}

/// Whether a statement assigns to a scalar character variable, which is a location of many characters but no array.
fn is_text(model: &Model, id: StatementId) -> bool {
    let StatementKind::Assign { target, .. } = &model.program.statement(id).kind else {
        return false;
    };
    let Some(base) = references::base(target) else {
        return false;
    };
    let variable = model.program.variable(base);
    variable.of_type == Type::Character && variable.shape.is_empty()
}

fn choice(model: &Model, exit: Clause, cost: Option<Cost>) -> AppliedAssumption {
    let depends_on = match cost {
        Some(Cost::Statement(id)) => format!("computed data: {}", bulk_data::described(model, id)),
        Some(Cost::Messages) | None => "the data of messages".into(),
    };
    AppliedAssumption {
        substitution: user_assumptions::substitution(model, exit, Replacement::Constant(false)),
        outcome: AssumedOutcome::NotTaken,
        origin: AssumptionOrigin::Proposed,
        reason: format!("an error exit that depends on {depends_on}"),
    }
}
