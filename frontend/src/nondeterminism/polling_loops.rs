//! Polling loops: loops that repeat a nonblocking test or probe until it succeeds, which is a wait. Loops that complete
//! any of several requests are in [`crate::nondeterminism::completion_loops`].

use crate::dataflow::loop_carried::is_pure;
use crate::graphs::call_graph;
use crate::ir::canonical_text;
use crate::ir::{Callee, Expression, Operator, StatementId, StatementKind, VariableId};
use crate::nondeterminism::completion_loops::inside;
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use base_data::mpi::Role;

/// Whether a test or probe is repeated until its flag is set, with no other effect in between: then it acts as a wait, and
/// the number of repetitions does not matter.
pub(crate) fn is_poll(readers: &Readers, test: StatementId) -> bool {
    const TESTS: [&str; 5] = [
        "MPI_Test",
        "MPI_Testall",
        "MPI_Iprobe",
        "MPI_Improbe",
        "MPI_Request_get_status",
    ];
    let model = readers.model;
    let Some((function, arguments)) = mpi_call(model, test) else {
        return false;
    };
    let Some(Expression::Variable(flag)) = argument(function, &arguments, Role::Completion) else {
        return false;
    };
    TESTS.contains(&function.name)
        && model.program.variable(*flag).shape.is_empty()
        && has_no_other_calls(readers, test)
        && (is_tested_in_loop(readers, test, *flag) || is_tested_by_jump(readers, test, *flag))
}

/// Whether the arguments of a call have no side effects, which each repetition would execute.
fn has_no_other_calls(readers: &Readers, test: StatementId) -> bool {
    for call in call_graph::calls(&readers.model.program.statement(test).kind) {
        if !call.is_function {
            continue;
        }
        match call.callee {
            Callee::Intrinsic(name) if is_pure(name) => {}
            _ => return false,
        }
    }
    true
}

/// `do while (.not. flag); call MPI_Test(…, flag, …); end do`, or a loop without control that is left by
/// `if (flag) exit`.
fn is_tested_in_loop(readers: &Readers, poll: StatementId, flag: VariableId) -> bool {
    let model = readers.model;
    let Some(repeat) = model.outline.parent[poll.0 as usize] else {
        return false;
    };
    let StatementKind::While { condition, .. } = &model.program.statement(repeat).kind else {
        return false;
    };
    if readers.control.assumed[repeat.0 as usize].is_any() {
        return false;
    }
    let mut others = inside(readers, repeat);
    others.retain(|&id| id != poll && !does_nothing(readers, id));
    // Any other statement in the loop would be repeated a number of times that depends on timing.
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
fn is_tested_by_jump(readers: &Readers, poll: StatementId, flag: VariableId) -> bool {
    let model = readers.model;
    let program = model.program;
    let Some(label) = program.statement(poll).label else {
        return false;
    };
    // The test and the jump are in the same list of statements.
    let siblings = match model.outline.parent[poll.0 as usize] {
        Some(parent) => program.statement(parent).kind.bodies(),
        None => vec![&program.procedure(program.statement(poll).procedure).body[..]],
    };
    let list = siblings
        .into_iter()
        .find(|list| list.contains(&poll))
        .unwrap_or_default();
    let mut after = list.iter().skip_while(|id| **id != poll).skip(1);
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
    // The jump must be taken exactly while the flag is not set.
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
