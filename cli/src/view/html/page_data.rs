//! The data of an estimate's page: small enough to embed, exact enough to zoom into.
//!
//! Times of the timeline are integers in *ticks*. A rank's segments are one string of numbers in
//! base 32, least significant digit first (the scheme of source maps): per segment its duration,
//! then its kind, an index into the list of (category, activity) pairs.

use super::super::estimate as shown;
use base_data::Time;
use base_data::estimate_file::{Activity, Category, Estimate, RankTime, Segment};
use base_data::explanation::PathSegment;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The largest integer that a JavaScript number holds exactly.
const LARGEST_EXACT: i64 = (1 << 53) - 1;
/// Ticks in the shortest segment that was not merged: what is shown of it has three digits.
const TICKS_IN_RESOLUTION: i64 = 1000;
/// Ticks in the whole timeline, where no resolution says what can be seen.
const TICKS_IN_ALL: i64 = 1_000_000_000;

#[derive(Serialize)]
struct PageData {
    /// Picoseconds in a tick.
    tick: i64,
    /// Picoseconds in a unit of `ranks`.
    unit: i64,
    /// Names of the categories.
    categories: [&'static str; 6],
    /// Blocks and call sites: `[what, where, procedure]`.
    activities: Vec<[String; 3]>,
    /// Category and activity (−1 where several were merged) of each kind of segment.
    kinds: Vec<(usize, i64)>,
    /// By rank: the section's begin and end, then the time in each category.
    ranks: Vec<Vec<i64>>,
    /// By rank.
    timeline: Vec<String>,
    /// Stays of the critical path: rank, from, to.
    path: Vec<[i64; 3]>,
}

/// Compact JSON, safe inside a `<script>` element.
pub fn json(estimate: &Estimate) -> String {
    let data = serde_json::to_string(&page_data(estimate))
        .expect("numbers and texts serialise without error");
    // These occur inside JSON strings only, where an escape means the same.
    data.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

fn page_data(estimate: &Estimate) -> PageData {
    let (tick, unit) = (tick(estimate), exact_unit(shown::last_end(estimate), 1));
    let kinds = SegmentKinds::of(estimate);
    let numbers = |times: &RankTime| {
        let ends = [times.begin, times.end].into_iter().chain(times.split);
        ends.map(|time| time.picoseconds() / unit).collect()
    };
    let activities = kinds.activities.iter().map(|&activity| {
        let name = shown::name(&estimate.program.table, activity);
        [name.function, name.place, name.procedure]
    });
    PageData {
        tick,
        unit,
        categories: Category::ALL.map(Category::label),
        activities: activities.collect(),
        kinds: kinds.listed(),
        ranks: estimate.per_rank.iter().map(numbers).collect(),
        path: estimate
            .explanation
            .critical_path
            .segments
            .iter()
            .map(|stay| drawn(stay, tick))
            .collect(),
        timeline: estimate
            .timeline
            .ranks
            .iter()
            .map(|rank| packed(rank, tick, &kinds))
            .collect(),
    }
}

fn drawn(stay: &PathSegment, tick: i64) -> [i64; 3] {
    [
        i64::from(stay.rank),
        stay.from.picoseconds() / tick,
        stay.to.picoseconds() / tick,
    ]
}

/// A power of ten that keeps three digits of the shortest segments and the whole exact.
fn tick(estimate: &Estimate) -> i64 {
    let whole = shown::last_end(estimate);
    let wanted = match estimate.timeline.resolution {
        Time::ZERO => whole.picoseconds() / TICKS_IN_ALL,
        resolution => resolution.picoseconds() / TICKS_IN_RESOLUTION,
    };
    let mut tick: i64 = 1;
    while tick.saturating_mul(10) <= wanted {
        tick *= 10;
    }
    exact_unit(whole, tick)
}

/// `unit`, or the first power of ten times it in which `whole` is an exact JavaScript number.
fn exact_unit(whole: Time, mut unit: i64) -> i64 {
    while whole.picoseconds() / unit > LARGEST_EXACT {
        unit *= 10;
    }
    unit
}

/// Kind of a segment of the timeline.
type SegmentKind = (Category, Option<Activity>);

/// The numbered kinds of segments, and their activities.
struct SegmentKinds {
    /// More frequent kinds have smaller numbers, which need fewer digits.
    numbers: BTreeMap<SegmentKind, u64>,
    activities: BTreeSet<Activity>,
}

impl SegmentKinds {
    fn of(estimate: &Estimate) -> Self {
        let mut counts: BTreeMap<SegmentKind, u64> = BTreeMap::new();
        for segment in estimate.timeline.ranks.iter().flatten() {
            *counts
                .entry((segment.category, segment.activity))
                .or_default() += 1;
        }
        let mut sorted: Vec<(SegmentKind, u64)> = counts.into_iter().collect();
        sorted.sort_by_key(|&(kind, count)| (Reverse(count), kind));
        let activities = sorted
            .iter()
            .filter_map(|((_, activity), _)| *activity)
            .collect();
        Self {
            numbers: sorted.into_iter().map(|(kind, _)| kind).zip(0..).collect(),
            activities,
        }
    }

    fn listed(&self) -> Vec<(usize, i64)> {
        let mut kinds: Vec<(&SegmentKind, &u64)> = self.numbers.iter().collect();
        kinds.sort_by_key(|&(_, number)| number);
        kinds
            .into_iter()
            .map(|((category, activity), _)| (category.index(), self.position(*activity)))
            .collect()
    }

    fn position(&self, activity: Option<Activity>) -> i64 {
        let position =
            activity.and_then(|wanted| self.activities.iter().position(|found| *found == wanted));
        position.map_or(-1, |position| position as i64)
    }
}

fn packed(segments: &[Segment], tick: i64, kinds: &SegmentKinds) -> String {
    let mut text = String::with_capacity(segments.len() * 5);
    let mut start = 0;
    for segment in segments {
        // Computed from rounded ends, since errors of rounded durations would accumulate.
        let end = (segment.end.picoseconds() / tick).max(start);
        push_number(&mut text, (end - start).unsigned_abs());
        push_number(
            &mut text,
            kinds
                .numbers
                .get(&(segment.category, segment.activity))
                .copied()
                .unwrap_or(0),
        );
        start = end;
    }
    text
}

/// Digits 0 to 31 end a number, 32 to 63 are followed by more significant ones.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn push_number(text: &mut String, mut number: u64) {
    while number >= 32 {
        text.push(char::from(DIGITS[32 + (number % 32) as usize]));
        number /= 32;
    }
    text.push(char::from(DIGITS[number as usize]));
}

#[cfg(test)]
mod tests {
    use super::super::super::samples;
    use super::*;

    fn read_numbers(text: &str) -> Vec<u64> {
        let (mut numbers, mut number, mut weight) = (vec![], 0, 1);
        for byte in text.bytes() {
            let digit = DIGITS.iter().position(|&known| known == byte).unwrap() as u64;
            number += digit % 32 * weight;
            weight *= 32;
            if digit < 32 {
                numbers.push(number);
                (number, weight) = (0, 1);
            }
        }
        numbers
    }

    #[test]
    fn numbers_round_trip() {
        let numbers = [0, 1, 31, 32, 1000, (1 << 53) - 1];
        let mut text = String::new();
        numbers
            .into_iter()
            .for_each(|number| push_number(&mut text, number));
        assert_eq!(read_numbers(&text), numbers);
    }

    #[test]
    fn timeline_round_trips() {
        let data = page_data(&samples::small_estimate());
        assert_eq!(data.tick, 1000);
        let numbers = read_numbers(&data.timeline[1]);
        let ends: Vec<u64> = numbers
            .iter()
            .step_by(2)
            .scan(0, |end, duration| {
                Some({
                    *end += duration;
                    *end
                })
            })
            .collect();
        assert_eq!(ends, [800_000, 980_000, 1_000_000]);
        let kinds: Vec<(usize, i64)> = numbers
            .iter()
            .skip(1)
            .step_by(2)
            .map(|&kind| data.kinds[kind as usize])
            .collect();
        let activity = |place: &str| {
            data.activities
                .iter()
                .position(|name| name[1] == place)
                .unwrap() as i64
        };
        assert_eq!(
            kinds,
            [
                (0, activity("cg.f:120-134")),
                (4, activity("cg.f:146")),
                (5, activity("cg.f:171"))
            ]
        );
    }

    #[test]
    fn long_runs_stay_exact() {
        let mut estimate = samples::small_estimate();
        estimate.per_rank[0].end = Time::MAX;
        estimate.timeline.ranks[0][2].end = Time::MAX;
        let data = page_data(&estimate);
        assert!(data.unit > 1 && Time::MAX.picoseconds() / data.tick <= LARGEST_EXACT);
    }
}
