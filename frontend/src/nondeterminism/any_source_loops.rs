//! Any-source receive loops: a counted loop that receives one message from any source in each iteration and reads the
//! sender's rank.
//!
//! The loop handles each sender once, in the order of arrival, if it is the only receiver of messages with its tag and each
//! process sends at most one of them: a correct program receives all messages that it sends, so the loop receives all
//! there are. Whether the order matters is in [`crate::nondeterminism::order_independence`].

use crate::effects::model::Model;
use crate::graphs::call_graph::{self, Call};
use crate::ir::constant_values::constant;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind};
use crate::nondeterminism::completion_loops::{
    CompletionLoop, CompletionTest, stays_in, tests_same_request,
};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use base_data::mpi::{Function, FunctionKind, Role};
use std::collections::BTreeSet;

/// The any-source receive loop around a receive, if there is one:
/// `do i = 1, n; call MPI_Recv(…, MPI_ANY_SOURCE, 7, …)`.
pub(crate) fn receive_loop(readers: &Readers, receive: StatementId) -> Option<CompletionLoop> {
    let model = readers.model;
    let (function, arguments) = mpi_call(model, receive)?;
    let repeat = model.outline.parent[receive.0 as usize]?;
    let Expression::Variable(status) = argument(function, &arguments, Role::Status)? else {
        return None;
    };
    let tag = constant(model.program, argument(function, &arguments, Role::Tag)?)?;
    // A wildcard has a value below 0.
    if tag < 0 || function.name != "MPI_Recv" {
        return None;
    }
    let is_counted = matches!(
        model.program.statement(repeat).kind,
        StatementKind::Do { .. }
    );
    if !is_counted || readers.control.assumed[repeat.0 as usize].is_any() {
        return None;
    }
    // The payload would carry the order of arrival into the slice.
    let class = &readers.control.effects(model, receive).class;
    if readers.needed.payload.contains(class) {
        return None;
    }
    let found = CompletionLoop {
        wait: receive,
        repeat,
        each: repeat,
        ending: Vec::new(),
        test: CompletionTest::Source { status: *status },
    };
    // A missing or repeated receive would leave a message for another iteration.
    let is_proven = stays_in(readers, &found)
        && tests_same_request(readers, &found)
        && receives_all(model, &found, tag);
    if is_proven { Some(found) } else { None }
}

/// Whether a loop receives all messages with a tag, and each sender sends one: the only other call with the tag is one send,
/// which each process executes at most once.
fn receives_all(model: &Model, receives: &CompletionLoop, tag: i64) -> bool {
    let mut senders = 0;
    for id in model.outline.all() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            match call.callee {
                Callee::Mpi(function) => {
                    if id == receives.wait || !may_have_tag(model, function, &call, tag) {
                        continue;
                    }
                    senders += 1;
                    // A second send, or a send in a loop, could give one sender two messages.
                    let is_send =
                        matches!(function.kind, FunctionKind::Send | FunctionKind::StartSend);
                    if !is_send || senders > 1 || !is_reached_once(model, id) {
                        return false;
                    }
                }
                // It may receive messages with the tag.
                Callee::UnknownMpi(_) => return false,
                Callee::External(_) | Callee::Variable(_) => {
                    if model.calls.is_unknown(call.callee) {
                        return false;
                    }
                }
                Callee::Procedure(_) | Callee::OneOf(_) | Callee::Intrinsic(_) => {}
            }
        }
    }
    is_reached_once(model, receives.repeat)
}

/// Whether a call of MPI may send or receive messages with a tag: not if all its tags are other constants.
fn may_have_tag(model: &Model, function: &Function, call: &Call, tag: i64) -> bool {
    for (row, given) in function.arguments.iter().zip(&call.arguments) {
        if row.role != Role::Tag {
            continue;
        }
        let given = match given {
            Some(given) => constant(model.program, given),
            None => None,
        };
        match given {
            Some(other) if other >= 0 && other != tag => {}
            Some(_) | None => return true,
        }
    }
    false
}

/// Whether a statement is executed at most once: it is in no loop, its procedure contains no jump, and the same holds for
/// the only call of this procedure.
fn is_reached_once(model: &Model, id: StatementId) -> bool {
    let mut here = id;
    let mut seen = BTreeSet::new();
    loop {
        let procedure = model.program.statement(here).procedure;
        let own = model.program.procedure(procedure);
        // Statements of opaque procedures and finalizers execute without a visible call.
        if own.is_whole || own.is_final || !seen.insert(procedure) {
            return false;
        }
        for above in model.outline.ancestors(here) {
            let kind = &model.program.statement(above).kind;
            if kind.is_loop() {
                return false;
            }
        }
        // Any jump may lead back.
        for &other in model.outline.of_procedure(procedure) {
            if !model.program.statement(other).kind.jump_labels().is_empty() {
                return false;
            }
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

/// The only statement that may call a procedure, if it calls it once.
fn only_caller(model: &Model, procedure: ProcedureId) -> Option<StatementId> {
    let mut only = None;
    for id in model.outline.all() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            if !model.calls.targets(call.callee).contains(&procedure) {
                continue;
            }
            if only.is_some() {
                return None;
            }
            only = Some(id);
        }
    }
    only
}
