//! Mod/ref summaries, the interprocedural side effects: the locations that each procedure may write and read beyond its own
//! frame, and through its dummies. Least fixpoint over the call graph, bottom up; the lattice is pairs of location sets,
//! ordered by inclusion. The problem is that of Banning (An Efficient Way to Find the Side Effects of Procedure Calls and the
//! Aliases of Variables, 1979).

use crate::effects::statement_effects::StatementEffects;
use crate::graphs::call_graph::CallGraph;
use crate::ir::statement_tree::Outline;
use crate::ir::{ProcedureId, Program, StatementId, Type};
use crate::memory::location_id::{LocationId, LocationSet};
use crate::memory::locations::Locations;
use std::collections::BTreeSet;

/// The side effects of a procedure: what it does to locations that outlive it, and to its dummies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// May be written.
    pub(crate) writes: LocationSet,
    /// May be read.
    pub(crate) reads: LocationSet,
}

/// The places that only a procedure's calls have.
#[derive(Clone, Debug, Default)]
struct Frame {
    /// Those that end with a call.
    passing: LocationSet,
    /// Those of its dummies.
    dummies: LocationSet,
    /// The same, in order.
    list: Vec<LocationId>,
}

/// The summaries of the side effects of all procedures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summaries {
    /// By procedure id.
    all: Vec<Summary>,
    /// By procedure id.
    frames: Vec<Frame>,
    /// By procedure id.
    callees: Vec<BTreeSet<ProcedureId>>,
}

impl Summaries {
    /// The summaries of a program, from what its statements do themselves (index = statement id).
    pub(crate) fn of(
        program: &Program,
        outline: &Outline,
        graph: &CallGraph,
        locations: &Locations,
        statements: &[StatementEffects],
    ) -> Self {
        let frames = frames(program, locations);
        let mut summaries = Summaries {
            all: at_entry(program, locations),
            frames,
            callees: Vec::new(),
        };
        let within_reach = locations.within_reach();
        for &procedure in &graph.bottom_up {
            summaries.add_own(
                procedure,
                outline.of_procedure(procedure),
                statements,
                &within_reach,
            );
        }
        let callees: Vec<BTreeSet<ProcedureId>> = outline
            .order
            .iter()
            .map(|ids| callees(ids, statements))
            .collect();
        let mut grown = true;
        while grown {
            grown = false;
            for &procedure in &graph.bottom_up {
                // Callees first: without recursion the first pass finds everything, and a second
                // one confirms it. Only cycles of calls need more passes.
                let ids = outline.of_procedure(procedure);
                let found = summaries.of_callees(
                    &callees[procedure.0 as usize],
                    ids,
                    locations,
                    statements,
                );
                grown |= summaries.add(procedure, &found);
            }
        }
        summaries.callees = callees;
        summaries
    }

    /// The procedures that the statements of a procedure may call. More than the call graph has, which contains calls that are
    /// written: FINAL procedures are called where an object ends.
    pub(crate) fn callees(&self, procedure: ProcedureId) -> &BTreeSet<ProcedureId> {
        &self.callees[procedure.0 as usize]
    }

    /// The summary of a procedure.
    pub(crate) fn get(&self, procedure: ProcedureId) -> &Summary {
        &self.all[procedure.0 as usize]
    }

    /// The places of a procedure's own dummies that it writes.
    pub(crate) fn written_dummies(
        &self,
        procedure: ProcedureId,
    ) -> impl Iterator<Item = LocationId> + '_ {
        let Summary { writes, .. } = self.get(procedure);
        self.frames[procedure.0 as usize]
            .list
            .iter()
            .copied()
            .filter(|&dummy| writes.contains(dummy))
    }

    /// What a procedure writes wherever it is called from: all but its dummies.
    pub(crate) fn written_anywhere(&self, procedure: ProcedureId) -> LocationSet {
        self.without_dummies(procedure, &self.get(procedure).writes)
    }

    fn without_dummies(&self, procedure: ProcedureId, set: &LocationSet) -> LocationSet {
        let mut rest = set.clone();
        rest.subtract(&self.frames[procedure.0 as usize].dummies);
        rest
    }

    /// What the statements of a procedure do themselves.
    fn add_own(
        &mut self,
        procedure: ProcedureId,
        ids: &[StatementId],
        statements: &[StatementEffects],
        within_reach: &LocationSet,
    ) {
        let mut own = Summary::default();
        let mut touches_globals = false;
        for statement in ids.iter().map(|id| &statements[id.0 as usize]) {
            let sent = statement.sends.iter().map(|(_, location)| location);
            statement
                .uses
                .iter()
                .chain(sent)
                .for_each(|&location| _ = own.reads.insert(location));
            statement
                .definitions
                .iter()
                .for_each(|d| _ = own.writes.insert(d.location));
            touches_globals |= statement.touches_globals;
        }
        if touches_globals {
            own.reads.union(within_reach);
            own.writes.union(within_reach);
        }
        self.add(procedure, &own);
    }

    /// Adds to a summary what of `found` outlives the procedure's call; whether anything is new.
    fn add(&mut self, procedure: ProcedureId, found: &Summary) -> bool {
        let passing = &self.frames[procedure.0 as usize].passing;
        let summary = &mut self.all[procedure.0 as usize];
        let lasting = |set: &LocationSet| {
            let mut set = set.clone();
            set.subtract(passing);
            set
        };
        let (reads, writes) = (lasting(&found.reads), lasting(&found.writes));
        // `|` and not `||`: both sets have to grow.
        summary.reads.union(&reads) | summary.writes.union(&writes)
    }

    /// What the calls in some statements do.
    fn of_callees(
        &self,
        callees: &BTreeSet<ProcedureId>,
        ids: &[StatementId],
        locations: &Locations,
        statements: &[StatementEffects],
    ) -> Summary {
        let mut found = Summary::default();
        for &callee in callees {
            let Summary { writes, reads } = self.get(callee);
            found.reads.union(&self.without_dummies(callee, reads));
            found.writes.union(&self.without_dummies(callee, writes));
        }
        // Dummies stand for other locations in each call; all other locations are the same for
        // every caller, so they are taken once per callee, above.
        for call in ids.iter().flat_map(|id| &statements[id.0 as usize].calls) {
            let Summary { writes, reads } = self.get(call.target);
            for &dummy in &self.frames[call.target.0 as usize].list {
                if reads.contains(dummy) {
                    found
                        .reads
                        .extend(call.seen_by_caller(dummy, locations, false));
                }
                if writes.contains(dummy) {
                    found
                        .writes
                        .extend(call.seen_by_caller(dummy, locations, true));
                }
            }
        }
        found
    }
}

fn frames(program: &Program, locations: &Locations) -> Vec<Frame> {
    let mut frames = vec![Frame::default(); program.procedures.len()];
    for location in locations.all() {
        let place = locations.get(location);
        let Some(ProcedureId(owner)) = place.frame else {
            continue;
        };
        let frame = &mut frames[owner as usize];
        if place.dummy.is_some() {
            frame.dummies.insert(location);
            frame.list.push(location);
        } else {
            frame.passing.insert(location);
        }
    }
    frames
}

fn callees(ids: &[StatementId], statements: &[StatementEffects]) -> BTreeSet<ProcedureId> {
    ids.iter()
        .flat_map(|id| &statements[id.0 as usize].calls)
        .map(|call| call.target)
        .collect()
}

/// What procedures write by being called: an INTENT(OUT) dummy that is allocatable is deallocated, one of a
/// derived type gets its initial values (Fortran 2018, 9.7.3.2 and 8.5.10).
fn at_entry(program: &Program, locations: &Locations) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); program.procedures.len()];
    for (procedure, summary) in program.procedures.iter().zip(&mut summaries) {
        for &dummy in procedure.dummies.iter().flatten() {
            let variable = program.variable(dummy);
            let object = matches!(variable.of_type, Type::Derived(_) | Type::Unknown);
            let reset =
                variable.attributes.intent_out && (variable.attributes.allocatable || object);
            let Some(place) = locations.of_variable(dummy).filter(|_| reset) else {
                continue;
            };
            // The value of an object is that of its innermost parts: a definition of the whole would make each
            // part of the actual argument depend on all others.
            for location in locations.innermost(place) {
                summary.writes.insert(location);
            }
            for location in locations.with_parts(place) {
                summary.writes.insert(locations.existence(location));
            }
        }
    }
    summaries
}
