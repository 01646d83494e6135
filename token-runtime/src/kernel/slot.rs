//! The slot of each rank: what it does at the moment, for messages about a run that ended, and
//! what it waits for. A rank that waits is made runnable exactly when the last thing it waits for
//! has happened.

use super::communicator_label::CommunicatorLabel;
use super::layout::{self, header};
use super::{Memory, dispatcher};
use serde::{Deserialize, Serialize};
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
    /// [`super::CallLocation`] of the current or last call, as a word.
    pub const PLACE: u64 = 5;
    /// Partner (rank of the communicator) of the current or last call.
    pub const PEER: u64 = 6;
    /// Tag of the current or last call.
    pub const TAG: u64 = 7;
    /// Bins of the rank's queues, and their number.
    pub const BINS: u64 = 8;
    /// Number of bins; 0 until something is queued.
    pub const BIN_COUNT: u64 = 9;
    /// First and last unexpected message, in the order they were sent.
    pub const UNEXPECTED: u64 = 10;
    /// First and last posted receive with a wildcard.
    pub const WILDCARDS: u64 = 12;
    /// Number of queued messages and receives.
    pub const QUEUED: u64 = 14;
    /// Number of receives that were queued so far.
    pub const ORDER: u64 = 15;
    /// 1 while the rank waits in a probe for another unexpected message.
    pub const PROBES: u64 = 16;
    /// What [`super::header::FAILED_POLL_TIME`] was when the rank last did something else than a failed poll.
    pub const LAST_ACTIVE: u64 = 17;
    /// How many calls it has entered.
    pub const CALLS: u64 = 18;
    /// Context of the communicator whose label follows.
    pub const CONTEXT: u64 = 19;
    /// The communicator of the call that the rank waits in ([`super::super::communicator_label`]), to the end of the
    /// slot.
    pub const COMMUNICATOR: u64 = 20;
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

/// No partner or tag, or none that matters.
pub const NONE: i64 = i64::MIN;

/// Where a call is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum CallLocation {
    /// Unknown.
    #[default]
    Unknown,
    /// At this call site: a probe's mark said so.
    Site(u32),
    /// Returns to this offset in the executable, as its file counts.
    Offset(u64),
}

impl CallLocation {
    const SITE: u64 = 1 << 62;
    const OFFSET: u64 = 1 << 63;

    /// As one word of shared memory.
    pub fn word(self) -> u64 {
        match self {
            CallLocation::Unknown => 0,
            CallLocation::Site(site) => Self::SITE | u64::from(site),
            CallLocation::Offset(offset) => Self::OFFSET | offset,
        }
    }

    /// The place of a word.
    pub fn of_word(word: u64) -> Self {
        match (word & Self::SITE, word & Self::OFFSET) {
            (0, 0) => CallLocation::Unknown,
            (_, 0) => CallLocation::Site(word as u32),
            (_, _) => CallLocation::Offset(word & !Self::OFFSET),
        }
    }
}

/// Row of a function and place of a call in one word, which messages carry for warnings.
pub fn call_word(row: u32, place: CallLocation) -> u64 {
    place.word() | (u64::from(row) & CALL_ROW) << CALL_ROW_SHIFT
}

/// The row and the place of a [`call_word`].
pub fn of_call_word(word: u64) -> (u32, CallLocation) {
    let place = CallLocation::of_word(word & !(CALL_ROW << CALL_ROW_SHIFT));
    ((word >> CALL_ROW_SHIFT & CALL_ROW) as u32, place)
}

/// Bits of a row in a call's word. Offsets in files need fewer bits than addresses, which have 48.
const CALL_ROW: u64 = 0x3ff;
const CALL_ROW_SHIFT: u32 = 48;

/// What a rank does: the row of a function, its place, partner and tag, and the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// How far it has come.
    pub phase: Phase,
    /// Row in the table of MPI functions of the current or last call.
    pub function: Option<u32>,
    /// Where that call is.
    pub place: CallLocation,
    /// Partner of that call, if it has one.
    pub peer: Option<i64>,
    /// Tag of that call, if it has one.
    pub tag: Option<i64>,
    /// How many things the rank waits for.
    pub waits_for: u64,
    /// Communicator of that call, if the rank waits in it and it has one: for calls that complete requests, that of the
    /// first transfer that is not complete.
    pub communicator: Option<CommunicatorLabel>,
    /// Context of that communicator.
    pub context: u64,
}

/// Offset of a word of a rank's slot.
pub fn at(rank: u32, word: u64) -> u64 {
    layout::slot(rank) + word
}

/// The rank enters a call.
pub fn enter(memory: Memory<'_>, rank: u32, function: u32, place: CallLocation) {
    let slot = layout::slot(rank);
    memory.set(slot + word::FUNCTION, u64::from(function) + 1);
    memory.set(slot + word::PLACE, place.word());
    // A report about this call must not contain the partner and the tag of the previous one.
    memory.set_signed(slot + word::PEER, NONE);
    memory.set_signed(slot + word::TAG, NONE);
    memory.set(slot + word::PHASE, Phase::InCall as u64);
    memory.set(
        slot + word::CALLS,
        memory.get(slot + word::CALLS).wrapping_add(1),
    );
}

/// The rank's phase changes.
pub fn set_phase(memory: Memory<'_>, rank: u32, phase: Phase) {
    memory.set(at(rank, word::PHASE), phase as u64);
}

/// What a rank does, from the words of its slot.
pub fn activity(words: &[u64]) -> Activity {
    let get = |word: u64| words.get(word as usize).copied().unwrap_or(0);
    // Function 0 is none: before the first call, the other words are 0, which is a rank and a tag.
    let has_called = get(word::FUNCTION) != 0;
    let known = |word: u64| Some(get(word) as i64).filter(|&value| has_called && value != NONE);
    Activity {
        phase: Phase::from_word(get(word::PHASE)),
        function: u32::try_from(get(word::FUNCTION))
            .ok()
            .and_then(|row| row.checked_sub(1)),
        place: CallLocation::of_word(get(word::PLACE)),
        peer: known(word::PEER),
        tag: known(word::TAG),
        waits_for: get(word::WAITING),
        communicator: CommunicatorLabel::of_slot(words),
        context: get(word::CONTEXT),
    }
}

/// The rank will wait for `things`; it is runnable again when [`complete_one`] was called as often.
pub fn wait_for(memory: Memory<'_>, rank: u32, things: u64) {
    memory.set(at(rank, word::WAITING), things);
    if things > 0 {
        dispatcher::set_runnable(memory, rank, false);
    }
}

/// One of the things the rank waits for has happened.
pub fn complete_one(memory: Memory<'_>, rank: u32) {
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
            complete_one(memory, rank);
        }
    }
}

/// The rank reaches `MPI_Init`; true for the last one, who gives the token to rank 0.
pub fn arrive(memory: Memory<'_>, rank: u32) -> bool {
    dispatcher::set_runnable_shared(memory, rank);
    // No rank has the token yet, so its hand-over cannot order memory. Release publishes what this rank has written;
    // acquire lets the last rank read what all others have, before it gives the token away.
    memory.word(header::ARRIVED).fetch_add(1, Ordering::AcqRel) + 1 == memory.get(header::RANKS)
}

#[cfg(test)]
mod tests {
    #[test]
    fn call_word_round_trips() {
        use base_data::mpi::functions::FUNCTIONS;
        assert!(FUNCTIONS.len() as u64 <= super::CALL_ROW);
        for place in [
            super::CallLocation::Unknown,
            super::CallLocation::Site(u32::MAX),
            super::CallLocation::Offset(0x7fff_ffff_ffff),
        ] {
            assert_eq!(
                super::of_call_word(super::call_word(1023, place)),
                (1023, place)
            );
        }
    }

    use super::*;

    #[test]
    fn call_locations_round_trip() {
        for place in [
            CallLocation::Unknown,
            CallLocation::Site(0),
            CallLocation::Site(u32::MAX),
            CallLocation::Offset(0x40_1234),
        ] {
            assert_eq!(CallLocation::of_word(place.word()), place);
        }
        assert_eq!(
            CallLocation::Unknown.word(),
            0,
            "a slot that was never written"
        );
    }
}
