//! Reads and writes of statements, procedures and MPI calls.

pub(crate) mod callbacks;
pub(crate) mod datatypes;
pub(crate) mod effect_collector;
pub(crate) mod finalizers;
pub(crate) mod message_effects;
pub(crate) mod message_levels;
pub(crate) mod model;
pub(crate) mod statement_effects;
pub(crate) mod summaries;
pub(crate) mod unused_results;
