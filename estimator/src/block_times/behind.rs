//! Executions behind the last that was measured, of blocks whose work changes from one to the next: a loop that was left
//! before its end, as its budget was spent. What stands for them is far from them, and that is said.

use super::executions::Executions;
use super::{BlockTimesTable, Coverage};
use base_data::program_data::ProgramData;
use std::collections::BTreeMap;

/// Shares of the computation below this are not worth a remark.
const SMALLEST_SHARE: f64 = 0.01;
/// How many places a remark lists.
const MOST_PLACES: usize = 3;

/// What is behind, of one block.
#[derive(Clone, Copy, Default)]
struct Behind {
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

/// Finds what is behind.
pub(super) fn find(program: &ProgramData, executions: &Executions, table: &BlockTimesTable) -> Found {
    if table.courses.is_empty() {
        return Found::default();
    }
    let mut as_measured = 0.0;
    let (mut whole, mut blocks): (f64, BTreeMap<u32, Behind>) = (0.0, BTreeMap::new());
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
    let place = |(block, behind): &(u32, Behind)| {
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
