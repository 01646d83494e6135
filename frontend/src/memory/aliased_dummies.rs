//! Dummies that are one variable with another dummy, or with one that their procedure names itself. The standard has
//! it that nobody then writes them (unless they are targets); programs do. What pointers may point at is in
//! [`crate::memory::aliases`].

use crate::effects::model::Model;
use crate::effects::statement_effects::{CallEffects, Definition, StatementEffects};
use crate::ir::bit_set::BitSet;
use crate::ir::rules::{Rule, holds};
use crate::memory::locations::LocationId;

/// Those dummies, and their parts: of each call that shows it, and those that are passed on.
pub(crate) fn find(model: &Model) -> BitSet {
    let mut found = BitSet::default();
    if !holds(Rule::DummiesMayBeOne) {
        return found;
    }
    let calls = || {
        model
            .outline
            .all()
            .flat_map(|id| &model.effects.of_statement(id).calls)
    };
    calls().for_each(|call| {
        _ = add(model, &mut found, call, |actual| {
            is_shared(model, call, actual)
        })
    });
    loop {
        let known = found.clone();
        let is_known = |actual| {
            model
                .locations
                .innermost(actual)
                .iter()
                .any(|part| known.contains(part.index()))
        };
        if !calls().fold(false, |grown, call| {
            add(model, &mut found, call, is_known) | grown
        }) {
            return found;
        }
    }
}

/// How a call writes what it passes as a dummy, if the procedure may know that by another name: what it reads of the
/// dummy may have come there while it ran.
pub(crate) fn writes(
    model: &Model,
    call: &StatementEffects,
    dummy: LocationId,
    actual: LocationId,
) -> Vec<Definition> {
    let overlaps = |definition: &&Definition| model.locations.overlap(definition.location, actual);
    match model.aliased.contains(dummy.index()) {
        true => call.definitions.iter().filter(overlaps).copied().collect(),
        false => Vec::new(),
    }
}

/// Whether an actual argument is another one of the call as well, or what the callee names itself.
fn is_shared(model: &Model, call: &CallEffects, actual: LocationId) -> bool {
    let summary = model.effects.summaries.get(call.target);
    let others = call.references.iter().flatten();
    let seen = |&place: &_| summary.reads.contains(place) || summary.writes.contains(place);
    others
        .filter(|&&other| model.locations.overlap(actual, other))
        .count()
        > 1
        || model.locations.innermost(actual).iter().any(seen)
}

/// Adds the dummies of a call whose actual arguments are so; whether one is new.
fn add(
    model: &Model,
    found: &mut BitSet,
    call: &CallEffects,
    is_so: impl Fn(LocationId) -> bool,
) -> bool {
    let dummies = &model.program.procedure(call.target).dummies;
    let mut grown = false;
    for (actual, dummy) in call.references.iter().zip(dummies) {
        let place = dummy.and_then(|variable| model.locations.of_variable(variable));
        if let (Some(place), true) = (place, actual.is_some_and(&is_so)) {
            grown |= found.insert(place.index());
            model
                .locations
                .innermost(place)
                .iter()
                .for_each(|part| grown |= found.insert(part.index()));
        }
    }
    grown
}
