//! Labels of communicators for messages: the name from the program, otherwise a description. A rank that waits
//! stores the label in its slot, since the host has no table of communicators.

use super::slot::{self, CallLocation, word};
use super::{Memory, layout};
use base_data::mpi::functions::FUNCTIONS;

/// Longest name that is kept, in bytes.
const LONGEST: usize = NAME_WORDS * 8;
// Words behind the first of the label in a slot.
const PLACE: u64 = 1;
const NAME: u64 = 2;
const NAME_WORDS: usize = (layout::SLOT_WORDS - word::COMMUNICATOR - NAME) as usize;
// Bits of the first word: whether there is a label, the number of members, the row of the constructor plus 1.
const IS_THERE: u64 = 1 << 63;
const SIZE_SHIFT: u32 = 16;
const ROW: u64 = 0xffff;

/// What messages say of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommunicatorLabel {
    name: [u8; LONGEST],
    length: usize,
    /// Its members.
    pub size: u32,
    /// Row of the function that made it, in the table of MPI functions, and where that was called.
    pub made: Option<(u32, CallLocation)>,
}

impl CommunicatorLabel {
    /// Of a communicator with this name, which may be empty.
    pub fn new(name: &[u8], size: u32, made: Option<(u32, CallLocation)>) -> Self {
        let length = name.len().min(LONGEST);
        let mut kept = [0; LONGEST];
        kept[..length].copy_from_slice(&name[..length]);
        Self {
            name: kept,
            length,
            size,
            made,
        }
    }

    /// The name as messages print it, without line breaks; empty if the program gave none.
    pub fn name(&self) -> String {
        let mut name = String::new();
        for character in String::from_utf8_lossy(&self.name[..self.length]).chars() {
            // A line break in a name would tear the line of a report, an escape sequence would control the terminal.
            if character.is_control() {
                name.extend(character.escape_default());
            } else {
                name.push(character);
            }
        }
        name
    }

    /// `MPI_COMM_WORLD`, `communicator 'ocean'`, or its kind, with the place where it was made if that is known.
    pub fn described(&self, made_at: Option<&str>) -> String {
        let name = self.name();
        if name.starts_with("MPI_COMM_") {
            return name;
        }
        if !name.is_empty() {
            return format!("communicator '{name}'");
        }
        let function = self.made.and_then(|(row, _)| FUNCTIONS.get(row as usize));
        let by = function.map_or_else(String::new, |function| {
            format!(" made by {}", function.name)
        });
        let ranks = if self.size == 1 { "rank" } else { "ranks" };
        format!(
            "a communicator of {} {ranks}{by}{}",
            self.size,
            made_at.unwrap_or_default()
        )
    }

    /// Leaves it in a rank's slot, with the context of the communicator.
    pub fn leave(&self, memory: Memory<'_>, rank: u32, context: u64) {
        let start = slot::at(rank, word::COMMUNICATOR);
        memory.set(slot::at(rank, word::CONTEXT), context);
        let (row, place) = self
            .made
            .map_or((0, CallLocation::Unknown), |(row, place)| {
                (u64::from(row) + 1, place)
            });
        memory.set(
            start,
            IS_THERE | u64::from(self.size) << SIZE_SHIFT | row & ROW,
        );
        memory.set(start + PLACE, place.word());
        for (at, bytes) in (start + NAME..).zip(self.name.chunks_exact(8)) {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            memory.set(at, u64::from_le_bytes(word));
        }
    }

    /// The call of a rank has no communicator.
    pub fn leave_none(memory: Memory<'_>, rank: u32) {
        memory.set(slot::at(rank, word::COMMUNICATOR), 0);
    }

    /// What the words of a slot say.
    pub fn of_slot(words: &[u64]) -> Option<Self> {
        let [first, place, name @ ..] = words.get(word::COMMUNICATOR as usize..)? else {
            return None;
        };
        if first & IS_THERE == 0 {
            return None;
        }
        let bytes: Vec<u8> = name
            .iter()
            .take(NAME_WORDS)
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let length = bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len());
        let made = (first & ROW)
            .checked_sub(1)
            .map(|row| (row as u32, CallLocation::of_word(*place)));
        Some(Self::new(
            &bytes[..length],
            (first >> SIZE_SHIFT) as u32,
            made,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::tests::fresh;

    fn words(memory: &[std::sync::atomic::AtomicU64], rank: u32) -> Vec<u64> {
        let start = layout::slot(rank) as usize;
        let slot = &memory[start..start + layout::SLOT_WORDS as usize];
        slot.iter()
            .map(|word| word.load(std::sync::atomic::Ordering::Relaxed))
            .collect()
    }

    #[test]
    fn label_round_trips_through_a_slot() {
        let shared = fresh(2, 8);
        let memory = Memory::new(&shared);
        let long = [b'x'; 200];
        for (name, made) in [
            (&b"ocean"[..], None),
            (b"", Some((0, CallLocation::Offset(0x1234)))),
            (&long, None),
        ] {
            let label = CommunicatorLabel::new(name, u32::MAX, made);
            label.leave(memory, 0, 7);
            assert_eq!(CommunicatorLabel::of_slot(&words(&shared, 0)), Some(label));
        }
        assert_eq!(CommunicatorLabel::of_slot(&words(&shared, 1)), None);
        CommunicatorLabel::leave_none(memory, 0);
        assert_eq!(CommunicatorLabel::of_slot(&words(&shared, 0)), None);
    }
}
