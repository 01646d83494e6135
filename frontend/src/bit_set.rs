//! A set of small numbers: locations, definitions. Ordered, so that whoever walks one walks it the
//! same way each time.

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

    /// Whether it holds a number.
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
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

    /// Takes all of another set out.
    pub(crate) fn subtract(&mut self, other: &BitSet) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine &= !theirs;
        }
    }

    /// Its numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| i * 64 + bit)
        })
    }
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
        other.subtract(&set);
        assert_eq!(other.iter().count(), 0);
    }
}
