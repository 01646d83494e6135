//! Scalars that all ranks are given: what a part of them wrote (what the first read from a file) is the same on all
//! behind MPI_Bcast, if control comes there for certain.
//!
//! Not here: what differs by rank ([`crate::dataflow::rank_varying`]).

use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::graphs::reachable_statements::ReachableStatements;
use crate::io::io_ordering::{MAX_DEPTH, given, is_of_all};
use crate::ir::constant_values::constant;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind};
use base_data::mpi::Role;
use std::collections::{BTreeMap, BTreeSet};

/// Functions that give all members of a communicator the same, and those that need none.
const UNIFORM_FUNCTIONS: [&str; 4] = [
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Comm_dup",
    "MPI_Comm_size",
];
const OF_ARGUMENTS: [&str; 2] = ["MPI_Dims_create", "MPI_Type_size"];
/// How deep procedures are looked into for what they give.
const MAX_ARGUMENT_DEPTH: u32 = 3;

/// Whether a statement is a call of MPI that answers all ranks the same if what it reads is the same.
pub(crate) fn is_uniform(model: &Model, id: StatementId) -> bool {
    let StatementKind::Call {
        callee: Callee::Mpi(function),
        arguments,
    } = &model.program.statement(id).kind
    else {
        return false;
    };
    let communicator = given(function, arguments, Role::Communicator);
    OF_ARGUMENTS.contains(&function.name)
        || UNIFORM_FUNCTIONS.contains(&function.name)
            && communicator.is_some_and(|communicator| is_of_all(model, communicator, MAX_DEPTH))
}

/// Where what is written to places is overwritten with the same on all ranks before it matters.
#[derive(Default)]
pub(crate) struct UniformValues {
    /// Statements whose writing to a place never comes past it.
    healed: BTreeMap<usize, BTreeSet<StatementId>>,
    /// Statements that may read it before.
    before: BTreeMap<usize, BTreeSet<StatementId>>,
}

impl UniformValues {
    /// Of a program.
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

    /// Whether what a statement writes to a place never comes past where all are given the same.
    pub(crate) fn is_made_uniform(&self, id: StatementId, place: usize) -> bool {
        self.healed.get(&place).is_some_and(|all| all.contains(&id))
    }

    /// Whether a statement may be executed before that.
    pub(crate) fn is_before(&self, id: StatementId, place: usize) -> bool {
        self.before.get(&place).is_some_and(|all| all.contains(&id))
    }

    fn list(&mut self, model: &Model, list: &[StatementId]) {
        for (number, &id) in list.iter().enumerate() {
            let places = uniform_arguments(model, id, MAX_ARGUMENT_DEPTH);
            if places.is_empty() {
                continue;
            }
            let first = list[..number]
                .iter()
                .rposition(|&other| jumps(model, other))
                .map_or(0, |at| at + 1);
            let healed = only_in(model, &list[first..number]);
            let before = ReachableStatements::of(model, &list[first..=number]).statements;
            for place in places {
                self.healed.entry(place).or_default().extend(&healed);
                self.before.entry(place).or_default().extend(&before);
            }
        }
    }
}

/// The scalars that all ranks are given when a statement is executed.
fn uniform_arguments(model: &Model, id: StatementId, depth: u32) -> BTreeSet<usize> {
    match &model.program.statement(id).kind {
        StatementKind::Call {
            callee: Callee::Mpi(function),
            arguments,
        } if is_uniform(model, id) => {
            let buffer = [Role::BufferInOut, Role::BufferOut];
            let buffer = buffer
                .into_iter()
                .find_map(|role| given(function, arguments, role));
            let Some(&Expression::Variable(variable)) = buffer else {
                return BTreeSet::new();
            };
            let count = given(function, arguments, Role::Count);
            let one = count.is_some_and(|count| constant(model.program, count) == Some(1));
            let place = model.locations.of_variable(variable).filter(|place| {
                let known = model.locations.get(*place);
                !known.is_array
                    && !model.aliased.contains(place.index())
                    && model.locations.innermost(*place) == [*place]
            });
            place
                .filter(|_| one)
                .map(|place| place.index())
                .into_iter()
                .collect()
        }
        StatementKind::Call {
            callee: Callee::Procedure(procedure),
            ..
        } if depth > 0 && call_graph::calls(&model.program.statement(id).kind).len() == 1 => {
            let body = &model.program.procedure(*procedure).body;
            let certain = body.iter().take_while(|&&inner| !jumps(model, inner));
            let places = certain.flat_map(|&inner| uniform_arguments(model, inner, depth - 1));
            places
                .filter(|&place| is_outside(model, place, *procedure))
                .collect()
        }
        _ => BTreeSet::new(),
    }
}

/// Whether a place is not one of a procedure's frame.
fn is_outside(model: &Model, place: usize, procedure: ProcedureId) -> bool {
    let locations = &model.locations;
    locations
        .all()
        .find(|at| at.index() == place)
        .is_some_and(|at| locations.get(at).frame != Some(procedure))
}

/// Whether a statement may lead elsewhere than behind it.
fn jumps(model: &Model, id: StatementId) -> bool {
    statement_tree::subtree(model.program, id)
        .into_iter()
        .any(|inner| {
            matches!(
                model.program.statement(inner).kind,
                StatementKind::Goto { .. }
                    | StatementKind::Exit(_)
                    | StatementKind::Cycle(_)
                    | StatementKind::Return
                    | StatementKind::Entry
                    | StatementKind::Opaque { .. }
            ) || jumps_on_failure(&model.program.statement(inner).kind)
        })
}

/// Whether a statement jumps where a file ends or fails.
pub(crate) fn jumps_on_failure(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::InputOutput(io) if !io.jumps.is_empty())
}

/// Statements that are executed in some statements and nowhere else.
fn only_in(model: &Model, list: &[StatementId]) -> BTreeSet<StatementId> {
    let mut found: BTreeSet<StatementId> = list
        .iter()
        .flat_map(|&id| statement_tree::subtree(model.program, id))
        .collect();
    let executed = ReachableStatements::of(model, list);
    loop {
        let before = found.len();
        for &procedure in executed.procedures.keys() {
            let callers = model
                .effects
                .callers(crate::effects::statement_effects::IndirectEffect::Procedure(procedure));
            if callers.iter().all(|caller| found.contains(caller)) {
                found.extend(model.outline.of_procedure(procedure));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
