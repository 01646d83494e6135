//! The shapes of loops in which programs take what comes in the order in which it comes: loops that wait for any
//! of some requests until all were there (*drains*). Those that take several at once are in
//! [`crate::nondeterminism::waitsome_loops`], loops that only ask again and again in [`crate::nondeterminism::polling_loops`]. Whether it matters in which
//! order a drain goes is in [`crate::nondeterminism::order_independence`].

use crate::dataflow::loop_carried::{is_pure, read_by};
use crate::graphs::call_graph;
use crate::ir::canonical_text;
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, Program, StatementId, StatementKind, Subscript, VariableId};
use crate::memory::locations::LocationId;
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use crate::nondeterminism::waitsome_loops;
use base_data::mpi::{Kind, Role};

/// A loop that waits for any of some requests, or for some, until all of them have completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompletionLoop {
    /// The wait, or the test.
    pub(crate) wait: StatementId,
    /// The loop that it stands in.
    pub(crate) repeat: StatementId,
    /// The loop each iteration of which is of one request: `repeat`, or one in it.
    pub(crate) each: StatementId,
    /// Statements of `repeat` that are there to end it, beside the loops themselves.
    pub(crate) ending: Vec<StatementId>,
    /// What tells which request completed.
    pub(crate) told: CompletionTest,
}

/// What tells of which request an iteration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionTest {
    /// A variable that the wait writes.
    Index(VariableId),
    /// The source of the message that a receive got.
    Source {
        /// The status of the receive.
        status: VariableId,
    },
    /// The elements of arrays that the wait writes.
    Element {
        /// The array of indices.
        indices: VariableId,
        /// The array of statuses, if there is one.
        statuses: Option<VariableId>,
        /// The DO variable of the loop over them.
        number: VariableId,
    },
}

impl CompletionLoop {
    /// Whether a statement is part of the loops themselves: they may depend on how many requests complete at once.
    pub(crate) fn is_frame(&self, id: StatementId) -> bool {
        [self.wait, self.repeat, self.each].contains(&id) || self.ending.contains(&id)
    }
}

impl CompletionTest {
    /// Whether an expression is what tells of which request its iteration is.
    pub(crate) fn is_it(self, program: &Program, expression: &Expression) -> bool {
        match self {
            CompletionTest::Index(index) => {
                matches!(expression, Expression::Variable(v) if *v == index)
            }
            CompletionTest::Source { status } => is_source(program, expression, status),
            CompletionTest::Element {
                indices, number, ..
            } => is_element(expression, indices, number),
        }
    }

    /// Whether an expression is what the wait tells of the request of its iteration.
    pub(crate) fn is_covered(self, program: &Program, expression: &Expression) -> bool {
        match self {
            CompletionTest::Index(_) | CompletionTest::Source { .. } => {
                self.is_it(program, expression)
            }
            CompletionTest::Element {
                indices,
                statuses,
                number,
            } => [Some(indices), statuses]
                .iter()
                .flatten()
                .any(|&array| is_element(expression, array, number)),
        }
    }
}

/// Whether an expression is `status(MPI_SOURCE)` or `status%MPI_SOURCE`.
fn is_source(program: &Program, expression: &Expression, status: VariableId) -> bool {
    let Expression::Reference {
        base,
        path,
        subscripts,
    } = expression
    else {
        return false;
    };
    let is_one = match (&path[..], &subscripts[..]) {
        ([], [Subscript::Element(position)]) => {
            program.mpi_constant(position) == Some("mpi_source")
        }
        ([component], []) => component == "mpi_source",
        _ => false,
    };
    *base == status && is_one
}

/// Whether an expression is a part of what an array holds at the number of the iteration, by its last dimension.
fn is_element(expression: &Expression, array: VariableId, number: VariableId) -> bool {
    let Expression::Reference {
        base, subscripts, ..
    } = expression
    else {
        return false;
    };
    *base == array
        && matches!(subscripts.last(), Some(Subscript::Element(Expression::Variable(v))) if *v == number)
}

/// The drain that a call makes, if it makes one: nothing else communicates in it, nothing leaves it but an end of
/// the run, and each request is told once.
pub(crate) fn completion_loop(readers: &Readers, wait: StatementId) -> Option<CompletionLoop> {
    waitany_loop(readers, wait).or_else(|| waitsome_loops::completion_loop(readers, wait))
}

/// A counted loop: each iteration waits once, for the same list of requests, and there are as many as the list is
/// long, so that each request is told once (and MPI_UNDEFINED as often as requests are null, last).
fn waitany_loop(readers: &Readers, wait: StatementId) -> Option<CompletionLoop> {
    let model = readers.model;
    let (function, arguments) = mpi_call(model, wait)?;
    let given = |role| argument(function, &arguments, role);
    let repeat = model.outline.parent[wait.0 as usize]?;
    let StatementKind::Do { from, to, step, .. } = &model.program.statement(repeat).kind else {
        return None;
    };
    let Expression::Variable(index) = given(Role::Completion)? else {
        return None;
    };
    let is_one = |bound: &Expression| constant(model.program, bound) == Some(1);
    let is_counted = function.name == "MPI_Waitany"
        && !readers.control.assumed[repeat.0 as usize].is_any()
        && is_one(from)
        && step.as_ref().is_none_or(is_one)
        && is_same(readers, to, given(Role::RequestCount)?)
        && model.program.variable(*index).shape.is_empty();
    let found = CompletionLoop {
        wait,
        repeat,
        each: repeat,
        ending: Vec::new(),
        told: CompletionTest::Index(*index),
    };
    (is_counted && stays_in(readers, &found) && tests_same_request(readers, &found))
        .then_some(found)
}

/// Whether two expressions are one number where the variables of both keep their values.
pub(crate) fn is_same(readers: &Readers, one: &Expression, other: &Expression) -> bool {
    let program = readers.model.program;
    match (constant(program, one), constant(program, other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => {
            let is_pure =
                |callee: &Callee| matches!(callee, Callee::Intrinsic(name) if is_pure(name));
            references::calls(one)
                .iter()
                .all(|call| is_pure(call.callee))
                && canonical_text::spell(program, one) == canonical_text::spell(program, other)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The statements of a loop that stay or that probes stand before, without the loop itself.
pub(crate) fn inside(readers: &Readers, repeat: StatementId) -> Vec<StatementId> {
    let all = statement_tree::subtree(readers.model.program, repeat).split_off(1);
    let is_there =
        |id: &StatementId| readers.kept[id.0 as usize] || readers.probed.contains_key(id);
    all.into_iter().filter(is_there).collect()
}

/// Whether each iteration passes the wait, nothing else in the loop communicates, and nothing leaves it.
pub(crate) fn stays_in(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    let model = readers.model;
    let mut waited = completion_loop.each != completion_loop.repeat;
    let is_harmless = |id: StatementId| {
        waited |= id == completion_loop.wait;
        let kind = &model.program.statement(id).kind;
        let is_counted = readers.control.assumed[id.0 as usize].is_counted();
        let calls = call_graph::calls(kind);
        let is_quiet = |callee: &Callee| match callee {
            Callee::Mpi(function) => {
                matches!(function.kind, Kind::Local | Kind::Clock | Kind::Abort)
                    || id == completion_loop.wait
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
                model.outline.is_within(*target, completion_loop.each)
                    && (waited || *target != completion_loop.each)
            }
            StatementKind::Exit(target) => {
                *target != completion_loop.each
                    && model.outline.is_within(*target, completion_loop.each)
            }
            StatementKind::Goto { .. } | StatementKind::Return | StatementKind::Entry => false,
            StatementKind::InputOutput(io) => io.jumps.is_empty(),
            StatementKind::Call { .. } => !kind.has_alternate_return(),
            StatementKind::Assign { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => true,
        };
        stays && !is_counted && calls.iter().all(|call| is_quiet(call.callee))
    };
    let statements = inside(readers, completion_loop.repeat)
        .into_iter()
        .filter(|id| !completion_loop.ending.contains(id));
    statements.into_iter().all(is_harmless)
}

/// Whether the wait names the same requests in each iteration: nobody writes what it reads, but itself the
/// requests.
pub(crate) fn tests_same_request(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    let model = readers.model;
    let used = &readers.control.effects(model, completion_loop.wait).uses;
    let requests = mpi_call(model, completion_loop.wait)
        .and_then(|(function, arguments)| argument(function, &arguments, Role::Request))
        .map_or(vec![], |requests| read_by(model, requests));
    let mut others = inside(readers, completion_loop.repeat);
    others.retain(|&id| id != completion_loop.wait);
    others.push(completion_loop.repeat);
    let written = |id: StatementId| -> Vec<LocationId> {
        readers
            .control
            .effects(model, id)
            .definitions
            .iter()
            .map(|d| d.location)
            .collect()
    };
    let by_wait = written(completion_loop.wait)
        .into_iter()
        .filter(|place| !requests.contains(place));
    !others
        .into_iter()
        .flat_map(written)
        .chain(by_wait)
        .any(|place| used.contains(&place))
}
