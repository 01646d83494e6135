//! Executions behind the last that was measured, of blocks whose work changes from one to the next: a loop that was left
//! before its end, as its budget was spent. What stands for them is far from them, and that is said, and drawn.

use super::course::Course;
use super::executions::Executions;
use super::{BlockTimesTable, Coverage};
use base_data::program_data::ProgramData;
use std::collections::{BTreeMap, BTreeSet};

/// Shares of the computation below this are not worth a remark.
const SMALLEST_SHARE: f64 = 0.01;
/// How many places a remark lists.
const MOST_PLACES: usize = 3;

/// How many times as much, or as little, executions behind may take at the most: so much says that nothing is known.
const MOST: f64 = 100.0;
/// Places in the measured part from which on the rest of it is predicted, to see how far that is off.
const TRIED: u32 = 16;

/// How far executions behind the last that was measured may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Behind {
    /// How many times as much they may take; 1 where there are none.
    more: f64,
    /// What part of it, as a divisor.
    less: f64,
}

impl Default for Behind {
    fn default() -> Self {
        Self { more: 1.0, less: 1.0 }
    }
}

impl Behind {
    /// By a course and the number of the last execution that there is. What was not seen may grow as the number of the
    /// execution does, or fall so. Where the measured part itself was off by more, had it been left at any place so early,
    /// it is that: with as much of it measured as is measured of all, or half of that.
    pub(super) fn of(course: &Course, last: u64) -> Self {
        let (measured, all) = (course.last() as f64, last as f64);
        if last <= course.last() {
            return Self::default();
        }
        // Executions are counted with the first, from which one would go on if there were no other.
        let grown = ((all + 1.0) / (measured + 1.0) + 1.0) / 2.0;
        let least = Self { more: grown.min(MOST), less: grown.min(MOST) };
        let earliest = (measured * measured / all / 2.0).max(1.0);
        let step = (measured / earliest).powf(1.0 / f64::from(TRIED));
        let places = (0..TRIED).map(|tried| (earliest * step.powi(tried as i32)) as u64);
        let sum = course.sum(course.last());
        places.filter(|place| (1..course.last()).contains(place)).fold(least, |found, place| {
            let so_far = course.sum(place);
            let rest = (sum - so_far) / (course.last() - place) as f64;
            found.or(Self::seen(course.factor(place), rest, so_far / place as f64))
        })
    }

    /// The same, or as far as others may be off.
    pub(super) fn or(self, other: Self) -> Self {
        Self { more: self.more.max(other.more), less: self.less.max(other.less) }
    }

    /// That of a part that went on at `last`, on average `so_far` till then, and took so much.
    fn seen(last: f64, took: f64, so_far: f64) -> Self {
        let limited = |ratio: f64| if ratio.is_finite() { ratio.clamp(1.0, MOST) } else { MOST };
        let nothing = Self::default();
        match took.total_cmp(&last) {
            std::cmp::Ordering::Greater => {
                Self { more: limited(1.0 + (took - last) / last.max(so_far)), ..nothing }
            }
            std::cmp::Ordering::Less => Self { less: limited(last / took), ..nothing },
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
struct OfBlock {
    time: f64,
    /// Of the rank that has most: executions measured, and all.
    most: (u64, u64),
}

/// What is behind, in all.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Share of the computation, in times that else count as measured.
    pub(super) share: f64,
    /// A sentence that says so, where it is much of the computation.
    pub(super) remark: Option<String>,
}

/// Tells the courses of a table how many executions there are.
pub(super) fn count(executions: &Executions, table: &mut BlockTimesTable) {
    if table.courses.is_empty() {
        return;
    }
    // Many ranks make as many.
    let mut counts: BTreeSet<(u32, u64)> = BTreeSet::new();
    for (rank, executed) in executions.by_rank() {
        counts.extend(executed.iter().map(|(&variant, &count)| (table.of(rank, variant).course, count)));
    }
    for (number, count) in counts {
        let course = (number as usize).checked_sub(1).and_then(|place| table.courses.get_mut(place));
        course.into_iter().for_each(|course| course.with_executions(count));
    }
}

/// Finds what is behind.
pub(super) fn find(program: &ProgramData, executions: &Executions, table: &BlockTimesTable) -> Found {
    if table.courses.is_empty() {
        return Found::default();
    }
    let mut as_measured = 0.0;
    let (mut whole, mut blocks): (f64, BTreeMap<u32, OfBlock>) = (0.0, BTreeMap::new());
    for (rank, executed) in executions.by_rank() {
        for (&variant, &count) in executed {
            let time = table.of(rank, variant);
            let warm = count.saturating_sub(1);
            let Some(course) = table.course(time.course) else {
                whole += time.first.mean + time.warm.mean * warm as f64;
                continue;
            };
            let later = warm.saturating_sub(course.last());
            let behind = time.warm.mean * course.factor(course.last()) * later as f64;
            whole += time.first.mean + time.warm.mean * course.sum(warm - later) + behind;
            as_measured += if time.coverage == Coverage::Measured { behind } else { 0.0 };
            let block = blocks.entry(time.block).or_default();
            block.time += behind;
            if later > block.most.1 - block.most.0 {
                block.most = (course.last() + 1, count);
            }
        }
    }
    let time: f64 = blocks.values().map(|behind| behind.time).sum();
    let share = if whole > 0.0 { as_measured / whole } else { 0.0 };
    if time < SMALLEST_SHARE * whole || time == 0.0 {
        return Found { share, remark: None };
    }
    let mut largest: Vec<_> = blocks.into_iter().filter(|(_, behind)| behind.time > 0.0).collect();
    largest.sort_by(|a, b| b.1.time.total_cmp(&a.1.time));
    let place = |(block, behind): &(u32, OfBlock)| {
        let at = program.table.place(&program.table.blocks.get(*block as usize)?.span);
        Some(format!("{at}: {} of {}", behind.most.0, behind.most.1))
    };
    let places: Vec<String> = largest.iter().take(MOST_PLACES).filter_map(place).collect();
    let remark = Some(format!(
        "{:.0} % of the computation is in blocks whose work changes from one execution to the next, behind the last that \
         was measured ({}); it is taken to go on as it was there: measure with a larger --budget",
        100.0 * time / whole,
        places.join(", ")
    ));
    Found { share, remark }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all executions of a run may take, least and most, by those up to the last that was measured.
    fn may_take(measured: u64, all: u64, took: impl Fn(u64) -> f64) -> [f64; 2] {
        let mut course = Course::of_times(&(1..=measured).map(&took).collect::<Vec<_>>());
        course.with_executions(all + 1);
        let sum = (1..=measured).map(&took).sum::<f64>();
        let behind = |off| course.factor_off(measured + 1, off) * (all - measured) as f64;
        [-1.0, 1.0].map(|off| sum + sum / measured as f64 * behind(off))
    }

    #[test]
    fn what_goes_on_as_it_did_is_in_the_interval() {
        let courses: [fn(u64) -> f64; 7] = [
            |_| 100.0,
            |i| i as f64,
            |i| (i * i) as f64,
            |i| 1e6 / i as f64,
            |i| 100.0 + (i / 50) as f64,
            |i| if i % 50 == 0 { 500.0 } else { 10.0 },
            |i| if i < 400 { 10.0 } else { 100.0 },
        ];
        for (number, took) in courses.into_iter().enumerate() {
            for measured in [100, 300, 999] {
                let [low, high] = may_take(measured, 1000, took);
                let all = (1..=1000).map(took).sum::<f64>();
                let holds = low <= all * 1.03 && all <= high * 1.03;
                assert!(holds || number == 6 && measured < 400, "{number}, {measured}: {low} {all} {high}");
            }
        }
    }

    #[test]
    fn nothing_is_off_where_all_was_measured_and_little_where_little_was_not() {
        assert_eq!(may_take(100, 100, |_| 7.0), [700.0, 700.0]);
        let [low, high] = may_take(99, 101, |_| 7.0);
        assert!(706.0 < low && low < high && high < 708.0, "{low} {high}");
    }

    #[test]
    fn of_one_execution_nothing_is_known() {
        let mut course = Course::of_times(&[]);
        course.with_executions(1_000_000);
        let [low, as_it_was, high] = [-1.0, 0.0, 1.0].map(|off| course.factor_off(1, off));
        assert_eq!((low, as_it_was, high), (1.0 / MOST, 1.0, MOST));
    }
}
