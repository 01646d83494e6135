//! Error exits: branches that can only end the run without MPI_Finalize, where it would go on without
//! them. Which of them are honoured is decided in [`crate::assumptions`].

use crate::assumed::{Assumed, Clause, MOST_CLAUSES};
use crate::call_graph;
use crate::ends::Rounds;
use crate::flow_graph::{FlowGraph, Point, Surroundings};
use crate::ir::{Callee, ProcedureId, StatementId, StatementKind};
use crate::model::Model;
use crate::outline::subtree;
use base_data::mpi::Kind;

/// Where a program ends for errors.
#[derive(Clone, Debug)]
pub(crate) struct ErrorExits {
    /// Conditions of IFs whose branches can only end the run, where the run would go on without.
    pub(crate) tests: Vec<Clause>,
    /// Whether each statement stands in a branch that can only end the run: that of such a condition, or another of an
    /// IF or SELECT CASE, if it sends and receives nothing; index = statement id.
    pub(crate) inside: Vec<bool>,
}

/// The error exits.
pub(crate) fn exits(model: &Model) -> ErrorExits {
    let Model { program, outline, calls, .. } = model;
    let assumed = &vec![Assumed::Nothing; program.statements.len()];
    let rounds = Rounds::of(program, outline, calls, assumed, None);
    let ends = rounds.last();
    let (finalizers, communicating) = (leading(model, finalizes), leading(model, communicates));
    let mut found = ErrorExits { tests: Vec::new(), inside: vec![false; program.statements.len()] };
    for p in (0..model.program.procedures.len() as u32).map(ProcedureId) {
        let flow = FlowGraph::of(p, Surroundings { program, outline, calls, assumed, ends });
        let fatal = fatal(model, &flow, &finalizers);
        let is_fatal = |id: StatementId| fatal[flow.number(Point::Statement(id))];
        for &id in model.outline.of_procedure(p).iter().filter(|&&id| !is_fatal(id)) {
            let kind = &program.statement(id).kind;
            for (number, body) in branches(kind).into_iter().enumerate() {
                let is_test = error_branch(kind, number).is_some_and(is_fatal);
                found.tests.extend(is_test.then_some(Clause { statement: id, number }));
                let inner: Vec<StatementId> = body.iter().flat_map(|&id| subtree(program, id)).collect();
                let talks = inner.iter().any(|&id| may_call(model, id, communicates, &communicating));
                if body.first().is_some_and(|&first| is_fatal(first)) && (is_test || !talks) {
                    inner.iter().for_each(|id| found.inside[id.0 as usize] = true);
                }
            }
        }
    }
    found
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
        | StatementKind::Point { .. }
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

/// The first statement of a branch of an IF whose condition does nothing but answer.
fn error_branch(kind: &StatementKind, number: usize) -> Option<StatementId> {
    let StatementKind::If { branches, .. } = kind else { return None };
    let (condition, body) = branches.get(number).filter(|_| number < MOST_CLAUSES)?;
    let pure = |callee: &Callee| matches!(callee, Callee::Intrinsic(_));
    let answers = crate::references::calls(condition).iter().all(|call| pure(call.callee));
    body.first().copied().filter(|_| answers)
}

/// Points from which control can neither return nor reach MPI_Finalize; index = number.
fn fatal(model: &Model, flow: &FlowGraph, finalizers: &[bool]) -> Vec<bool> {
    let points = flow.points();
    let safe = |point: &Point| match point {
        Point::Returned => true,
        Point::Statement(id) => may_call(model, *id, finalizes, finalizers),
        Point::Entry | Point::Left => false,
    };
    let targets: Vec<usize> = (0..points.len()).filter(|&i| safe(&points[i])).collect();
    flow.leading_to(&targets).into_iter().map(|leads| !leads).collect()
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

/// Whether a statement calls one of those that `own` says, itself or in procedures that `leading` says.
fn may_call(model: &Model, id: StatementId, own: fn(&Callee) -> bool, leading: &[bool]) -> bool {
    call_graph::calls(&model.program.statement(id).kind).iter().any(|call| {
        own(call.callee) || model.calls.targets(call.callee).iter().any(|target| leading[target.0 as usize])
    })
}

/// Procedures that may call one of those that `own` says; index = procedure id.
fn leading(model: &Model, own: fn(&Callee) -> bool) -> Vec<bool> {
    let mut found = vec![false; model.program.procedures.len()];
    let mut grown = true;
    while grown {
        grown = false;
        let all = model.calls.upward_statements(&model.outline);
        for id in all.filter(|id| model.calls.has_calls[id.0 as usize]) {
            if may_call(model, id, own, &found) {
                let procedure = model.program.statement(id).procedure;
                grown |= !std::mem::replace(&mut found[procedure.0 as usize], true);
            }
        }
    }
    found
}
