//! Error exits: branches that can only end the run, without MPI_Finalize or with one of their own, where it would go on
//! without them. Which of them are honoured is decided in [`crate::assumptions::proposals`].

use crate::assumptions::user_assumptions;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::{Assumed, Clause};
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph, Surroundings};
use crate::graphs::termination::CallRounds;
use crate::ir::statement_tree::subtree;
use crate::ir::{Callee, ProcedureId, StatementId, StatementKind};
use base_data::mpi::Kind;
use base_data::program_data::AssumedOutcome;
use std::collections::BTreeSet;

/// Where a program ends for errors.
#[derive(Clone, Debug)]
pub(crate) struct ErrorExits {
    /// Conditions of IFs whose branches can only end the run, where the run would go on without.
    pub(crate) tests: Vec<Clause>,
    /// The same of branches that end MPI first: a run may well end so.
    pub(crate) orderly: Vec<Clause>,
    /// Whether each statement stands in a branch that can only end the run: that of such a condition, or another of an
    /// IF or SELECT CASE, if it sends and receives nothing; index = statement id.
    pub(crate) inside: Vec<bool>,
}

/// The error exits.
pub(crate) fn exits(model: &Model) -> ErrorExits {
    let Model {
        program,
        outline,
        calls,
        ..
    } = model;
    let assumed = &vec![Assumed::Nothing; program.statements.len()];
    let rounds = CallRounds::of(program, outline, calls, assumed, None);
    let ends = rounds.last();
    let (finalizers, communicating) = (
        statements_reaching(model, finalizes),
        statements_reaching(model, communicates),
    );
    let exchanging = statements_reaching(model, exchanges);
    let mut orderly = Vec::new();
    let mut found = ErrorExits {
        tests: Vec::new(),
        orderly: Vec::new(),
        inside: vec![false; program.statements.len()],
    };
    for p in (0..model.program.procedures.len() as u32).map(ProcedureId) {
        let flow = ControlFlowGraph::of(
            p,
            Surroundings {
                program,
                outline,
                calls,
                assumed,
                ends,
            },
        );
        let fatal = fatal(model, &flow, &finalizers);
        let is_fatal = |id: StatementId| fatal[flow.number(CfgNode::Statement(id))];
        for &id in model
            .outline
            .of_procedure(p)
            .iter()
            .filter(|&&id| !is_fatal(id))
        {
            for (number, body) in branches(&program.statement(id).kind)
                .into_iter()
                .enumerate()
            {
                let clause = Clause {
                    statement: id,
                    number,
                };
                let inner: Vec<StatementId> =
                    body.iter().flat_map(|&id| subtree(program, id)).collect();
                let first = error_branch(model, clause);
                let is_test = first.is_some_and(is_fatal);
                let any = |own: fn(&Callee) -> bool, statements_reaching: &[bool]| {
                    inner
                        .iter()
                        .any(|&id| may_call(model, id, own, statements_reaching))
                };
                let is_orderly = || {
                    any(finalizes, &finalizers)
                        && !any(exchanges, &exchanging)
                        && !is_usual_end(model, &inner, &finalizers)
                        && first.is_some_and(|first| ends_within(&flow, first, &inner))
                };
                found.tests.extend(is_test.then_some(clause));
                orderly.extend((!is_test && is_orderly()).then_some(clause));
                let talks = any(communicates, &communicating);
                if body.first().is_some_and(|&first| is_fatal(first)) && (is_test || !talks) {
                    inner
                        .iter()
                        .for_each(|id| found.inside[id.0 as usize] = true);
                }
            }
        }
    }
    found.orderly = controlling_branch(model, orderly, &finalizers);
    found
}

/// Those of some branches that end MPI and the run without which the run comes to another end.
fn controlling_branch(model: &Model, orderly: Vec<Clause>, finalizers: &[bool]) -> Vec<Clause> {
    let Model {
        program,
        outline,
        calls,
        ..
    } = model;
    if orderly.is_empty() {
        return orderly;
    }
    let mut without = vec![Assumed::Nothing; program.statements.len()];
    for exit in &orderly {
        let assumed = &mut without[exit.statement.0 as usize];
        *assumed = assumed.and(Assumed::constant(exit.number, false));
    }
    let assumed = &without[..];
    let rounds = CallRounds::of(program, outline, calls, assumed, None);
    let surroundings = Surroundings {
        program,
        outline,
        calls,
        assumed,
        ends: rounds.last(),
    };
    let inside: BTreeSet<StatementId> = orderly
        .iter()
        .flat_map(|&exit| own_statements(model, exit))
        .collect();
    let goes_on = |procedure: ProcedureId, from: CfgNode| {
        let flow = ControlFlowGraph::of(procedure, surroundings);
        let is_end = |at: usize| match flow.points_at(at) {
            CfgNode::Return => true,
            CfgNode::Statement(id) => {
                !inside.contains(&id) && may_call(model, id, finalizes, finalizers)
            }
            CfgNode::Entry | CfgNode::Exit => false,
        };
        let (mut open, mut seen) = (vec![flow.number(from)], vec![false; flow.len()]);
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(flow.onward(program, at));
            }
        }
        (0..flow.len()).any(|at| seen[at] && is_end(at))
    };
    if !program
        .main
        .is_some_and(|main| goes_on(main, CfgNode::Entry))
    {
        return Vec::new();
    }
    let is_exit = |exit: &Clause| {
        goes_on(
            program.statement(exit.statement).procedure,
            CfgNode::Statement(exit.statement),
        )
    };
    orderly.into_iter().filter(is_exit).collect()
}

/// The statements of a branch of an IF.
fn own_statements(model: &Model, exit: Clause) -> Vec<StatementId> {
    let bodies = model.program.statement(exit.statement).kind.bodies();
    let body = bodies.get(exit.number).copied().unwrap_or_default();
    body.iter()
        .flat_map(|&id| subtree(model.program, id))
        .collect()
}

/// The branches of an IF or SELECT CASE.
fn branches(kind: &StatementKind) -> Vec<&[StatementId]> {
    match kind {
        StatementKind::If { .. } | StatementKind::Select { .. } => kind.bodies(),
        StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => Vec::new(),
    }
}

/// The first statement of a branch of an IF whose condition may be left out.
fn error_branch(model: &Model, Clause { statement, number }: Clause) -> Option<StatementId> {
    let StatementKind::If { branches, .. } = &model.program.statement(statement).kind else {
        return None;
    };
    let first = branches.get(number)?.1.first().copied()?;
    user_assumptions::replacement(model, statement, number, AssumedOutcome::NotTaken).ok()?;
    Some(first)
}

/// Whether a branch that begins with `first` ends the run within itself.
fn ends_within(flow: &ControlFlowGraph, first: StatementId, branch: &[StatementId]) -> bool {
    let reached = flow.reachable(flow.number(CfgNode::Statement(first)));
    let is_within = |at: usize| match flow.points_at(at) {
        CfgNode::Statement(id) => branch.contains(&id),
        CfgNode::Exit => true,
        CfgNode::Entry | CfgNode::Return => false,
    };
    (0..flow.len()).filter(|&at| reached[at]).all(is_within)
}

/// Whether what ends the run in a branch also ends it under no condition: then it is its usual end.
fn is_usual_end(model: &Model, branch: &[StatementId], finalizers: &[bool]) -> bool {
    let targets = |id: StatementId| {
        let calls = call_graph::calls(&model.program.statement(id).kind);
        let targets = calls
            .iter()
            .flat_map(|call| model.calls.targets(call.callee))
            .collect::<Vec<_>>();
        targets
            .into_iter()
            .filter(|target| finalizers[target.0 as usize])
    };
    let in_branch: Vec<ProcedureId> = branch.iter().flat_map(|&id| targets(id)).collect();
    let is_plain = |id: StatementId| {
        model
            .outline
            .ancestors(id)
            .all(|above| branches(&model.program.statement(above).kind).is_empty())
    };
    !in_branch.is_empty()
        && model
            .outline
            .all()
            .any(|id| is_plain(id) && targets(id).any(|one| in_branch.contains(&one)))
}

/// Points from which control can neither return nor reach MPI_Finalize; index = number.
fn fatal(model: &Model, flow: &ControlFlowGraph, finalizers: &[bool]) -> Vec<bool> {
    let points = flow.points();
    let safe = |point: &CfgNode| match point {
        CfgNode::Return => true,
        CfgNode::Statement(id) => may_call(model, *id, finalizes, finalizers),
        CfgNode::Entry | CfgNode::Exit => false,
    };
    let targets: Vec<usize> = (0..points.len()).filter(|&i| safe(&points[i])).collect();
    flow.leading_to(&targets)
        .into_iter()
        .map(|leads| !leads)
        .collect()
}

/// Whether a callee may call MPI_Finalize; what has no source may.
fn finalizes(callee: &Callee) -> bool {
    match callee {
        Callee::Mpi(function) => function.kind == Kind::End,
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Intrinsic(_) => false,
    }
}

/// Whether a callee may exchange something with other processes; what has no source may.
fn communicates(callee: &Callee) -> bool {
    match callee {
        Callee::Mpi(function) => !matches!(function.kind, Kind::Abort | Kind::Local | Kind::Clock),
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Intrinsic(_) => false,
    }
}

/// The same, beside ending MPI.
fn exchanges(callee: &Callee) -> bool {
    communicates(callee) && !matches!(callee, Callee::Mpi(function) if function.kind == Kind::End)
}

/// Whether a statement calls one of those that `own` says, itself or in procedures that `statements_reaching` says.
fn may_call(
    model: &Model,
    id: StatementId,
    own: fn(&Callee) -> bool,
    statements_reaching: &[bool],
) -> bool {
    call_graph::calls(&model.program.statement(id).kind)
        .iter()
        .any(|call| {
            own(call.callee)
                || model
                    .calls
                    .targets(call.callee)
                    .iter()
                    .any(|target| statements_reaching[target.0 as usize])
        })
}

/// Procedures that may call one of those that `own` says; index = procedure id.
fn statements_reaching(model: &Model, own: fn(&Callee) -> bool) -> Vec<bool> {
    let mut found = vec![false; model.program.procedures.len()];
    let mut grown = true;
    while grown {
        grown = false;
        let all = model.calls.bottom_up_statements(&model.outline);
        for id in all.filter(|id| model.calls.has_calls[id.0 as usize]) {
            if may_call(model, id, own, &found) {
                let procedure = model.program.statement(id).procedure;
                grown |= !std::mem::replace(&mut found[procedure.0 as usize], true);
            }
        }
    }
    found
}
