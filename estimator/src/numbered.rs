//! Dense numbers for values, given in the order of first use: channels, sizes, call sites and the like.

use base_data::hashing::NumberHasher;
use std::hash::{Hash, Hasher};

/// A list of distinct values, and an index from values to their numbers.
///
/// A hash map would store every value twice. Here the table of the hash has numbers alone, so that what is
/// numbered once per message (the channels of random partners) takes little beside its own size.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    values: Vec<T>,
    places: HashIndex,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            places: HashIndex::default(),
        }
    }
}

impl<T: Hash + Eq> Numbered<T> {
    /// The number of `value`; the next one if it is new.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        let values = &mut self.values;
        self.places
            .make_room(|number| hash(&values[number as usize]));
        let is_value = |number: u32| values[number as usize] == value;
        match self.places.find(hash(&value), is_value) {
            Ok(number) => number,
            Err(free) => {
                values.push(value);
                self.places.fill(free)
            }
        }
    }

    /// The values so far, by number.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The values by number.
    pub(crate) fn into_values(self) -> Vec<T> {
        let mut values = self.values;
        values.shrink_to_fit();
        values
    }
}

/// A hash index: numbers of values that are stored elsewhere, in the order of insertion.
///
/// Open addressing with linear probing. The number of slots is 0 or a power of two; it doubles when two thirds of them
/// are used, so that a search always ends at a free slot.
#[derive(Debug, Default)]
pub(crate) struct HashIndex {
    /// By slot: 0 if it is free, otherwise bits of the hash, so that a search skips other values without
    /// reading them.
    tags: Vec<u8>,
    /// By slot: the number of its value.
    numbers: Vec<u32>,
    used: u32,
}

/// A free slot, and the tag of the value to be inserted there.
pub(crate) struct FreeSlot {
    place: usize,
    tag: u8,
}

/// Slots of the smallest index.
const FEWEST_SLOTS: usize = 8;

impl HashIndex {
    /// The number of the value with this hash for which `is_value` is true, or the free slot for it.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_value: impl Fn(u32) -> bool) -> Result<u32, FreeSlot> {
        let last = self.tags.len().wrapping_sub(1);
        let (mut place, own_tag) = (hash as usize & last, tag_of(hash));
        while let Some(&tag) = self.tags.get(place)
            && tag != 0
        {
            if tag == own_tag && is_value(self.numbers[place]) {
                return Ok(self.numbers[place]);
            }
            place = (place + 1) & last;
        }
        Err(FreeSlot {
            place,
            tag: own_tag,
        })
    }

    /// Inserts the next value at a free slot and returns its number.
    pub(crate) fn fill(&mut self, free: FreeSlot) -> u32 {
        let number = self.used;
        self.tags[free.place] = free.tag;
        self.numbers[free.place] = number;
        self.used += 1;
        number
    }

    /// Makes room for one more value; `hash` is that of the value with a number.
    #[inline]
    pub(crate) fn make_room(&mut self, hash: impl Fn(u32) -> u64) {
        if self.used as usize * 3 >= self.tags.len() * 2 {
            self.grow(hash);
        }
    }

    fn grow(&mut self, hash: impl Fn(u32) -> u64) {
        let length = (self.tags.len() * 2).max(FEWEST_SLOTS);
        self.tags.clear();
        self.tags.resize(length, 0);
        self.numbers.clear();
        self.numbers.resize(length, 0);
        for number in 0..self.used {
            let hash = hash(number);
            let mut place = hash as usize & (length - 1);
            while self.tags[place] != 0 {
                place = (place + 1) & (length - 1);
            }
            self.tags[place] = tag_of(hash);
            self.numbers[place] = number;
        }
    }
}

/// The highest bits of a hash; the lowest determine the place.
#[inline]
fn tag_of(hash: u64) -> u8 {
    (hash >> 56) as u8 | 1
}

fn hash<T: Hash>(value: &T) -> u64 {
    let mut hasher = NumberHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number() {
        let mut numbered = Numbered::default();
        for round in 0..2 {
            for value in 0..1000u64 {
                assert_eq!(
                    numbered.number(value << 40),
                    value as u32,
                    "in round {round}"
                );
            }
        }
        let values = numbered.into_values();
        assert_eq!((values.len(), values[999]), (1000, 999 << 40));
    }
}
