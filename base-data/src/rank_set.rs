//! Sets of ranks as strided ranges: what a rank class or a communicator's group is written as.

use crate::ids::Rank;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `first, first + stride, …`: `count` ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RankRange {
    /// The first rank.
    pub first: u32,
    /// How many ranks.
    pub count: u32,
    /// Distance between neighbours; may be negative in the group of a communicator.
    pub stride: i32,
}

/// An *ordered* list of ranks, kept as strided ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RankSet {
    ranges: Vec<RankRange>,
}

impl RankSet {
    /// Ranks 0 to `count` − 1.
    pub fn all(count: u32) -> Self {
        Self::from_ranks((0..count).map(Rank))
    }

    /// The ranks of `ranks`, in their order.
    pub fn from_ranks(ranks: impl IntoIterator<Item = Rank>) -> Self {
        let mut ranges: Vec<RankRange> = Vec::new();
        for Rank(rank) in ranks {
            match ranges.last_mut() {
                Some(range) if range.count == 1 => {
                    range.stride = (i64::from(rank) - i64::from(range.first)) as i32;
                    range.count = 2;
                }
                Some(range) if range.rank_at(range.count) == Some(rank) => range.count += 1,
                _ => ranges.push(RankRange { first: rank, count: 1, stride: 1 }),
            }
        }
        // A pair that nothing continued reads better as two singles unless it is adjacent.
        Self { ranges: ranges.into_iter().flat_map(RankRange::settled).collect() }
    }

    /// Number of ranks.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|range| range.count as usize).sum()
    }

    /// Whether there is no rank.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranks in order.
    pub fn iter(&self) -> impl Iterator<Item = Rank> + '_ {
        self.ranges.iter().flat_map(|range| (0..range.count).filter_map(|i| range.rank_at(i)).map(Rank))
    }

    /// Position of `rank` in the order, if it belongs.
    pub fn position(&self, rank: Rank) -> Option<usize> {
        self.iter().position(|member| member == rank)
    }

    /// Whether no range leaves the ranks 0 to `ranks` − 1 and none is listed twice; what a reader
    /// of a foreign file checks before it trusts [`RankSet::len`].
    pub fn is_valid(&self, ranks: u32) -> bool {
        let total: u64 = self.ranges.iter().map(|range| u64::from(range.count)).sum();
        if total > u64::from(ranks) {
            return false;
        }
        let mut seen = vec![false; ranks as usize];
        self.ranges.iter().all(|range| {
            (0..range.count).all(|i| match range.rank_at(i) {
                Some(rank) if rank < ranks => !std::mem::replace(&mut seen[rank as usize], true),
                _ => false,
            })
        })
    }
}

impl RankRange {
    fn rank_at(&self, index: u32) -> Option<u32> {
        u32::try_from(i64::from(self.first) + i64::from(self.stride) * i64::from(index)).ok()
    }

    fn settled(self) -> Vec<RankRange> {
        let single = |first| RankRange { first, count: 1, stride: 1 };
        match (self.count, self.rank_at(1)) {
            (2, Some(second)) if self.stride != 1 => vec![single(self.first), single(second)],
            _ => vec![self],
        }
    }
}

/// Prints `0-15`, `0-14/2` (every second), `3`, joined by commas.
impl fmt::Display for RankSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, range) in self.ranges.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let last = range.rank_at(range.count.saturating_sub(1)).unwrap_or(range.first);
            match (range.count, range.stride) {
                (0, _) => {}
                (1, _) => write!(f, "{comma}{}", range.first)?,
                (_, 1) => write!(f, "{comma}{}-{last}", range.first)?,
                (_, stride) => write!(f, "{comma}{}-{last}/{stride}", range.first)?,
            }
        }
        Ok(())
    }
}

/// Reads what `Display` prints.
impl std::str::FromStr for RankSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut ranges = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            ranges.push(
                parse_range(part).ok_or_else(|| format!("'{part}' is not a range of ranks like 0-6/2"))?,
            );
        }
        Ok(Self { ranges })
    }
}

fn parse_range(part: &str) -> Option<RankRange> {
    let (span, stride) = match part.split_once('/') {
        Some((span, stride)) => (span, stride.parse::<i32>().ok()?),
        None => (part, 1),
    };
    let Some((first, last)) = span.split_once('-') else {
        return Some(RankRange { first: span.parse().ok()?, count: 1, stride: 1 });
    };
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let steps = (i64::from(last) - i64::from(first)).checked_div(i64::from(stride))?;
    Some(RankRange { first, count: u32::try_from(steps).ok()?.checked_add(1)?, stride })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(ranks: &[u32]) -> RankSet {
        RankSet::from_ranks(ranks.iter().copied().map(Rank))
    }

    #[test]
    fn prints_short() {
        let cases: [(&[u32], &str); 6] = [
            (&[0, 1, 2, 3], "0-3"),
            (&[0, 2, 4, 6], "0-6/2"),
            (&[5], "5"),
            (&[1, 4], "1,4"),
            (&[0, 1, 2, 7, 9, 11, 12], "0-2,7-11/2,12"),
            (&[3, 2, 1, 0], "3-0/-1"),
        ];
        for (ranks, text) in cases {
            assert_eq!(set(ranks).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn keeps_order_and_reads_back(ranks in prop::collection::vec(0u32..40, 0..30)) {
            let made = set(&ranks);
            let listed: Vec<u32> = made.iter().map(|rank| rank.0).collect();
            prop_assert_eq!(&listed, &ranks);
            let read: RankSet = made.to_string().parse().unwrap();
            prop_assert_eq!(read.iter().collect::<Vec<_>>(), made.iter().collect::<Vec<_>>());
        }
    }
}
