//! Expressions that probes evaluate: where they may be evaluated, sums over loops, factors of trip counts. And static costs.

pub(crate) mod case_conditions;
pub(crate) mod count_factors;
pub(crate) mod expression_costs;
pub(crate) mod loop_sums;
pub(crate) mod name_visibility;
pub(crate) mod own_costs;
pub(crate) mod selected_iterations;
pub(crate) mod speculatable;
pub(crate) mod trip_count_factors;
