//! Numbers for short sequences of words: equal sequences get equal numbers, in order of first
//! appearance. Made for the recorder's hot path: looking up a known sequence allocates nothing.

/// The table.
#[derive(Debug, Default)]
pub struct Interner {
    /// All sequences, concatenated.
    words: Vec<u64>,
    /// Per number: where its words begin and end, and their hash.
    entries: Vec<(u32, u32, u64)>,
    /// Open addressing; number plus 1, 0 is free. A power of two long.
    slots: Vec<u32>,
    /// Per number: the number that was asked for after it the last time. Programs do again what they
    /// did before.
    followers: Vec<u32>,
    /// The number that was asked for last.
    last: u32,
}

impl Interner {
    /// The number of a sequence, and whether it is new.
    pub fn number(&mut self, sequence: &[u64]) -> (u32, bool) {
        if let Some(&follower) = self.followers.get(self.last as usize)
            && self.sequence(follower) == sequence
        {
            self.last = follower;
            return (follower, false);
        }
        let (number, is_new) = self.looked_up(sequence);
        // A new sequence follows itself until another follower is known.
        if is_new {
            self.followers.push(number);
        }
        self.followers[self.last as usize] = number;
        self.last = number;
        (number, is_new)
    }

    /// The number of a sequence that has one.
    pub fn find(&self, sequence: &[u64]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let hash = hash(sequence);
        // Linear probing. A slot contains a number plus one; 0 is a free slot, which ends the search.
        for step in 0..self.slots.len() {
            let slot = self.slots[(hash as usize + step) & mask];
            let number = slot.checked_sub(1)?;
            if self.matches(number, hash, sequence) {
                return Some(number);
            }
        }
        None
    }

    fn looked_up(&mut self, sequence: &[u64]) -> (u32, bool) {
        // At most half full, so that linear probing stays short and always finds a free slot.
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = hash(sequence);
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place] != 0 {
            let number = self.slots[place] - 1;
            if self.matches(number, hash, sequence) {
                return (number, false);
            }
            place = (place + 1) & mask;
        }
        (self.insert(place, hash, sequence), true)
    }

    /// The words of a number.
    #[inline(always)]
    pub fn sequence(&self, number: u32) -> &[u64] {
        let (from, to, _) = self.entries[number as usize];
        &self.words[from as usize..to as usize]
    }

    /// How many different sequences there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn matches(&self, number: u32, hash: u64, sequence: &[u64]) -> bool {
        self.entries[number as usize].2 == hash && self.sequence(number) == sequence
    }

    fn insert(&mut self, place: usize, hash: u64, sequence: &[u64]) -> u32 {
        let from = self.words.len() as u32;
        self.words.extend_from_slice(sequence);
        self.entries.push((from, self.words.len() as u32, hash));
        let number = self.entries.len() as u32 - 1;
        self.slots[place] = number + 1;
        number
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = vec![0; size];
        for (number, &(_, _, hash)) in self.entries.iter().enumerate() {
            let mut place = hash as usize & (size - 1);
            while self.slots[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            self.slots[place] = number as u32 + 1;
        }
    }
}

/// Spreads a value over all 64 bits (one round of a multiply-and-fold hash).
pub(crate) fn mix(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
    (product >> 64) as u64 ^ product as u64
}

fn hash(sequence: &[u64]) -> u64 {
    // The rotation makes the order of the words count: `mix` alone is symmetric in state and word.
    sequence.iter().fold(sequence.len() as u64, |state, &word| {
        mix(state.rotate_left(29), word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sequences_get_equal_numbers_iff_equal(
            sequences in prop::collection::vec(prop::collection::vec(0u64..4, 0..4), 0..300),
        ) {
            let mut interner = Interner::default();
            let mut seen: Vec<Vec<u64>> = Vec::new();
            for sequence in sequences {
                let expect = seen.iter().position(|s| *s == sequence);
                prop_assert_eq!(interner.find(&sequence).map(|number| number as usize), expect);
                let (number, new) = interner.number(&sequence);
                prop_assert_eq!(new, expect.is_none());
                prop_assert_eq!(number as usize, expect.unwrap_or(seen.len()));
                prop_assert_eq!(interner.sequence(number), sequence.as_slice());
                if new {
                    seen.push(sequence);
                }
            }
        }
    }
}
