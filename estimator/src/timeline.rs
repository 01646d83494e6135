//! Activities of each rank over time, merged to the resolution of a screen: shorter segments are merged with
//! each other or with the segment before them; nothing is omitted and no gap remains.

use crate::replay::observer::{Observer, Stretch};
use base_data::Time;
use base_data::estimate_file::{Activity, Category, Segment, Timeline};

/// Longest timeline of one rank, in segments.
const SEGMENTS_PER_RANK: i64 = 20_000;
/// Longest timeline of all ranks together: what a browser can still draw.
const SEGMENTS: i64 = 320_000;

/// Builds a timeline while a replay runs.
#[derive(Debug)]
pub(crate) struct TimelineBuilder {
    resolution: Time,
    ranks: Vec<RankLine>,
}

#[derive(Clone, Debug, Default)]
struct RankLine {
    segments: Vec<Segment>,
    open: Option<OpenSegment>,
}

/// A segment under construction: consecutive stretches that become one segment.
#[derive(Clone, Copy, Debug)]
struct OpenSegment {
    start: Time,
    end: Time,
    split: [Time; 6],
    category: Category,
    /// `None` once several activities or categories are in it.
    activity: Option<Activity>,
}

impl OpenSegment {
    fn of(stretch: &Stretch) -> Self {
        let mut piece = Self {
            start: stretch.from,
            end: stretch.from,
            split: [Time::ZERO; 6],
            category: stretch.category,
            activity: Some(stretch.activity),
        };
        piece.extend(stretch);
        piece
    }

    fn extend(&mut self, stretch: &Stretch) {
        self.end = stretch.to;
        self.split[stretch.category.index()] += stretch.to - stretch.from;
    }

    fn continues(&self, stretch: &Stretch) -> bool {
        self.activity == Some(stretch.activity) && self.category == stretch.category
    }

    /// The category with the most time; of equals, the first in reports.
    fn main_category(&self) -> Category {
        let longest = self.split.iter().max().copied().unwrap_or_default();
        Category::ALL
            .into_iter()
            .find(|category| self.split[category.index()] == longest)
            .unwrap_or(self.category)
    }
}

impl TimelineBuilder {
    /// For a run of `ranks` ranks that lasts `total`.
    pub(crate) fn new(ranks: usize, total: Time) -> Self {
        // The number of segments is bounded by the resolution, whatever the number of events.
        let segments = (SEGMENTS / (ranks.max(1) as i64)).clamp(1, SEGMENTS_PER_RANK);
        let resolution = Time::from_picoseconds(total.picoseconds() / segments);
        Self {
            resolution,
            ranks: vec![RankLine::default(); ranks],
        }
    }

    /// The timeline.
    pub(crate) fn finish(mut self) -> Timeline {
        for line in &mut self.ranks {
            line.close(self.resolution);
        }
        Timeline {
            resolution: self.resolution,
            ranks: self.ranks.into_iter().map(|line| line.segments).collect(),
        }
    }
}

impl RankLine {
    fn add(&mut self, stretch: &Stretch, resolution: Time) {
        let Some(open) = &mut self.open else {
            self.open = Some(OpenSegment::of(stretch));
            return;
        };
        if open.continues(stretch) {
            open.extend(stretch);
        } else if open.end - open.start >= resolution || stretch.to - stretch.from >= resolution {
            self.close(resolution);
            self.open = Some(OpenSegment::of(stretch));
        } else {
            open.extend(stretch);
            open.activity = None;
        }
    }

    fn close(&mut self, resolution: Time) {
        let Some(piece) = self.open.take() else {
            return;
        };
        match self.segments.last_mut() {
            // Too short to be seen: it lengthens the segment before it, so that no gap remains.
            Some(last) if piece.end - piece.start < resolution => last.end = piece.end,
            _ => self.segments.push(Segment {
                end: piece.end,
                category: piece.main_category(),
                activity: piece.activity,
            }),
        }
    }
}

impl Observer for TimelineBuilder {
    const EVERY_EVENT: bool = true;

    fn began(&mut self, rank: u32) {
        self.ranks[rank as usize] = RankLine::default();
    }

    fn spent(&mut self, stretch: Stretch) {
        if stretch.to > stretch.from {
            self.ranks[stretch.rank as usize].add(&stretch, self.resolution);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::BlockId;

    /// Segments as `end category block`, from stretches as (length, category, block).
    fn segments(resolution: i64, stretches: &[(i64, Category, u32)]) -> Vec<String> {
        let mut builder =
            TimelineBuilder::new(1, Time::from_picoseconds(resolution * SEGMENTS_PER_RANK));
        let mut at = Time::ZERO;
        for &(length, category, block) in stretches {
            let (from, activity) = (at, Activity::Block(BlockId(block)));
            at += Time::from_picoseconds(length);
            builder.spent(Stretch {
                rank: 0,
                activity,
                category,
                from,
                to: at,
            });
        }
        let text = |segment: &Segment| {
            let block = match segment.activity {
                Some(Activity::Block(block)) => block.to_string(),
                _ => "-".into(),
            };
            format!(
                "{} {} {block}",
                segment.end.picoseconds(),
                segment.category.label()
            )
        };
        builder.finish().ranks[0].iter().map(text).collect()
    }

    #[test]
    fn merges_what_is_short() {
        use Category::{Compute, ReceiveWait};
        type Case = (&'static [(i64, Category, u32)], &'static [&'static str]);
        let cases: [Case; 5] = [
            (
                &[(20, Compute, 1), (30, ReceiveWait, 2)],
                &["20 compute 1", "50 receive wait 2"],
            ),
            (&[(20, Compute, 1), (30, Compute, 1)], &["50 compute 1"]),
            (
                &[(20, Compute, 1), (3, ReceiveWait, 2), (40, Compute, 3)],
                &["23 compute 1", "63 compute 3"],
            ),
            (
                &[
                    (4, Compute, 1),
                    (5, ReceiveWait, 2),
                    (4, Compute, 1),
                    (50, Compute, 7),
                ],
                &["13 compute -", "63 compute 7"],
            ),
            (
                &[(3, ReceiveWait, 1), (0, Compute, 2)],
                &["3 receive wait 1"],
            ),
        ];
        for (stretches, expected) in cases {
            assert_eq!(segments(10, stretches), expected);
        }
    }
}
