//! Whether as much is computed in the loop of a drain in whatever order its requests complete. The slice need not
//! hold what decides that (blocks whose work depends on data are measured), so here it is asked of the whole loop: what
//! decides there, and depends on which request completed, must depend on that request alone ([`crate::nondeterminism::order_independence`]).

use crate::ir::StatementId;
use crate::ir::statement_tree;
use crate::memory::locations::{LocationId, LocationSet};
use crate::nondeterminism::completion_loops::CompletionLoop;
use crate::nondeterminism::mpi_outputs::Readers;
use crate::nondeterminism::order_independence::Body;
use crate::work::control_locations::ControlLocations;
use std::collections::BTreeSet;

/// A statement of a drain that may compute more in one order than in another, if there is any.
pub(crate) fn depends_on_order(
    readers: &Readers,
    completion_loop: &CompletionLoop,
) -> Option<StatementId> {
    let program = readers.model.program;
    let inside = statement_tree::subtree(program, completion_loop.each).split_off(1);
    let around = statement_tree::subtree(program, completion_loop.repeat).split_off(1);
    let mut kept = readers.kept.to_vec();
    around.iter().for_each(|id| kept[id.0 as usize] = true);
    let whole = Readers {
        kept: &kept,
        ..*readers
    };
    let beside: Vec<StatementId> = around
        .into_iter()
        .filter(|id| !inside.contains(id) && !completion_loop.is_frame(*id))
        .collect();
    let work = Work::of(&whole, completion_loop, &inside, &beside);
    inside.into_iter().find(|&id| work.depends_on_order(id))
}

struct Work<'a, 'b> {
    readers: &'b Readers<'a>,
    body: Body<'a, 'b>,
    deciding: ControlLocations<'a>,
    /// What depends on which request completed.
    dependent: BTreeSet<StatementId>,
    /// What that writes, and what the call answers.
    written: Vec<(StatementId, LocationId)>,
    /// What procedures that are called write beside what is passed to them.
    unnamed: LocationSet,
}

impl<'a, 'b> Work<'a, 'b> {
    /// Of what stands in the loop each iteration of which is of one request, and beside it in the loop of calls.
    fn of(
        readers: &'b Readers<'a>,
        completion_loop: &'b CompletionLoop,
        inside: &[StatementId],
        beside: &[StatementId],
    ) -> Self {
        let body = Body::of(readers, completion_loop);
        let deciding = ControlLocations::of_called(readers.model, inside);
        let (written, dependent) = (body.answers(), BTreeSet::new());
        let mut work = Work {
            readers,
            body,
            deciding,
            dependent,
            written,
            unnamed: LocationSet::default(),
        };
        inside.iter().for_each(|&id| {
            _ = work
                .unnamed
                .union(&readers.model.effects.written_indirectly(id))
        });
        // How many calls there are depends on time.
        beside.iter().for_each(|&id| work.add(id));
        while let Some(id) = inside.iter().copied().find(|&id| work.is_new(id)) {
            work.add(id);
        }
        work
    }

    fn add(&mut self, id: StatementId) {
        let definitions = &self
            .readers
            .control
            .effects(self.readers.model, id)
            .definitions;
        self.written.extend(
            definitions
                .iter()
                .map(|definition| (id, definition.location)),
        );
        self.dependent.insert(id);
    }

    /// Whether a statement depends on the request, which was not known.
    fn is_new(&self, id: StatementId) -> bool {
        !self.dependent.contains(&id)
            && (self.body.depends(id, &[], &self.written) || self.is_chosen(id))
    }

    /// Whether a statement runs for some requests only.
    fn is_chosen(&self, id: StatementId) -> bool {
        self.readers.control.deciders[id.0 as usize]
            .iter()
            .any(|decider| self.dependent.contains(decider))
    }

    fn depends_on_order(&self, id: StatementId) -> bool {
        let mut decide = self.deciding.of_statement(id);
        let is_hidden = decide.iter().any(|&place| self.unnamed.contains(place));
        let depends = |place: &LocationId| {
            let mut writers = self.written.iter().filter(|(_, written)| written == place);
            writers.any(|(writer, place)| self.readers.reaches(*writer, *place, id))
        };
        let depends =
            !decide.is_empty() && (is_hidden || self.is_chosen(id) || decide.iter().any(depends));
        let told = self.body.told(id);
        decide.retain(|place| !told.contains(place));
        let is_alike = !is_hidden
            && decide.iter().all(|&place| self.body.is_pure_place(place))
            && self
                .body
                .deciders(id)
                .iter()
                .all(|decider| self.body.pure.contains(decider));
        depends && !is_alike
    }
}
