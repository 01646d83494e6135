//! Effects of all statements of a program, with those of the procedures that they call ([`crate::effects::summaries`]), and of
//! procedures that MPI calls.

use crate::effects::callbacks::{self, Callbacks};
use crate::effects::datatypes::Datatypes;
use crate::effects::effect_collector::EffectCollector;
use crate::effects::finalized_objects::FinalizedObjects;
use crate::effects::message_levels::Collectives;
use crate::effects::statement_effects::{Definition, IndirectEffect, StatementEffects, Via};
use crate::effects::summaries::Summaries;
use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::rules::{Rule, holds};
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, ProcedureId, Program, StatementId};
use crate::memory::location_id::{LocationId, LocationSet};
use crate::memory::locations::Locations;

/// Rounds in which effects and datatypes are found; programs need two or three. After more, what the last finds is not relied on.
const MAX_ROUNDS: usize = 8;

/// The effects of a whole program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// By statement id.
    statements: Vec<StatementEffects>,
    /// What procedures do.
    pub(crate) summaries: Summaries,
    /// The statements that call each procedure; index = procedure id.
    callers: Vec<Vec<StatementId>>,
    /// What each procedure writes wherever it is called from; index = procedure id.
    written_anywhere: Vec<LocationSet>,
    /// The procedures that write each place so; index = location.
    writing: Vec<Vec<ProcedureId>>,
    /// The statements that may read and write everything within reach of code without source, and what that is.
    touching: Vec<StatementId>,
    pub(crate) within_reach: LocationSet,
    /// Which collectives can be distinguished.
    pub(crate) collectives: Collectives,
    /// What ends with each procedure.
    pub(crate) finalized: FinalizedObjects,
    /// What MPI calls.
    pub(crate) callbacks: Callbacks,
    /// Whether each statement writes an array; index = statement id.
    writes_array: Vec<bool>,
}

impl Effects {
    /// The effects of a program.
    pub(crate) fn of(
        program: &Program,
        outline: &Outline,
        graph: &CallGraph,
        locations: &Locations,
    ) -> Self {
        let finalized = FinalizedObjects::find(program);
        let gathered = |collectives: &Collectives| {
            let mut statements = vec![StatementEffects::default(); program.statements.len()];
            for id in outline.all() {
                let out = StatementEffects::default();
                let mut gather = EffectCollector {
                    program,
                    procedure: program.statement(id).procedure,
                    graph,
                    locations,
                    collectives,
                    finalized: &finalized,
                    out,
                };
                gather.statement(id, &program.statement(id).kind);
                statements[id.0 as usize] = gather.out;
            }
            statements
        };
        let classes = |datatypes| Collectives::of(program, outline.all(), datatypes);
        let mut collectives = classes(Datatypes::default());
        // Without derived datatypes there is nothing to follow.
        let mut datatypes = Datatypes::unset(program, outline);
        let mut statements = Vec::new();
        let mut is_known = !collectives.has_undivided() || datatypes.is_empty();
        // Effects need message classes, classes need datatypes, and datatypes are followed through effects: the greatest fixpoint,
        // from handles that hold nothing yet. Each round finds what these may hold if messages write no more than in the
        // round before. In the fixpoint no message can be the first that writes more: its datatype is still what was found.
        for _ in 0..MAX_ROUNDS {
            if is_known {
                break;
            }
            collectives = classes(datatypes.clone());
            statements = gathered(&collectives);
            let found = Datatypes::of(program, outline, graph, locations, &statements);
            is_known = found == datatypes;
            datatypes = found;
        }
        if !is_known {
            // What is found with effects that assume nothing of datatypes is right, too.
            statements = gathered(&classes(Datatypes::default()));
            datatypes = Datatypes::of(program, outline, graph, locations, &statements);
            collectives = classes(datatypes);
            statements = gathered(&collectives);
        } else if statements.is_empty() {
            statements = gathered(&collectives);
        }
        let mut summaries = Summaries::of(program, outline, graph, locations, &statements);
        let callbacks = Callbacks::of(program, outline, graph);
        let written = callbacks.written(&summaries, locations);
        // Any MPI call may run a callback, so each is given the writes of all callbacks.
        if holds(Rule::MpiCallsBack) && written.iter().next().is_some() {
            for id in outline.all().filter(|id| calls_mpi(program, *id)) {
                callbacks::add_written(&mut statements[id.0 as usize], &written);
            }
            summaries = Summaries::of(program, outline, graph, locations, &statements);
        }
        statements
            .iter_mut()
            .for_each(|statement| add_written_actuals(statement, &summaries, locations));
        let procedures = (0..program.procedures.len() as u32).map(ProcedureId);
        let mut effects = Effects {
            written_anywhere: procedures.map(|p| summaries.written_anywhere(p)).collect(),
            callers: vec![Vec::new(); program.procedures.len()],
            writing: vec![Vec::new(); 2 * locations.count()],
            touching: outline
                .all()
                .filter(|id| statements[id.0 as usize].touches_globals)
                .collect(),
            within_reach: locations.within_reach(),
            writes_array: Vec::new(),
            collectives,
            finalized,
            callbacks,
            statements,
            summaries,
        };
        effects.find_callers(outline);
        effects.find_arrays(locations);
        effects
    }

    /// The effects of a statement.
    pub(crate) fn of_statement(&self, id: StatementId) -> &StatementEffects {
        &self.statements[id.0 as usize]
    }

    /// Whether a statement writes an array, itself or in what it calls.
    pub(crate) fn writes_array(&self, id: StatementId) -> bool {
        self.writes_array[id.0 as usize]
    }

    /// What a statement writes without naming it: what those whom it calls write beside what it passes.
    pub(crate) fn written_indirectly(&self, id: StatementId) -> LocationSet {
        let mut written = LocationSet::default();
        self.add_written_indirectly(id, &mut written);
        written
    }

    /// Adds that to a set.
    pub(crate) fn add_written_indirectly(&self, id: StatementId, written: &mut LocationSet) {
        let statement = self.of_statement(id);
        for call in &statement.calls {
            written.union(&self.written_anywhere[call.target.0 as usize]);
        }
        if statement.touches_globals {
            written.union(&self.within_reach);
        }
    }

    /// A place that a statement writes, for people: one that it names, if there is any.
    pub(crate) fn first_written(&self, id: StatementId) -> Option<LocationId> {
        let named = self
            .of_statement(id)
            .definitions
            .first()
            .map(|definition| definition.location);
        named.or_else(|| self.written_indirectly(id).iter().next())
    }

    /// Those whose calls write a place that the calling statement does not name.
    pub(crate) fn indirect_writers(
        &self,
        location: LocationId,
    ) -> impl Iterator<Item = IndirectEffect> + '_ {
        let mut touching = None;
        if self.within_reach.contains(location) {
            touching = Some(IndirectEffect::WithoutSource);
        }
        let writing = self.writing[location.index()].iter();
        writing
            .map(|&procedure| IndirectEffect::Procedure(procedure))
            .chain(touching)
    }

    /// Whether a procedure that the program calls writes a place, wherever it is called from.
    pub(crate) fn is_written_in_a_called_procedure(&self, location: LocationId) -> bool {
        let is_called = |procedure: &ProcedureId| !self.callers[procedure.0 as usize].is_empty();
        self.writing[location.index()].iter().any(is_called)
    }

    /// The statements that call some procedure.
    pub(crate) fn callers(&self, callee: IndirectEffect) -> &[StatementId] {
        match callee {
            IndirectEffect::Procedure(ProcedureId(p)) => &self.callers[p as usize],
            IndirectEffect::WithoutSource => &self.touching,
        }
    }

    fn find_callers(&mut self, outline: &Outline) {
        for (procedure, written) in (0..).map(ProcedureId).zip(&self.written_anywhere) {
            written
                .iter()
                .for_each(|location| self.writing[location.index()].push(procedure));
        }
        for id in outline.all() {
            for call in &self.statements[id.0 as usize].calls {
                let list = &mut self.callers[call.target.0 as usize];
                if list.last() != Some(&id) {
                    list.push(id);
                }
            }
        }
    }

    fn find_arrays(&mut self, locations: &Locations) {
        let arrays: LocationSet = locations
            .all()
            .filter(|&l| locations.get(l).is_array)
            .collect();
        let of_procedure: Vec<bool> = self
            .written_anywhere
            .iter()
            .map(|set| set.overlaps(&arrays))
            .collect();
        let arrays_in_reach = self.within_reach.overlaps(&arrays);
        let writes_array = |statement: &StatementEffects| {
            statement
                .definitions
                .iter()
                .any(|d| arrays.contains(d.location))
                || statement
                    .calls
                    .iter()
                    .any(|call| of_procedure[call.target.0 as usize])
                || (statement.touches_globals && arrays_in_reach)
        };
        self.writes_array = self.statements.iter().map(writes_array).collect();
    }
}

fn calls_mpi(program: &Program, id: StatementId) -> bool {
    let calls = call_graph::calls(&program.statement(id).kind);
    calls
        .iter()
        .any(|call| matches!(call.callee, Callee::Mpi(_)))
}

/// What callees write of their dummies is the statement's writing of the actuals.
fn add_written_actuals(
    statement: &mut StatementEffects,
    summaries: &Summaries,
    locations: &Locations,
) {
    let mut found = Vec::new();
    for call in &statement.calls {
        for dummy in summaries.written_dummies(call.target) {
            let via = Via::Dummy(call.target, dummy);
            let seen = call.seen_by_caller(dummy, locations, true).into_iter();
            found.extend(seen.map(|location| Definition {
                location,
                // Not certain: the callee may return before it writes, or may write a part only.
                certain: false,
                via,
            }));
        }
    }
    statement.definitions.extend(found);
}
