//! Contributions of members: a block of the heap with pieces of data for different readers. The words before
//! the data contain the end of each piece, so that a reader can check the length.
//!
//! Constructors of communicators give plain words instead of pieces.

use super::super::{Memory, heap};
use super::instance::{member, member_at};
use std::ops::Range;

/// Mark in the number of readers: the member has given what it has to give.
pub(super) const GIVEN: u64 = 1 << 63;

/// A member gives a block (0: no data) that will be read so often.
pub fn contribute(memory: Memory<'_>, instance: u64, index: u32, block: u64, readers: u64) {
    let own = member_at(memory, instance, index);
    // The word of a member without a contribution is 0; the mark distinguishes a contribution without readers from it.
    memory.set(own + member::READERS, readers | GIVEN);
    memory.set(own + member::CONTRIBUTION, block);
    if readers == 0 {
        release(memory, own);
    }
}

/// The block that a member gave, or 0.
pub fn contribution(memory: Memory<'_>, instance: u64, index: u32) -> u64 {
    memory.get(member_at(memory, instance, index) + member::CONTRIBUTION)
}

/// A member's parcel was read; the last reading frees it.
pub fn release_reader(memory: Memory<'_>, instance: u64, index: u32) {
    let own = member_at(memory, instance, index);
    if memory.add(own + member::READERS, 1u64.wrapping_neg()) == GIVEN {
        release(memory, own);
    }
}

fn release(memory: Memory<'_>, own: u64) {
    let block = memory.get(own + member::CONTRIBUTION);
    if block != 0 {
        heap::free(memory, block);
        memory.set(own + member::CONTRIBUTION, 0);
    }
}

/// What stands before the data of a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Number of pieces.
    pub pieces: u64,
    /// Whether each piece has a label that says for whom it is.
    pub labelled: bool,
    /// Bytes of each piece, where all are of one length that is not 0. Their ends are not kept then.
    pub each: Option<u64>,
}

// Words of a header, before the ends of the pieces and their labels. `EACH` is 0 where lengths differ.
const PIECES: u64 = 0;
const DATA: u64 = 1;
const EACH: u64 = 2;
const ENDS: u64 = 3;

impl Header {
    /// Words before the data.
    pub fn words(self) -> u64 {
        self.labels() + if self.labelled { self.pieces } else { 0 }
    }

    /// First word of the labels.
    fn labels(self) -> u64 {
        ENDS + if self.each.is_some() { 0 } else { self.pieces }
    }

    /// Writes it into a block.
    pub fn write(self, memory: Memory<'_>, block: u64) {
        memory.set(block + PIECES, self.pieces);
        memory.set(block + DATA, self.words());
        memory.set(block + EACH, self.each.unwrap_or(0));
    }

    /// Says where a piece ends, in bytes from the first of the data.
    pub fn set_end(self, memory: Memory<'_>, block: u64, piece: u64, end: u64) {
        if self.each.is_none() {
            memory.set(block + ENDS + piece, end);
        }
    }

    /// Says for whom a piece is.
    pub fn set_label(self, memory: Memory<'_>, block: u64, piece: u64, label: u64) {
        memory.set(block + self.labels() + piece, label);
    }
}

/// First word of a parcel's data.
pub fn data(memory: Memory<'_>, block: u64) -> u64 {
    block + memory.get(block + DATA)
}

/// The bytes of a piece, counted from the first of the block; empty if there is no parcel.
pub fn piece(memory: Memory<'_>, block: u64, piece: u64) -> Range<u64> {
    if block == 0 {
        return 0..0;
    }
    let (first, each) = (memory.get(block + DATA) * 8, memory.get(block + EACH));
    if each > 0 {
        return first + piece * each..first + (piece + 1) * each;
    }
    let start = if piece == 0 {
        0
    } else {
        memory.get(block + ENDS + piece - 1)
    };
    first + start..first + memory.get(block + ENDS + piece)
}

/// The piece of a labelled parcel that is the `nth` with this label.
pub fn labelled(memory: Memory<'_>, block: u64, label: u64, nth: u64) -> Option<u64> {
    let pieces = memory.get(block + PIECES);
    let first = block
        + ENDS
        + if memory.get(block + EACH) > 0 {
            0
        } else {
            pieces
        };
    (0..pieces)
        .filter(|&piece| memory.get(first + piece) == label)
        .nth(nth as usize)
}
