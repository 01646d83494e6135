//! Collectives: the calls of a communicator's members with the same key are one instance, which
//! holds what the members give and knows who may go on.
//!
//! A member says what it needs: nothing, a group, some members, or that all before it are combined.
//! It may go on when the last of that has happened, which is as soon as the standard allows. What a
//! member gives is a parcel (`contributions`) that is freed with its last reading. Reductions are a chain in the
//! order of ranks (`chain`). Members of an intercommunicator are numbered through both groups. Not
//! here: combining values (`reduction`) and copying the program's data (package `mpi`).

pub mod chain;
pub mod contexts;
pub mod contributions;
mod instance;
#[cfg(test)]
mod tests;

pub use contexts::context;
pub use contributions::contribution;
pub use instance::{add_waiter, arrive, caller_of, end, enter, is_complete, remove_waiter};

use super::OutOfSharedMemory;
use super::slot::CallLocation;

/// Which instance of a communicator a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Number of the call, or of the call that made the persistent request.
    pub sequence: u64,
    /// How often a persistent request was started before.
    pub round: u64,
}

/// What all members of an instance must agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Row of the function in the table of MPI functions.
    pub function: u32,
    /// Root by member; `None` if there is none or this member cannot know it.
    pub root: Option<u32>,
    /// Bytes each member gives or gets; `None` if they may differ or this member cannot know them.
    pub bytes: Option<u64>,
    /// Reduction operation and datatype; 0 if there are none or this member cannot know them.
    pub operation: u64,
    /// How much of the data is wanted (0 nothing, 2 all).
    pub level: u32,
}

/// One member's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number.
    pub index: u32,
    /// Rank of the world.
    pub world: u32,
    /// Where the call is.
    pub place: CallLocation,
}

/// What must happen before a member may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependencies<'a> {
    /// Nothing.
    Nothing,
    /// All members of all groups have come.
    AllMembers,
    /// All members of the first or second group have come.
    Group(u32),
    /// These members have come; a member may stand there several times.
    Members(&'a [u32]),
    /// The member itself and all before it in its group are combined.
    Link,
}

/// Two members of one instance called different things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// World rank of the member that came first.
    pub other: u32,
    /// What it called.
    pub theirs: Signature,
    /// Where.
    pub place: CallLocation,
}

/// Why a member could not join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// No room for the instance at the moment.
    OutOfSharedMemory(OutOfSharedMemory),
    /// Another member called something else.
    Mismatch(Mismatch),
}
