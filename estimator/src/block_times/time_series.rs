//! Time series of a variant whose work changes while the loops around it run: linear between measured executions (Mizutani et
//! al., MSS, 2004, §3.2, equation 1, where the number of an execution stands for the indices of all loops around it), before and
//! after them constant. [`super::trailing_executions`] estimates the error
//! after the last one.

use super::trailing_executions::TrailingExecutions;
use base_data::compute_data::{ComputeEntry, Coordinates};
use base_data::distribution::Distribution;
use std::collections::BTreeMap;

/// Consecutive executions, and their mean time relative to the mean of all.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    first: f64,
    last: f64,
    mean: f64,
    /// By how much the factor grows from one execution to the next.
    slope: f64,
    /// How far single executions lie apart: the standard deviation of the factor.
    spread: f64,
}

impl Segment {
    fn middle(&self) -> f64 {
        (self.first + self.last) / 2.0
    }

    fn factor(&self, execution: f64) -> f64 {
        self.mean + self.slope * (execution - self.middle())
    }

    /// The steepest that its executions could be on a line: evenly spread over a length they deviate by its twelfth's root.
    fn steepest_slope(&self) -> f64 {
        self.spread * 12f64.sqrt() / (self.last - self.first).max(1.0)
    }

    /// How steep it is from one part to the next.
    fn slope_towards(&self, next: &Segment) -> f64 {
        (next.mean - self.mean) / (next.middle() - self.middle())
    }
}

/// Factors on the mean of a variant's later executions, by the number of the execution.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TimeSeries {
    /// Ascending.
    parts: Vec<Segment>,
    /// What executions behind the last may be.
    behind: TrailingExecutions,
}

impl TimeSeries {
    /// Of parts: first and last execution, and the factor of their mean. Each keeps its sum: within it the factor goes as
    /// on that side on which the next part is more alike, and stays where one is higher, one lower or none
    /// (a minmod limiter: van Leer, J. Comput. Phys. 32, 1979), and nowhere steeper than its executions lie apart.
    fn of(mut parts: Vec<Segment>) -> Self {
        parts.sort_by(|a, b| a.first.total_cmp(&b.first));
        let slopes: Vec<f64> = parts
            .windows(3)
            .map(|three| {
                smaller_slope(
                    three[0].slope_towards(&three[1]),
                    three[1].slope_towards(&three[2]),
                )
            })
            .collect();
        parts
            .iter_mut()
            // The first and the last part have a neighbour on one side only and stay flat.
            .skip(1)
            .zip(slopes)
            .for_each(|(part, slope)| {
                let steepest_slope = part.steepest_slope();
                part.slope = slope.clamp(-steepest_slope, steepest_slope);
            });
        Self {
            parts,
            behind: TrailingExecutions::default(),
        }
    }

    /// The factor of an execution, counted from 0; `None` of an empty time series.
    fn factor_at(&self, execution: f64) -> Option<f64> {
        let above = self.parts.partition_point(|part| part.first <= execution);
        let below = above.checked_sub(1).map(|below| &self.parts[below]);
        Some(match (below, self.parts.get(above)) {
            (Some(here), _) if execution <= here.last => here.factor(execution),
            (Some(before), Some(behind)) => {
                let (from, to) = (before.factor(before.last), behind.factor(behind.first));
                from + (to - from) * (execution - before.last) / (behind.first - before.last)
            }
            (Some(before), None) => before.factor(before.last),
            (None, Some(behind)) => behind.factor(behind.first),
            (None, None) => return None,
        })
    }

    /// How far executions of the same part lie apart; where none was measured, they may be anything.
    fn spread_at(&self, execution: f64) -> f64 {
        let behind = self.parts.partition_point(|part| part.first <= execution);
        let here = behind.checked_sub(1).map(|here| &self.parts[here]);
        here.filter(|part| execution <= part.last)
            .map_or(f64::MAX, |part| part.spread)
    }

    /// The factor of an execution, counted from 0.
    pub(crate) fn factor(&self, execution: u64) -> f64 {
        self.factor_at(execution as f64).unwrap_or(1.0)
    }

    /// Sum of the factors of later executions up to one that was measured: what is between two parts as it is between
    /// their ends.
    pub(super) fn sum(&self, last: u64) -> f64 {
        // Factors are linear within parts and between them, so the value in the middle gives the exact sum.
        let (mut sum, mut next, last) = (0.0, 1.0, last as f64);
        for part in self.parts.iter().filter(|part| part.first <= last) {
            let gap = (part.first - next).max(0.0);
            sum += gap
                * self
                    .factor_at((next + part.first - 1.0) / 2.0)
                    .unwrap_or(1.0);
            // The first execution is no later one.
            let (first, end) = (part.first.max(1.0), part.last.min(last));
            sum += (end - first + 1.0).max(0.0) * part.factor((first + end) / 2.0);
            next = (end + 1.0).max(next);
        }
        sum + (last + 1.0 - next).max(0.0) * self.factor_at((next + last) / 2.0).unwrap_or(1.0)
    }

    /// Number of the last execution that was measured: from there on the factor stays.
    pub(crate) fn last(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.last as u64)
    }

    /// The same where a rank makes so many executions.
    pub(super) fn with_executions(&mut self, executions: u64) {
        let found = TrailingExecutions::of(self, executions.saturating_sub(1));
        self.behind = self.behind.or(found);
    }

    /// Whether there are executions after the last measured one whose time may differ from its time.
    pub(crate) fn rises_or_falls_at_end(&self) -> bool {
        self.behind != TrailingExecutions::default()
    }

    /// That of single executions in order, the first of them left out; of the first alone, where there are none.
    #[cfg(test)]
    pub(super) fn from_times(times: &[f64]) -> Self {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let part = |(number, time): (usize, &f64)| {
            let number = (number + 1) as f64;
            Segment {
                first: number,
                last: number,
                mean: time / mean,
                slope: 0.0,
                spread: 0.0,
            }
        };
        let only = Segment {
            first: 0.0,
            last: 0.0,
            mean: 1.0,
            slope: 0.0,
            spread: 0.0,
        };
        let parts: Vec<Segment> = times.iter().enumerate().map(part).collect();
        Self::of(if parts.is_empty() { vec![only] } else { parts })
    }

    /// The factor of an execution if those behind the last are off as far as `off` says: nothing at 0, as far as they
    /// may be at 1 and −1.
    pub(super) fn factor_with_deviation(&self, execution: u64, off: f64) -> f64 {
        let factor = self.factor(execution);
        if execution > self.last() {
            self.behind.factor(factor, off)
        } else {
            factor
        }
    }

    /// That of ranks that were not measured: what those that were have on average; `None` without any.
    pub(super) fn mean_of<'a>(
        time_series_table: impl Iterator<Item = &'a TimeSeries>,
    ) -> Option<Self> {
        let time_series_table: Vec<&TimeSeries> = time_series_table
            .filter(|time_series| !time_series.parts.is_empty())
            .collect();
        let parts = time_series_table
            .iter()
            .flat_map(|time_series| &time_series.parts);
        let mut begins: Vec<f64> = parts
            .flat_map(|part| [part.first, part.last + 1.0])
            .collect();
        begins.sort_by(f64::total_cmp);
        begins.dedup();
        let part = |ends: &[f64]| {
            // Between two neighbouring begins, every rank's series is a single line.
            let (first, last) = (ends[0], ends[1] - 1.0);
            let factors = time_series_table
                .iter()
                .filter_map(|time_series| time_series.factor_at((first + last) / 2.0));
            let mean = factors.sum::<f64>() / time_series_table.len() as f64;
            let spreads = time_series_table
                .iter()
                .map(|time_series| time_series.spread_at((first + last) / 2.0));
            let spread = spreads.fold(0.0, f64::max);
            Segment {
                first,
                last,
                mean,
                slope: 0.0,
                spread,
            }
        };
        if time_series_table.is_empty() {
            return None;
        }
        Some(Self::of(begins.windows(2).map(part).collect()))
    }
}

/// The slope that is nearer to 0; 0 if they have different signs.
fn smaller_slope(one: f64, other: f64) -> f64 {
    if one * other <= 0.0 {
        0.0
    } else {
        one.signum() * one.abs().min(other.abs())
    }
}

/// Terms, rank, ranks per node and threads.
pub(super) type Key = (Vec<i64>, u32, u32, u32);

/// The time series of a block's variants on one number of ranks.
#[derive(Debug, Default)]
pub(super) struct TimeSeriesTable(BTreeMap<Key, TimeSeries>);

impl TimeSeriesTable {
    /// That of an entry without parts.
    pub(super) fn of(&self, entry: &ComputeEntry) -> Option<&TimeSeries> {
        let rank = entry.coordinates.first()?.rank;
        self.0.get(&(
            entry.terms.clone(),
            rank,
            entry.ranks_per_node,
            entry.threads,
        ))
    }
}

/// Entries as if nothing had been kept apart by execution: those that are whole, and those that are joined of parts; with
/// the time series for `ranks` ranks. The spread of joined ones is that within the parts alone.
pub(super) fn joined<'a>(
    entries: &[&'a ComputeEntry],
    ranks: u32,
) -> (Vec<&'a ComputeEntry>, Vec<ComputeEntry>, TimeSeriesTable) {
    let (mut whole_entries, mut joined) = (Vec::new(), Vec::new());
    let mut parts: BTreeMap<(Key, u32, u8), Vec<&ComputeEntry>> = BTreeMap::new();
    for &entry in entries {
        match entry.coordinates.as_slice() {
            [
                Coordinates {
                    rank,
                    ranks,
                    indices,
                },
            ] if !indices.is_empty() => {
                let key = (
                    entry.terms.clone(),
                    *rank,
                    entry.ranks_per_node,
                    entry.threads,
                );
                parts
                    .entry((key, *ranks, entry.feed as u8))
                    .or_default()
                    .push(entry);
            }
            _ => whole_entries.push(entry),
        }
    }
    let mut time_series_table = TimeSeriesTable::default();
    for ((key, of_ranks, _), parts) in parts {
        let (entry, time_series) = whole(&parts);
        joined.push(entry);
        // Executions of another number of ranks have other work, so their order says nothing here.
        if of_ranks == ranks {
            let known = time_series_table.0.get(&key);
            let all = TimeSeries::mean_of(known.into_iter().chain([&time_series]));
            time_series_table.0.extend(all.map(|all| (key, all)));
        }
    }
    (whole_entries, joined, time_series_table)
}

/// The parts of a rank's executions of one variant, which are not none.
fn whole(parts: &[&ComputeEntry]) -> (ComputeEntry, TimeSeries) {
    let sum: f64 = parts
        .iter()
        .map(|part| part.warm.mean * part.warm.count as f64)
        .sum();
    let count: u64 = parts.iter().map(|part| part.warm.count).sum();
    let mean = sum / count.max(1) as f64;
    let (mut whole, mut time_series) = (parts[0].clone(), Vec::new());
    (whole.first, whole.warm, whole.disturbed) =
        (Distribution::default(), Distribution::default(), 0);
    whole.coordinates[0].indices.clear();
    for part in parts {
        let factor = if mean > 0.0 {
            part.warm.mean / mean
        } else {
            1.0
        };
        whole.first = whole.first.merged(&part.first);
        whole.disturbed += part.disturbed;
        // Scaled to the common mean, so that the joined spread is that within parts, as the change between
        // parts is in the series.
        let alike = if factor > 0.0 {
            part.warm.scaled(1.0 / factor)
        } else {
            part.warm.clone()
        };
        whole.warm = whole.warm.merged(&alike);
        if let [first, last] = part.coordinates[0].indices[..] {
            let spread = if mean > 0.0 {
                part.warm.standard_deviation / mean
            } else {
                0.0
            };
            time_series.push(Segment {
                first: first as f64,
                last: last as f64,
                mean: factor,
                slope: 0.0,
                spread,
            });
        }
    }
    whole.warm.mean = mean;
    (whole, TimeSeries::of(time_series))
}

/// Number of executions by each rank so far of the variants with a time series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// By rank: later executions by variant.
    executed: Vec<BTreeMap<u32, u64>>,
    /// How far executions behind the last that was measured are off.
    off: f64,
}

impl Progress {
    /// At the beginning; `off` says how far executions behind the last that was measured are off, from −1 to 1 as far as
    /// they usually may be.
    pub(crate) fn of(ranks: usize, off: f64) -> Self {
        Self {
            executed: vec![BTreeMap::new(); ranks],
            off,
        }
    }

    /// The factor of the next execution of a variant, which is counted.
    pub(crate) fn factor(&mut self, rank: u32, variant: u32, time_series: &TimeSeries) -> f64 {
        let executed = self.executed[rank as usize].entry(variant).or_default();
        // Behind the end nothing changes any more, and a rank's state may be one that it has had.
        *executed = (*executed + 1).min(time_series.last() + 1);
        time_series.factor_with_deviation(*executed, self.off)
    }

    /// What a rank has executed; equal numbers for equal progress.
    pub(crate) fn state(&self, rank: u32) -> u64 {
        let executed = self.executed.get(rank as usize).into_iter().flatten();
        let pairs = executed.flat_map(|(&variant, &count)| [u64::from(variant), count]);
        pairs.fold(0, |state, number| {
            // A hash: equal progress gives equal numbers, since the map is visited in order.
            (state ^ number)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::BlockId;
    use base_data::compute_data::Feed;

    /// Executions that a rank was measured in: first and last number, and what each took.
    fn entries(parts: &[(i64, i64, i64)]) -> Vec<ComputeEntry> {
        let entry = |&(first, last, time): &(i64, i64, i64)| ComputeEntry {
            block: BlockId(0),
            terms: Vec::new(),
            ranks_per_node: 1,
            threads: 1,
            feed: Feed::All,
            first: Distribution::default(),
            warm: Distribution::of(vec![time; (last - first + 1) as usize]),
            disturbed: 0,
            coordinates: vec![Coordinates {
                rank: 0,
                ranks: 4,
                indices: vec![first, last],
            }],
        };
        parts.iter().map(entry).collect()
    }

    /// What executions from 1 to `last` take, replayed one by one.
    fn replayed(parts: &[(i64, i64, i64)], last: u64) -> Vec<f64> {
        let entries = entries(parts);
        let (_, joined, time_series_table) = joined(&entries.iter().collect::<Vec<_>>(), 4);
        let time_series = time_series_table.of(&joined[0]).expect("a time series");
        let mut progress = Progress::of(1, 0.0);
        (1..=last)
            .map(|_| joined[0].warm.mean * progress.factor(0, 0, time_series))
            .collect()
    }

    #[test]
    fn times_are_linear_between_samples_and_stay_outside() {
        let time = |i: i64| (i, i, 100 + 7 * i);
        for samples in [vec![1, 2, 3, 99], vec![1, 50, 99], (1..100).collect()] {
            let parts: Vec<_> = samples.into_iter().map(time).collect();
            let found = replayed(&parts, 120);
            for (i, found) in (1..).zip(&found) {
                let expected = (100 + 7 * i64::min(i, 99)) as f64;
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{i}: {found} for {expected}"
                );
            }
        }
    }

    #[test]
    fn step_in_time_series_keeps_its_position() {
        let parts: Vec<_> = (1..=99)
            .map(|i| (i, i, if i < 40 { 100 } else { 500 }))
            .collect();
        let found = replayed(&parts, 99);
        assert!(
            found
                .iter()
                .zip(&parts)
                .all(|(found, part)| (found - part.2 as f64).abs() < 1e-9)
        );
    }

    /// Eight inner iterations in each of ten steps, in parts of two: 100, 3 for each step and 11 for each inner one.
    #[test]
    fn merged_executions_keep_their_sum() {
        let time = |i: i64| 100 + 3 * (i / 8) + 11 * (i % 8);
        let parts: Vec<_> = (0..40)
            .map(|i| {
                (
                    2 * i + 1,
                    2 * i + 2,
                    (time(2 * i + 1) + time(2 * i + 2)) / 2,
                )
            })
            .collect();
        let all: i64 = parts.iter().map(|part| 2 * part.2).sum();
        let found: f64 = replayed(&parts, 80).iter().sum();
        assert!(
            (found / all as f64 - 1.0).abs() < 0.001,
            "{found} for {all}"
        );
    }

    /// Three levels: none of them rises towards the next.
    #[test]
    fn equal_executions_stay_equal_between_steps() {
        let parts = [(1, 50, 10), (51, 100, 100), (101, 150, 1000)];
        let found = replayed(&parts, 150);
        let expected = parts.iter().flat_map(|part| vec![part.2 as f64; 50]);
        assert!(
            found
                .iter()
                .zip(expected)
                .all(|(found, expected)| (found - expected).abs() < 1e-9)
        );
    }

    /// Work in the last execution only, behind parts of several, and in a few in the middle.
    #[test]
    fn single_event_does_not_affect_neighbours() {
        for parts in [
            vec![(1, 64, 10), (65, 128, 10), (129, 129, 90_000)],
            vec![(1, 64, 10), (65, 66, 5_000), (67, 128, 10)],
            vec![(1, 1, 70_000), (2, 65, 0), (66, 129, 20)],
        ] {
            let all: i64 = parts
                .iter()
                .map(|(first, last, time)| (last - first + 1) * time)
                .sum();
            let found: f64 = replayed(&parts, parts[2].1 as u64).iter().sum();
            assert!(
                (found / all as f64 - 1.0).abs() < 1e-9,
                "{found} for {all}: {parts:?}"
            );
        }
    }

    #[test]
    fn sum_of_time_series_equals_sum_of_executions() {
        for parts in [
            vec![(1, 4, 10), (5, 8, 20), (9, 12, 40)],
            vec![(3, 3, 10), (9, 12, 400), (20, 21, 0), (22, 22, 7)],
            vec![(5, 5, 10)],
            vec![(0, 0, 10)],
        ] {
            let time_series = whole(&entries(&parts).iter().collect::<Vec<_>>()).1;
            for last in 1..=time_series.last() {
                let all: f64 = (1..=last)
                    .map(|execution| time_series.factor(execution))
                    .sum();
                assert!(
                    (time_series.sum(last) - all).abs() < 1e-9,
                    "{last} of {parts:?}"
                );
            }
        }
    }

    #[test]
    fn unmeasured_ranks_follow_mean_time_series() {
        let of = |parts: &[(i64, i64, i64)]| whole(&entries(parts).iter().collect::<Vec<_>>()).1;
        let (rising, falling) = (
            of(&[(1, 1, 50), (2, 2, 150)]),
            of(&[(1, 1, 150), (2, 2, 50)]),
        );
        let all = TimeSeries::mean_of([&rising, &falling].into_iter()).expect("courses");
        assert_eq!((all.factor(1), all.factor(2), all.last()), (1.0, 1.0, 2));
    }

    #[test]
    fn joined_parts_have_their_own_spread_alone() {
        let entries = entries(&[(1, 10, 100), (11, 20, 300)]);
        let (_, joined, _) = joined(&entries.iter().collect::<Vec<_>>(), 4);
        assert_eq!((joined[0].warm.mean, joined[0].warm.count), (200.0, 20));
        assert!(
            joined[0].warm.standard_deviation < 1e-9 && joined[0].coordinates[0].indices.is_empty()
        );
    }
}
