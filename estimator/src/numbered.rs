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
    /// Open addressing with linear probing: the number of a value plus one, 0 where the place is free. The
    /// length is 0 or a power of two. It doubles when two thirds of the places are used, so that a search
    /// always ends at a free place.
    places: Vec<u32>,
}

/// Places of the smallest table.
const FEWEST_PLACES: usize = 8;

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl<T: Hash + Eq> Numbered<T> {
    /// The number of `value`; the next one if it is new.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        if self.values.len() * 3 >= self.places.len() * 2 {
            self.grow();
        }
        let mut place = home(&value, self.places.len());
        while self.places[place] != 0 {
            let number = self.places[place] - 1;
            if self.values[number as usize] == value {
                return number;
            }
            place = (place + 1) & (self.places.len() - 1);
        }
        self.values.push(value);
        self.places[place] = self.values.len() as u32;
        self.values.len() as u32 - 1
    }

    /// The values by number.
    pub(crate) fn into_values(self) -> Vec<T> {
        let mut values = self.values;
        values.shrink_to_fit();
        values
    }

    fn grow(&mut self) {
        let length = (self.places.len() * 2).max(FEWEST_PLACES);
        self.places.clear();
        self.places.resize(length, 0);
        for (number, value) in (1u32..).zip(&self.values) {
            let mut place = home(value, length);
            while self.places[place] != 0 {
                place = (place + 1) & (length - 1);
            }
            self.places[place] = number;
        }
    }
}

/// Where the search for a value begins in a table of this length.
fn home<T: Hash>(value: &T, length: usize) -> usize {
    let mut hasher = NumberHasher::default();
    value.hash(&mut hasher);
    hasher.finish() as usize & (length - 1)
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
