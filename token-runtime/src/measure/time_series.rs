//! Times of one variant in the order of its executions, for blocks whose work changes while the loops around them run.
//! The memory is bounded: when there are too many segments, the most similar neighbours are merged, so that an
//! execution that takes much longer than those around it keeps its place. [`super::samples`] contains
//! the distribution of all executions.

use base_data::distribution::Distribution;
use base_data::rank_recording::TimeSeriesSegment;

/// Parts that are kept while a program runs, and to which they are then brought down.
const MAX_SEGMENTS: usize = 8192;
const KEPT_SEGMENTS: usize = MAX_SEGMENTS / 2;
/// Parts that are written, and more only of what stands apart from its neighbours.
const MAX_WRITTEN_SEGMENTS: usize = 64;
/// Means of neighbours that differ by this, relative to the larger one, stand apart,
const MIN_DIFFERENCE: f64 = 0.25;
/// if this share of all that the rank was measured in would be moved from one to the other.
const MIN_SHIFTED_SHARE: f64 = 1e-5;
/// Values of a part that are kept one by one.
const MAX_SINGLE_VALUES: usize = 64;

/// Consecutive executions that are merged.
#[derive(Debug)]
struct Segment {
    first: u64,
    last: u64,
    /// Those that were not disturbed.
    count: f64,
    sum: f64,
    /// Values that are still apart, and the others.
    values: Vec<i64>,
    times: Distribution,
}

impl Segment {
    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// How many ticks are no longer where they were if two parts are taken together.
    fn shifted_time(&self, next: &Segment) -> f64 {
        (self.mean() - next.mean()).abs() * self.count * next.count / (self.count + next.count)
    }

    fn differs_from(&self, next: &Segment) -> bool {
        (self.mean() - next.mean()).abs() > MIN_DIFFERENCE * self.mean().max(next.mean())
    }

    fn merge(&mut self, next: Segment) {
        self.last = next.last;
        self.count += next.count;
        self.sum += next.sum;
        self.values.extend(next.values);
        self.times = self.times.merged(&next.times);
        if self.values.len() > MAX_SINGLE_VALUES {
            self.times = self.all();
            self.values = Vec::new();
        }
    }

    fn all(&self) -> Distribution {
        self.times.merged(&Distribution::of(self.values.clone()))
    }
}

/// The later executions of a variant; the first one is none of them.
#[derive(Debug)]
pub(super) struct TimeSeries {
    /// In order.
    segments: Vec<Segment>,
    /// How many executions there were so far.
    executions: u64,
    /// Whether the first execution is still to come.
    is_new: bool,
    has_ended: bool,
}

impl Default for TimeSeries {
    fn default() -> Self {
        Self {
            segments: Vec::new(),
            executions: 0,
            is_new: true,
            has_ended: false,
        }
    }
}

impl TimeSeries {
    /// One execution; without ticks one that was disturbed.
    pub(super) fn executed(&mut self, ticks: Option<u64>) {
        // `Samples::first` contains the first execution.
        if std::mem::take(&mut self.is_new) || self.has_ended {
            return;
        }
        self.executions += 1;
        if let Some(ticks) = ticks {
            let (first, last) = (self.executions, self.executions);
            let (values, times) = (vec![ticks as i64], Distribution::default());
            self.segments.push(Segment {
                first,
                last,
                count: 1.0,
                sum: ticks as f64,
                values,
                times,
            });
        }
        if self.segments.len() == MAX_SEGMENTS {
            reduce_to(&mut self.segments, KEPT_SEGMENTS, |_, _| true);
        }
    }

    /// Nothing that is executed from now on has a number.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// All segments, in the unit of the data; `whole` is the measured time of the rank, in ticks. A variant that was executed
    /// once has one segment without times: the times of later executions are unknown.
    pub(super) fn segments(&mut self, whole: f64, scale: f64) -> Vec<TimeSeriesSegment> {
        reduce_to(&mut self.segments, MAX_WRITTEN_SEGMENTS, |part, next| {
            part.shifted_time(next) <= MIN_SHIFTED_SHARE * whole || !part.differs_from(next)
        });
        let written = |part: &Segment| TimeSeriesSegment {
            first: part.first,
            last: part.last,
            times: part.all().scaled(scale),
        };
        let mut segments: Vec<TimeSeriesSegment> = self.segments.iter().map(written).collect();
        let is_one = self.executions == 0 && !self.is_new;
        if is_one {
            segments.push(TimeSeriesSegment {
                first: 0,
                last: 0,
                times: Distribution::default(),
            });
        }
        segments
    }
}

/// Takes neighbours together, those first of which least is moved, until there are no more than so many or none that may be.
fn reduce_to(
    segments: &mut Vec<Segment>,
    most: usize,
    may_join: impl Fn(&Segment, &Segment) -> bool,
) {
    while segments.len() > most {
        let pairs = segments
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| may_join(&pair[0], &pair[1]));
        let mut pairs: Vec<(f64, usize)> = pairs
            .map(|(number, pair)| (pair[0].shifted_time(&pair[1]), number))
            .collect();
        if pairs.is_empty() {
            return;
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The joins of this round raise the cost of later joins of the same segments, so the expensive half is
        // compared again in the next round.
        pairs.truncate(pairs.len().div_ceil(2));
        let mut joins = vec![false; segments.len() + 1];
        let mut excess = segments.len() - most;
        for (_, number) in pairs {
            // A segment takes part in one join per round: the cost of a second one depends on the result of the first.
            let is_free = !joins[number + 1]
                && !joins[number]
                && (number + 2 > segments.len() || !joins[number + 2]);
            if excess > 0 && is_free {
                joins[number + 1] = true;
                excess -= 1;
            }
        }
        let mut joined: Vec<Segment> = Vec::with_capacity(segments.len());
        for (part, joins) in std::mem::take(segments).into_iter().zip(joins) {
            match joined.last_mut() {
                Some(before) if joins => before.merge(part),
                Some(_) | None => joined.push(part),
            }
        }
        *segments = joined;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(time_series: &mut TimeSeries, whole: f64) -> Vec<(u64, u64, f64)> {
        time_series
            .segments(whole, 2.0)
            .iter()
            .map(|part| (part.first, part.last, part.times.mean))
            .collect()
    }

    #[test]
    fn single_execution_has_one_empty_segment() {
        assert!(
            TimeSeries::default().segments(9.0, 1.0).is_empty(),
            "none was executed"
        );
        let segments = time_series_of(std::iter::empty()).segments(9.0, 1.0);
        let found: Vec<_> = segments
            .iter()
            .map(|part| (part.first, part.last, part.times.count))
            .collect();
        assert_eq!(found, [(0, 0, 0)]);
    }

    fn time_series_of(later: impl Iterator<Item = u64>) -> TimeSeries {
        let mut time_series = TimeSeries::default();
        std::iter::once(99)
            .chain(later)
            .for_each(|ticks| time_series.executed(Some(ticks)));
        time_series
    }

    #[test]
    fn few_executions_keep_one_segment_each() {
        let mut time_series = TimeSeries::default();
        [Some(99), Some(1), Some(3), None, Some(5)]
            .into_iter()
            .for_each(|ticks| time_series.executed(ticks));
        let expected = [(1, 1, 2.0), (2, 2, 6.0), (4, 4, 10.0)];
        assert_eq!(
            shown(&mut time_series, 9.0),
            expected,
            "the first is none of them"
        );
        time_series.end();
        time_series.executed(Some(7));
        assert_eq!(shown(&mut time_series, 9.0).len(), 3);
    }

    #[test]
    fn merged_segments_preserve_the_sum() {
        let mut time_series = time_series_of(2000..3000);
        let segments = time_series.segments(2.5e6, 1.0);
        assert!(
            (MAX_WRITTEN_SEGMENTS / 2..=MAX_WRITTEN_SEGMENTS).contains(&segments.len()),
            "{}",
            segments.len()
        );
        assert_eq!(
            (segments[0].first, segments[segments.len() - 1].last),
            (1, 1000)
        );
        for part in &segments {
            assert_eq!(
                part.times.mean,
                1999.0 + (part.first + part.last) as f64 / 2.0
            );
            assert_eq!(part.times.count, part.last - part.first + 1);
        }
    }

    /// Every twentieth of a thousand, and of a hundred thousand.
    #[test]
    fn outlier_executions_keep_their_position() {
        for (all, every) in [(1000, 20), (100_000, 2000)] {
            let took = |number: u64| {
                if number.is_multiple_of(every) {
                    5_000_000
                } else {
                    1000 + number % 7
                }
            };
            let segments =
                time_series_of((1..=all).map(took)).segments(5e6 * (all / every) as f64, 1.0);
            let is_long = |part: &TimeSeriesSegment| part.times.mean > 1007.0;
            let long = segments
                .iter()
                .filter(|part| is_long(part))
                .map(|part| (part.first, part.last));
            assert!(long.eq((1..=all / every).map(|number| (number * every, number * every))));
            assert!(
                segments.len() as u64 <= 2 * all / every + 1,
                "{}",
                segments.len()
            );
        }
    }

    #[test]
    fn negligible_outliers_are_merged() {
        let took = |number: u64| {
            if number.is_multiple_of(20) {
                5000
            } else {
                1000
            }
        };
        assert!(
            time_series_of((1..=2000).map(took))
                .segments(1e12, 1.0)
                .len()
                <= MAX_WRITTEN_SEGMENTS
        );
    }

    #[test]
    fn number_of_segments_is_bounded() {
        let mut time_series = time_series_of((1..100_000).map(|number| 1000 + 1000 * (number % 2)));
        assert!(time_series.segments.len() < MAX_SEGMENTS);
        let segments = time_series.segments(1.0, 1.0);
        assert!(segments.len() < MAX_SEGMENTS);
        assert_eq!(
            segments.iter().map(|part| part.times.count).sum::<u64>(),
            99_999
        );
    }
}
