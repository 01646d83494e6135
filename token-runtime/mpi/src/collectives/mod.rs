//! Collectives: each call is planned (`movement`, `rooted`, `reductions`, `neighbourhood`), and plans are carried
//! out in one way (`carrying_out`): what a member gives goes into the heap, and those who want it take
//! it from there. Operations are in `operations`, what constructors of communicators need in
//! `exchange`.

mod alone;
pub mod areas;
mod carrying_out;
pub mod combining;
mod exchange;
mod forms;
mod members;
mod movement;
mod neighbourhood;
pub mod operations;
pub mod plan;
mod recording;
mod reductions;
mod rooted;

pub use forms::*;
