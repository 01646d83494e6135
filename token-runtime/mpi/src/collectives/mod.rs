//! Collectives: each call is planned (`data_movement`, `rooted`, `reductions`, `neighbourhood`), and plans are carried
//! out in one way (`execution`): what a member gives goes into the heap, and those who want it take
//! it from there. Operations are in `operations`, what constructors of communicators need in
//! `constructor_exchange`.

pub mod buffer_segments;
mod constructor_exchange;
mod data_movement;
mod execution;
mod members;
mod neighbourhood;
mod operation_forms;
pub mod operations;
pub mod plan;
mod recording;
pub mod reduction_chain;
mod reductions;
mod rooted;
mod solo;

pub use operation_forms::*;
