//! On which places it hangs how much statements compute, also in the procedures that they call. Without order:
//! whatever a procedure may make such a thing of counts. What decides in a statement's own words is in
//! [`crate::graphs::control_expressions`].

use crate::dataflow::loop_carried::{passed, read_by};
use crate::effects::model::Model;
use crate::effects::statement_effects::{CallEffects, Via};
use crate::graphs::call_graph;
use crate::graphs::control_expressions;
use crate::ir::implied_loops;
use crate::ir::references;
use crate::ir::{Callee, ProcedureId, StatementId, StatementKind, Storage, Variable};
use crate::memory::locations::{LocationId, LocationSet};
use std::collections::BTreeSet;

/// The places that decide how much some procedures compute.
pub(crate) struct ControlLocations<'a> {
    model: &'a Model<'a>,
    places: LocationSet,
}

impl<'a> ControlLocations<'a> {
    /// Those of all procedures that some statements call, and that these call.
    pub(crate) fn of_called(model: &'a Model<'a>, callers: &[StatementId]) -> Self {
        let called = called(model, callers);
        let mut found = ControlLocations {
            model,
            places: bounds(model, &called).into_iter().collect(),
        };
        let values: Vec<LocationId> = callers
            .iter()
            .flat_map(|&id| found.deciding_values(id))
            .collect();
        for place in values {
            found.places.insert(place);
        }
        let statements: Vec<StatementId> = called
            .into_iter()
            .flat_map(|procedure| model.outline.of_procedure(procedure).iter().copied())
            .collect();
        let mut grown = true;
        while grown {
            grown = false;
            for &id in statements.iter() {
                grown |= found.add(id);
            }
        }
        found
    }

    /// The places that decide how much a statement computes, in its own words, and of what it calls.
    pub(crate) fn of_statement(&self, id: StatementId) -> Vec<LocationId> {
        let mut decide = self.own(id);
        for call in &self.model.effects.of_statement(id).calls {
            decide.extend(self.seen(call));
        }
        decide
    }

    /// Adds what decides in a statement, and what makes something that decides; whether any of it is new.
    fn add(&mut self, id: StatementId) -> bool {
        let effects = self.model.effects.of_statement(id);
        let mut more = self.of_statement(id);
        more.extend(self.deciding_values(id));
        let mut makes = !more.is_empty();
        for definition in effects
            .definitions
            .iter()
            .filter(|d| self.places.contains(d.location))
        {
            match definition.via {
                Via::Own | Via::Payload(_) | Via::Envelope => {
                    more.extend(effects.uses.iter().copied())
                }
                Via::Dummy(_, dummy) => more.push(dummy),
            }
            makes = true;
        }
        if makes {
            more.extend(self.results(id));
        }
        let mut grown = false;
        for place in more {
            grown |= self.places.insert(place);
        }
        grown
    }

    /// What a statement reads itself that decides how much it computes.
    fn own(&self, id: StatementId) -> Vec<LocationId> {
        let program = self.model.program;
        let decide = control_expressions::of(program, &program.statement(id).kind);
        decide
            .into_iter()
            .flat_map(|expression| read_by(self.model, expression))
            .collect()
    }

    /// The results of functions of a statement, if any of them decides in it or goes to a procedure, which may
    /// decide by it.
    fn deciding_values(&self, id: StatementId) -> Vec<LocationId> {
        let program = self.model.program;
        let kind = &program.statement(id).kind;
        let calls = call_graph::calls(kind);
        let passing = calls
            .iter()
            .filter(|call| !matches!(call.callee, Callee::Intrinsic(_)));
        let passed = passing.flat_map(|call| call.arguments.iter().flatten().copied());
        let mut deciding = control_expressions::of(program, kind)
            .into_iter()
            .chain(passed);
        let is_any = deciding.any(|expression| !references::calls(expression).is_empty());
        if is_any { self.results(id) } else { Vec::new() }
    }

    /// The results of the functions that a statement calls.
    fn results(&self, id: StatementId) -> Vec<LocationId> {
        let functions = self
            .model
            .effects
            .of_statement(id)
            .calls
            .iter()
            .filter(|call| call.is_function());
        functions
            .flat_map(|call| self.model.results(call.target))
            .collect()
    }

    /// The caller's places of what decides in a callee.
    fn seen(&self, call: &CallEffects) -> Vec<LocationId> {
        let locations = &self.model.locations;
        let is_seen = |place: &LocationId| {
            let frame = locations.get(*place).frame;
            frame.is_none() || (frame == Some(call.target) && locations.get(*place).dummy.is_some())
        };
        let decide = self.places.iter().filter(is_seen);
        decide
            .flat_map(|place| call.seen_by_caller(place, locations, false))
            .collect()
    }
}

/// What a statement that chooses no way reads to decide how much it does: bounds of sections and implied DO loops. Lists
/// of input and output count only where they call something.
pub(crate) fn of_amounts(model: &Model, id: StatementId) -> Vec<LocationId> {
    let kind = &model.program.statement(id).kind;
    if matches!(kind, StatementKind::InputOutput(io) if !implied_loops::repeats_calls(model.program, io))
    {
        return Vec::new();
    }
    let decide = control_expressions::of(model.program, kind);
    decide
        .into_iter()
        .flat_map(|expression| read_by(model, expression))
        .collect()
}

/// The same of what a statement of any kind evaluates itself.
pub(crate) fn of_evaluated(model: &Model, id: StatementId) -> Vec<LocationId> {
    let decide =
        control_expressions::of_evaluated(model.program, &model.program.statement(id).kind);
    decide
        .into_iter()
        .flat_map(|expression| read_by(model, expression))
        .collect()
}

/// What the procedures that a statement calls read themselves, not through what is passed to them.
pub(crate) fn read_by_called(model: &Model, id: StatementId) -> LocationSet {
    let called = called(model, &[id]);
    let mut read: LocationSet = bounds(model, &called).into_iter().collect();
    let inside = called
        .iter()
        .flat_map(|&procedure| model.outline.of_procedure(procedure));
    for effects in inside.map(|&inner| model.effects.of_statement(inner)) {
        let sent = effects.sends.iter().map(|&(_, location)| location);
        let passed = effects.calls.iter().flat_map(|call| passed(model, call));
        for place in effects.uses.iter().copied().chain(sent).chain(passed) {
            read.insert(place);
        }
        if effects.touches_globals {
            read.union(&model.effects.globals);
        }
    }
    if model.effects.of_statement(id).touches_globals {
        read.union(&model.effects.globals);
    }
    read
}

/// What the bounds of arrays and the lengths of texts of some procedures read when these are entered.
fn bounds(model: &Model, procedures: &BTreeSet<ProcedureId>) -> Vec<LocationId> {
    let own = procedures
        .iter()
        .flat_map(|procedure| &model.own_variables[procedure.0 as usize]);
    let sized = own
        .map(|&id| model.program.variable(id))
        .filter(|variable| matches!(variable.storage, Storage::Local | Storage::Dummy(_)));
    sized
        .flat_map(Variable::specification)
        .flat_map(|bound| read_by(model, bound))
        .collect()
}

/// The procedures that some statements call, and that these call.
fn called(model: &Model, callers: &[StatementId]) -> BTreeSet<ProcedureId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<StatementId> = callers.to_vec();
    while let Some(id) = pending.pop() {
        for call in &model.effects.of_statement(id).calls {
            if found.insert(call.target) {
                pending.extend(model.outline.of_procedure(call.target));
            }
        }
    }
    found
}
