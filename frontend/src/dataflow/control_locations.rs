//! Control locations: the locations that determine how much statements compute, also in the procedures that they call.
//!
//! A backward may-analysis over the called procedures. The lattice is the power set of locations, ordered by inclusion; the
//! operands of a statement that defines a control location are control locations, too. It is flow-insensitive and runs to
//! the least fixpoint. The control expressions of one statement are in [`crate::graphs::control_expressions`].

use crate::dataflow::loop_carried::{passed, read_by};
use crate::effects::model::Model;
use crate::effects::statement_effects::{CallEffects, Via};
use crate::graphs::call_graph;
use crate::graphs::control_expressions;
use crate::ir::implied_loops;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Storage};
use crate::memory::location_id::{LocationId, LocationSet};
use std::collections::BTreeSet;

/// The control locations of some procedures.
pub(crate) struct ControlLocations<'a> {
    model: &'a Model<'a>,
    locations: LocationSet,
}

impl<'a> ControlLocations<'a> {
    /// Those of all procedures that some statements call, directly or indirectly.
    pub(crate) fn of_called(model: &'a Model<'a>, callers: &[StatementId]) -> Self {
        let called = called(model, callers);
        let mut found = ControlLocations {
            model,
            locations: bounds(model, &called).into_iter().collect(),
        };
        for &id in callers {
            let results = found.control_results(id);
            found.locations.extend(results);
        }
        let mut grown = true;
        while grown {
            grown = false;
            for &procedure in &called {
                for &id in model.outline.of_procedure(procedure) {
                    grown |= found.add(id);
                }
            }
        }
        found
    }

    /// The control locations of a statement and of its callees, in the statement's locations.
    pub(crate) fn of_statement(&self, id: StatementId) -> Vec<LocationId> {
        let mut found = self.own(id);
        for call in &self.model.effects.of_statement(id).calls {
            found.extend(self.seen(call));
        }
        found
    }

    /// The transfer function of a statement; whether any location is new.
    fn add(&mut self, id: StatementId) -> bool {
        let effects = self.model.effects.of_statement(id);
        let mut more = self.of_statement(id);
        more.extend(self.control_results(id));
        let mut is_relevant = !more.is_empty();
        for definition in &effects.definitions {
            if !self.locations.contains(definition.location) {
                continue;
            }
            match definition.via {
                Via::Own | Via::Payload(_) | Via::Envelope => more.extend(&effects.uses),
                Via::Dummy(_, dummy) => more.push(dummy),
            }
            // Any function of the statement may contribute to the value.
            is_relevant = true;
        }
        if is_relevant {
            more.extend(self.results(id));
        }
        let mut grown = false;
        // A procedure without source may compute what it writes from all that it reads.
        let kept = self.model.locations.kept_by_any();
        if effects.touches_globals && self.locations.overlaps(kept) {
            grown |= self.locations.union(kept);
            more.extend(&effects.uses);
        }
        for location in more {
            grown |= self.locations.insert(location);
        }
        grown
    }

    /// The locations in the control expressions of a statement itself.
    fn own(&self, id: StatementId) -> Vec<LocationId> {
        let program = self.model.program;
        let expressions = control_expressions::of(program, &program.statement(id).kind);
        read_by_all(self.model, expressions)
    }

    /// The results of a statement's functions, if one of them is in a control expression or an argument of a procedure,
    /// which may use it in one.
    fn control_results(&self, id: StatementId) -> Vec<LocationId> {
        let program = self.model.program;
        let kind = &program.statement(id).kind;
        let mut expressions = control_expressions::of(program, kind);
        let calls = call_graph::calls(kind);
        for call in &calls {
            if !matches!(call.callee, Callee::Intrinsic(_)) {
                expressions.extend(call.arguments.iter().flatten());
            }
        }
        for expression in expressions {
            if !references::calls(expression).is_empty() {
                return self.results(id);
            }
        }
        Vec::new()
    }

    /// The results of the functions that a statement calls.
    fn results(&self, id: StatementId) -> Vec<LocationId> {
        let mut results = Vec::new();
        for call in &self.model.effects.of_statement(id).calls {
            if call.is_function() {
                results.extend(self.model.results(call.target));
            }
        }
        results
    }

    /// The control locations of a callee, in the caller's locations.
    fn seen(&self, call: &CallEffects) -> Vec<LocationId> {
        let locations = &self.model.locations;
        let mut seen = Vec::new();
        for location in self.locations.iter() {
            let known = locations.get(location);
            let is_dummy = known.frame == Some(call.target) && known.dummy.is_some();
            // Other locations of the callee, and those of its callees, do not exist in the caller.
            if known.frame.is_none() || is_dummy {
                seen.extend(call.seen_by_caller(location, locations, false));
            }
        }
        seen
    }
}

/// The locations that determine how much a statement other than a branch computes: bounds of sections and implied DO loops.
/// Lists of input and output count only where they call procedures.
pub(crate) fn of_amounts(model: &Model, id: StatementId) -> Vec<LocationId> {
    let kind = &model.program.statement(id).kind;
    // The time of input and output itself is not proportional to its list.
    if let StatementKind::InputOutput(io) = kind
        && !implied_loops::repeats_calls(model.program, io)
    {
        return Vec::new();
    }
    read_by_all(model, control_expressions::of(model.program, kind))
}

/// The locations that determine how much a statement of any kind evaluates itself.
pub(crate) fn of_evaluated(model: &Model, id: StatementId) -> Vec<LocationId> {
    let kind = &model.program.statement(id).kind;
    read_by_all(
        model,
        control_expressions::of_evaluated(model.program, kind),
    )
}

fn read_by_all(model: &Model, expressions: Vec<&Expression>) -> Vec<LocationId> {
    let mut read = Vec::new();
    for expression in expressions {
        read.extend(read_by(model, expression));
    }
    read
}

/// The locations that the callees of a statement read themselves, not through their arguments.
pub(crate) fn read_by_called(model: &Model, id: StatementId) -> LocationSet {
    let called = called(model, &[id]);
    let mut read: LocationSet = bounds(model, &called).into_iter().collect();
    let mut touches_globals = model.effects.of_statement(id).touches_globals;
    // The arguments of the statement itself are not included: the caller looks at them.
    for procedure in called {
        for &inner in model.outline.of_procedure(procedure) {
            let effects = model.effects.of_statement(inner);
            read.extend(effects.uses.iter().copied());
            for &(_, sent) in &effects.sends {
                read.insert(sent);
            }
            for call in &effects.calls {
                read.extend(passed(model, call));
            }
            touches_globals |= effects.touches_globals;
        }
    }
    if touches_globals {
        read.union(&model.effects.within_reach);
    }
    read
}

/// The locations that array bounds and character lengths of some procedures read when these are entered.
fn bounds(model: &Model, procedures: &BTreeSet<ProcedureId>) -> Vec<LocationId> {
    let mut read = Vec::new();
    for procedure in procedures {
        for &id in &model.own_variables[procedure.0 as usize] {
            let variable = model.program.variable(id);
            if !matches!(variable.storage, Storage::Local | Storage::Dummy(_)) {
                continue;
            }
            for bound in variable.specification() {
                read.extend(read_by(model, bound));
            }
        }
    }
    read
}

/// The procedures that some statements call, directly or indirectly.
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
