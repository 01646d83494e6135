//! Numbers of abstract memory locations, and sets of them. What the locations are is in [`crate::memory::locations`].

use crate::ir::bit_set::BitSet;

/// A place. Numbers are dense: values first, then existences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LocationId(pub(crate) u32);

impl LocationId {
    /// As an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LocationSet(BitSet);

impl LocationSet {
    /// Adds one; whether it is new.
    pub(crate) fn insert(&mut self, location: LocationId) -> bool {
        self.0.insert(location.index())
    }

    /// Whether it holds one.
    pub(crate) fn contains(&self, location: LocationId) -> bool {
        self.0.contains(location.index())
    }

    /// Adds all of another set; whether any is new.
    pub(crate) fn union(&mut self, other: &LocationSet) -> bool {
        self.0.union(&other.0)
    }

    /// Takes all of another set out.
    pub(crate) fn subtract(&mut self, other: &LocationSet) {
        self.0.subtract(&other.0);
    }

    /// Whether it holds one of another set.
    pub(crate) fn overlaps(&self, other: &LocationSet) -> bool {
        self.0.overlaps(&other.0)
    }

    /// Its members in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = LocationId> + '_ {
        self.0.iter().map(|number| LocationId(number as u32))
    }
}

impl Extend<LocationId> for LocationSet {
    fn extend<I: IntoIterator<Item = LocationId>>(&mut self, places: I) {
        places.into_iter().for_each(|place| _ = self.insert(place));
    }
}

impl FromIterator<LocationId> for LocationSet {
    fn from_iter<I: IntoIterator<Item = LocationId>>(places: I) -> Self {
        let mut set = LocationSet::default();
        set.extend(places);
        set
    }
}
