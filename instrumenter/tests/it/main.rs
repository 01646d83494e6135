//! Tests of what the instrumenter writes: as text, and compiled.

// A test may stop at what it did not expect.
#![allow(clippy::unwrap_used)]

mod comm_probe;
mod compiled;
mod conditions;
mod counters;
mod probes;
mod random_source;
mod selections;
mod ui;
