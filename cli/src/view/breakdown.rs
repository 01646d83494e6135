//! Sums over an estimate's ranks: per category, and per block and call site. [`super::estimate`] formats them.

use base_data::Time;
use base_data::estimate_file::{Activity, Category, Estimate, RankTime};
use estimator::MOST_RANKS_WITH_CELLS;
use std::collections::BTreeMap;

/// A time over the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverRanks {
    /// Arithmetic mean.
    pub mean: Time,
    /// Smallest, and the first rank that has it.
    pub smallest: (Time, u32),
    /// Largest, and the first rank that has it.
    pub largest: (Time, u32),
}

/// One category's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CategoryTime {
    /// Which.
    pub category: Category,
    /// Over the ranks.
    pub time: OverRanks,
    /// Of all ranks' time, 0 to 1.
    pub share: f64,
}

/// Time at one block or call site, over all ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActivityTime {
    /// Which.
    pub activity: Activity,
    /// Executions on all ranks.
    pub executions: u64,
    /// Mean over all ranks of the estimate, those that never come here included.
    pub mean: Time,
    /// Longest on a rank, and the first such rank; `None` if the estimate merges equal ranks.
    pub largest: Option<(Time, u32)>,
    /// Of all ranks' time, 0 to 1.
    pub share: f64,
    /// The category with most of its time.
    pub mostly: Category,
}

/// Times of all ranks' sections; `None` without ranks.
pub fn rank_times(estimate: &Estimate) -> Option<OverRanks> {
    over_ranks(estimate.per_rank.iter().map(RankTime::time).zip(0..))
}

/// The categories that have time, in the order of [`Category::ALL`].
pub fn categories(estimate: &Estimate) -> Vec<CategoryTime> {
    let whole = total(estimate.per_rank.iter().map(RankTime::time));
    let of = |category: Category| {
        let times = || {
            estimate
                .per_rank
                .iter()
                .map(move |rank| rank.split[category.index()])
        };
        let share = ratio(total(times()), whole);
        over_ranks(times().zip(0..)).map(|time| CategoryTime {
            category,
            time,
            share,
        })
    };
    let used = |found: &CategoryTime| found.time.largest.0 != Time::ZERO;
    Category::ALL
        .into_iter()
        .filter_map(of)
        .filter(used)
        .collect()
}

/// Blocks and call sites, longest first; equal ones in the order of their ids.
pub fn activities(estimate: &Estimate) -> Vec<ActivityTime> {
    let whole = total(estimate.per_rank.iter().map(RankTime::time));
    let mut sums: BTreeMap<Activity, ActivitySum> = BTreeMap::new();
    for cell in &estimate.cells {
        let sum = sums.entry(cell.activity).or_default();
        let time: Time = cell.split.into_iter().sum();
        sum.executions = sum.executions.saturating_add(cell.count);
        for (sum, time) in sum.split.iter_mut().zip(cell.split) {
            *sum += i128::from(time.picoseconds());
        }
        let (longest, rank) = sum.largest.unwrap_or((time, cell.rank));
        sum.largest = Some(if time > longest {
            (time, cell.rank)
        } else {
            (longest, rank)
        });
    }
    let ranks = estimate.per_rank.len().max(1);
    let mut found: Vec<ActivityTime> = sums
        .into_iter()
        .map(|(activity, sum)| sum.finished(activity, ranks, whole))
        .collect();
    found.sort_by_key(|row| (std::cmp::Reverse(row.mean), row.activity));
    found
}

#[derive(Default)]
struct ActivitySum {
    executions: u64,
    split: [i128; 6],
    largest: Option<(Time, u32)>,
}

impl ActivitySum {
    fn finished(self, activity: Activity, ranks: usize, whole: i128) -> ActivityTime {
        let sum: i128 = self.split.iter().sum();
        let most = Category::ALL
            .into_iter()
            // In reverse, so that the first of equal categories is chosen.
            .rev()
            .max_by_key(|category| self.split[category.index()]);
        ActivityTime {
            activity,
            executions: self.executions,
            mean: mean(sum, ranks),
            largest: self.largest.filter(|_| ranks <= MOST_RANKS_WITH_CELLS),
            share: ratio(sum, whole),
            mostly: most.unwrap_or(Category::Compute),
        }
    }
}

/// A sum in picoseconds: sums over many ranks exceed the range of `Time`, but those of 64-bit numbers in practice not 128 bits.
pub(super) fn total(times: impl Iterator<Item = Time>) -> i128 {
    times.map(|time| i128::from(time.picoseconds())).sum()
}

fn mean(sum: i128, count: usize) -> Time {
    let rounded = sum.checked_div(count as i128).unwrap_or(0);
    Time::from_picoseconds(i64::try_from(rounded).unwrap_or(i64::MAX))
}

/// A part of a sum, 0 of nothing.
pub(super) fn ratio(part: i128, whole: i128) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Times with their ranks, ascending; `None` without ranks.
pub(super) fn over_ranks(ranked: impl Iterator<Item = (Time, u32)> + Clone) -> Option<OverRanks> {
    let sum = total(ranked.clone().map(|(time, _)| time));
    Some(OverRanks {
        mean: mean(sum, ranked.clone().count()),
        smallest: ranked.clone().min_by_key(|&(time, _)| time)?,
        // `max_by_key` alone would return the last of equal ones.
        largest: ranked.max_by_key(|&(time, rank)| (time, std::cmp::Reverse(rank)))?,
    })
}
