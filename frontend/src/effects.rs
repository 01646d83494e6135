//! What each statement reads and writes, with the effects of the procedures it calls, and what each
//! procedure as a whole does (mod/ref summaries, a fixpoint over the call graph). What hangs on
//! the level of messages (buffers, statuses) is kept apart; how it is resolved is in
//! [`crate::slice`].

use crate::call_graph::CallGraph;
use crate::gather::Gather;
use crate::ir::{ProcedureId, Program, StatementId, Type};
use crate::levels::MessageClass;
use crate::locations::{LocationId, LocationSet, Locations};
use crate::outline::Outline;

/// What a statement does, if it stays in the slice.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatementEffects {
    /// Read to run it at all.
    pub(crate) uses: Vec<LocationId>,
    /// Named by it: must exist.
    pub(crate) mentions: Vec<LocationId>,
    /// Written by it.
    pub(crate) definitions: Vec<Definition>,
    /// Calls of procedures of the program.
    pub(crate) calls: Vec<CallEffects>,
    /// Message data that leave it: read if messages of the class are delivered.
    pub(crate) sends: Vec<(MessageClass, LocationId)>,
}

/// A place that a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The place.
    pub(crate) location: LocationId,
    /// Whether it writes all of it whenever it runs.
    pub(crate) certain: bool,
    /// How.
    pub(crate) via: Via,
}

/// How a statement writes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// Itself.
    Own,
    /// A callee writes this dummy of its own (or its existence).
    Dummy(ProcedureId, LocationId),
    /// A callee writes the same place.
    Callee,
    /// With message data that arrive.
    Payload(MessageClass),
    /// With the source, tag, count or completion of a message.
    Envelope,
}

/// A call of a procedure of the program.
#[derive(Clone, Debug)]
pub(crate) struct CallEffects {
    /// Whom it may reach.
    pub(crate) target: ProcedureId,
    /// By position: what the callee reads when it reads the dummy.
    pub(crate) values: Vec<Vec<LocationId>>,
    /// By position: the place the dummy stands for.
    pub(crate) references: Vec<Option<LocationId>>,
    /// Whether its value is used.
    pub(crate) is_function: bool,
}

/// What a procedure does to places that outlive it and to its dummies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// May be written.
    pub(crate) writes: LocationSet,
    /// May be read.
    pub(crate) reads: LocationSet,
}

/// The effects of a whole program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// By statement id.
    pub(crate) statements: Vec<StatementEffects>,
    /// By procedure id.
    pub(crate) summaries: Vec<Summary>,
}

impl Effects {
    /// The effects of a program.
    pub(crate) fn of(program: &Program, outline: &Outline, graph: &CallGraph, locations: &Locations) -> Self {
        let mut statements = vec![StatementEffects::default(); program.statements.len()];
        for id in outline.all() {
            let mut gather = Gather { program, graph, locations, out: StatementEffects::default() };
            gather.statement(id, &program.statement(id).kind);
            statements[id.0 as usize] = gather.out;
        }
        let mut effects = Effects { statements, summaries: at_entry(program, locations) };
        while effects.summarise(outline, graph, locations) {}
        for statement in &mut effects.statements {
            add_callees_writes(statement, &effects.summaries, locations);
        }
        effects
    }

    /// The effects of a statement.
    pub(crate) fn of_statement(&self, id: StatementId) -> &StatementEffects {
        &self.statements[id.0 as usize]
    }

    fn summarise(&mut self, outline: &Outline, graph: &CallGraph, locations: &Locations) -> bool {
        let mut grown = false;
        for &procedure in &graph.upward {
            let p = procedure.0 as usize;
            let mut summary = self.summaries[p].clone();
            for &id in outline.of_procedure(procedure) {
                self.add_to_summary(id, procedure, locations, &mut summary);
            }
            grown |= summary != self.summaries[p];
            self.summaries[p] = summary;
        }
        grown
    }

    fn add_to_summary(
        &self,
        id: StatementId,
        procedure: ProcedureId,
        locations: &Locations,
        summary: &mut Summary,
    ) {
        let statement = self.of_statement(id);
        let lasts = |location: LocationId| {
            let place = locations.get(location);
            place.frame != Some(procedure) || place.dummy.is_some()
        };
        let sends = statement.sends.iter().map(|(_, location)| location);
        let reads = statement.uses.iter().chain(sends).copied().filter(|&l| lasts(l));
        reads.for_each(|l| _ = summary.reads.insert(l));
        let writes = statement.definitions.iter().map(|d| d.location).filter(|&l| lasts(l));
        writes.for_each(|l| _ = summary.writes.insert(l));
        for call in &statement.calls {
            let callee = &self.summaries[call.target.0 as usize];
            for read in callee.reads.iter().flat_map(|l| call.seen_by_caller(l, locations, false)) {
                if lasts(read) {
                    summary.reads.insert(read);
                }
            }
            for written in callee.writes.iter().flat_map(|l| call.seen_by_caller(l, locations, true)) {
                if lasts(written) {
                    summary.writes.insert(written);
                }
            }
        }
    }
}

impl CallEffects {
    /// The caller's places for a place of the callee's summary: the actuals of a dummy, otherwise
    /// the place itself. What is written can only be a place; what is read may be an expression's.
    pub(crate) fn seen_by_caller(
        &self,
        location: LocationId,
        locations: &Locations,
        written: bool,
    ) -> Vec<LocationId> {
        let place = locations.get(location);
        let (Some(position), true) = (place.dummy, place.frame == Some(self.target)) else {
            return vec![location];
        };
        let reference = self.references.get(position as usize).copied().flatten();
        if locations.is_existence(location) {
            return reference.map(|actual| locations.existence(actual)).into_iter().collect();
        }
        match written {
            true => reference.into_iter().collect(),
            false => self.values.get(position as usize).cloned().unwrap_or_default(),
        }
    }
}

/// What procedures write by being called: an INTENT(OUT) dummy that is allocatable is deallocated, one of a
/// derived type gets its initial values (Fortran 2018, 8.5.10).
fn at_entry(program: &Program, locations: &Locations) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); program.procedures.len()];
    for (procedure, summary) in program.procedures.iter().zip(&mut summaries) {
        for &dummy in procedure.dummies.iter().flatten() {
            let variable = program.variable(dummy);
            let object = matches!(variable.of_type, Type::Derived(_) | Type::Unknown);
            let reset = variable.attributes.intent_out && (variable.attributes.allocatable || object);
            if let Some(location) = locations.of_variable(dummy).filter(|_| reset) {
                summary.writes.insert(location);
                summary.writes.insert(locations.existence(location));
            }
        }
    }
    summaries
}

fn add_callees_writes(statement: &mut StatementEffects, summaries: &[Summary], locations: &Locations) {
    let mut found = Vec::new();
    for call in &statement.calls {
        for written in summaries[call.target.0 as usize].writes.iter() {
            let place = locations.get(written);
            let is_dummy = place.dummy.is_some() && place.frame == Some(call.target);
            let via = if is_dummy { Via::Dummy(call.target, written) } else { Via::Callee };
            let seen = call.seen_by_caller(written, locations, true).into_iter();
            found.extend(seen.map(|location| Definition { location, certain: false, via }));
        }
    }
    statement.definitions.extend(found);
}
