//! Numbers for (block, work terms): what a rank executes again and again is found with a few loads,
//! without hashing. Not here: what is measured of them.

use crate::intern::Interner;

/// The variant of a block that was executed last.
#[derive(Clone, Copy, Debug)]
struct Latest {
    number: u32,
    /// How many work terms it has; of a block that was not executed yet, more than any has.
    terms: u32,
}

const NONE: Latest = Latest { number: 0, terms: u32::MAX };

/// The variants that were executed, numbered in order of first execution.
#[derive(Debug, Default)]
pub(super) struct Variants {
    known: Interner,
    /// By block: the variant that was executed last.
    latest: Vec<Latest>,
    key: Vec<u64>,
}

impl Variants {
    /// The number of a variant, if it is the one of its block that was asked for last.
    #[inline(always)]
    pub(super) fn latest(&self, block: u32, terms: &[i64]) -> Option<u32> {
        let latest = self.latest.get(block as usize)?;
        let is_it = latest.terms as usize == terms.len()
            && (terms.is_empty() || self.has_terms(latest.number, terms));
        is_it.then_some(latest.number)
    }

    #[inline(always)]
    fn has_terms(&self, number: u32, terms: &[i64]) -> bool {
        let own = self.known.sequence(number).iter().skip(1);
        own.zip(terms).all(|(&own, &term)| own == term as u64)
    }

    /// The number of a variant.
    pub(super) fn number(&mut self, block: u32, terms: &[i64]) -> u32 {
        self.key.clear();
        self.key.push(u64::from(block));
        self.key.extend(terms.iter().map(|&term| term as u64));
        let (number, _) = self.known.number(&self.key);
        if self.latest.len() <= block as usize {
            self.latest.resize(block as usize + 1, NONE);
        }
        self.latest[block as usize] = Latest { number, terms: terms.len() as u32 };
        number
    }

    /// Block and work terms of a variant.
    pub(super) fn variant(&self, number: u32) -> (u32, Vec<i64>) {
        let words = self.known.sequence(number);
        (words[0] as u32, words[1..].iter().map(|&term| term as i64).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_for_equal_blocks_and_terms() {
        let mut variants = Variants::default();
        let asked: [(u32, &[i64]); 7] =
            [(3, &[5]), (3, &[6]), (3, &[5]), (0, &[]), (3, &[5, 0]), (0, &[]), (3, &[6])];
        let numbers = asked.map(|(block, terms)| {
            let latest = variants.latest(block, terms);
            let number = variants.number(block, terms);
            assert!(latest.is_none_or(|latest| latest == number));
            assert_eq!(variants.latest(block, terms), Some(number));
            number
        });
        assert_eq!(numbers, [0, 1, 0, 2, 3, 2, 1]);
        assert_eq!(variants.variant(3), (3, vec![5, 0]));
    }
}
