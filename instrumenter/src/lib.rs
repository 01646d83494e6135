//! Blocks to probes: decides which blocks get probes and which statements go (`plan`), and writes
//! the probe programs as edits on the user's own text (`probes`). Neither reads nor writes files;
//! what blocks are and which statements the slice keeps is the frontend's business.
#![forbid(unsafe_code)]

pub mod c_profile;
pub mod comm_probe;
mod conversions;
mod directives;
pub mod edit;
mod instrument;
mod labels;
pub mod lines;
mod partial_edits;
pub mod plan;
pub mod probes;
mod removal;
mod selections;
pub mod skeleton;
mod statement_text;
mod substitution;

pub use instrument::instrument;
pub use plan::ProbePlan;
pub use probes::{InstrumentError, RewrittenFile};
