//! The slot of each rank: what it does at the moment, for messages about a run that ended, and
//! what it waits for. A rank that waits is made runnable exactly when the last thing it waits for
//! has happened.

use super::layout::{self, header};
use super::{Memory, dispatcher};
use std::sync::atomic::Ordering;

/// Words of a slot.
pub mod word {
    /// 1 when the token is the rank's; its low half is the futex it sleeps on.
    pub const TURN: u64 = 0;
    /// A [`super::Phase`].
    pub const PHASE: u64 = 1;
    /// How many things the rank still waits for.
    pub const WAITING: u64 = 2;
    /// 1 while it waits for room in the heap.
    pub const WAITS_FOR_MEMORY: u64 = 3;
    /// Row of the current or last call in the table of MPI functions, plus 1.
    pub const FUNCTION: u64 = 4;
    /// Site of the current or last call.
    pub const SITE: u64 = 5;
    /// Partner (rank of the communicator) of the current or last call.
    pub const PEER: u64 = 6;
    /// First and last posted receive.
    pub const POSTED: u64 = 8;
    /// First and last unexpected message.
    pub const UNEXPECTED: u64 = 10;
}

/// How far a rank has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Has not called `MPI_Init`.
    Starting,
    /// Between MPI calls.
    Computing,
    /// In an MPI call.
    InCall,
    /// Has called `MPI_Finalize`.
    Finalized,
}

impl Phase {
    /// The phase of a slot's word.
    pub fn from_word(word: u64) -> Self {
        match word {
            0 => Phase::Starting,
            1 => Phase::Computing,
            2 => Phase::InCall,
            _ => Phase::Finalized,
        }
    }
}

/// No partner, or none that matters.
pub const NO_PEER: i64 = i64::MIN;

/// What a rank does: the row of a function, its site and partner, and the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// How far it has come.
    pub phase: Phase,
    /// Row in the table of MPI functions of the current or last call.
    pub function: Option<u32>,
    /// Site of that call.
    pub site: u32,
    /// Partner of that call, if it has one.
    pub peer: Option<i64>,
}

/// Offset of a word of a rank's slot.
pub fn at(rank: u32, word: u64) -> u64 {
    layout::slot(rank) + word
}

/// The rank enters a call.
pub fn enter(memory: Memory<'_>, rank: u32, function: u32, site: u32) {
    let slot = layout::slot(rank);
    memory.set(slot + word::FUNCTION, u64::from(function) + 1);
    memory.set(slot + word::SITE, u64::from(site));
    memory.set_signed(slot + word::PEER, NO_PEER);
    memory.set(slot + word::PHASE, Phase::InCall as u64);
}

/// The rank's phase changes.
pub fn set_phase(memory: Memory<'_>, rank: u32, phase: Phase) {
    memory.set(at(rank, word::PHASE), phase as u64);
}

/// What a rank does, from the words of its slot.
pub fn activity(words: &[u64]) -> Activity {
    let get = |word: u64| words.get(word as usize).copied().unwrap_or(0);
    let peer = get(word::PEER) as i64;
    Activity {
        phase: Phase::from_word(get(word::PHASE)),
        function: u32::try_from(get(word::FUNCTION)).ok().and_then(|row| row.checked_sub(1)),
        site: get(word::SITE) as u32,
        peer: (peer != NO_PEER && get(word::FUNCTION) != 0).then_some(peer),
    }
}

/// The rank will wait for `things`; it is runnable again when [`happened`] was called as often.
pub fn wait_for(memory: Memory<'_>, rank: u32, things: u64) {
    memory.set(at(rank, word::WAITING), things);
    if things > 0 {
        dispatcher::set_runnable(memory, rank, false);
    }
}

/// One of the things the rank waits for has happened.
pub fn happened(memory: Memory<'_>, rank: u32) {
    let left = memory.get(at(rank, word::WAITING)).saturating_sub(1);
    memory.set(at(rank, word::WAITING), left);
    if left == 0 {
        dispatcher::set_runnable(memory, rank, true);
    }
}

/// The rank will wait for room in the heap.
pub fn wait_for_memory(memory: Memory<'_>, rank: u32) {
    memory.set(at(rank, word::WAITS_FOR_MEMORY), 1);
    memory.add(header::MEMORY_WAITERS, 1);
    wait_for(memory, rank, 1);
}

/// Something was freed: those that wait for room may try again.
pub fn wake_memory_waiters(memory: Memory<'_>) {
    memory.set(header::MEMORY_WAITERS, 0);
    for rank in 0..memory.get(header::RANKS) as u32 {
        if memory.get(at(rank, word::WAITS_FOR_MEMORY)) != 0 {
            memory.set(at(rank, word::WAITS_FOR_MEMORY), 0);
            happened(memory, rank);
        }
    }
}

/// The rank reaches `MPI_Init`; true for the last one, who gives the token to rank 0.
pub fn arrive(memory: Memory<'_>, rank: u32) -> bool {
    dispatcher::set_runnable_shared(memory, rank);
    memory.word(header::ARRIVED).fetch_add(1, Ordering::AcqRel) + 1 == memory.get(header::RANKS)
}
