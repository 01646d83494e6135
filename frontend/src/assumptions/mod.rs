//! Assumptions of the user and of the tool, and the minimum cut that proposes them.

mod atomic_conditions;
pub(crate) mod bulk_data;
pub(crate) mod counted_exits;
pub(crate) mod error_exits;
pub(crate) mod evaluated_assumptions;
pub(crate) mod expensive_error_exits;
pub(crate) mod loop_tests;
mod method_switches;
pub(crate) mod minimum_cut;
pub(crate) mod mixed_conditions;
mod outcome_codes;
pub(crate) mod proposals;
pub(crate) mod removal_conditions;
pub(crate) mod selections;
pub(crate) mod slice_cause;
pub(crate) mod suggested_assumptions;
pub(crate) mod user_assumptions;
