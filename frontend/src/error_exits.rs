//! Error exits: branches that can only end the run without MPI_Finalize, where it would go on without
//! them. Which of them are honoured is decided in [`crate::assumptions`].

use crate::assumed::Assumed;
use crate::call_graph;
use crate::ends::Rounds;
use crate::flow_graph::{FlowGraph, Point, Surroundings};
use crate::ir::{Callee, ProcedureId, Program, StatementId, StatementKind};
use crate::model::Model;
use base_data::mpi::Kind;

/// The error exits: IF statements with one branch, which can only end the run, where the run would go
/// on without.
pub(crate) fn exits(model: &Model) -> Vec<StatementId> {
    let Model { program, outline, calls, .. } = model;
    let assumed = &vec![Assumed::Nothing; program.statements.len()];
    let rounds = Rounds::of(program, outline, calls, assumed, None);
    let ends = rounds.last();
    let finalizers = finalizers(model);
    let mut found = Vec::new();
    for p in (0..model.program.procedures.len() as u32).map(ProcedureId) {
        let flow = FlowGraph::of(p, Surroundings { program, outline, calls, assumed, ends });
        let fatal = fatal(model, &flow, &finalizers);
        for &id in model.outline.of_procedure(p) {
            let branch =
                error_branch(model.program, id).map(|first| fatal[flow.number(Point::Statement(first))]);
            if branch == Some(true) && !fatal[flow.number(Point::Statement(id))] {
                found.push(id);
            }
        }
    }
    found
}

/// The first statement of the only branch of an IF whose condition does nothing but answer.
fn error_branch(program: &Program, id: StatementId) -> Option<StatementId> {
    let StatementKind::If { branches, otherwise: None, .. } = &program.statement(id).kind else {
        return None;
    };
    let [(condition, body)] = &branches[..] else { return None };
    let pure = |callee: &Callee| matches!(callee, Callee::Intrinsic(_));
    let answers = crate::references::calls(condition).iter().all(|call| pure(call.callee));
    body.first().copied().filter(|_| answers)
}

/// Points from which control can neither return nor reach MPI_Finalize; index = number.
fn fatal(model: &Model, flow: &FlowGraph, finalizers: &[bool]) -> Vec<bool> {
    let points = flow.points();
    let safe = |point: &Point| match point {
        Point::Returned => true,
        Point::Statement(id) => {
            let calls = call_graph::calls(&model.program.statement(*id).kind);
            calls.iter().any(|call| finalizes(call.callee, finalizers))
        }
        Point::Entry | Point::Left => false,
    };
    let targets: Vec<usize> = (0..points.len()).filter(|&i| safe(&points[i])).collect();
    flow.leading_to(&targets).into_iter().map(|leads| !leads).collect()
}

fn finalizes(callee: &Callee, finalizers: &[bool]) -> bool {
    match callee {
        Callee::Mpi(function) => function.kind == Kind::End,
        Callee::Procedure(procedure) => finalizers[procedure.0 as usize],
        Callee::OneOf(all) => all.iter().any(|procedure| finalizers[procedure.0 as usize]),
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Intrinsic(_) => false,
    }
}

/// Procedures that may call MPI_Finalize; index = procedure id.
fn finalizers(model: &Model) -> Vec<bool> {
    let mut found = vec![false; model.program.procedures.len()];
    let mut grown = true;
    while grown {
        grown = false;
        let all = model.calls.upward_statements(&model.outline);
        for id in all.filter(|id| model.calls.has_calls[id.0 as usize]) {
            let statement = model.program.statement(id);
            let calls = call_graph::calls(&statement.kind);
            if calls.iter().any(|call| finalizes(call.callee, &found)) {
                grown |= !std::mem::replace(&mut found[statement.procedure.0 as usize], true);
            }
        }
    }
    found
}
