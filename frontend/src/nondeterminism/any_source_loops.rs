//! The shape of gathers by hand: a counted loop that receives a message of any source in each iteration and looks
//! at who sent it. Each sender is told once, whoever comes first, if the loop is the only receiver of messages of its
//! tag and each process sends one at most: then the loop takes all there are, since a correct program receives all
//! that is sent. Whether the order matters for what is done with them is in [`crate::nondeterminism::order_independence`].

use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::ir::constant_values::constant;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind};
use crate::nondeterminism::completion_loops::{
    CompletionLoop, CompletionTest, stays_in, tests_same_request,
};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use base_data::mpi::{Kind, Role};
use std::collections::BTreeSet;

/// The gather that a receive makes, if it makes one: `do i = 1, n; call MPI_Recv(…, MPI_ANY_SOURCE, 7, …)`.
pub(crate) fn gather(readers: &Readers, receive: StatementId) -> Option<CompletionLoop> {
    let model = readers.model;
    let (function, arguments) = mpi_call(model, receive)?;
    let repeat = model.outline.parent[receive.0 as usize]?;
    let Expression::Variable(status) = argument(function, &arguments, Role::Status)? else {
        return None;
    };
    let tag = constant(model.program, argument(function, &arguments, Role::Tag)?)
        .filter(|tag| *tag >= 0)?;
    let found = CompletionLoop {
        wait: receive,
        repeat,
        each: repeat,
        ending: Vec::new(),
        told: CompletionTest::Source { status: *status },
    };
    let is_shaped = function.name == "MPI_Recv"
        && matches!(
            model.program.statement(repeat).kind,
            StatementKind::Do { .. }
        )
        && !readers.control.assumed[repeat.0 as usize].is_any()
        && !readers
            .needed
            .payload
            .contains(&readers.control.effects(model, receive).class);
    (is_shaped
        && stays_in(readers, &found)
        && tests_same_request(readers, &found)
        && takes_all(model, &found, tag))
    .then_some(found)
}

/// Whether all messages of a tag are those that a loop receives, one of each sender.
fn takes_all(model: &Model, gather: &CompletionLoop, tag: i64) -> bool {
    let mut senders = 0;
    let mut is_harmless = |id: StatementId| {
        let mut calls = call_graph::calls(&model.program.statement(id).kind).into_iter();
        calls.all(|call| match call.callee {
            Callee::Mpi(function) => {
                let rows = function.arguments.iter().zip(&call.arguments);
                let mut tags = rows.filter(|(row, _)| row.role == Role::Tag);
                // A wildcard has a value below 0.
                let is_other = |given: i64| given >= 0 && given != tag;
                let may_be_it = tags.any(|(_, given)| {
                    !given
                        .and_then(|given| constant(model.program, given))
                        .is_some_and(is_other)
                });
                if !may_be_it || id == gather.wait {
                    return true;
                }
                senders += 1;
                matches!(function.kind, Kind::Send | Kind::StartSend)
                    && senders == 1
                    && is_reached_once(model, id)
            }
            Callee::UnknownMpi(_) => false,
            Callee::External(_) | Callee::Variable(_) => !model.calls.is_unknown(call.callee),
            Callee::Procedure(_) | Callee::OneOf(_) | Callee::Intrinsic(_) => true,
        })
    };
    model.outline.all().all(&mut is_harmless) && is_reached_once(model, gather.repeat)
}

/// Whether a statement runs once at most: it stands in no loop, nothing jumps in its procedure, and the same holds
/// of the only call of that.
fn is_reached_once(model: &Model, id: StatementId) -> bool {
    let (mut here, mut seen) = (id, BTreeSet::new());
    loop {
        let procedure = model.program.statement(here).procedure;
        let own = model.program.procedure(procedure);
        let repeats = |id: StatementId| {
            matches!(
                model.program.statement(id).kind,
                StatementKind::Do { .. } | StatementKind::While { .. }
            )
        };
        let jumps = |id: &StatementId| !model.program.statement(*id).kind.jump_labels().is_empty();
        let is_simple = !own.is_whole
            && !own.is_final
            && !model.outline.ancestors(here).any(repeats)
            && !model.outline.of_procedure(procedure).iter().any(jumps);
        if !is_simple || !seen.insert(procedure) {
            return false;
        }
        if model.program.main == Some(procedure) {
            return true;
        }
        let Some(caller) = only_caller(model, procedure) else {
            return false;
        };
        here = caller;
    }
}

/// The only statement that may call a procedure, once.
fn only_caller(model: &Model, procedure: ProcedureId) -> Option<StatementId> {
    let calls = |id: StatementId| {
        let all = call_graph::calls(&model.program.statement(id).kind);
        all.iter()
            .filter(|call| model.calls.targets(call.callee).contains(&procedure))
            .count()
    };
    let mut callers = model.outline.all().filter(|&id| calls(id) > 0);
    let only = callers.next()?;
    (callers.next().is_none() && calls(only) == 1).then_some(only)
}
