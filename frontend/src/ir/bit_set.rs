//! A set of small numbers: locations, definitions. Iteration is in ascending order, so that
//! results are deterministic.

/// A set of numbers below some bound, which grows as needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Adds a number; whether it is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes a number out.
    pub(crate) fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether it holds a number.
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words
            .get(number / 64)
            .is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// Whether it holds no number.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Adds all of another set; whether any is new.
    pub(crate) fn union(&mut self, other: &BitSet) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grown = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            grown |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grown
    }

    /// Whether it holds a number of another set.
    pub(crate) fn overlaps(&self, other: &BitSet) -> bool {
        self.words
            .iter()
            .zip(&other.words)
            .any(|(mine, theirs)| mine & theirs != 0)
    }

    /// Takes all of another set out.
    pub(crate) fn subtract(&mut self, other: &BitSet) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine &= !theirs;
        }
    }

    /// Its numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let held = self
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| **word != 0);
        held.flat_map(|(i, &word)| bits(word).map(move |bit| i * 64 + bit))
    }
}

/// The places of a word's bits, ascending.
fn bits(word: u64) -> impl Iterator<Item = usize> {
    // `word & (word - 1)` clears the lowest set bit.
    let without_lowest = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
    std::iter::successors(Some(word).filter(|word| *word != 0), without_lowest)
        .map(|rest| rest.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let mut set = BitSet::default();
        assert!(set.insert(70) && set.insert(3) && !set.insert(70));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 70]);
        let mut other = BitSet::default();
        assert!(other.union(&set) && !other.union(&set) && other.contains(3) && !other.contains(4));
        assert!(other.overlaps(&set) && !other.overlaps(&BitSet::default()));
        other.subtract(&set);
        set.remove(70);
        set.remove(500);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3]);
        assert_eq!(other.iter().count(), 0);
    }
}
