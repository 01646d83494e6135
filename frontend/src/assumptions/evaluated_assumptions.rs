//! Assumed conditions that are still evaluated: `if (norm(r) < tol) exit` where `norm` communicates. Its calls stay, their
//! results are unused ([`crate::effects::unused_results`]), and its outcome is the assumed one
//! ([`crate::graphs::assumed_outcomes`]).

use crate::effects::effect_collector::EffectCollector;
use crate::effects::model::Model;
use crate::effects::statement_effects::ConditionEffects;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId};

/// What of a condition is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Its value.
    ForValue,
    /// The value of the count conjunct of it.
    ForPart,
    /// The calls in it.
    ForCalls,
    /// Nothing: it is not evaluated.
    Not,
}

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
            // What was not computed may be nothing to compute with.
            Asked::ForCalls if !self.graph.may_trap => self.evaluate(condition),
            Asked::ForCalls | Asked::ForPart | Asked::ForValue => self.read(condition),
        }
    }
}

/// Whether evaluating a condition may do more than answer, so that it is evaluated whatever is assumed of it.
pub(crate) fn has_side_effects(model: &Model, condition: &Expression) -> bool {
    let writes = |p: &ProcedureId| {
        model
            .effects
            .summaries
            .get(*p)
            .writes
            .iter()
            .next()
            .is_some()
    };
    let has_side_effects = |callee: &Callee| {
        let Model { calls, .. } = model;
        calls.call_reaches_mpi(callee)
            || calls.is_unknown(callee)
            || calls.targets(callee).iter().any(writes)
    };
    references::calls(condition)
        .iter()
        .any(|call| has_side_effects(call.callee))
}
