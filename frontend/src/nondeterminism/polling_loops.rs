//! Loops that ask again and again until something is there (*polls*): they are waits. Loops that wait for any of
//! several are in [`crate::nondeterminism::completion_loops`].

use crate::dataflow::loop_carried::is_pure;
use crate::graphs::call_graph;
use crate::ir::canonical_text;
use crate::ir::{Callee, Expression, Operator, StatementId, StatementKind, VariableId};
use crate::nondeterminism::completion_loops::inside;
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use base_data::mpi::Role;

/// Whether a call is asked again and again until it says that something is there, and nothing else is done until
/// then: then it is the call that waits.
pub(crate) fn is_poll(readers: &Readers, asked: StatementId) -> bool {
    const ASKING: [&str; 5] = [
        "MPI_Test",
        "MPI_Testall",
        "MPI_Iprobe",
        "MPI_Improbe",
        "MPI_Request_get_status",
    ];
    let model = readers.model;
    let Some((function, arguments)) = mpi_call(model, asked) else {
        return false;
    };
    let Some(Expression::Variable(flag)) = argument(function, &arguments, Role::Completion) else {
        return false;
    };
    ASKING.contains(&function.name)
        && model.program.variable(*flag).shape.is_empty()
        && has_no_other_calls(readers, asked)
        && (is_tested_in_loop(readers, asked, *flag) || is_tested_by_jump(readers, asked, *flag))
}

/// Whether the arguments of a call only say what it is for: a function that does something would do it each time.
fn has_no_other_calls(readers: &Readers, asked: StatementId) -> bool {
    let calls = call_graph::calls(&readers.model.program.statement(asked).kind);
    let does_nothing = |callee: &Callee| matches!(callee, Callee::Intrinsic(name) if is_pure(name));
    calls
        .iter()
        .filter(|call| call.is_function)
        .all(|call| does_nothing(call.callee))
}

/// `do while (.not. flag); call MPI_Test(…, flag, …); end do`, or a loop without control that is left by
/// `if (flag) exit`.
fn is_tested_in_loop(readers: &Readers, asked: StatementId, flag: VariableId) -> bool {
    let model = readers.model;
    let Some(repeat) = model.outline.parent[asked.0 as usize] else {
        return false;
    };
    let StatementKind::While { condition, .. } = &model.program.statement(repeat).kind else {
        return false;
    };
    if readers.control.assumed[repeat.0 as usize].is_any() {
        return false;
    }
    let others: Vec<StatementId> = inside(readers, repeat)
        .into_iter()
        .filter(|id| *id != asked && !does_nothing(readers, *id))
        .collect();
    match condition {
        Some(condition) => others.is_empty() && negated(condition) == Some(flag),
        None => {
            let [test, exit] = others[..] else {
                return false;
            };
            matches!(model.program.statement(exit).kind, StatementKind::Exit(target) if target == repeat)
                && only_if(readers, test, exit, &Expression::Variable(flag))
        }
    }
}

/// `1 call MPI_Test(…, flag, …)` and `if (.not. flag) goto 1` after it.
fn is_tested_by_jump(readers: &Readers, asked: StatementId, flag: VariableId) -> bool {
    let model = readers.model;
    let program = model.program;
    let Some(label) = program.statement(asked).label else {
        return false;
    };
    let siblings = match model.outline.parent[asked.0 as usize] {
        Some(parent) => program.statement(parent).kind.bodies(),
        None => vec![&program.procedure(program.statement(asked).procedure).body[..]],
    };
    let list = siblings
        .into_iter()
        .find(|list| list.contains(&asked))
        .unwrap_or_default();
    let mut after = list.iter().skip_while(|id| **id != asked).skip(1);
    let Some(&test) = after.find(|id| !does_nothing(readers, **id)) else {
        return false;
    };
    let inner = program.statement(test).kind.bodies().concat();
    let [jump] = inner[..] else { return false };
    let StatementKind::Goto {
        labels,
        selector: None,
        ..
    } = &program.statement(jump).kind
    else {
        return false;
    };
    let condition = Expression::Unary {
        operator: Operator::Not,
        operand: Box::new(Expression::Variable(flag)),
    };
    labels[..] == [label] && only_if(readers, test, jump, &condition)
}

/// Whether a statement is an IF with one branch of one statement under a condition, with no ELSE.
fn only_if(readers: &Readers, test: StatementId, inner: StatementId, wanted: &Expression) -> bool {
    let program = readers.model.program;
    let StatementKind::If {
        branches,
        otherwise: None,
        ..
    } = &program.statement(test).kind
    else {
        return false;
    };
    let spell = |expression: &Expression| canonical_text::spell(program, expression);
    let [(condition, body)] = &branches[..] else {
        return false;
    };
    !readers.control.assumed[test.0 as usize].is_any()
        && body[..] == [inner]
        && spell(condition) == spell(wanted)
}

pub(crate) fn does_nothing(readers: &Readers, id: StatementId) -> bool {
    matches!(
        readers.model.program.statement(id).kind,
        StatementKind::Continue
    ) && !readers.probed.contains_key(&id)
}

/// The variable of `.not. variable`.
fn negated(condition: &Expression) -> Option<VariableId> {
    let Expression::Unary {
        operator: Operator::Not,
        operand,
    } = condition
    else {
        return None;
    };
    if let Expression::Variable(variable) = **operand {
        Some(variable)
    } else {
        None
    }
}
