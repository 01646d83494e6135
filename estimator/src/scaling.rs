//! How a program scales, from its times on several numbers of ranks: speed-up, parallel efficiency, core-hours, and how
//! many ranks to take.
//!
//! Speed-up is counted from the fewest ranks `P0` there are, which themselves count as `P0` times as fast as one:
//! `P0 · T(P0) / T(P)`. Efficiency is the speed-up per rank, so it is 1 at `P0`.

use base_data::Time;

/// A time on a number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOnRanks {
    /// Number of ranks.
    pub ranks: u32,
    /// Time of the whole.
    pub time: Time,
}

/// How many times as fast as one rank each is; `None` for times of 0. `series` may be in any order.
pub fn speed_ups(series: &[TimeOnRanks]) -> Vec<Option<f64>> {
    let base = series.iter().min_by_key(|point| point.ranks);
    let of_point = |point: &TimeOnRanks| {
        let base = base?;
        if point.time <= Time::ZERO || base.time <= Time::ZERO {
            return None;
        }
        Some(f64::from(base.ranks) * base.time.seconds() / point.time.seconds())
    };
    series.iter().map(of_point).collect()
}

/// Speed-up per rank.
pub fn efficiencies(series: &[TimeOnRanks]) -> Vec<Option<f64>> {
    let per_rank = |(speed_up, point): (Option<f64>, &TimeOnRanks)| {
        speed_up.map(|speed_up| speed_up / f64::from(point.ranks.max(1)))
    };
    speed_ups(series)
        .into_iter()
        .zip(series)
        .map(per_rank)
        .collect()
}

/// Cores times hours.
pub fn core_hours(point: TimeOnRanks, threads_per_rank: u32) -> f64 {
    f64::from(point.ranks) * f64::from(threads_per_rank) * point.time.seconds() / 3600.0
}

/// Which point of a series to take: the fastest whose efficiency is at least `least_efficiency`; of equally fast ones,
/// that on the fewest ranks. `None` for a series of one number of ranks, which leaves no choice.
pub fn recommended(series: &[TimeOnRanks], least_efficiency: f64) -> Option<usize> {
    // Of an empty series `all` evaluates nothing, so `series[0]` is never missing.
    if series.iter().all(|point| point.ranks == series[0].ranks) {
        return None;
    }
    let efficient = |&(_, efficiency): &(usize, Option<f64>)| {
        // A base point that computes to 0.999… of itself is efficient, too.
        efficiency.is_some_and(|efficiency| efficiency >= least_efficiency - 1e-9)
    };
    let candidates = efficiencies(series)
        .into_iter()
        .enumerate()
        .filter(efficient);
    candidates
        .map(|(point, _)| point)
        .min_by_key(|&point| (series[point].time, series[point].ranks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(u32, i64)]) -> Vec<TimeOnRanks> {
        let point = |&(ranks, seconds): &(u32, i64)| TimeOnRanks {
            ranks,
            time: Time::from_nanoseconds(seconds * 1_000_000_000),
        };
        points.iter().map(point).collect()
    }

    #[test]
    fn counts_from_the_fewest_ranks() {
        let found = series(&[(8, 20), (2, 50), (4, 25)]);
        assert_eq!(speed_ups(&found), [Some(5.0), Some(2.0), Some(4.0)]);
        assert_eq!(efficiencies(&found), [Some(0.625), Some(1.0), Some(1.0)]);
        assert_eq!(speed_ups(&series(&[(1, 0), (2, 0)])), [None, None]);
        assert_eq!(core_hours(found[0], 9), 0.4);
    }

    #[test]
    fn takes_the_fastest_that_is_efficient() {
        let found = series(&[(1, 100), (4, 30), (16, 12), (64, 10), (256, 14)]);
        assert_eq!(recommended(&found, 0.5), Some(2));
        assert_eq!(recommended(&found, 0.1), Some(3));
        assert_eq!(
            recommended(&found, 0.0),
            Some(3),
            "more ranks than that only cost time"
        );
        assert_eq!(recommended(&found, 1.0), Some(0));
        assert_eq!(
            recommended(&series(&[(4, 30), (8, 30)]), 0.5),
            Some(0),
            "the fewest of equally fast ones"
        );
        assert_eq!(recommended(&series(&[(4, 30), (4, 20)]), 0.5), None);
        assert_eq!(recommended(&[], 0.5), None);
    }
}
