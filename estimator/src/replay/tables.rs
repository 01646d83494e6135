//! Dense numbers for channels, sizes, signatures and the like, given in the order of first use, so
//! that the replay needs no lookup.

use super::program::{Channel, Clock, Combination, Pattern, Signature, Size};
use crate::hashing::NumberMap;
use base_data::CommId;
use base_data::program_data::CollectiveKind;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

/// A list of distinct values with the way back to their numbers.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    values: Vec<T>,
    numbers: NumberMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            numbers: NumberMap::default(),
        }
    }
}

impl<T: Hash + Eq + Copy> Numbered<T> {
    /// The number of `value`; the next one if it is new.
    pub(super) fn number(&mut self, value: T) -> u32 {
        let next = self.values.len() as u32;
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        number
    }

    /// The values by number.
    pub(super) fn into_values(self) -> Vec<T> {
        self.values
    }
}

/// All tables of a program.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) channels: Numbered<Channel>,
    pub(super) patterns: Numbered<Pattern>,
    pub(super) sizes: Numbered<Size>,
    pub(super) signatures: Numbered<Signature>,
    pub(super) combinations: Numbered<Combination>,
    pub(super) clocks: Numbered<Clock>,
    /// Node of each rank of a communicator whose ranks share nodes, empty for others.
    pub(super) nodes: BTreeMap<CommId, Rc<[u32]>>,
    /// Whether a collective occurs with a count per rank under a function name that does not say so.
    pub(super) unnamed_counts: BTreeMap<CollectiveKind, bool>,
}
