//! What the work terms of one block tell of its decisions and of the places they read.
//!
//! Not here: which counts become terms ([`crate::work::work_terms`]).

use crate::effects::model::Model;
use crate::expressions::trip_count_factors::Factor;
use crate::ir::references;
use crate::ir::{Expression, Operator, StatementId};
use crate::memory::array_shapes;
use crate::memory::locations::LocationId;
use crate::work::trip_counts::Count;
use std::collections::BTreeSet;

/// What is told of one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkTermCoverage {
    /// The counts that are its terms, each by itself.
    pub(crate) counts: Vec<Count>,
    /// Where what is counted under conditions stands.
    pub(crate) under_conditions: Vec<StatementId>,
    /// Where that is which could not be counted.
    pub(crate) refused: Vec<StatementId>,
}

impl WorkTermCoverage {
    /// A count is told.
    pub(crate) fn add(&mut self, count: &Count) {
        if count
            .factors
            .iter()
            .any(|factor| matches!(factor, Factor::If(_)))
        {
            self.under_conditions.push(count.at);
        }
        self.counts.push(count.clone());
    }

    /// The terms were summed up: of counts of loops each still leads to sums of its own, those of branches are dropped.
    pub(crate) fn is_summed(&mut self) {
        let of_loops = self
            .counts
            .drain(..)
            .filter(|count| !count.of_branch)
            .map(|count| count.at);
        let of_loops: BTreeSet<StatementId> = of_loops.collect();
        self.under_conditions.retain(|at| of_loops.contains(at));
    }

    /// Whether terms count the ways of a statement.
    pub(crate) fn tells(&self, model: &Model, decider: StatementId) -> bool {
        let is_inside = |at: &StatementId| *at != decider && model.outline.is_within(*at, decider);
        self.under_conditions.iter().any(is_inside) && !self.refused.iter().any(is_inside)
    }

    /// Places of which the terms tell what they hold at the block's entry: the only ones in a count that are not known
    /// otherwise.
    pub(crate) fn places(
        &self,
        model: &Model,
        known: impl Fn(LocationId) -> bool,
    ) -> BTreeSet<LocationId> {
        let mut told = BTreeSet::new();
        loop {
            let before = told.len();
            for count in self.counts.iter().filter(|count| is_linear(count)) {
                let read = count
                    .factors
                    .iter()
                    .flat_map(Factor::expressions)
                    .flat_map(|one| array_shapes::read_by(model, one));
                let open: BTreeSet<LocationId> = read
                    .filter(|place| !told.contains(place) && !known(*place))
                    .collect();
                if open.len() == 1 {
                    told.extend(open);
                }
            }
            if told.len() == before {
                return told;
            }
        }
    }
}

/// Whether a count differs wherever one of its places does.
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
