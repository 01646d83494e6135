//! The state of all messages, collectives and ranks in shared memory, advanced by the rank that holds
//! the token: pure state machines over words and offsets.
//!
//! Only the token's holder calls anything here (the arrival count of `MPI_Init` apart), and
//! the token hand-over orders memory, so plain relaxed loads and stores are enough. The package `mpi`
//! maps the memory, sleeps, and copies the program's buffers.

pub mod collective;
pub mod communicator;
pub mod communicator_label;
pub mod cut;
pub mod dispatcher;
pub mod group;
pub mod heap;
#[cfg(test)]
mod interleavings;
pub mod layout;
pub mod memory;
pub mod point_to_point;
pub mod poll_timeout;
pub mod reduction;
pub mod request;
pub mod slot;

pub use memory::Memory;

/// The shared memory has no room for a block that large at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfSharedMemory {
    /// Words that were asked for.
    pub words: u64,
}
