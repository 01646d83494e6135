//! What decides how much statements compute: conditions, bounds of loops and of sections, and what procedures hang
//! such things on. Without order: whatever a procedure may make such a thing of counts.

use crate::call_graph;
use crate::carried::read_by;
use crate::effects::{CallEffects, Via};
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Subscript, Type};
use crate::locations::{LocationId, LocationSet};
use crate::model::Model;
use crate::references;
use std::collections::BTreeSet;

/// The places that decide how much some procedures compute.
pub(crate) struct DecidingPlaces<'a> {
    model: &'a Model<'a>,
    places: LocationSet,
}

impl<'a> DecidingPlaces<'a> {
    /// Those of all procedures that some statements call, and that these call.
    pub(crate) fn of_called(model: &'a Model<'a>, callers: &[StatementId]) -> Self {
        let mut found = DecidingPlaces { model, places: LocationSet::default() };
        let statements: Vec<StatementId> = called(model, callers)
            .into_iter()
            .flat_map(|procedure| model.outline.of_procedure(procedure).iter().copied())
            .collect();
        let mut grown = true;
        while grown {
            grown = false;
            statements.iter().for_each(|&id| grown |= found.add(id));
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
        let model = self.model;
        let effects = model.effects.of_statement(id);
        let mut more = self.of_statement(id);
        let mut makes = !more.is_empty();
        for definition in effects.definitions.iter().filter(|d| self.places.contains(d.location)) {
            match definition.via {
                Via::Own | Via::Payload(_) | Via::Envelope => more.extend(effects.uses.iter().copied()),
                Via::Dummy(_, dummy) => more.push(dummy),
            }
            makes = true;
        }
        if makes {
            let functions = effects.calls.iter().filter(|call| call.is_function());
            more.extend(functions.flat_map(|call| self.result(call.target)));
        }
        let mut grown = false;
        more.into_iter().for_each(|place| grown |= self.places.insert(place));
        grown
    }

    /// What a statement reads itself that decides how much it computes.
    fn own(&self, id: StatementId) -> Vec<LocationId> {
        let kind = &self.model.program.statement(id).kind;
        let all = references::expressions(kind);
        let mut decide = Vec::new();
        let decides = matches!(
            kind,
            StatementKind::If { .. }
                | StatementKind::Do { .. }
                | StatementKind::While { .. }
                | StatementKind::Select { .. }
                | StatementKind::Goto { .. }
                | StatementKind::Opaque { .. }
        );
        if decides {
            decide.extend(all.iter().flat_map(|expression| read_by(self.model, expression)));
        }
        for expression in all {
            references::walk(expression, &mut |part| decide.extend(self.bounds(part)));
        }
        let unknown = call_graph::calls(kind).into_iter().filter(|call| is_unknown(call.callee));
        let passed = unknown.flat_map(|call| call.arguments.into_iter().flatten().collect::<Vec<_>>());
        decide
            .extend(passed.filter(|argument| self.is_number(argument)).flat_map(|e| read_by(self.model, e)));
        decide
    }

    /// What the bounds of a section read.
    fn bounds(&self, expression: &Expression) -> Vec<LocationId> {
        let Expression::Reference { subscripts, .. } = expression else { return Vec::new() };
        let sections = subscripts.iter().filter(|subscript| matches!(subscript, Subscript::Section { .. }));
        let bounds = sections.flat_map(|section| references::subscript_parts(std::slice::from_ref(section)));
        bounds.flat_map(|bound| read_by(self.model, bound)).collect()
    }

    /// Whether an argument may tell a procedure without source how much to compute.
    fn is_number(&self, argument: &Expression) -> bool {
        let program = self.model.program;
        match references::designated(argument) {
            Some(named) => {
                let is_integer = matches!(program.type_of_part(named.base, named.path), Type::Integer(_));
                is_integer && (program.variable(named.base).shape.is_empty() || argument_is_element(argument))
            }
            None => true,
        }
    }

    /// The caller's places of what decides in a callee.
    fn seen(&self, call: &CallEffects) -> Vec<LocationId> {
        let locations = &self.model.locations;
        let is_seen = |place: &LocationId| {
            let frame = locations.get(*place).frame;
            frame.is_none() || (frame == Some(call.target) && locations.get(*place).dummy.is_some())
        };
        let decide = self.places.iter().filter(is_seen);
        decide.flat_map(|place| call.seen_by_caller(place, locations, false)).collect()
    }

    fn result(&self, function: ProcedureId) -> Vec<LocationId> {
        let result = self.model.program.procedure(function).result;
        let place = result.and_then(|variable| self.model.locations.of_variable(variable));
        place.map_or(vec![], |place| self.model.locations.innermost(place))
    }
}

fn argument_is_element(argument: &Expression) -> bool {
    matches!(argument, Expression::Reference { subscripts, .. }
        if subscripts.iter().all(|subscript| matches!(subscript, Subscript::Element(_))))
}

/// Whether nothing is known of what a call does.
fn is_unknown(callee: &Callee) -> bool {
    match callee {
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Mpi(_) | Callee::Intrinsic(_) => false,
    }
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
