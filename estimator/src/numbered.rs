//! Dense numbers for values, given in the order of first use: channels, sizes, call sites and the like.

use crate::hashing::NumberHasher;
use std::hash::{Hash, Hasher};

/// A list of distinct values with the way back to their numbers.
///
/// A hash map would store every value twice. Here the table of the hash has numbers alone, so that what is
/// numbered once per message (the channels of random partners) takes little beside its own size.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    values: Vec<T>,
    places: Places,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            places: Places::default(),
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

/// The table of a hash: numbers of values that are kept elsewhere, in the order in which they came.
///
/// Open addressing with linear probing. The number of places is 0 or a power of two; it doubles when two thirds of them
/// are used, so that a search always ends at a free place.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// By place: 0 where it is free, otherwise bits of the hash, so that a search passes other values without
    /// reading them.
    tags: Vec<u8>,
    /// By place: the number of its value.
    numbers: Vec<u32>,
    used: u32,
}

/// A place without a value, and the tag of the value that belongs there.
pub(crate) struct FreePlace {
    place: usize,
    tag: u8,
}

/// Places of the smallest table.
const FEWEST_PLACES: usize = 8;

impl Places {
    /// The number of the value with this hash that `is_value` recognises, or the place where it belongs.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_value: impl Fn(u32) -> bool) -> Result<u32, FreePlace> {
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
        Err(FreePlace {
            place,
            tag: own_tag,
        })
    }

    /// Gives a place to the next value, whose number it returns.
    pub(crate) fn fill(&mut self, free: FreePlace) -> u32 {
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
        let length = (self.tags.len() * 2).max(FEWEST_PLACES);
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
