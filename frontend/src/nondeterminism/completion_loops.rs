//! Completion loops: loops around MPI_Waitany (here) or MPI_Waitsome ([`crate::nondeterminism::waitsome_loops`]) that handle
//! requests in the order in which they complete, until all have completed. This module recognises their shape and proves
//! that each request is handled exactly once; [`crate::nondeterminism::order_independence`] proves that the order does not
//! matter. Loops that test one request until it completes are in [`crate::nondeterminism::polling_loops`].

use crate::dataflow::loop_carried::{is_pure, read_by};
use crate::graphs::call_graph;
use crate::ir::canonical_text;
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, Program, StatementId, StatementKind, Subscript, VariableId};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use base_data::mpi::{FunctionKind, Role};

/// A loop that completes each of some requests once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompletionLoop {
    /// The wait, test or receive.
    pub(crate) wait: StatementId,
    /// The loop around it.
    pub(crate) repeat: StatementId,
    /// The loop of which each iteration handles one request: `repeat`, or a loop in it.
    pub(crate) each: StatementId,
    /// Statements of `repeat` that end it, beside the loops themselves.
    pub(crate) ending: Vec<StatementId>,
    /// What identifies the completed request.
    pub(crate) test: CompletionTest,
}

/// What identifies the request that an iteration handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionTest {
    /// A variable that the wait writes.
    Index(VariableId),
    /// The source of the received message.
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
    /// Whether a statement belongs to the loops themselves. These may depend on how many requests one call completes.
    pub(crate) fn is_frame(&self, id: StatementId) -> bool {
        [self.wait, self.repeat, self.each].contains(&id) || self.ending.contains(&id)
    }
}

impl CompletionTest {
    /// Whether an expression is the value that identifies the request of its iteration.
    pub(crate) fn identifies_request(self, program: &Program, expression: &Expression) -> bool {
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

    /// Whether an expression is an output of the wait for the request of its iteration.
    pub(crate) fn is_output_element(self, program: &Program, expression: &Expression) -> bool {
        match self {
            CompletionTest::Index(_) | CompletionTest::Source { .. } => {
                self.identifies_request(program, expression)
            }
            CompletionTest::Element {
                indices,
                statuses,
                number,
            } => {
                if is_element(expression, indices, number) {
                    return true;
                }
                match statuses {
                    Some(statuses) => is_element(expression, statuses, number),
                    None => false,
                }
            }
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

/// Whether an expression is the part of an array that its last dimension selects by `number`.
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

/// A counted loop of which each iteration calls MPI_Waitany once for the same requests, with as many iterations as
/// requests: so each request completes once (and MPI_UNDEFINED is returned last, once for each null request).
pub(crate) fn waitany_loop(readers: &Readers, wait: StatementId) -> Option<CompletionLoop> {
    let model = readers.model;
    let (function, arguments) = mpi_call(model, wait)?;
    if function.name != "MPI_Waitany" {
        return None;
    }
    let repeat = model.outline.parent[wait.0 as usize]?;
    let StatementKind::Do { from, to, step, .. } = &model.program.statement(repeat).kind else {
        return None;
    };
    let Expression::Variable(index) = argument(function, &arguments, Role::Completion)? else {
        return None;
    };
    // Fewer iterations would leave requests pending, more would only return MPI_UNDEFINED.
    let requests = argument(function, &arguments, Role::RequestCount)?;
    let has_unit_step = match step {
        Some(step) => constant(model.program, step) == Some(1),
        None => true,
    };
    let counts_requests =
        constant(model.program, from) == Some(1) && has_unit_step && is_same(readers, to, requests);
    // The name of an array as the index would be its first element, which the body reads with a subscript.
    let is_scalar = model.program.variable(*index).shape.is_empty();
    if !counts_requests || !is_scalar || readers.control.assumed[repeat.0 as usize].is_any() {
        return None;
    }
    let found = CompletionLoop {
        wait,
        repeat,
        each: repeat,
        ending: Vec::new(),
        test: CompletionTest::Index(*index),
    };
    if stays_in(readers, &found) && tests_same_request(readers, &found) {
        Some(found)
    } else {
        None
    }
}

/// Whether two expressions have the same value while their variables keep their values.
pub(crate) fn is_same(readers: &Readers, one: &Expression, other: &Expression) -> bool {
    let program = readers.model.program;
    match (constant(program, one), constant(program, other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => {
            for call in references::calls(one) {
                let repeats_value = match call.callee {
                    Callee::Intrinsic(name) => is_pure(name),
                    _ => false,
                };
                if !repeats_value {
                    return false;
                }
            }
            canonical_text::spell(program, one) == canonical_text::spell(program, other)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The statements of a loop that are kept or have a probe before them, without the loop itself.
pub(crate) fn inside(readers: &Readers, repeat: StatementId) -> Vec<StatementId> {
    let mut statements = statement_tree::subtree(readers.model.program, repeat).split_off(1);
    statements.retain(|id| readers.kept[id.0 as usize] || readers.probed.contains_key(id));
    statements
}

/// Whether each iteration executes the wait, no other statement of the loop communicates, and none leaves the loop.
pub(crate) fn stays_in(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    // In a loop within the loop around the wait, all iterations follow it.
    let mut is_after_wait = completion_loop.each != completion_loop.repeat;
    for id in inside(readers, completion_loop.repeat) {
        if completion_loop.ending.contains(&id) {
            continue;
        }
        is_after_wait |= id == completion_loop.wait;
        if !continues(readers, completion_loop, id, is_after_wait)
            || readers.control.assumed[id.0 as usize].is_counted()
            || may_communicate(readers, completion_loop, id)
        {
            return false;
        }
    }
    true
}

/// Whether control stays in the loop after a statement. A CYCLE of the loop over requests must follow the wait, since an
/// iteration without a wait would leave one request pending.
fn continues(
    readers: &Readers,
    completion_loop: &CompletionLoop,
    id: StatementId,
    is_after_wait: bool,
) -> bool {
    let model = readers.model;
    let each = completion_loop.each;
    let kind = &model.program.statement(id).kind;
    match kind {
        StatementKind::Cycle(target) => {
            model.outline.is_within(*target, each) && (is_after_wait || *target != each)
        }
        StatementKind::Exit(target) => *target != each && model.outline.is_within(*target, each),
        // A jump may lead back over the wait, or out of the loop before all requests have completed.
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
    }
}

/// Whether a statement other than the wait may communicate. What is not kept is in a compute block, without MPI.
fn may_communicate(readers: &Readers, completion_loop: &CompletionLoop, id: StatementId) -> bool {
    for call in call_graph::calls(&readers.model.program.statement(id).kind) {
        let is_local = match call.callee {
            Callee::Mpi(function) => {
                id == completion_loop.wait
                    || matches!(
                        function.kind,
                        FunctionKind::Local | FunctionKind::Clock | FunctionKind::Abort
                    )
            }
            Callee::Intrinsic(_) => true,
            Callee::Procedure(_)
            | Callee::UnknownMpi(_)
            | Callee::External(_)
            | Callee::Variable(_)
            | Callee::OneOf(_) => !readers.kept[id.0 as usize],
        };
        if !is_local {
            return true;
        }
    }
    false
}

/// Whether the wait names the same requests in each iteration: no statement of the loop writes what the wait reads, except
/// that the wait itself writes the requests.
pub(crate) fn tests_same_request(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    let model = readers.model;
    let wait = completion_loop.wait;
    let used = &readers.control.effects(model, wait).uses;
    let mut requests = Vec::new();
    if let Some((function, arguments)) = mpi_call(model, wait)
        && let Some(handles) = argument(function, &arguments, Role::Request)
    {
        requests = read_by(model, handles);
    }
    let mut statements = inside(readers, completion_loop.repeat);
    statements.extend([wait, completion_loop.repeat]);
    for id in statements {
        let effects = readers.control.effects(model, id);
        if effects.touches_globals && used.iter().any(|&location| model.is_kept(location)) {
            return false;
        }
        for definition in &effects.definitions {
            let location = definition.location;
            let completes_request = id == wait && requests.contains(&location);
            if used.contains(&location) && !completes_request {
                return false;
            }
        }
    }
    true
}
