//! Reads and writes of statements, procedures and MPI calls, and the model of a program that contains them.

pub(crate) mod aliased_dummies;
pub(crate) mod assumed_effects;
pub(crate) mod callbacks;
pub(crate) mod datatypes;
pub(crate) mod effect_collector;
pub(crate) mod entered_procedures;
pub(crate) mod finalized_objects;
pub(crate) mod finalizers;
pub(crate) mod message_class;
pub(crate) mod message_effects;
pub(crate) mod message_levels;
pub(crate) mod model;
pub(crate) mod program_effects;
pub(crate) mod statement_effects;
pub(crate) mod summaries;
pub(crate) mod unused_results;
pub(crate) mod varying_values;
