//! Replay of program data: [`lower`] makes small steps of the streams, [`dataflow`] follows the ranks
//! through them, [`protocol`] computes the ends of transfers, [`matching`] checks the calls beforehand.
//!
//! Times of compute blocks, time accounting and intervals are outside this folder.

pub(crate) mod buffering;
mod calls;
mod channels;
mod closed_form;
pub(crate) mod code;
mod collectives;
mod cycles;
pub(crate) mod dataflow;
pub(crate) mod equivalent_ranks;
mod findings;
pub(crate) mod groups;
mod lengths;
pub(crate) mod lower;
pub(crate) mod matching;
mod measured_collectives;
pub(crate) mod observer;
mod outline;
pub(crate) mod program;
mod protocol;
mod queues;
mod report;
mod requests;
mod shared_lists;
pub(crate) mod snapshot;
mod split;
mod tables;
pub(crate) mod timed;
pub(crate) mod workspace;

pub use findings::{Finding, Severity};
pub(crate) use lower::lower;
pub(crate) use split::split;
