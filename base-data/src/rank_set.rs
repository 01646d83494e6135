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
        let range = RankRange {
            first: 0,
            count,
            stride: 1,
        };
        Self {
            ranges: if count == 0 { Vec::new() } else { vec![range] },
        }
    }

    /// The ranks of `ranks`, in their order.
    pub fn from_ranks(ranks: impl IntoIterator<Item = Rank>) -> Self {
        let mut ranges: Vec<RankRange> = Vec::new();
        for Rank(rank) in ranks {
            let continued = ranges.last_mut().is_some_and(|range| range.extend_to(rank));
            if !continued {
                ranges.push(RankRange {
                    first: rank,
                    count: 1,
                    stride: 1,
                });
            }
        }
        // A pair that nothing continued reads better as two singles unless it is adjacent.
        Self {
            ranges: ranges.into_iter().flat_map(RankRange::settled).collect(),
        }
    }

    /// The ranks of `ranges`, in their order; see [`RankSet::is_valid`].
    pub fn from_ranges(ranges: Vec<RankRange>) -> Self {
        Self { ranges }
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
        self.ranges
            .iter()
            .flat_map(|range| (0..range.count).filter_map(|i| range.rank_at(i)).map(Rank))
    }

    /// Position of `rank` in the order, if it belongs.
    pub fn position(&self, rank: Rank) -> Option<usize> {
        let mut before = 0;
        for range in &self.ranges {
            if let Some(index) = range.index_of(rank.0) {
                return Some(before + index as usize);
            }
            before += range.count as usize;
        }
        None
    }

    /// The rank at a position of the order.
    pub fn get(&self, position: usize) -> Option<Rank> {
        let mut index = position;
        for range in &self.ranges {
            if index < range.count as usize {
                return range.rank_at(index as u32).map(Rank);
            }
            index -= range.count as usize;
        }
        None
    }

    /// The ranges, in order.
    pub fn ranges(&self) -> &[RankRange] {
        &self.ranges
    }

    /// The smallest and the largest rank of a valid set.
    pub fn bounds(&self) -> Option<(Rank, Rank)> {
        let spans = || self.ranges.iter().filter_map(|range| range.span());
        Some((
            Rank(spans().map(|span| span.0).min()?),
            Rank(spans().map(|span| span.1).max()?),
        ))
    }

    /// Whether no range leaves the ranks 0 to `ranks` − 1 and none is listed twice; what a reader
    /// of a foreign file checks before it trusts [`RankSet::len`] or walks [`RankSet::iter`].
    pub fn is_valid(&self, ranks: u32) -> bool {
        let total: u64 = self.ranges.iter().map(|range| u64::from(range.count)).sum();
        total <= u64::from(ranks)
            && self.ranges.iter().all(|range| range.is_within(ranks))
            // The check of each rank, whose cost grows with the set, only where ranges are interleaved.
            && (self.has_disjoint_spans() || self.lists_none_twice())
    }

    /// Cheap sufficient condition for listing no rank twice.
    fn has_disjoint_spans(&self) -> bool {
        let mut spans: Vec<(u32, u32)> = self
            .ranges
            .iter()
            .filter_map(|range| range.span())
            .collect();
        spans.sort_unstable();
        spans.windows(2).all(|pair| pair[0].1 < pair[1].0)
    }

    fn lists_none_twice(&self) -> bool {
        // The caller has checked that all ranges are below the number of ranks, which bounds this table.
        let largest = self
            .bounds()
            .map_or(0, |(_, Rank(largest))| largest as usize);
        let mut seen = vec![false; largest + 1];
        self.iter()
            .all(|Rank(rank)| !std::mem::replace(&mut seen[rank as usize], true))
    }
}

impl RankRange {
    fn rank_at(&self, index: u32) -> Option<u32> {
        // |stride| ≤ 2^31 and index < 2^32: the product and the sum fit an i64.
        u32::try_from(i64::from(self.first) + i64::from(self.stride) * i64::from(index)).ok()
    }

    fn index_of(&self, rank: u32) -> Option<u32> {
        let (distance, stride) = (
            i64::from(rank) - i64::from(self.first),
            i64::from(self.stride),
        );
        // A file of another origin may have a stride of 0, and 0 / 0 has no value.
        let index = if distance == 0 {
            0
        } else {
            distance.checked_div(stride)?
        };
        u32::try_from(index)
            .ok()
            // Division rounds towards 0, so a rank between two of the range needs the second test.
            .filter(|&index| index < self.count && self.rank_at(index) == Some(rank))
    }

    /// Takes `rank` in as the next one if it continues the range.
    fn extend_to(&mut self, rank: u32) -> bool {
        if self.count == 1 {
            let stride = i32::try_from(i64::from(rank) - i64::from(self.first)).unwrap_or(0);
            if stride == 0 {
                return false;
            }
            self.stride = stride;
        } else if self.rank_at(self.count) != Some(rank) {
            return false;
        }
        self.count += 1;
        true
    }

    /// Smallest and largest rank; `None` where the range leaves the ranks there can be.
    fn span(&self) -> Option<(u32, u32)> {
        let last = self.rank_at(self.count.checked_sub(1)?)?;
        Some((self.first.min(last), self.first.max(last)))
    }

    /// Whether it holds ranks below `ranks`, each once, in the one way it is written.
    fn is_within(&self, ranks: u32) -> bool {
        let written_well = if self.count == 1 {
            self.stride == 1
        } else {
            self.stride != 0
        };
        written_well && self.span().is_some_and(|(_, largest)| largest < ranks)
    }

    fn settled(self) -> Vec<RankRange> {
        let single = |first| RankRange {
            first,
            count: 1,
            stride: 1,
        };
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
            let last = range
                .rank_at(range.count.saturating_sub(1))
                .unwrap_or(range.first);
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
                parse_range(part)
                    .ok_or_else(|| format!("'{part}' is not a range of ranks like 0-6/2"))?,
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
        return Some(RankRange {
            first: span.parse().ok()?,
            count: 1,
            stride: 1,
        });
    };
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    // `None` for a stride of 0.
    let steps = (i64::from(last) - i64::from(first)).checked_div(i64::from(stride))?;
    let count = u32::try_from(steps).ok()?.checked_add(1)?;
    Some(RankRange {
        first,
        count,
        stride: if count == 1 { 1 } else { stride },
    })
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

    #[test]
    fn foreign_rank_sets_are_checked_without_iteration() {
        let range = |first, count, stride| RankRange {
            first,
            count,
            stride,
        };
        let cases = [
            (vec![range(0, 8, 1)], true),
            (vec![range(0, 4, 2), range(1, 4, 2)], true),
            (vec![range(7, 8, -1)], true),
            (vec![range(0, 9, 1)], false),
            (vec![range(0, 4, 2), range(2, 2, 1)], false),
            (vec![range(0, u32::MAX, 0)], false),
            (vec![range(0, 2, 0)], false),
            (vec![range(3, 0, 1)], false),
            (vec![range(3, 1, 5)], false),
            (vec![range(u32::MAX, u32::MAX, i32::MIN)], false),
            (vec![range(u32::MAX, u32::MAX, i32::MAX)], false),
        ];
        for (ranges, valid) in cases {
            let set = RankSet { ranges };
            assert_eq!(set.is_valid(8), valid, "{:?}", set.ranges);
        }
    }

    #[test]
    fn far_neighbours_do_not_overflow() {
        let ranks = [u32::MAX, 0, u32::MAX, 5, 5, 5];
        let made = set(&ranks);
        assert_eq!(made.iter().map(|rank| rank.0).collect::<Vec<_>>(), ranks);
        assert_eq!(made.to_string().parse::<RankSet>(), Ok(made));
    }

    proptest! {
        #[test]
        fn positions_count_along_the_order(
            ranks in prop::sample::subsequence((0u32..40).collect::<Vec<_>>(), 0..30).prop_shuffle()
        ) {
            let made = set(&ranks);
            prop_assert!(made.is_valid(40));
            for rank in 0..41 {
                let position = ranks.iter().position(|&member| member == rank);
                prop_assert_eq!(made.position(Rank(rank)), position);
            }
            for position in 0..31 {
                prop_assert_eq!(made.get(position).map(|rank| rank.0), ranks.get(position).copied());
            }
        }

        #[test]
        fn order_is_kept_and_round_trips(ranks in prop::collection::vec(0u32..40, 0..30)) {
            let made = set(&ranks);
            let listed: Vec<u32> = made.iter().map(|rank| rank.0).collect();
            prop_assert_eq!(&listed, &ranks);
            let read: RankSet = made.to_string().parse().unwrap();
            prop_assert_eq!(read, made);
        }
    }
}
