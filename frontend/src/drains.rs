//! The shapes of loops in which programs take what comes in the order in which it comes: loops that wait for any
//! of some requests until all were there (*drains*), and loops that ask again and again until something is there
//! (*polls*), which are waits. Whether it matters in which order a drain goes is in [`crate::any_order`].

use crate::answers::{Readers, argument, mpi_call};
use crate::assumed::Assumed;
use crate::call_graph;
use crate::canonical;
use crate::carried::{is_pure, read_by};
use crate::ir::{Callee, Expression, Operator, StatementId, StatementKind, VariableId};
use crate::locations::LocationId;
use crate::outline;
use crate::references;
use crate::unit_values::constant;
use base_data::mpi::{Kind, Role};

/// A loop in which a wait for any of some requests is made as often as there are requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drain {
    /// The wait.
    pub(crate) wait: StatementId,
    /// The counted loop that it stands in.
    pub(crate) repeat: StatementId,
    /// What tells which request completed.
    pub(crate) index: VariableId,
}

/// The drain that a call makes, if it makes one: each iteration waits once, for the same list of requests, and
/// there are as many as the list is long, so that each request is told once (and MPI_UNDEFINED as often as
/// requests are null, last). Nothing else communicates in it, and nothing leaves it but an end of the run.
pub(crate) fn drain(readers: &Readers, wait: StatementId) -> Option<Drain> {
    let model = readers.model;
    let (function, arguments) = mpi_call(model, wait)?;
    let given = |role| argument(function, &arguments, role);
    let repeat = model.outline.parent[wait.0 as usize]?;
    let StatementKind::Do { from, to, step, .. } = &model.program.statement(repeat).kind else { return None };
    let Expression::Variable(index) = given(Role::Completion)? else { return None };
    let is_one = |bound: &Expression| constant(model.program, bound) == Some(1);
    let is_counted = function.name == "MPI_Waitany"
        && !readers.control.assumed[repeat.0 as usize].is_any()
        && is_one(from)
        && step.as_ref().is_none_or(is_one)
        && is_same(readers, to, given(Role::RequestCount)?)
        && model.program.variable(*index).shape.is_empty();
    let found = Drain { wait, repeat, index: *index };
    (is_counted && stays_in(readers, found) && asks_the_same(readers, found)).then_some(found)
}

/// Whether two expressions are one number where the variables of both keep their values.
fn is_same(readers: &Readers, one: &Expression, other: &Expression) -> bool {
    let program = readers.model.program;
    match (constant(program, one), constant(program, other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => {
            let is_pure = |callee: &Callee| matches!(callee, Callee::Intrinsic(name) if is_pure(name));
            references::calls(one).iter().all(|call| is_pure(call.callee))
                && canonical::spell(program, one) == canonical::spell(program, other)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The statements of a loop that stay or that probes stand before, without the loop itself.
pub(crate) fn inside(readers: &Readers, repeat: StatementId) -> Vec<StatementId> {
    let all = outline::subtree(readers.model.program, repeat).split_off(1);
    let is_there = |id: &StatementId| readers.kept[id.0 as usize] || readers.probed.contains_key(id);
    all.into_iter().filter(is_there).collect()
}

/// Whether each iteration passes the wait, nothing else in the loop communicates, and nothing leaves it.
fn stays_in(readers: &Readers, drain: Drain) -> bool {
    let model = readers.model;
    let mut waited = false;
    let is_harmless = |id: StatementId| {
        waited |= id == drain.wait;
        let kind = &model.program.statement(id).kind;
        let is_counted = matches!(readers.control.assumed[id.0 as usize], Assumed::Counted { .. });
        let calls = call_graph::calls(kind);
        let is_quiet = |callee: &Callee| match callee {
            Callee::Mpi(function) => {
                matches!(function.kind, Kind::Local | Kind::Clock | Kind::Abort) || id == drain.wait
            }
            Callee::Intrinsic(_) => true,
            Callee::Procedure(_)
            | Callee::UnknownMpi(_)
            | Callee::External(_)
            | Callee::Variable(_)
            | Callee::OneOf(_) => !readers.kept[id.0 as usize],
        };
        let stays = match kind {
            StatementKind::Cycle(target) => {
                model.outline.is_within(*target, drain.repeat) && (waited || *target != drain.repeat)
            }
            StatementKind::Exit(target) => {
                *target != drain.repeat && model.outline.is_within(*target, drain.repeat)
            }
            StatementKind::Goto { .. } | StatementKind::Return | StatementKind::Entry => false,
            StatementKind::InputOutput(io) => io.jumps.is_empty(),
            StatementKind::Call { arguments, .. } => arguments.iter().all(Option::is_some),
            StatementKind::Assign { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::Point { .. }
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => true,
        };
        stays && !is_counted && calls.iter().all(|call| is_quiet(call.callee))
    };
    inside(readers, drain.repeat).into_iter().all(is_harmless)
}

/// Whether the wait names the same requests in each iteration: nobody writes what it reads, but itself the
/// requests.
fn asks_the_same(readers: &Readers, drain: Drain) -> bool {
    let model = readers.model;
    let used = &readers.control.effects(model, drain.wait).uses;
    let requests = mpi_call(model, drain.wait)
        .and_then(|(function, arguments)| argument(function, &arguments, Role::Request))
        .map_or(vec![], |requests| read_by(model, requests));
    let mut others = inside(readers, drain.repeat);
    others.retain(|&id| id != drain.wait);
    others.push(drain.repeat);
    let written = |id: StatementId| -> Vec<LocationId> {
        readers.control.effects(model, id).definitions.iter().map(|d| d.location).collect()
    };
    let by_wait = written(drain.wait).into_iter().filter(|place| !requests.contains(place));
    !others.into_iter().flat_map(written).chain(by_wait).any(|place| used.contains(&place))
}

/// Whether a call is asked again and again until it says that something is there, and nothing else is done until
/// then: then it is the call that waits.
pub(crate) fn is_poll(readers: &Readers, asked: StatementId) -> bool {
    const ASKING: [&str; 5] =
        ["MPI_Test", "MPI_Testall", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"];
    let model = readers.model;
    let Some((function, arguments)) = mpi_call(model, asked) else { return false };
    let Some(Expression::Variable(flag)) = argument(function, &arguments, Role::Completion) else {
        return false;
    };
    ASKING.contains(&function.name)
        && model.program.variable(*flag).shape.is_empty()
        && (is_asked_in_loop(readers, asked, *flag) || is_asked_by_jump(readers, asked, *flag))
}

/// `do while (.not. flag); call MPI_Test(…, flag, …); end do`, or a loop without control that is left by
/// `if (flag) exit`.
fn is_asked_in_loop(readers: &Readers, asked: StatementId, flag: VariableId) -> bool {
    let model = readers.model;
    let Some(repeat) = model.outline.parent[asked.0 as usize] else { return false };
    let StatementKind::While { condition, .. } = &model.program.statement(repeat).kind else { return false };
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
            let [test, exit] = others[..] else { return false };
            matches!(model.program.statement(exit).kind, StatementKind::Exit(target) if target == repeat)
                && only_if(readers, test, exit, &Expression::Variable(flag))
        }
    }
}

/// `1 call MPI_Test(…, flag, …)` and `if (.not. flag) goto 1` after it.
fn is_asked_by_jump(readers: &Readers, asked: StatementId, flag: VariableId) -> bool {
    let model = readers.model;
    let program = model.program;
    let Some(label) = program.statement(asked).label else { return false };
    let siblings = match model.outline.parent[asked.0 as usize] {
        Some(parent) => program.statement(parent).kind.bodies(),
        None => vec![&program.procedure(program.statement(asked).procedure).body[..]],
    };
    let list = siblings.into_iter().find(|list| list.contains(&asked)).unwrap_or_default();
    let mut after = list.iter().skip_while(|id| **id != asked).skip(1);
    let Some(&test) = after.find(|id| !does_nothing(readers, **id)) else { return false };
    let inner = program.statement(test).kind.bodies().concat();
    let [jump] = inner[..] else { return false };
    let StatementKind::Goto { labels, selector: None, .. } = &program.statement(jump).kind else {
        return false;
    };
    let condition =
        Expression::Unary { operator: Operator::Not, operand: Box::new(Expression::Variable(flag)) };
    labels[..] == [label] && only_if(readers, test, jump, &condition)
}

/// Whether a statement is an IF with one branch of one statement under a condition, with no ELSE.
fn only_if(readers: &Readers, test: StatementId, inner: StatementId, wanted: &Expression) -> bool {
    let program = readers.model.program;
    let StatementKind::If { branches, otherwise: None, .. } = &program.statement(test).kind else {
        return false;
    };
    let spell = |expression: &Expression| canonical::spell(program, expression);
    let [(condition, body)] = &branches[..] else { return false };
    !readers.control.assumed[test.0 as usize].is_any()
        && body[..] == [inner]
        && spell(condition) == spell(wanted)
}

fn does_nothing(readers: &Readers, id: StatementId) -> bool {
    matches!(readers.model.program.statement(id).kind, StatementKind::Continue)
        && !readers.probed.contains_key(&id)
}

/// The variable of `.not. variable`.
fn negated(condition: &Expression) -> Option<VariableId> {
    let Expression::Unary { operator: Operator::Not, operand } = condition else { return None };
    if let Expression::Variable(variable) = **operand { Some(variable) } else { None }
}
