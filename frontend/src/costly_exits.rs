//! Which error exits are too costly to honour, told from what would be needed for each. An exit makes the
//! calls that lead to it decide what comes after them; they are its *way*, and count with it.

use crate::analysis::{Replacement, Substitution};
use crate::assumed::Assumed;
use crate::bulk;
use crate::control::Control;
use crate::ends::{Ends, Rounds, statement_ends};
use crate::flow_graph::Surroundings;
use crate::ir::{ProcedureId, StatementId, StatementKind};
use crate::model::Model;
use crate::needs::{Need, Needs};
use crate::outline::subtree;
use crate::requests::Choice;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use std::collections::{BTreeMap, BTreeSet};

/// The error exits that are too costly to honour. Those are honoured that cost next to nothing: what
/// they need beside what is needed anyway writes no array and repeats nothing.
pub(crate) fn find(model: &Model, control: &Control, needs: &Needs, exits: &[StatementId]) -> Vec<Choice> {
    let within = inside_of(model, exits);
    let calls = calls_on_the_way(model, control, exits);
    let belongs = |need: Need, honoured: Option<StatementId>| match need {
        Need::Decision(id) if calls.contains(&id) => true,
        Need::Statement(id) | Need::Evaluation(id) | Need::Decision(id) => {
            within.get(&id).is_some_and(|&exit| Some(exit) != honoured)
        }
        Need::Criterion
        | Need::Place(..)
        | Need::Entry(_)
        | Need::Data(_)
        | Need::Ends(_)
        | Need::Frame(_)
        | Need::Globals
        | Need::CallsOf(_) => false,
    };
    let mut reached = BTreeSet::new();
    needs.reach(&[Need::Criterion], |need| belongs(need, None), &mut reached);
    let mut costly: BTreeMap<StatementId, Option<Cost>> = exits.iter().map(|&exit| (exit, None)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for exit in costly.keys().copied().collect::<Vec<_>>() {
            let way = way_to(model, exit, &calls).into_iter().map(Need::Decision);
            let own = subtree(model.program, exit).into_iter().map(Need::Statement);
            let all: Vec<Need> = own.chain(way).collect();
            let found = needs.reach(&all, |need| belongs(need, Some(exit)), &mut reached);
            match found.iter().find_map(|&need| cost(model, need, |id| within.get(&id) == Some(&exit))) {
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
    costly.into_iter().map(|(exit, cost)| choice(model, exit, cost)).collect()
}

/// Calls after which the run goes on for certain if no exit is taken, and not otherwise.
fn calls_on_the_way(model: &Model, control: &Control, exits: &[StatementId]) -> BTreeSet<StatementId> {
    let mut without = control.assumed.clone();
    exits.iter().for_each(|id| without[id.0 as usize] = Assumed::Constant { clause: 0, holds: false });
    let Model { program, outline, calls, .. } = model;
    let rounds = Rounds::of(program, outline, calls, &without, None);
    let may_stop = |id: StatementId, assumed: &[Assumed], ends: &[Ends]| {
        statement_ends(id, Surroundings { program, outline, calls, assumed, ends }).may_stop
    };
    let all = model.outline.all().filter(|&id| model.program.statement(id).kind.bodies().is_empty());
    let only_by_exits = |&id: &StatementId| {
        may_stop(id, &control.assumed, control.ends()) && !may_stop(id, &without, rounds.last())
    };
    all.filter(only_by_exits).collect()
}

/// Those of some calls that may get to an exit.
fn way_to(model: &Model, exit: StatementId, calls: &BTreeSet<StatementId>) -> Vec<StatementId> {
    let mut leading: BTreeSet<ProcedureId> = BTreeSet::new();
    let mut pending = vec![model.program.statement(exit).procedure];
    while let Some(procedure) = pending.pop() {
        if leading.insert(procedure) {
            let callers = model.calls.pairs.iter().filter(|(_, callee)| *callee == procedure);
            pending.extend(callers.map(|&(caller, _)| caller));
        }
    }
    let leads = |&id: &StatementId| {
        model.effects.of_statement(id).calls.iter().any(|call| leading.contains(&call.target))
    };
    calls.iter().copied().filter(leads).collect()
}

/// The exit that each statement of exits belongs to, itself or inside it; the outermost.
fn inside_of(model: &Model, exits: &[StatementId]) -> BTreeMap<StatementId, StatementId> {
    let mut within = BTreeMap::new();
    for &exit in exits {
        for id in subtree(model.program, exit) {
            within.entry(id).or_insert(exit);
        }
    }
    within
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
    need.kept().filter(|&id| !inside(id) && is_costly(model, id)).map(Cost::Statement)
}

fn is_costly(model: &Model, id: StatementId) -> bool {
    let repeats = matches!(
        model.program.statement(id).kind,
        StatementKind::Do { .. } | StatementKind::While { .. } | StatementKind::Opaque { .. }
    );
    repeats || model.effects.writes_array(id)
}

fn choice(model: &Model, statement: StatementId, cost: Option<Cost>) -> Choice {
    let hangs_on = match cost {
        Some(Cost::Statement(id)) => format!("computed data: {}", bulk::described(model, id)),
        Some(Cost::Messages) | None => "the data of messages".into(),
    };
    Choice {
        substitution: Substitution { statement, clause: 0, replacement: Replacement::Constant(false) },
        outcome: AssumedOutcome::NotTaken,
        origin: AssumptionOrigin::Proposed,
        reason: format!("an error exit whose condition hangs on {hangs_on}"),
    }
}
