//! Effects of statements about which something is assumed: of their conditions, bounds and selectors, only what is still evaluated
//! has effects. Assumed outcomes are in [`crate::graphs::assumed_outcomes`].

use crate::effects::effect_collector::EffectCollector;
use crate::effects::model::Model;
use crate::effects::statement_effects::{ConditionEffects, StatementEffects};
use crate::graphs::assumed_outcomes::{Asked, Assumed};
use crate::ir::conjuncts;
use crate::ir::{Expression, StatementId, StatementKind};

impl EffectCollector<'_> {
    /// What the conditions of an IF read and call; of several each by itself.
    pub(crate) fn conditions<'e>(
        &mut self,
        conditions: impl Iterator<Item = (&'e Expression, Asked)>,
    ) {
        let conditions: Vec<_> = conditions.collect();
        // A single condition needs no ranges: it is the whole statement.
        if let [(condition, asked)] = conditions[..] {
            return self.condition(condition, asked);
        }
        for (condition, asked) in conditions {
            let from = self.ends();
            self.condition(condition, asked);
            let to = self.ends();
            let (uses, mentions, calls) = (from.0..to.0, from.1..to.1, from.2..to.2);
            self.out.conditions.push(ConditionEffects {
                uses,
                mentions,
                calls,
            });
        }
    }

    fn ends(&self) -> (usize, usize, usize) {
        (
            self.out.uses.len(),
            self.out.mentions.len(),
            self.out.calls.len(),
        )
    }

    /// What a condition reads and calls.
    pub(crate) fn condition(&mut self, condition: &Expression, asked: Asked) {
        match asked {
            Asked::Not => {}
            // With traps, arithmetic on a value that the slice does not compute could end the run.
            Asked::ForCalls if !self.graph.may_trap => self.evaluate(condition),
            Asked::ForCalls | Asked::ForPart | Asked::ForValue => self.read(condition),
        }
    }
}

/// What is left of a condition that is evaluated: all, or the count conjunct of it.
fn remaining(assumed: Assumed, clause: usize, condition: &Expression) -> Option<Expression> {
    match assumed.count_conjunct(clause) {
        Some(part) => conjuncts::remaining_condition(condition, part),
        None => Some(condition.clone()),
    }
}

/// What a statement does where its condition or bound is no longer evaluated, or only for the calls in it. One that is
/// not calls nothing that writes, so what the statement writes stays the same.
pub(crate) fn effects(model: &Model, id: StatementId, assumed: Assumed) -> StatementEffects {
    let Model {
        program,
        calls,
        locations,
        ..
    } = model;
    let mut gather = EffectCollector {
        program,
        procedure: program.statement(id).procedure,
        graph: calls,
        locations,
        collectives: &model.effects.collectives,
        finalized: &model.effects.finalized,
        out: StatementEffects::default(),
    };
    match &program.statement(id).kind {
        StatementKind::If { branches, .. } => {
            let left: Vec<_> = asked(branches, assumed).collect();
            gather.conditions(left.iter().map(|(condition, asked)| (condition, *asked)));
        }
        StatementKind::While {
            condition: Some(condition),
            ..
        } => {
            if let Some(left) = remaining(assumed, 0, condition) {
                gather.condition(&left, assumed.asked(0));
            }
        }
        // The constant in place of the bound or selector reads nothing.
        kind => gather.statement(id, &substituted(kind, assumed)),
    }
    StatementEffects {
        definitions: model.effects.of_statement(id).definitions.clone(),
        ..gather.out
    }
}

/// What is left of the conditions of an IF, and what is needed of them: nothing of those after one that holds.
fn asked(
    branches: &[(Expression, Vec<StatementId>)],
    assumed: Assumed,
) -> impl Iterator<Item = (Expression, Asked)> {
    let mut is_reached = true;
    branches
        .iter()
        .enumerate()
        .map(move |(number, (condition, _))| {
            let asked = if is_reached {
                assumed.asked(number)
            } else {
                Asked::Not
            };
            // Behind a condition that is assumed to hold, nothing is evaluated.
            is_reached &= assumed.may_pass(number);
            match remaining(assumed, number, condition) {
                Some(left) => (left, asked),
                None => (condition.clone(), Asked::Not),
            }
        })
}

/// A statement with a constant in place of what is assumed.
fn substituted(kind: &StatementKind, assumed: Assumed) -> StatementKind {
    let mut kind = kind.clone();
    if let Some(place) = evaluated(&mut kind, assumed) {
        *place = Expression::Integer(0);
    }
    kind
}

/// The bound or selector that an assumption stands for.
fn evaluated(kind: &mut StatementKind, assumed: Assumed) -> Option<&mut Expression> {
    if !assumed.is_any() {
        return None;
    }
    match kind {
        // Even if one case is assumed never taken, the selector distinguishes the others.
        StatementKind::Select { .. } if matches!(assumed, Assumed::Conditions(_)) => None,
        StatementKind::Select { selector, .. } => Some(selector),
        StatementKind::Goto { selector, .. } => selector.as_mut(),
        StatementKind::Do { to, .. } => Some(to),
        StatementKind::If { .. }
        | StatementKind::While { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => None,
    }
}
