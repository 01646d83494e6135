//! Loops with outstanding requests: leaving such a loop before its last iteration would leave requests that are never
//! started, or never completed. The loop either starts requests that are completed behind it
//! (`do i = 1, n; call MPI_Irecv(…, r(i))`), or completes requests that were started before it, as completion loops do.
//!
//! A flow-insensitive analysis over whole locations, with summaries of the called procedures.

use crate::blocks::block_finder::{self, ProgramElement};
use crate::effects::model::Model;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Expression, ProcedureId, StatementId, StatementKind};
use crate::memory::location_id::{LocationId, LocationSet};
use crate::nondeterminism::mpi_outputs::{argument, mpi_call};
use base_data::mpi::{Function, FunctionKind, Role};
use std::collections::{BTreeMap, BTreeSet};

/// The loops with communication that must not be left early.
pub(crate) fn loops(model: &Model, found: &[ProgramElement]) -> BTreeSet<StatementId> {
    let mut finder = RequestFinder {
        model,
        procedures: BTreeMap::new(),
    };
    let mut open = BTreeSet::new();
    for id in block_finder::loops(found) {
        let requests = finder.of(&statement_tree::subtree(model.program, id));
        if requests.is_open(model) {
            open.insert(id);
        }
    }
    open
}

/// Requests that statements start and complete.
#[derive(Clone, Default)]
struct OutstandingRequests {
    started: LocationSet,
    completed: LocationSet,
    /// Assignments as (from, to); some copy request handles.
    copies: BTreeSet<(LocationId, LocationId)>,
}

impl OutstandingRequests {
    fn add(&mut self, other: &OutstandingRequests) {
        self.started.union(&other.started);
        self.completed.union(&other.completed);
        self.copies.extend(&other.copies);
    }

    /// Whether some requests are started and not completed, or completed and not started.
    fn is_open(&self, model: &Model) -> bool {
        let mut handles = LocationSet::default();
        for location in self.started.iter() {
            let copies = self.known_as(location);
            // Completing any copy of the handle completes the request.
            if copies
                .iter()
                .all(|copy| is_missing(model, copy, &self.completed))
            {
                return true;
            }
            handles.union(&copies);
        }
        self.completed
            .iter()
            .any(|location| is_missing(model, location, &handles))
    }

    /// A location and all to which its handles are copied.
    fn known_as(&self, location: LocationId) -> LocationSet {
        let mut known: LocationSet = [location].into_iter().collect();
        let mut grown = true;
        while grown {
            grown = false;
            for (from, to) in &self.copies {
                if known.contains(*from) {
                    grown |= known.insert(*to);
                }
            }
        }
        known
    }
}

/// Whether a location is certainly not among others. A dummy may be associated with any request.
fn is_missing(model: &Model, location: LocationId, others: &LocationSet) -> bool {
    if is_dummy(model, location) {
        return others.iter().next().is_none();
    }
    !others.contains(location) && !others.iter().any(|other| is_dummy(model, other))
}

fn is_dummy(model: &Model, location: LocationId) -> bool {
    model.locations.get(location).dummy.is_some()
}

/// Collects outstanding requests, with a summary of each procedure.
struct RequestFinder<'a> {
    model: &'a Model<'a>,
    procedures: BTreeMap<ProcedureId, OutstandingRequests>,
}

impl RequestFinder<'_> {
    fn of(&mut self, statements: &[StatementId]) -> OutstandingRequests {
        let mut requests = OutstandingRequests::default();
        for &id in statements {
            self.own(id, &mut requests);
            self.copies(id, &mut requests);
            for call in &self.model.effects.of_statement(id).calls {
                requests.add(&self.of_procedure(call.target));
            }
        }
        requests
    }

    fn of_procedure(&mut self, procedure: ProcedureId) -> OutstandingRequests {
        if let Some(known) = self.procedures.get(&procedure) {
            return known.clone();
        }
        // Recursive calls add nothing.
        self.procedures
            .insert(procedure, OutstandingRequests::default());
        let statements = self.model.outline.of_procedure(procedure).to_vec();
        let found = self.of(&statements);
        self.procedures.insert(procedure, found.clone());
        found
    }

    fn own(&self, id: StatementId, requests: &mut OutstandingRequests) {
        let Some((function, arguments)) = mpi_call(self.model, id) else {
            return;
        };
        let Some((role, starts)) = handled(function) else {
            return;
        };
        let Some(handles) = argument(function, &arguments, role) else {
            return;
        };
        let set = if starts {
            &mut requests.started
        } else {
            &mut requests.completed
        };
        set.extend(self.innermost(handles));
    }

    /// An assignment may copy handles.
    fn copies(&self, id: StatementId, requests: &mut OutstandingRequests) {
        let StatementKind::Assign { target, value } = &self.model.program.statement(id).kind else {
            return;
        };
        let targets = self.innermost(target);
        for from in self.innermost(value) {
            for &to in &targets {
                requests.copies.insert((from, to));
            }
        }
    }

    /// The innermost locations of a variable or a part of one.
    fn innermost(&self, expression: &Expression) -> Vec<LocationId> {
        let locations = &self.model.locations;
        let Some(designated) = references::designated(expression) else {
            return Vec::new();
        };
        match locations.at(designated) {
            Some(location) => locations.innermost(location),
            None => Vec::new(),
        }
    }
}

/// The role of the requests that a function starts (`true`) or completes.
fn handled(function: &Function) -> Option<(Role, bool)> {
    match function.kind {
        FunctionKind::Wait | FunctionKind::Test => Some((Role::Request, false)),
        FunctionKind::StartPersistent => Some((Role::Request, true)),
        // A persistent request is inactive until it is started (MPI 4.1, 3.9).
        FunctionKind::MakePersistent => None,
        FunctionKind::StartSend
        | FunctionKind::StartReceive
        | FunctionKind::Send
        | FunctionKind::Receive
        | FunctionKind::SendReceive
        | FunctionKind::Collective
        | FunctionKind::MakeCommunicator
        | FunctionKind::Other => Some((Role::NewRequest, true)),
        // A freed request completes without a wait (MPI 4.1, 3.7.3).
        FunctionKind::Local if function.name == "MPI_Request_free" => Some((Role::Request, false)),
        FunctionKind::Start
        | FunctionKind::End
        | FunctionKind::Abort
        | FunctionKind::Probe
        | FunctionKind::Clock
        | FunctionKind::Local => None,
    }
}
