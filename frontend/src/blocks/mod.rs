//! Compute, communication and wait blocks, the predicted section, and the digests of blocks.

pub(crate) mod block_finder;
pub(crate) mod call_costs;
pub(crate) mod control_statement_blocks;
pub(crate) mod digests;
pub(crate) mod section;
pub(crate) mod timed_section;
pub(crate) mod timers;
