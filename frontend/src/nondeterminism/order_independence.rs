//! Order independence of completion loops ([`crate::nondeterminism::completion_loops`]): whether each order of completion
//! executes the same blocks with the same work, each as often, and leaves the same values.
//!
//! This holds if everything in the loop that depends on the completed request depends on that request alone:
//!
//! - Conditions and bounds read only values that are the same in all iterations, or that the iteration itself has computed
//!   from such values and its request. Such a statement is *pure*. Purity is the greatest fixpoint of "reads pure
//!   locations and is controlled by pure statements"; reads before writes come from a backward liveness analysis.
//! - An assigned value is read in the same iteration only, or it is a commutative update: an array element of the request
//!   (`t(index) = …`), or a sum or product of integers that the loop does not read otherwise.
//! - Nothing outside the loop depends on it, and no MPI call in the loop except the wait.
//!
//! The set of statements that depend on the request is the least fixpoint along reaching definitions and control
//! dependences. Per-request outputs are in [`per_request_results`], sums and elements in [`commutative_updates`].

mod commutative_updates;
mod per_request_results;

use crate::dataflow::loop_carried::{LoopCarried, is_pure, live, read_by};
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::bit_set::BitSet;
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, StatementId, StatementKind};
use crate::memory::location_id::LocationId;
use crate::nondeterminism::completion_loops::{self, CompletionLoop};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use base_data::mpi::{FunctionKind, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a completion loop leaves the same values and work in any order of completion.
pub(crate) fn holds(readers: &Readers, completion_loop: &CompletionLoop) -> bool {
    let body = Body::of(readers, completion_loop);
    match body.dependent() {
        Some(dependent) => dependent.iter().all(|id| body.pure.contains(id)),
        None => false,
    }
}

/// The body of a completion loop.
pub(crate) struct Body<'a, 'b> {
    readers: &'b Readers<'a>,
    completion_loop: &'b CompletionLoop,
    /// Kept statements of the loop over completed requests, and those with probes.
    inside: Vec<StatementId>,
    /// The statements of the loop that write each location.
    writers: BTreeMap<LocationId, Vec<StatementId>>,
    /// Locations that an iteration may read before it certainly writes them.
    exposed: BitSet,
    /// Statements whose only dependence on the order is the request of their own iteration.
    pub(crate) pure: BTreeSet<StatementId>,
}

impl<'a, 'b> Body<'a, 'b> {
    pub(crate) fn of(readers: &'b Readers<'a>, completion_loop: &'b CompletionLoop) -> Self {
        let mut whole = completion_loops::inside(readers, completion_loop.repeat);
        whole.push(completion_loop.repeat);
        let mut writers: BTreeMap<LocationId, Vec<StatementId>> = BTreeMap::new();
        for id in whole {
            // The loop over requests advances its DO variable even if it is not kept itself.
            if !readers.kept[id.0 as usize] && id != completion_loop.each {
                continue;
            }
            for definition in &readers.control.effects(readers.model, id).definitions {
                writers.entry(definition.location).or_default().push(id);
            }
        }
        let inside = completion_loops::inside(readers, completion_loop.each);
        let pure = inside.iter().copied().collect();
        let mut body = Body {
            readers,
            completion_loop,
            inside,
            writers,
            exposed: BitSet::default(),
            pure,
        };
        body.exposed = body.exposed_at_top();
        body.remove_impure();
        body
    }

    /// Locations that are live at the top of the loop body: an iteration may read their values of an earlier one.
    fn exposed_at_top(&self) -> BitSet {
        let Readers { model, control, .. } = *self.readers;
        let each = self.completion_loop.each;
        let procedure = model.program.statement(each).procedure;
        let flow = control.flow(model, procedure, &control.assumed);
        let mut points = BTreeMap::new();
        for id in statement_tree::subtree(model.program, each).split_off(1) {
            let mut transfer = LoopCarried::default();
            for location in self.readers.read_at(id) {
                transfer.exposed.insert(location.index());
            }
            if self.readers.kept[id.0 as usize] {
                for location in self.certain(id) {
                    transfer.always.insert(location.index());
                }
            }
            points.insert(flow.number(CfgNode::Statement(id)), transfer);
        }
        let before = live(&flow, &points);
        let mut exposed = BitSet::default();
        for first in flow.augmented_successors(flow.number(CfgNode::Statement(each))) {
            if points.contains_key(&first) {
                exposed.union(&before[first]);
            }
        }
        exposed
    }

    /// Locations that a statement always writes (must-write); for the wait also its status, if that is a whole variable.
    fn certain(&self, id: StatementId) -> Vec<LocationId> {
        let model = self.readers.model;
        let mut certain = Vec::new();
        for definition in &self.readers.control.effects(model, id).definitions {
            if definition.certain && matches!(definition.via, Via::Own | Via::Envelope) {
                certain.push(definition.location);
            }
        }
        if id == self.completion_loop.wait
            && let Some((function, arguments)) = mpi_call(model, id)
            && let Some(status) = argument(function, &arguments, Role::Status)
            && let Expression::Variable(whole) = status
            && model.program.variable(*whole).shape.len() < 2
        {
            certain.extend(read_by(model, status));
        }
        certain
    }

    /// Removes statements from `pure` until all that remain depend on nothing else.
    fn remove_impure(&mut self) {
        loop {
            let mut remaining = self.pure.clone();
            remaining.retain(|&id| self.remains_pure(id));
            if remaining.len() == self.pure.len() {
                return;
            }
            self.pure = remaining;
        }
    }

    fn remains_pure(&self, id: StatementId) -> bool {
        if id == self.completion_loop.wait {
            return true;
        }
        let is_kept = self.readers.kept[id.0 as usize];
        if is_kept && !self.has_pure_calls(id) {
            return false;
        }
        let updated = self.commutative_update(id);
        let own = self.per_request_locations(id);
        for location in self.readers.read_at(id) {
            // A sum reads its own earlier value, which differs by order, but its final value does not.
            let is_allowed = own.contains(&location) || Some(location) == updated;
            if !is_allowed && !self.is_pure_location(location) {
                return false;
            }
        }
        let deciders = self.deciders(id);
        deciders.iter().all(|decider| self.pure.contains(decider))
    }

    /// Whether all calls of a statement return the same for the same arguments: pure intrinsic functions, and MPI
    /// functions that only read a status.
    fn has_pure_calls(&self, id: StatementId) -> bool {
        for call in call_graph::calls(&self.readers.model.program.statement(id).kind) {
            let is_pure = match call.callee {
                Callee::Intrinsic(name) => call.is_function && is_pure(name),
                Callee::Mpi(function) => {
                    function.kind == FunctionKind::Local
                        && function.position(Role::StatusIn).is_some()
                }
                Callee::Procedure(_)
                | Callee::UnknownMpi(_)
                | Callee::External(_)
                | Callee::Variable(_)
                | Callee::OneOf(_) => false,
            };
            if !is_pure {
                return false;
            }
        }
        true
    }

    /// Whether a location is invariant in the loop, or each iteration recomputes it by pure statements before it reads it.
    pub(crate) fn is_pure_location(&self, location: LocationId) -> bool {
        match self.writers.get(&location) {
            None => true,
            // An exposed location may keep the value of an iteration for another request.
            Some(writers) => {
                !self.exposed.contains(location.index())
                    && writers.iter().all(|id| self.pure.contains(id))
            }
        }
    }

    /// The statements of the loop that a statement is control dependent on.
    pub(crate) fn deciders(&self, id: StatementId) -> Vec<StatementId> {
        let Readers {
            model,
            control,
            kept,
            ..
        } = *self.readers;
        let each = self.completion_loop.each;
        let mut deciders = control.deciders[id.0 as usize].clone();
        // A branch that is not kept belongs to a compute block, which is measured as a whole.
        deciders.retain(|&decider| {
            decider != each && model.outline.is_within(decider, each) && kept[decider.0 as usize]
        });
        deciders
    }

    /// All statements that depend on the completed request; `None` if one of them must not.
    fn dependent(&self) -> Option<Vec<StatementId>> {
        let mut dependent = Vec::new();
        let mut written = self.request_outputs();
        while let Some(id) = self.next_dependent(&dependent, &written) {
            for location in self.passed_on(id)? {
                written.push((id, location));
            }
            dependent.push(id);
        }
        let mut locations = Vec::new();
        for &(_, location) in &written {
            locations.push(location);
        }
        // Callers and array bounds must not see it either.
        let handed = self.readers.handed_out(&locations);
        let is_used_outside = handed.is_used
            || self.readers.is_any_read(&handed.written)
            || self.readers.shapes_read(&locations);
        if is_used_outside {
            return None;
        }
        Some(dependent)
    }

    fn next_dependent(
        &self,
        dependent: &[StatementId],
        written: &[(StatementId, LocationId)],
    ) -> Option<StatementId> {
        self.readers.all().find(|id| {
            !dependent.contains(id)
                && !self.completion_loop.is_frame(*id)
                && self.depends(*id, dependent, written)
        })
    }

    /// Whether a statement reads one of the `written` definitions, or is control dependent on a `dependent` statement.
    pub(crate) fn depends(
        &self,
        id: StatementId,
        dependent: &[StatementId],
        written: &[(StatementId, LocationId)],
    ) -> bool {
        let read = self.readers.read_at(id);
        for &(writer, location) in written {
            if read.contains(&location) && self.readers.reaches(writer, location, id) {
                return true;
            }
        }
        let mut deciders = self.readers.control.deciders[id.0 as usize].iter();
        deciders.any(|decider| dependent.contains(decider))
    }

    /// The locations through which a dependent statement passes the dependence on; `None` if it must not depend on the
    /// request.
    fn passed_on(&self, id: StatementId) -> Option<Vec<LocationId>> {
        let model = self.readers.model;
        if !self.inside.contains(&id) {
            return None;
        }
        // Only the probe before it remains, which writes nothing.
        if !self.readers.kept[id.0 as usize] {
            return Some(Vec::new());
        }
        match &model.program.statement(id).kind {
            StatementKind::Assign { .. } => {
                if self.commutative_update(id).is_some() || self.writes_own_element(id) {
                    return Some(Vec::new());
                }
                Some(self.written(id))
            }
            StatementKind::Do { .. } | StatementKind::If { .. } | StatementKind::While { .. } => {
                Some(self.written(id))
            }
            StatementKind::Call {
                callee: Callee::Mpi(_),
                ..
            } => Some(self.written(id)),
            // They write nothing; control dependences carry the dependence on.
            StatementKind::Select { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Continue => Some(Vec::new()),
            // Their effects outlive the iteration in ways that the sets of locations do not show.
            StatementKind::Call { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => None,
        }
    }

    fn written(&self, id: StatementId) -> Vec<LocationId> {
        let effects = self.readers.control.effects(self.readers.model, id);
        let mut written = Vec::new();
        for definition in &effects.definitions {
            written.push(definition.location);
        }
        written
    }
}
