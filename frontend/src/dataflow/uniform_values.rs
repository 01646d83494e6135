//! Uniform values: scalars that a broadcast or reduction over all ranks makes the same on every rank, if control certainly
//! reaches it. What only some ranks wrote before (the root read it from a file) is uniform behind the call.
//!
//! Rank-varying values are in [`crate::dataflow::rank_varying`].

use crate::dataflow::reachable_statements::ReachableStatements;
use crate::effects::model::Model;
use crate::effects::statement_effects::IndirectEffect;
use crate::graphs::call_graph;
use crate::io::io_ordering::{MAX_DEPTH, given, is_of_all};
use crate::ir::constant_values::constant;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind};
use crate::memory::location_id::LocationId;
use base_data::mpi::{Function, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that return the same to all members of a communicator.
const UNIFORM_FUNCTIONS: [&str; 4] = [
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Comm_dup",
    "MPI_Comm_size",
];
/// Functions whose result depends on their arguments only.
const OF_ARGUMENTS: [&str; 2] = ["MPI_Dims_create", "MPI_Type_size"];
/// Depth of nested calls in which broadcasts are searched.
const MAX_ARGUMENT_DEPTH: u32 = 3;

/// Whether a statement is an MPI call that returns the same on all ranks if its arguments are the same.
pub(crate) fn is_uniform(model: &Model, id: StatementId) -> bool {
    let StatementKind::Call {
        callee: Callee::Mpi(function),
        arguments,
    } = &model.program.statement(id).kind
    else {
        return false;
    };
    if OF_ARGUMENTS.contains(&function.name) {
        return true;
    }
    match given(function, arguments, Role::Communicator) {
        Some(communicator) => {
            UNIFORM_FUNCTIONS.contains(&function.name) && is_of_all(model, communicator, MAX_DEPTH)
        }
        None => false,
    }
}

/// Where locations are overwritten with a uniform value before other statements read them.
#[derive(Default)]
pub(crate) struct UniformValues {
    /// By location: statements whose definitions never reach a statement behind the broadcast.
    overwritten: BTreeMap<usize, BTreeSet<StatementId>>,
    /// By location: statements that may read it before the broadcast.
    before: BTreeMap<usize, BTreeSet<StatementId>>,
}

impl UniformValues {
    pub(crate) fn of(model: &Model) -> Self {
        let mut found = Self::default();
        for procedure in &model.program.procedures {
            found.list(model, &procedure.body);
        }
        for id in model.outline.all() {
            for body in model.program.statement(id).kind.bodies() {
                found.list(model, body);
            }
        }
        found
    }

    /// Whether what a statement writes to a location is always overwritten with a uniform value.
    pub(crate) fn is_made_uniform(&self, id: StatementId, location: usize) -> bool {
        match self.overwritten.get(&location) {
            Some(statements) => statements.contains(&id),
            None => false,
        }
    }

    /// Whether a statement may be executed before that.
    pub(crate) fn is_before(&self, id: StatementId, location: usize) -> bool {
        match self.before.get(&location) {
            Some(statements) => statements.contains(&id),
            None => false,
        }
    }

    fn list(&mut self, model: &Model, list: &[StatementId]) {
        // Where the statements begin that certainly continue to the current one.
        let mut first = 0;
        for (number, &id) in list.iter().enumerate() {
            let locations = uniform_arguments(model, id, MAX_ARGUMENT_DEPTH);
            if !locations.is_empty() {
                // From `first` on nothing jumps, so control that writes a value here also reaches
                // the call, which overwrites it.
                let overwritten = only_in(model, &list[first..number]);
                let before = ReachableStatements::of(model, &list[first..=number]).statements;
                for location in locations {
                    self.overwritten
                        .entry(location)
                        .or_default()
                        .extend(&overwritten);
                    self.before.entry(location).or_default().extend(&before);
                }
            }
            if jumps(model, id) {
                first = number + 1;
            }
        }
    }
}

/// The scalars that a statement makes uniform, whenever it is executed.
fn uniform_arguments(model: &Model, id: StatementId, depth: u32) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    match &model.program.statement(id).kind {
        StatementKind::Call {
            callee: Callee::Mpi(function),
            arguments,
        } if is_uniform(model, id) => {
            found.extend(uniform_scalar(model, function, arguments));
        }
        StatementKind::Call {
            callee: Callee::Procedure(procedure),
            arguments,
        } if depth > 0 && call_graph::calls(&model.program.statement(id).kind).len() == 1 => {
            // Up to the first jump, the body is executed whenever the call is.
            for &inner in &model.program.procedure(*procedure).body {
                if jumps(model, inner) {
                    break;
                }
                for location in uniform_arguments(model, inner, depth - 1) {
                    // A local variable of the callee ends with the call.
                    if is_outside(model, location, *procedure) {
                        found.insert(location);
                    } else if let Some(position) = dummy_position(model, location, *procedure)
                        && let Some(Some(actual)) = arguments.get(position)
                    {
                        // The dummy is the actual argument. What the callee writes behind the broadcast makes the dummy vary,
                        // and thus this statement's definition of the argument.
                        found.extend(plain_scalar(model, actual));
                    }
                }
            }
        }
        _ => {}
    }
    found
}

/// The buffer of a uniform MPI call, if it is a scalar without other names.
fn uniform_scalar(
    model: &Model,
    function: &Function,
    arguments: &[Option<Expression>],
) -> Option<usize> {
    let buffer = match given(function, arguments, Role::BufferInOut) {
        Some(buffer) => buffer,
        None => given(function, arguments, Role::BufferOut)?,
    };
    // With a larger count, a scalar would be the first element of a sequence that no location describes.
    let count = given(function, arguments, Role::Count)?;
    if constant(model.program, count) != Some(1) {
        return None;
    }
    plain_scalar(model, buffer)
}

/// The location of an expression that is a scalar without other names.
fn plain_scalar(model: &Model, expression: &Expression) -> Option<usize> {
    let Expression::Variable(variable) = expression else {
        return None;
    };
    let location = model.locations.of_variable(*variable)?;
    // Through another name of the location, a rank could store its own value behind the call.
    let is_plain_scalar = !model.locations.get(location).is_array
        && !model.aliased.contains(location.index())
        && model.locations.innermost(location) == [location];
    if is_plain_scalar {
        Some(location.index())
    } else {
        None
    }
}

/// The position of the dummy of a procedure that a location is, if the dummy is no copy of the actual argument.
fn dummy_position(model: &Model, location: usize, procedure: ProcedureId) -> Option<usize> {
    let location = model.locations.get(LocationId(location as u32));
    let position = location.dummy? as usize;
    let dummy = (*model.program.procedure(procedure).dummies.get(position)?)?;
    if model.program.variable(dummy).attributes.value {
        return None;
    }
    Some(position)
}

/// Whether a location exists outside a procedure's frame.
fn is_outside(model: &Model, location: usize, procedure: ProcedureId) -> bool {
    model.locations.get(LocationId(location as u32)).frame != Some(procedure)
}

/// Whether control may continue elsewhere than behind a statement.
fn jumps(model: &Model, id: StatementId) -> bool {
    for inner in statement_tree::subtree(model.program, id) {
        let kind = &model.program.statement(inner).kind;
        let leaves = matches!(
            kind,
            StatementKind::Goto { .. }
                | StatementKind::Exit(_)
                | StatementKind::Cycle(_)
                | StatementKind::Return
                | StatementKind::Entry
                | StatementKind::Opaque { .. }
        );
        if leaves || jumps_on_failure(kind) {
            return true;
        }
    }
    false
}

/// Whether a statement has an `END=`, `ERR=` or `EOR=` branch.
pub(crate) fn jumps_on_failure(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::InputOutput(io) if !io.jumps.is_empty())
}

/// The statements that are executed only as part of some statements: these, and procedures that no other statement calls.
fn only_in(model: &Model, list: &[StatementId]) -> BTreeSet<StatementId> {
    let mut found = BTreeSet::new();
    for &id in list {
        found.extend(statement_tree::subtree(model.program, id));
    }
    let executed = ReachableStatements::of(model, list);
    loop {
        let before = found.len();
        for &procedure in executed.procedures.keys() {
            let callers = model.effects.callers(IndirectEffect::Procedure(procedure));
            // Until nothing changes: the callers may be in procedures that are added later.
            if callers.iter().all(|caller| found.contains(caller)) {
                found.extend(model.outline.of_procedure(procedure));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
