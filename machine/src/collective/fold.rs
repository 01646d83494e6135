//! A communicator folded to a power of two: of each of the first pairs of ranks one gives its operand to the other and
//! takes no further part until the end.

use super::step::power_below;

/// Which ranks take part after the fold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    /// How many ranks take part.
    pub power: u32,
    /// How many do not.
    pub extra: u32,
    /// Whether the odd rank of a pair takes part, or the even one.
    pub keeps_odd: bool,
}

impl Fold {
    /// Of a communicator of `ranks` ranks.
    pub fn new(ranks: u32, keeps_odd: bool) -> Self {
        let power = power_below(ranks);
        Self {
            power,
            extra: ranks - power,
            keeps_odd,
        }
    }

    /// The other rank of a pair; `None` for ranks that are not paired.
    pub fn partner(&self, rank: u32) -> Option<u32> {
        if rank < 2 * self.extra {
            Some(rank ^ 1)
        } else {
            None
        }
    }

    /// The number of a rank among those that take part; `None` for those that do not.
    pub fn number(&self, rank: u32) -> Option<u32> {
        if rank >= 2 * self.extra {
            return Some(rank - self.extra);
        }
        let is_odd = rank % 2 == 1;
        if is_odd == self.keeps_odd {
            Some(rank / 2)
        } else {
            None
        }
    }

    /// The rank of a number.
    pub fn rank(&self, number: u32) -> u32 {
        // Numbers 0 to extra − 1 are the pairs' remaining ranks; the ranks behind the pairs keep their order.
        if number >= self.extra {
            number + self.extra
        } else {
            2 * number + u32::from(self.keeps_odd)
        }
    }
}
