//! Replay.

mod findings;

pub use findings::{Finding, Severity};
