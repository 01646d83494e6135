//! Loops that hold requests open: whoever leaves one before its end leaves requests that nobody has started, or that
//! nobody completes. They start what is completed behind them (`do i = 1, n; call MPI_Irecv(…, r(i))`), or complete
//! what was started before them, as drains do. By whole places, and through what the loop calls.

use crate::blocks::block_finder::{self, Found};
use crate::effects::model::Model;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{Expression, ProcedureId, StatementId, StatementKind};
use crate::memory::locations::{LocationId, LocationSet};
use crate::nondeterminism::mpi_outputs::{argument, mpi_call};
use base_data::mpi::{Function, Kind, Role};
use std::collections::{BTreeMap, BTreeSet};

/// The loops with communication that must not be left early.
pub(crate) fn loops(model: &Model, found: &[Found]) -> BTreeSet<StatementId> {
    let mut finder = Finder {
        model,
        procedures: BTreeMap::new(),
    };
    block_finder::loops(found)
        .filter(|&id| {
            finder
                .of(&statement_tree::subtree(model.program, id))
                .is_open(model)
        })
        .collect()
}

/// Requests that statements start and complete.
#[derive(Clone, Default)]
struct OutstandingRequests {
    started: LocationSet,
    completed: LocationSet,
    /// What is assigned from where to where, handles among it.
    copies: BTreeSet<(LocationId, LocationId)>,
}

impl OutstandingRequests {
    fn add(&mut self, other: &OutstandingRequests) {
        self.started.union(&other.started);
        self.completed.union(&other.completed);
        self.copies.extend(&other.copies);
    }

    /// Whether some are started and not completed, or the other way round. A dummy may be any of them.
    fn is_open(&self, model: &Model) -> bool {
        let is_any = |place: LocationId| model.locations.get(place).dummy.is_some();
        let lacks = |place: LocationId, others: &LocationSet| match is_any(place) {
            true => others.iter().next().is_none(),
            false => !others.contains(place) && !others.iter().any(is_any),
        };
        let mut handles = LocationSet::default();
        self.started
            .iter()
            .for_each(|place| _ = handles.union(&self.known_as(place)));
        self.started.iter().any(|place| {
            self.known_as(place)
                .iter()
                .all(|place| lacks(place, &self.completed))
        }) || self.completed.iter().any(|place| lacks(place, &handles))
    }

    /// A place and all that its handles are copied to.
    fn known_as(&self, place: LocationId) -> LocationSet {
        let mut known: LocationSet = [place].into_iter().collect();
        let mut grown = true;
        while grown {
            grown = false;
            let copies = self.copies.iter().filter(|(from, _)| known.contains(*from));
            let more: Vec<LocationId> = copies.map(|(_, to)| *to).collect();
            more.into_iter()
                .for_each(|place| grown |= known.insert(place));
        }
        known
    }
}

struct Finder<'a> {
    model: &'a Model<'a>,
    procedures: BTreeMap<ProcedureId, OutstandingRequests>,
}

impl Finder<'_> {
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
        let places =
            argument(function, &arguments, role).map_or(vec![], |handles| self.places(handles));
        let set = if starts {
            &mut requests.started
        } else {
            &mut requests.completed
        };
        places.into_iter().for_each(|place| _ = set.insert(place));
    }

    /// Handles are copied, too.
    fn copies(&self, id: StatementId, requests: &mut OutstandingRequests) {
        if let StatementKind::Assign { target, value } = &self.model.program.statement(id).kind {
            let to = self.places(target);
            let from = self.places(value).into_iter();
            requests
                .copies
                .extend(from.flat_map(|from| to.iter().map(move |&to| (from, to))));
        }
    }

    /// The innermost places of a variable or a part of one.
    fn places(&self, expression: &Expression) -> Vec<LocationId> {
        let locations = &self.model.locations;
        let place = references::designated(expression).and_then(|named| locations.at(named));
        place.map_or(vec![], |place| locations.innermost(place))
    }
}

/// The role of the requests that a function starts (`true`) or completes.
fn handled(function: &Function) -> Option<(Role, bool)> {
    match function.kind {
        Kind::Wait | Kind::Test => Some((Role::Request, false)),
        Kind::StartPersistent => Some((Role::Request, true)),
        Kind::MakePersistent => None,
        Kind::StartSend
        | Kind::StartReceive
        | Kind::Send
        | Kind::Receive
        | Kind::SendReceive
        | Kind::Collective
        | Kind::MakeCommunicator
        | Kind::Other => Some((Role::NewRequest, true)),
        Kind::Local if function.name == "MPI_Request_free" => Some((Role::Request, false)),
        Kind::Start | Kind::End | Kind::Abort | Kind::Probe | Kind::Clock | Kind::Local => None,
    }
}
