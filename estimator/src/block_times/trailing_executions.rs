//! Executions after the last measured one, of blocks whose work changes from one to the next: measurement left the loop
//! before its end, as its budget was spent. Their times are extrapolated far, so a warning and the draws include it.

use super::executions::Executions;
use super::time_series::TimeSeries;
use super::{BlockTimesTable, Coverage};
use base_data::program_data::ProgramData;
use std::collections::{BTreeMap, BTreeSet};

/// Shares of the computation below this are not worth a remark.
const SMALLEST_SHARE: f64 = 0.01;
/// How many places a remark lists.
const LISTED_LOCATIONS: usize = 3;

/// How many times as much, or as little, executions behind may take at the most: so much says that nothing is known.
const LARGEST_RATIO: f64 = 100.0;
/// Places in the measured part from which on the rest of it is predicted, to see how far that is off.
const TRIAL_POSITIONS: u32 = 16;

/// How far executions behind the last that was measured may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrailingExecutions {
    /// How many times as much they may take; 1 where there are none.
    more: f64,
    /// What part of it, as a divisor.
    less: f64,
}

impl Default for TrailingExecutions {
    fn default() -> Self {
        Self {
            more: 1.0,
            less: 1.0,
        }
    }
}

impl TrailingExecutions {
    /// By a time series and the number of the last execution that there is. What was not seen may grow as the number of the
    /// execution does, or fall so. Where the measured part itself was off by more, had it been left at any place so early,
    /// it is that: with as much of it measured as is measured of all, or half of that.
    pub(super) fn of(time_series: &TimeSeries, last: u64) -> Self {
        let (measured, all) = (time_series.last() as f64, last as f64);
        if last <= time_series.last() {
            return Self::default();
        }
        // Executions are counted with the first, from which one would go on if there were no other.
        // The mean over the executions behind, if each grows in proportion to its number: halfway between 1
        // and the last.
        let grown = ((all + 1.0) / (measured + 1.0) + 1.0) / 2.0;
        let least = Self {
            more: grown.min(LARGEST_RATIO),
            less: grown.min(LARGEST_RATIO),
        };
        // Leaving it there would have measured half as large a share of the measured part as is measured of
        // all.
        let earliest = (measured * measured / all / 2.0).max(1.0);
        // Places are a geometric series, since it is the ratio of measured to all that matters.
        let step = (measured / earliest).powf(1.0 / f64::from(TRIAL_POSITIONS));
        let places = (0..TRIAL_POSITIONS).map(|tried| (earliest * step.powi(tried as i32)) as u64);
        let sum = time_series.sum(time_series.last());
        places
            .filter(|place| (1..time_series.last()).contains(place))
            .fold(least, |found, place| {
                let so_far = time_series.sum(place);
                let rest = (sum - so_far) / (time_series.last() - place) as f64;
                found.or(Self::from_rest(
                    time_series.factor(place),
                    rest,
                    so_far / place as f64,
                ))
            })
    }

    /// The same, or as far as others may be off.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            more: self.more.max(other.more),
            less: self.less.max(other.less),
        }
    }

    /// That of a part that went on at `last`, on average `so_far` till then, and took so much.
    fn from_rest(last: f64, rest: f64, so_far: f64) -> Self {
        let limited = |ratio: f64| {
            if ratio.is_finite() {
                ratio.clamp(1.0, LARGEST_RATIO)
            } else {
                LARGEST_RATIO
            }
        };
        let nothing = Self::default();
        match rest.total_cmp(&last) {
            std::cmp::Ordering::Greater => Self {
                more: limited(1.0 + (rest - last) / last.max(so_far)),
                ..nothing
            },
            std::cmp::Ordering::Less => Self {
                less: limited(last / rest),
                ..nothing
            },
            std::cmp::Ordering::Equal => nothing,
        }
    }

    /// The factor of executions that are taken to go on at `last`, where 1 is the mean of those that were measured: as it
    /// was at 0, as much as it may be at 1, as little at −1. The last may have been unusual: more is counted from the
    /// mean where that is more, and less where it is less.
    pub(super) fn factor(self, last: f64, off: f64) -> f64 {
        if off > 0.0 {
            last + (self.more.powf(off) - 1.0) * last.max(1.0)
        } else {
            last * (self.less * last.max(1.0)).powf(off)
        }
    }
}

/// What is behind, of one block.
#[derive(Clone, Copy, Default)]
struct TrailingTime {
    time: f64,
    /// Of the rank that has most: executions measured, and all.
    most: (u64, u64),
}

/// What is behind, in all.
#[derive(Debug, Default)]
pub(super) struct TrailingSummary {
    /// Share of the computation, in times that else count as measured.
    pub(super) share: f64,
    /// A sentence that says so, where it is much of the computation.
    pub(super) remark: Option<String>,
}

/// Passes the numbers of executions to the time series of a table.
pub(super) fn count(executions: &Executions, table: &mut BlockTimesTable) {
    if table.time_series_table.is_empty() {
        return;
    }
    // Many ranks make as many.
    let mut counts: BTreeSet<(u32, u64)> = BTreeSet::new();
    for (rank, executed) in executions.by_rank() {
        counts.extend(
            executed
                .iter()
                .map(|(&variant, &count)| (table.of(rank, variant).time_series, count)),
        );
    }
    for (number, count) in counts {
        let time_series = (number as usize)
            .checked_sub(1)
            .and_then(|place| table.time_series_table.get_mut(place));
        time_series
            .into_iter()
            .for_each(|time_series| time_series.with_executions(count));
    }
}

/// Finds what is behind.
pub(super) fn find(
    program: &ProgramData,
    executions: &Executions,
    table: &BlockTimesTable,
) -> TrailingSummary {
    if table.time_series_table.is_empty() {
        return TrailingSummary::default();
    }
    let mut as_measured = 0.0;
    let (mut whole, mut blocks): (f64, BTreeMap<u32, TrailingTime>) = (0.0, BTreeMap::new());
    for (rank, executed) in executions.by_rank() {
        for (&variant, &count) in executed {
            let time = table.of(rank, variant);
            let warm = count.saturating_sub(1);
            let Some(time_series) = table.time_series(time.time_series) else {
                whole += time.first.mean + time.warm.mean * warm as f64;
                continue;
            };
            // Execution 0 is the first one, so the series' last number is a count of later executions.
            let later = warm.saturating_sub(time_series.last());
            let trailing = time.warm.mean * time_series.factor(time_series.last()) * later as f64;
            whole += time.first.mean + time.warm.mean * time_series.sum(warm - later) + trailing;
            as_measured += if time.coverage == Coverage::Measured {
                trailing
            } else {
                0.0
            };
            let block = blocks.entry(time.block).or_default();
            block.time += trailing;
            if later > block.most.1 - block.most.0 {
                block.most = (time_series.last() + 1, count);
            }
        }
    }
    let time: f64 = blocks.values().map(|trailing| trailing.time).sum();
    let share = if whole > 0.0 {
        as_measured / whole
    } else {
        0.0
    };
    if time < SMALLEST_SHARE * whole || time == 0.0 {
        return TrailingSummary {
            share,
            remark: None,
        };
    }
    let mut largest: Vec<_> = blocks
        .into_iter()
        .filter(|(_, trailing)| trailing.time > 0.0)
        .collect();
    largest.sort_by(|a, b| b.1.time.total_cmp(&a.1.time));
    let place = |(block, trailing): &(u32, TrailingTime)| {
        let at = program
            .table
            .place(&program.table.blocks.get(*block as usize)?.span);
        Some(format!("{at}: {} of {}", trailing.most.0, trailing.most.1))
    };
    let places: Vec<String> = largest
        .iter()
        .take(LISTED_LOCATIONS)
        .filter_map(place)
        .collect();
    let remark = Some(format!(
        "{:.0} % of the computation is in blocks whose work changes between executions, beyond the \
        last measured execution ({}); its trend is extrapolated: measure with a larger --budget",
        100.0 * time / whole,
        places.join(", ")
    ));
    TrailingSummary { share, remark }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all executions of a run may take, least and most, by those up to the last that was measured.
    fn extrapolated_range(measured: u64, all: u64, rest: impl Fn(u64) -> f64) -> [f64; 2] {
        let mut time_series =
            TimeSeries::from_times(&(1..=measured).map(&rest).collect::<Vec<_>>());
        time_series.with_executions(all + 1);
        let sum = (1..=measured).map(&rest).sum::<f64>();
        let trailing =
            |off| time_series.factor_with_deviation(measured + 1, off) * (all - measured) as f64;
        [-1.0, 1.0].map(|off| sum + sum / measured as f64 * trailing(off))
    }

    #[test]
    fn unchanged_continuation_is_in_the_interval() {
        let time_series_table: [fn(u64) -> f64; 7] = [
            |_| 100.0,
            |i| i as f64,
            |i| (i * i) as f64,
            |i| 1e6 / i as f64,
            |i| 100.0 + (i / 50) as f64,
            |i| if i % 50 == 0 { 500.0 } else { 10.0 },
            |i| if i < 400 { 10.0 } else { 100.0 },
        ];
        for (number, rest) in time_series_table.into_iter().enumerate() {
            for measured in [100, 300, 999] {
                let [low, high] = extrapolated_range(measured, 1000, rest);
                let all = (1..=1000).map(rest).sum::<f64>();
                let holds = low <= all * 1.03 && all <= high * 1.03;
                assert!(
                    holds || number == 6 && measured < 400,
                    "{number}, {measured}: {low} {all} {high}"
                );
            }
        }
    }

    #[test]
    fn deviation_grows_with_unmeasured_share() {
        assert_eq!(extrapolated_range(100, 100, |_| 7.0), [700.0, 700.0]);
        let [low, high] = extrapolated_range(99, 101, |_| 7.0);
        assert!(706.0 < low && low < high && high < 708.0, "{low} {high}");
    }

    #[test]
    fn single_execution_has_largest_deviation() {
        let mut time_series = TimeSeries::from_times(&[]);
        time_series.with_executions(1_000_000);
        let [low, as_it_was, high] =
            [-1.0, 0.0, 1.0].map(|off| time_series.factor_with_deviation(1, off));
        assert_eq!(
            (low, as_it_was, high),
            (1.0 / LARGEST_RATIO, 1.0, LARGEST_RATIO)
        );
    }
}
