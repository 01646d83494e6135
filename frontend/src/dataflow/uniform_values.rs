//! Uniformity analysis of collectives. Uniform values are scalars and small arrays that a broadcast or reduction over all ranks makes
//! the same on every rank, if control certainly reaches it, and scalars to which such values are assigned behind it (wrappers reduce
//! into a local variable and copy it to their argument). What only some ranks wrote before (the root read it from a file) is uniform
//! behind the call.
//!
//! Rank-varying values are in [`crate::dataflow::rank_varying`].

use crate::effects::model::Model;
use crate::effects::statement_effects::IndirectEffect;
use crate::graphs::call_graph;
use crate::io::io_ordering::{MAX_DEPTH, given, is_of_all};
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{
    Callee, Dimension, Expression, ProcedureId, Program, StatementId, StatementKind, VariableId,
};
use crate::memory::location_id::LocationId;
use base_data::mpi::{Function, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that return the same to all members of a communicator.
const UNIFORM_FUNCTIONS: [&str; 5] = [
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Cart_create",
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
    /// By location: where it is made uniform.
    made: BTreeMap<usize, Vec<Broadcast>>,
    sequences: Vec<Sequence>,
    /// The sequences that begin procedures.
    first: BTreeMap<ProcedureId, usize>,
    /// The first statements of lists that contain a broadcast which control certainly reaches from there.
    meeting: BTreeSet<StatementId>,
}

/// A call that makes a location uniform, or an assignment behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broadcast {
    /// The index of the sequence of statements that it is in.
    sequence: usize,
    /// Its position there.
    position: usize,
}

/// Consecutive statements, of which only the last may jump. What control executes before one of them, it also executes before the
/// later ones; so each statement is stored once, with the first broadcast that it belongs to.
#[derive(Default)]
struct Sequence {
    /// Statements that may be executed up to a broadcast, by the position of the first one.
    before: BTreeMap<StatementId, usize>,
    /// Statements whose definitions never reach a statement behind a broadcast, by the position of the first one.
    overwritten: BTreeMap<StatementId, usize>,
    /// Procedures that the statements in `before` call.
    called: BTreeSet<ProcedureId>,
    /// Those of them of which a statement outside `overwritten` may be a caller.
    open: Vec<ProcedureId>,
}

impl Sequence {
    /// Adds the statements before a broadcast that no earlier one added, and the broadcast itself.
    fn add(
        &mut self,
        model: &Model,
        statements: &[StatementId],
        broadcast: StatementId,
        position: usize,
    ) {
        for &id in statements {
            let inside = statement_tree::subtree(model.program, id);
            for &id in &inside {
                self.overwritten.entry(id).or_insert(position);
            }
            self.add_executed(model, inside, position);
        }
        self.close(model, position);
        let inside = statement_tree::subtree(model.program, broadcast);
        self.add_executed(model, inside, position);
    }

    /// Adds statements, and those of the procedures that they call, to those before a broadcast.
    fn add_executed(&mut self, model: &Model, mut pending: Vec<StatementId>, position: usize) {
        while let Some(id) = pending.pop() {
            self.before.entry(id).or_insert(position);
            for call in &model.effects.of_statement(id).calls {
                if self.called.insert(call.target) {
                    self.open.push(call.target);
                    pending.extend(model.outline.of_procedure(call.target));
                }
            }
        }
    }

    /// Adds the procedures that no other statement calls to those whose definitions are overwritten.
    fn close(&mut self, model: &Model, position: usize) {
        // Until nothing changes: the callers may be in procedures that are added later.
        let mut grown = true;
        while grown {
            grown = false;
            for procedure in std::mem::take(&mut self.open) {
                let callers = model.effects.callers(IndirectEffect::Procedure(procedure));
                let is_inside = |caller: &StatementId| self.overwritten.contains_key(caller);
                if !callers.iter().all(is_inside) {
                    self.open.push(procedure);
                    continue;
                }
                for &id in model.outline.of_procedure(procedure) {
                    self.overwritten.entry(id).or_insert(position);
                }
                grown = true;
            }
        }
    }
}

impl UniformValues {
    pub(crate) fn of(model: &Model) -> Self {
        let jumps = &jumps(model);
        let mut found = Self::default();
        for (id, procedure) in (0..).map(ProcedureId).zip(&model.program.procedures) {
            found.first.insert(id, found.sequences.len());
            found.list(model, jumps, &procedure.body);
        }
        for id in model.outline.all() {
            for body in model.program.statement(id).kind.bodies() {
                found.list(model, jumps, body);
            }
        }
        found
    }

    /// The call that always overwrites with a uniform value what a statement writes to a location.
    pub(crate) fn overwriting(&self, id: StatementId, location: usize) -> Option<Broadcast> {
        let mut found: Option<Broadcast> = None;
        for &broadcast in self.made.get(&location)? {
            let sequence = &self.sequences[broadcast.sequence];
            let first = sequence.overwritten.get(&id);
            if first.is_none_or(|&first| first > broadcast.position) {
                continue;
            }
            // The fewer statements see the value, the better. Broadcasts of one sequence are in the order of their positions.
            let size = sequence.before.len();
            let is_smaller = found.is_none_or(|other| {
                broadcast.sequence != other.sequence
                    && size < self.sequences[other.sequence].before.len()
            });
            if is_smaller {
                found = Some(broadcast);
            }
        }
        found
    }

    /// The call that always overwrites so what a dummy argument holds when its procedure is entered.
    pub(crate) fn overwriting_argument(
        &self,
        procedure: ProcedureId,
        location: usize,
    ) -> Option<Broadcast> {
        let first = *self.first.get(&procedure)?;
        let mut made = self.made.get(&location)?.iter();
        made.find(|broadcast| broadcast.sequence == first).copied()
    }

    /// Whether all ranks meet in a list of statements, if one of them enters it.
    pub(crate) fn ranks_meet(&self, list: &[StatementId]) -> bool {
        list.first()
            .is_some_and(|first| self.meeting.contains(first))
    }

    /// Whether a statement may be executed before that.
    pub(crate) fn is_before(&self, id: StatementId, broadcast: Broadcast) -> bool {
        let first = self.sequences[broadcast.sequence].before.get(&id);
        first.is_some_and(|&first| first <= broadcast.position)
    }

    fn list(&mut self, model: &Model, jumps: &[bool], list: &[StatementId]) {
        let mut sequence = Sequence::default();
        let mut returned = Returned::default();
        // The first statement that the sequence does not contain yet.
        let mut next = 0;
        let mut is_first = true;
        for (position, &id) in list.iter().enumerate() {
            let locations = returned.after(model, jumps, id, MAX_ARGUMENT_DEPTH);
            if !locations.is_empty() {
                if is_first {
                    self.meeting.insert(list[0]);
                }
                // In the sequence nothing jumps, so control that writes a value there also reaches
                // the call, which overwrites it.
                sequence.add(model, &list[next..position], id, position);
                next = position;
                let broadcast = Broadcast {
                    sequence: self.sequences.len(),
                    position,
                };
                for location in locations {
                    self.made.entry(location).or_default().push(broadcast);
                }
            }
            if jumps[id.0 as usize] {
                self.sequences.push(std::mem::take(&mut sequence));
                returned = Returned::default();
                next = position + 1;
                is_first = false;
            }
        }
        self.sequences.push(sequence);
    }
}

/// What the statements of a sequence have made uniform so far.
#[derive(Default)]
struct Returned(BTreeSet<usize>);

impl Returned {
    /// Adds what the next statement makes uniform, whenever it is executed; what that is.
    fn after(
        &mut self,
        model: &Model,
        jumps: &[bool],
        id: StatementId,
        depth: u32,
    ) -> BTreeSet<usize> {
        let mut found = uniform_arguments(model, jumps, id, depth);
        if let StatementKind::Assign { target, value } = &model.program.statement(id).kind {
            // Any assignment overwrites what its target held; whether the value varies is for the analysis to find. Only copies
            // of what a collective returned are worth a look.
            let mut read = references::values(value).into_iter();
            let is_copy = read.any(|read| {
                let location = model.locations.at(read);
                location.is_some_and(|location| self.0.contains(&location.index()))
            });
            if is_copy {
                found.extend(plain_scalar(model, target));
            }
        }
        self.0.extend(&found);
        found
    }
}

/// The variables that a call makes uniform, whenever it is executed.
fn uniform_arguments(
    model: &Model,
    jumps: &[bool],
    id: StatementId,
    depth: u32,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    match &model.program.statement(id).kind {
        StatementKind::Call {
            callee: Callee::Mpi(function),
            arguments,
        } if is_uniform(model, id) => {
            found.extend(uniform_buffer(model, function, arguments));
        }
        StatementKind::Call {
            callee: Callee::Procedure(procedure),
            arguments,
        } if depth > 0 && call_graph::calls(&model.program.statement(id).kind).len() == 1 => {
            let mut returned = Returned::default();
            // Up to the first jump, the body is executed whenever the call is.
            for &inner in &model.program.procedure(*procedure).body {
                if jumps[inner.0 as usize] {
                    break;
                }
                for location in returned.after(model, jumps, inner, depth - 1) {
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

/// The buffer of a uniform MPI call, if it is a variable without other names that the call overwrites as a whole.
fn uniform_buffer(
    model: &Model,
    function: &Function,
    arguments: &[Option<Expression>],
) -> Option<usize> {
    let buffer = match given(function, arguments, Role::BufferInOut) {
        Some(buffer) => buffer,
        None => given(function, arguments, Role::BufferOut)?,
    };
    let Expression::Variable(variable) = buffer else {
        return None;
    };
    // With a larger count, a scalar would be the first element of a sequence that no location describes.
    let count = constant(model.program, given(function, arguments, Role::Count)?)?;
    let shape = &model.program.variable(*variable).shape;
    if element_count(model.program, shape) != Some(count) {
        return None;
    }
    plain_variable(model, *variable)
}

/// How many elements a variable of constant shape has; one if it is a scalar.
fn element_count(program: &Program, shape: &[Dimension]) -> Option<i64> {
    let mut count: i64 = 1;
    for dimension in shape {
        let first = match &dimension.lower {
            Some(lower) => constant(program, lower)?,
            None => 1,
        };
        let last = constant(program, dimension.upper.as_ref()?)?;
        count = count.checked_mul(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// The location of an expression that is a scalar without other names.
fn plain_scalar(model: &Model, expression: &Expression) -> Option<usize> {
    let Expression::Variable(variable) = expression else {
        return None;
    };
    let location = plain_variable(model, *variable)?;
    let is_array = model.locations.get(LocationId(location as u32)).is_array;
    (!is_array).then_some(location)
}

/// The location of a variable without other names and parts.
fn plain_variable(model: &Model, variable: VariableId) -> Option<usize> {
    let location = model.locations.of_variable(variable)?;
    // Through another name of the location, a rank could store its own value behind the call.
    let is_plain = !model.aliased.contains(location.index())
        && model.locations.innermost(location) == [location];
    if is_plain {
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

/// Whether control may continue elsewhere than behind each statement, by a jump in it; index = statement id.
fn jumps(model: &Model) -> Vec<bool> {
    let mut jumps = vec![false; model.program.statements.len()];
    for id in model.outline.all() {
        let kind = &model.program.statement(id).kind;
        let leaves = matches!(
            kind,
            StatementKind::Goto { .. }
                | StatementKind::Exit(_)
                | StatementKind::Cycle(_)
                | StatementKind::Return
                | StatementKind::Entry
                | StatementKind::Opaque { .. }
        );
        if !leaves && !jumps_on_failure(kind) {
            continue;
        }
        jumps[id.0 as usize] = true;
        for around in model.outline.ancestors(id) {
            // Those further out are marked as well.
            if std::mem::replace(&mut jumps[around.0 as usize], true) {
                break;
            }
        }
    }
    jumps
}

/// Whether a statement has an `END=`, `ERR=` or `EOR=` branch.
pub(crate) fn jumps_on_failure(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::InputOutput(io) if !io.jumps.is_empty())
}
