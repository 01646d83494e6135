//! Synchronisation epochs: the numbers of global synchronisations that may precede a point of a program, as a set (the lattice,
//! ordered by inclusion, joined by union), and the change of that set over a range of the program (the transfer function). Points and
//! ranges are in [`crate::io::io_ordering`].

/// So many global synchronisations are as good as any greater number.
const MANY: u32 = 31;

/// Numbers of global synchronisations that may lie before a point; bit n: n of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epochs {
    /// And behind the last no other message.
    pub(crate) clean: u32,
    /// And perhaps others behind the last.
    pub(crate) mixed: u32,
}

impl Epochs {
    /// Nothing has been.
    pub(crate) const START: Epochs = Epochs { clean: 1, mixed: 0 };
    /// No global synchronisation yet, but other messages.
    pub(crate) const MIXED_START: Epochs = Epochs { clean: 0, mixed: 1 };

    /// Adds other ways; whether that makes a difference.
    pub(crate) fn join(&mut self, other: Epochs) -> bool {
        let joined = Epochs {
            clean: self.clean | other.clean,
            mixed: self.mixed | other.mixed,
        };
        std::mem::replace(self, joined) != joined
    }

    fn all(self) -> u32 {
        self.clean | self.mixed
    }

    /// Whether there are more global synchronisations before this point than before another, on whatever ways. A point that no way
    /// leads to is behind all.
    pub(crate) fn all_after(self, other: Epochs) -> bool {
        // The last bit stands for any greater number, which nothing certainly exceeds.
        let is_known = other.all() & (1 << MANY) == 0;
        // The smallest number of this point against the greatest of the other.
        is_known && self.all().trailing_zeros() > u32::BITS - 1 - other.all().max(1).leading_zeros()
    }

    /// Whether global synchronisations order two points wherever messages do (`None`: not known), and whether any do.
    pub(crate) fn between(self, other: Epochs) -> Option<bool> {
        let both = self.all() & other.all();
        let is_covered = both & (1 << MANY) == 0 && both & (self.mixed | other.mixed) == 0;
        let is_same = self.all().count_ones() == 1 && self.all() == other.all();
        is_covered.then_some(!is_same)
    }
}

/// What may lie on the ways through a stretch of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Perhaps no message at all.
    pub(crate) unchanged: bool,
    /// Numbers of global synchronisations with no other message behind the last; bit n: n of them.
    pub(crate) clean: u32,
    /// Numbers of global synchronisations with perhaps others behind the last, or without one.
    pub(crate) mixed: u32,
}

impl Passage {
    /// No message.
    pub(crate) const NOTHING: Passage = Passage {
        unchanged: true,
        clean: 0,
        mixed: 0,
    };
    /// One global synchronisation.
    pub(crate) const GLOBAL_SYNCHRONISATION: Passage = Passage {
        unchanged: false,
        clean: 2,
        mixed: 0,
    };
    /// Another message.
    pub(crate) const MESSAGE: Passage = Passage {
        unchanged: false,
        clean: 0,
        mixed: 1,
    };

    /// The global synchronisations behind the stretch, given those before it.
    pub(crate) fn after(self, before: Epochs) -> Epochs {
        let stays = |set: u32| if self.unchanged { set } else { 0 };
        Epochs {
            clean: stays(before.clean) | sums(before.all(), self.clean),
            mixed: stays(before.mixed) | sums(before.all(), self.mixed),
        }
    }

    /// The same, if the stretch is perhaps not passed.
    pub(crate) fn perhaps_after(self, before: Epochs) -> Epochs {
        let mut after = self.after(before);
        after.join(before);
        after
    }
}

/// All sums of a number of one set and one of another.
fn sums(one: u32, other: u32) -> u32 {
    let many = |n: u32| if one >> (MANY - n) != 0 { 1 << MANY } else { 0 };
    let shifted = |n: u32| ((u64::from(one) << n) as u32) | many(n);
    // Most sets have one or two members.
    let (mut rest, mut sums) = (other, 0);
    while rest != 0 {
        sums |= shifted(rest.trailing_zeros());
        rest &= rest - 1;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(set: u32) -> Vec<u32> {
        (0..=MANY).filter(|n| set >> n & 1 == 1).collect()
    }

    proptest! {
        #[test]
        fn sums_are_of_all_pairs(one: u32, other: u32) {
            let mut expected = 0u32;
            for (a, b) in numbers(one).iter().flat_map(|a| numbers(other).into_iter().map(move |b| (a, b))) {
                expected |= 1 << (a + b).min(MANY);
            }
            prop_assert_eq!(sums(one, other), expected);
        }

        /// Points are distinguished only if no two ways lead to the same number of global synchronisations with others behind.
        #[test]
        fn order_is_that_of_all_pairs_of_ways(clean: [u32; 2], mixed: [u32; 2], shift in 0..32u32) {
            let of = |i: usize| Epochs { clean: clean[i] >> shift, mixed: mixed[i] >> shift };
            let (one, other) = (of(0), of(1));
            let pairs = numbers(one.all()).into_iter().flat_map(|a| numbers(other.all()).into_iter().map(move |b| (a, b)));
            let pairs: Vec<(u32, u32)> = pairs.collect();
            let bad = |&(a, b): &(u32, u32)| a == b && (a == MANY || (one.mixed | other.mixed) >> a & 1 == 1);
            prop_assert_eq!(one.between(other).is_none(), pairs.iter().any(bad));
            let after = pairs.iter().all(|&(a, b)| a > b && b < MANY);
            prop_assert!(other.all() == 0 || one.all_after(other) == after);
        }
    }
}
