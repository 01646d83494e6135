//! Order independence of the work in a completion loop: whether each order of completion executes the same total work.
//!
//! The slice need not contain the branches that determine this work, since data-dependent blocks are measured. So the
//! analysis treats the whole loop as kept, and tests each statement whose control locations depend on the completed
//! request: they must depend on that request alone ([`crate::nondeterminism::order_independence`]).

use crate::dataflow::control_locations::ControlLocations;
use crate::ir::StatementId;
use crate::ir::statement_tree;
use crate::memory::location_id::{LocationId, LocationSet};
use crate::nondeterminism::completion_loops::CompletionLoop;
use crate::nondeterminism::mpi_outputs::Readers;
use crate::nondeterminism::order_independence::Body;
use std::collections::BTreeSet;

/// A statement of a completion loop whose work may depend on the order of completion, if there is any.
pub(crate) fn depends_on_order(
    readers: &Readers,
    completion_loop: &CompletionLoop,
) -> Option<StatementId> {
    let program = readers.model.program;
    let inside = statement_tree::subtree(program, completion_loop.each).split_off(1);
    let around = statement_tree::subtree(program, completion_loop.repeat).split_off(1);
    let mut kept = readers.kept.to_vec();
    // Data-dependent branches are not in the slice, but they determine the work that the loop measures.
    for id in &around {
        kept[id.0 as usize] = true;
    }
    let whole = Readers {
        kept: &kept,
        ..*readers
    };
    let mut beside = around;
    beside.retain(|id| !inside.contains(id) && !completion_loop.is_frame(*id));
    let work = Work::of(&whole, completion_loop, &inside, &beside);
    inside.into_iter().find(|&id| work.depends_on_order(id))
}

struct Work<'a, 'b> {
    readers: &'b Readers<'a>,
    body: Body<'a, 'b>,
    control_locations: ControlLocations<'a>,
    /// Statements that depend on the completed request.
    dependent: BTreeSet<StatementId>,
    /// Definitions by these statements, and the outputs of the MPI call.
    written: Vec<(StatementId, LocationId)>,
    /// Indirect side effects of called procedures.
    written_indirectly: LocationSet,
}

impl<'a, 'b> Work<'a, 'b> {
    /// `inside` are the statements of the loop over completed requests, `beside` those of the outer loop around it.
    fn of(
        readers: &'b Readers<'a>,
        completion_loop: &'b CompletionLoop,
        inside: &[StatementId],
        beside: &[StatementId],
    ) -> Self {
        let body = Body::of(readers, completion_loop);
        let written = body.request_outputs();
        let mut work = Work {
            readers,
            body,
            control_locations: ControlLocations::of_called(readers.model, inside),
            dependent: BTreeSet::new(),
            written,
            written_indirectly: LocationSet::default(),
        };
        for &id in inside {
            let effects = &readers.model.effects;
            effects.add_written_indirectly(id, &mut work.written_indirectly);
        }
        // The number of calls depends on timing, so everything that each call executes once does.
        for &id in beside {
            work.add(id);
        }
        while let Some(id) = inside.iter().copied().find(|&id| work.is_new(id)) {
            work.add(id);
        }
        work
    }

    fn add(&mut self, id: StatementId) {
        let effects = self.readers.control.effects(self.readers.model, id);
        for definition in &effects.definitions {
            self.written.push((id, definition.location));
        }
        self.dependent.insert(id);
    }

    /// Whether a statement that is not yet in `dependent` depends on the request.
    fn is_new(&self, id: StatementId) -> bool {
        if self.dependent.contains(&id) {
            return false;
        }
        self.body.depends(id, &[], &self.written) || self.is_conditional(id)
    }

    /// Whether a statement is executed for some requests only.
    fn is_conditional(&self, id: StatementId) -> bool {
        let mut deciders = self.readers.control.deciders[id.0 as usize].iter();
        deciders.any(|decider| self.dependent.contains(decider))
    }

    fn depends_on_order(&self, id: StatementId) -> bool {
        let locations = self.control_locations.of_statement(id);
        if locations.is_empty() {
            return false;
        }
        // A called procedure may write the location at any point, so no reaching definition excludes it.
        for &location in &locations {
            if self.written_indirectly.contains(location) {
                return true;
            }
        }
        let depends_on_request =
            self.is_conditional(id) || locations.iter().any(|&one| self.receives(one, id));
        depends_on_request && !self.depends_on_own_request_only(id, &locations)
    }

    /// Whether a location may have a value at a statement that depends on the completed request.
    fn receives(&self, location: LocationId, id: StatementId) -> bool {
        for &(writer, written) in &self.written {
            if written == location && self.readers.reaches(writer, location, id) {
                return true;
            }
        }
        false
    }

    fn depends_on_own_request_only(&self, id: StatementId, locations: &[LocationId]) -> bool {
        let own = self.body.per_request_locations(id);
        for location in locations {
            if !own.contains(location) && !self.body.is_pure_location(*location) {
                return false;
            }
        }
        let deciders = self.body.deciders(id);
        deciders.iter().all(|one| self.body.pure.contains(one))
    }
}
