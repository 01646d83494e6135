//! Numbers for (block, work terms): what a rank executes again and again is found with a few loads,
//! without hashing. Of a block that has very many variants, the later ones are taken together by their size, so
//! that the table stays bounded. `samples` contains their times.

use crate::intern::Interner;
use std::collections::BTreeMap;

/// Variants of a block that are kept apart.
const MAX_SEPARATE_VARIANTS: u32 = 512;
/// Sizes that variants are taken together by, up to twice a size.
const BINS_PER_OCTAVE: u64 = 8;
/// Beside the block in the key of variants that are taken together.
const BINNED: u64 = 1 << 32;

/// The variant of a block that was executed last.
#[derive(Clone, Copy, Debug)]
struct Latest {
    number: u32,
    /// How many work terms it has; of a block that was not executed yet, more than any has.
    terms: u32,
}

const NONE: Latest = Latest {
    number: 0,
    terms: u32::MAX,
};

/// Variants that are taken together: what their terms are on average.
#[derive(Clone, Debug, Default)]
struct Terms {
    first: Vec<i64>,
    /// Sums over the later executions.
    sums: Vec<f64>,
    later: u64,
}

impl Terms {
    fn add(&mut self, terms: &[i64]) {
        if self.first.is_empty() {
            self.first = terms.to_vec();
            self.sums = vec![0.0; terms.len()];
            return;
        }
        self.later += 1;
        self.sums
            .iter_mut()
            .zip(terms)
            .for_each(|(sum, &term)| *sum += term as f64);
    }

    /// Of the later executions, or of the only one.
    fn mean(&self) -> Vec<i64> {
        match self.later {
            0 => self.first.clone(),
            later => self
                .sums
                .iter()
                .map(|sum| (sum / later as f64).round() as i64)
                .collect(),
        }
    }
}

/// The variants that were executed, numbered in order of first execution.
#[derive(Debug, Default)]
pub(super) struct Variants {
    known: Interner,
    /// By block: the variant that was executed last.
    latest: Vec<Latest>,
    /// By block: how many are kept apart.
    separate: Vec<u32>,
    /// By number, of those that are taken together.
    binned: BTreeMap<u32, Terms>,
    key: Vec<u64>,
}

impl Variants {
    /// The number of a variant, if it is the one of its block that was asked for last.
    #[inline(always)]
    pub(super) fn latest(&self, block: u32, terms: &[i64]) -> Option<u32> {
        let latest = self.latest.get(block as usize)?;
        let is_it = latest.terms as usize == terms.len()
            && (terms.is_empty() || self.has_terms(latest.number, terms));
        if is_it { Some(latest.number) } else { None }
    }

    #[inline(always)]
    fn has_terms(&self, number: u32, terms: &[i64]) -> bool {
        let own = self.known.sequence(number).iter().skip(1);
        own.zip(terms).all(|(&own, &term)| own == term as u64)
    }

    /// The number of a variant that is executed: its own, or that of variants of like size.
    pub(super) fn number(&mut self, block: u32, terms: &[i64]) -> u32 {
        if let Some(number) = self.own_number(block, terms) {
            self.latest[block as usize] = Latest {
                number,
                terms: terms.len() as u32,
            };
            return number;
        }
        let key = [u64::from(block) | BINNED, terms.len() as u64, size(terms)];
        let (number, _) = self.known.number(&key);
        self.binned.entry(number).or_default().add(terms);
        // Its terms differ between executions and must be added each time, so `latest` must not find it.
        self.latest[block as usize] = NONE;
        number
    }

    /// The number of a variant that is kept apart; `None` where its block has too many.
    pub(super) fn own_number(&mut self, block: u32, terms: &[i64]) -> Option<u32> {
        if self.latest.len() <= block as usize {
            self.latest.resize(block as usize + 1, NONE);
            self.separate.resize(block as usize + 1, 0);
        }
        self.key.clear();
        self.key.push(u64::from(block));
        self.key.extend(terms.iter().map(|&term| term as u64));
        if self.separate[block as usize] >= MAX_SEPARATE_VARIANTS {
            return self.known.find(&self.key);
        }
        let (number, is_new) = self.known.number(&self.key);
        self.separate[block as usize] += u32::from(is_new);
        Some(number)
    }

    /// The block of a variant.
    pub(super) fn block(&self, number: u32) -> u32 {
        self.known.sequence(number)[0] as u32
    }

    /// Block and work terms of a variant, or of those that are taken together on average.
    pub(super) fn variant(&self, number: u32) -> (u32, Vec<i64>) {
        let words = self.known.sequence(number);
        let own = || words[1..].iter().map(|&term| term as i64).collect();
        (
            words[0] as u32,
            self.binned.get(&number).map_or_else(own, Terms::mean),
        )
    }

    /// Whether variants are taken together under this number.
    pub(super) fn is_binned(&self, number: u32) -> bool {
        self.binned.contains_key(&number)
    }
}

/// Which of the sizes the sum of the terms has, of which there are eight between a power of two and the next.
fn size(terms: &[i64]) -> u64 {
    let sum = terms.iter().fold(0u64, |sum, &term| {
        sum.saturating_add(u64::try_from(term).unwrap_or(0))
    });
    // The result is continuous: up to 2 * BINS_PER_OCTAVE, every sum is a bin of its own.
    let octave = u64::from((sum / BINS_PER_OCTAVE).checked_ilog2().unwrap_or(0));
    octave * BINS_PER_OCTAVE + (sum >> octave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_for_equal_blocks_and_terms() {
        let mut variants = Variants::default();
        let asked: [(u32, &[i64]); 7] = [
            (3, &[5]),
            (3, &[6]),
            (3, &[5]),
            (0, &[]),
            (3, &[5, 0]),
            (0, &[]),
            (3, &[6]),
        ];
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

    #[test]
    fn excess_variants_are_binned_by_size() {
        let mut variants = Variants::default();
        let separate: Vec<u32> = (0..512)
            .map(|term| variants.number(1, &[term, 7]))
            .collect();
        assert_eq!(separate, (0..512).collect::<Vec<_>>());
        let of = |variants: &mut Variants, terms: &[i64]| variants.number(1, terms);
        // Sizes 1030, 1100, 1200: the first two are below 1152.
        let binned = [[1023, 7], [1093, 7], [1193, 7]].map(|terms| of(&mut variants, &terms));
        assert_eq!(binned, [512, 512, 513]);
        assert_eq!(of(&mut variants, &[1035, 7]), 512);
        assert_eq!(
            variants.latest(1, &[1035, 7]),
            None,
            "it has to be added up"
        );
        assert_eq!(variants.variant(512), (1, vec![1064, 7]));
        assert!(variants.is_binned(512) && !variants.is_binned(3));
        assert_eq!(of(&mut variants, &[5, 7]), 5, "the first stay apart");
        assert_eq!(variants.own_number(1, &[9, 9]), None);
        assert_eq!(variants.number(2, &[9, 9]), 514, "another block");
    }

    #[test]
    fn size_bins_ascend_and_span_an_eighth() {
        let of: Vec<u64> = (0..5000).map(|sum| size(&[sum])).collect();
        assert!(
            of.windows(2)
                .all(|two| two[0] == two[1] || two[0] + 1 == two[1])
        );
        for first in 8..2000 {
            assert_ne!(of[first], of[first + first.div_ceil(8)], "{first}");
        }
        assert_eq!(
            size(&[i64::MAX, -5, 3, i64::MAX]),
            size(&[i64::MAX, i64::MAX])
        );
    }
}
