//! May-alias analysis of dummy arguments. It finds aliased dummies: dummy arguments that share memory with another
//! dummy of the same call, or with a variable that their procedure accesses directly. Fortran forbids writing to such a
//! dummy unless it is a target or pointer (Fortran 2018,
//! 15.5.2.13), but programs do, so the slice must not rely on it.
//!
//! Interprocedural forward fixpoint; the lattice is the set of aliased locations, ordered by inclusion. A dummy is aliased if
//! some call passes overlapping actual arguments, or passes an aliased dummy on. What pointers may point at is in
//! [`crate::memory::aliases`].

use crate::effects::program_effects::Effects;
use crate::effects::statement_effects::{CallEffects, Definition, StatementEffects};
use crate::ir::Program;
use crate::ir::bit_set::BitSet;
use crate::ir::rules::{Rule, holds};
use crate::ir::statement_tree::Outline;
use crate::memory::location_id::LocationId;
use crate::memory::locations::Locations;

/// The aliased dummies and their parts.
pub(crate) fn find(
    program: &Program,
    outline: &Outline,
    locations: &Locations,
    effects: &Effects,
) -> BitSet {
    let mut found = BitSet::default();
    if !holds(Rule::DummiesMayBeOne) {
        return found;
    }
    let mut calls: Vec<&CallEffects> = Vec::new();
    for id in outline.all() {
        calls.extend(&effects.of_statement(id).calls);
    }
    for &call in &calls {
        add(program, locations, &mut found, call, |actual| {
            is_shared(locations, effects, call, actual)
        });
    }
    let mut grown = true;
    while grown {
        grown = false;
        // Only what earlier rounds found counts as known, so that the result does not depend on the order of calls.
        let known = found.clone();
        for &call in &calls {
            grown |= add(program, locations, &mut found, call, |actual| {
                contains_part(locations, &known, actual)
            });
        }
    }
    found
}

fn contains_part(locations: &Locations, set: &BitSet, place: LocationId) -> bool {
    let parts = locations.innermost(place);
    parts.iter().any(|part| set.contains(part.index()))
}

/// What a call writes to an actual argument under another name than the dummy, which may be one of those that are `aliased`: a read
/// of the dummy may see such a write, although it happens during the call.
pub(crate) fn writes(
    aliased: &BitSet,
    locations: &Locations,
    call: &StatementEffects,
    dummy: LocationId,
    actual: LocationId,
) -> Vec<Definition> {
    if !aliased.contains(dummy.index()) {
        return Vec::new();
    }
    let mut definitions = call.definitions.clone();
    definitions.retain(|definition| locations.overlap(definition.location, actual));
    definitions
}

/// Whether an actual argument overlaps another one of the same call, or a location that the callee accesses directly.
fn is_shared(
    locations: &Locations,
    effects: &Effects,
    call: &CallEffects,
    actual: LocationId,
) -> bool {
    let mut overlapping = 0;
    for &other in call.references.iter().flatten() {
        overlapping += usize::from(locations.overlap(actual, other));
    }
    // The argument overlaps itself.
    if overlapping > 1 {
        return true;
    }
    let summary = effects.summaries.get(call.target);
    let parts = locations.innermost(actual);
    parts
        .iter()
        .any(|&part| summary.reads.contains(part) || summary.writes.contains(part))
}

/// Adds the dummies whose actual arguments `is_aliased`; returns whether one is new.
fn add(
    program: &Program,
    locations: &Locations,
    found: &mut BitSet,
    call: &CallEffects,
    is_aliased: impl Fn(LocationId) -> bool,
) -> bool {
    let dummies = &program.procedure(call.target).dummies;
    let mut grown = false;
    for (actual, dummy) in call.references.iter().zip(dummies) {
        let (Some(actual), Some(variable)) = (*actual, *dummy) else {
            continue;
        };
        let Some(place) = locations.of_variable(variable) else {
            continue;
        };
        if !is_aliased(actual) {
            continue;
        }
        grown |= found.insert(place.index());
        for part in locations.innermost(place) {
            grown |= found.insert(part.index());
        }
    }
    grown
}
