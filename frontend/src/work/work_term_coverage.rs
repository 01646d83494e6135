//! Which branches and locations of a block are covered by its work terms. The terms are chosen in
//! [`crate::work::work_terms`].

use crate::effects::model::Model;
use crate::expressions::count_factors::Factor;
use crate::ir::references;
use crate::ir::{Expression, Operator, StatementId};
use crate::memory::evaluation_reads;
use crate::memory::location_id::LocationId;
use crate::work::skipped_iterations::SkippedIteration;
use crate::work::trip_counts::Count;
use std::collections::BTreeSet;

/// The coverage of one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkTermCoverage {
    /// The trip counts that are terms of their own.
    pub(crate) counts: Vec<Count>,
    /// Where counts under conditions are.
    pub(crate) under_conditions: Vec<StatementId>,
    /// Where loops and branches are that could not be counted.
    pub(crate) refused: Vec<StatementId>,
}

impl WorkTermCoverage {
    /// Adds a count that is a term.
    pub(crate) fn add(&mut self, count: &Count) {
        if count.is_conditional {
            self.under_conditions.push(count.at);
        }
        self.counts.push(count.clone());
    }

    /// The terms were summed: loop counts are still covered, each in its sum, but branch counts are dropped.
    pub(crate) fn is_summed(&mut self) {
        let mut of_loops = BTreeSet::new();
        for count in self.counts.drain(..) {
            if !count.of_branch {
                of_loops.insert(count.at);
            }
        }
        self.under_conditions.retain(|at| of_loops.contains(at));
    }

    /// Whether terms count how often each branch of a statement is taken.
    pub(crate) fn covers(&self, model: &Model, decider: StatementId) -> bool {
        let skipped = SkippedIteration::of(model, decider);
        let is_inside = |at: &StatementId| match &skipped {
            // The rest of the iteration is the branch. Statements are numbered in source order.
            Some(skipped) => *at > decider && model.outline.is_within(*at, skipped.target),
            None => *at != decider && model.outline.is_within(*at, decider),
        };
        self.under_conditions.iter().any(is_inside) && !self.refused.iter().any(is_inside)
    }

    /// Locations whose value at the block's entry follows from the terms: each is the only unknown in a linear count. To the
    /// least fixpoint, since a location found makes others the only unknown.
    pub(crate) fn places(
        &self,
        model: &Model,
        known: impl Fn(LocationId) -> bool,
    ) -> BTreeSet<LocationId> {
        let mut covered = BTreeSet::new();
        loop {
            let before = covered.len();
            for count in &self.counts {
                if !is_linear(count) {
                    continue;
                }
                let mut unknown = BTreeSet::new();
                for expression in count.factors.iter().flat_map(Factor::expressions) {
                    for location in evaluation_reads::read_by(&model.locations, expression) {
                        if !covered.contains(&location) && !known(location) {
                            unknown.insert(location);
                        }
                    }
                }
                // A linear count with one unknown determines it; with two, equal counts may have different values.
                if unknown.len() == 1 {
                    covered.extend(unknown);
                }
            }
            if covered.len() == before {
                return covered;
            }
        }
    }
}

/// Whether a count is built by sums and products only, so that it changes whenever one of its locations does.
fn is_linear(count: &Count) -> bool {
    let mut linear = true;
    for factor in &count.factors {
        linear &= matches!(factor, Factor::Count(_));
        for expression in factor.expressions() {
            references::walk(expression, &mut |part| {
                linear &= match part {
                    Expression::Integer(_) | Expression::Literal(_) | Expression::Variable(_) => {
                        true
                    }
                    Expression::Binary { operator, .. } | Expression::Unary { operator, .. } => {
                        matches!(
                            operator,
                            Operator::Add
                                | Operator::Subtract
                                | Operator::Multiply
                                | Operator::Negate
                                | Operator::Plus
                        )
                    }
                    Expression::Reference { .. }
                    | Expression::Call { .. }
                    | Expression::Other(_) => false,
                };
            });
        }
    }
    linear
}
