//! The number of ranks on which data-dependent blocks are sampled. Work terms do not cover these blocks, so the time of
//! unmeasured ranks is estimated from the measured ones.

use super::super::Job;
use base_data::compute_data::Unit;
use base_data::ids::BlockId;
use base_data::program_data::ProgramData;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use base_data::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::representatives::executions;

/// The fewest ranks from which similarity is concluded.
pub const MINIMUM_RANKS: usize = 5;
/// Processor time in seconds that sampling may always spend, even if the recorded run was short.
const FREE_SECONDS: f64 = 0.5;
/// Seconds per statement where statements are counted: about the time that one takes.
const SECONDS_PER_STATEMENT: f64 = 1e-9;

/// Whether sampling continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplingDecision {
    /// Stop: the mean of the sampled ranks is accurate enough, or another rank exceeds the sampling budget.
    Stop,
    /// Continue: the sampled ranks differ too much to represent the others.
    Dissimilar,
    /// Continue: the sampled ranks are alike, but another rank is free and may take a branch that they did not.
    Free,
}

/// The work of a measured rank, and the cost of measuring it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankWork {
    /// All work, in seconds.
    all: f64,
    /// The part in data-dependent blocks, in seconds.
    data_dependent: f64,
    /// Cost of the measurement, in seconds.
    cost: f64,
    /// Whether statements were counted.
    is_counted: bool,
    /// Whether a rank with equal work may call another procedure.
    callee_may_differ: bool,
}

impl RankWork {
    /// The work of a recorded rank.
    pub fn of(job: &Job, program: &ProgramData, recording: &RankRecording) -> Self {
        let mut data_dependent_blocks = BTreeSet::new();
        for (index, block) in job.study.table.blocks.iter().enumerate() {
            if block.data_dependent {
                data_dependent_blocks.insert(BlockId::from_index(index));
            }
        }
        let work = work(program, recording, &data_dependent_blocks);
        let (unit, cost) = match recording.unit {
            // Picoseconds.
            Unit::Time => (1e-12, recording.cpu.seconds()),
            Unit::Statements => (
                SECONDS_PER_STATEMENT,
                measured_total(recording) * SECONDS_PER_STATEMENT,
            ),
        };
        let callee_may_differ = recording
            .measured
            .iter()
            .any(|variant| job.study.callee_dependent.contains(&variant.block));
        Self {
            all: work.all * unit,
            data_dependent: work.in_blocks * unit,
            cost,
            is_counted: recording.unit == Unit::Statements,
            callee_may_differ,
        }
    }
}

/// Decides whether to sample a rank beside those of `works`. `recorded` is the cost of recording the program; it counts
/// towards the budget.
pub fn decide(job: &Job, recorded: Time, works: &[RankWork]) -> SamplingDecision {
    let (share, budget) = (job.measurement.interval, job.measurement.sampling_budget);
    if !is_affordable(job, recorded, works) {
        return SamplingDecision::Stop;
    }
    // No number of equal ranks shows that the next one calls the same procedure.
    if works.iter().any(|work| work.callee_may_differ) {
        return SamplingDecision::Dissimilar;
    }
    if is_negligible(works, share) {
        return SamplingDecision::Stop;
    }
    if !are_alike(works, share) {
        return SamplingDecision::Dissimilar;
    }
    if is_free(works, recorded.seconds(), budget, job.ranks as usize) {
        SamplingDecision::Free
    } else {
        SamplingDecision::Stop
    }
}

/// Whether measuring one more rank stays within the sampling budget, recording included. Counted statements have no budget:
/// they are the same on any machine.
pub fn is_affordable(job: &Job, recorded: Time, works: &[RankWork]) -> bool {
    works.iter().any(|work| work.is_counted)
        || !exceeds_budget(
            works,
            recorded.seconds(),
            job.measurement.sampling_budget,
            works.len() + 1,
        )
}

/// Whether measuring all ranks stays within the sampling budget if each costs as much as this one, recording included.
pub fn are_all_affordable(job: &Job, recorded: Time, work: RankWork) -> bool {
    work.is_counted
        || !exceeds_budget(
            &[work],
            recorded.seconds(),
            job.measurement.sampling_budget,
            job.ranks as usize,
        )
}

/// Share of a rank's work that is in `blocks`.
pub fn share(program: &ProgramData, recording: &RankRecording, blocks: &BTreeSet<BlockId>) -> f64 {
    let work = work(program, recording, blocks);
    if work.all > 0.0 {
        work.in_blocks / work.all
    } else {
        0.0
    }
}

/// Work of a rank, in the unit of its recording.
struct Work {
    all: f64,
    in_blocks: f64,
}

/// The work of a rank: its executions times the measured time of each. `in_blocks` is the part in `blocks`.
fn work(program: &ProgramData, recording: &RankRecording, blocks: &BTreeSet<BlockId>) -> Work {
    let mut result = Work {
        all: 0.0,
        in_blocks: 0.0,
    };
    let Some(rank) = recording.rank else {
        return result;
    };
    let mut measured: BTreeMap<(BlockId, &[i64]), f64> = BTreeMap::new();
    for variant in &recording.measured {
        measured.insert((variant.block, &variant.terms), usual_time(variant));
    }
    for (id, count) in executions(program, rank) {
        let variant = &program.variants[id.index()];
        // Variants that another representative measured are not measured again, so they are missing
        // here.
        let Some(time) = measured.get(&(variant.block, &variant.terms)) else {
            continue;
        };
        let time = time * count as f64;
        result.all += time;
        if blocks.contains(&variant.block) {
            result.in_blocks += time;
        }
    }
    result
}

/// The time of an execution after the first, if there was one.
fn usual_time(variant: &MeasuredVariant) -> f64 {
    if variant.warm.count > 0 {
        variant.warm.mean
    } else {
        variant.first as f64
    }
}

/// All that was measured on a rank, in the unit of its recording.
fn measured_total(recording: &RankRecording) -> f64 {
    let mut total = 0.0;
    for variant in &recording.measured {
        total += variant.first as f64 + variant.warm.mean * variant.warm.count as f64;
    }
    total
}

/// Mean over ranks.
fn mean(works: &[RankWork], of: fn(&RankWork) -> f64) -> f64 {
    works.iter().map(of).sum::<f64>() / works.len() as f64
}

/// Whether data-dependent work is at most that share of all work.
fn is_negligible(works: &[RankWork], share: f64) -> bool {
    mean(works, |work| work.data_dependent) <= share * mean(works, |work| work.all)
}

/// Whether data-dependent work differs little enough between ranks for their mean to stand for any rank: two standard
/// deviations are at most that share of all work.
fn are_alike(works: &[RankWork], share: f64) -> bool {
    // The deviation of fewer values is too uncertain to conclude that ranks are alike.
    if works.len() < MINIMUM_RANKS {
        return false;
    }
    let all = mean(works, |work| work.all);
    let data_dependent = mean(works, |work| work.data_dependent);
    let mut squares = 0.0;
    for work in works {
        squares += (work.data_dependent - data_dependent).powi(2);
    }
    let deviation = (squares / (works.len() as f64 - 1.0)).sqrt();
    2.0 * deviation <= share * all
}

/// Whether measuring `ranks` ranks at the mean cost of `works` takes more than `budget` times the work of a rank, and more
/// than [`FREE_SECONDS`]. `recorded` is the cost of recording, in seconds.
fn exceeds_budget(works: &[RankWork], recorded: f64, budget: f64, ranks: usize) -> bool {
    let cost = mean(works, |work| work.cost) * ranks as f64;
    recorded + cost > (budget * mean(works, |work| work.all)).max(FREE_SECONDS)
}

/// Whether sampling continues although the ranks are alike: one more rank costs at most [`FREE_SECONDS`], or the budget
/// covers all ranks, so that none stays unmeasured.
fn is_free(works: &[RankWork], recorded: f64, budget: f64, ranks: usize) -> bool {
    // Statements that are counted cost what they cost on any machine; recording has none.
    let recorded = if works.iter().any(|work| work.is_counted) {
        0.0
    } else {
        recorded
    };
    !exceeds_budget(works, recorded, 0.0, works.len() + 1)
        || !exceeds_budget(works, recorded, budget, ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn works(data_dependent: &[f64], all: f64) -> Vec<RankWork> {
        data_dependent
            .iter()
            .map(|&data_dependent| RankWork {
                all,
                data_dependent,
                ..RankWork::default()
            })
            .collect()
    }

    /// Ranks alike, of which each takes so many seconds in a run and has cost so many together.
    fn alike(count: usize, all: f64, cost: f64) -> Vec<RankWork> {
        vec![
            RankWork {
                all,
                data_dependent: all,
                cost: cost / count as f64,
                ..RankWork::default()
            };
            count
        ]
    }

    #[test]
    fn negligible_data_dependent_work_needs_no_sampling() {
        assert!(is_negligible(&works(&[1.0], 100.0), 0.02));
        assert!(!is_negligible(&works(&[3.0], 100.0), 0.02));
    }

    #[test]
    fn five_ranks_with_small_spread_are_alike() {
        for (data_dependent, alike) in [
            (&[50.0, 50.0, 50.0, 50.0][..], false),
            (&[50.0, 50.0, 50.0, 50.0, 50.0], true),
            (&[50.0, 51.0, 49.0, 50.0, 50.5], true),
            (&[50.0, 53.0, 47.0, 50.0, 50.0], false),
        ] {
            assert_eq!(
                are_alike(&works(data_dependent, 100.0), 0.02),
                alike,
                "{data_dependent:?}"
            );
        }
    }

    #[test]
    fn samples_beyond_the_budget_are_not_taken() {
        let exceeds =
            |all, (recorded, cost)| exceeds_budget(&alike(2, all, cost), recorded, 0.5, 3);
        assert!(!exceeds(20.0, (0.0, 6.0)), "a third one makes it 9 s");
        assert!(exceeds(20.0, (0.0, 7.0)), "a third one makes it 10.5 s");
        assert!(exceeds(20.0, (2.0, 6.0)), "recording took 2 s before");
        assert!(!exceeds(1e-3, (0.0, 0.3)), "less than half a second");
    }

    #[test]
    fn alike_ranks_are_sampled_while_it_is_free() {
        let is_free =
            |all, (recorded, cost), ranks| is_free(&alike(5, all, cost), recorded, 0.5, ranks);
        assert!(
            is_free(1e-3, (0.0, 0.1), 1000),
            "0.12 s is less than half a second"
        );
        assert!(
            !is_free(1e-3, (0.0, 0.5), 6),
            "0.6 s is more, and than half of what a rank does"
        );
        assert!(is_free(20.0, (0.0, 2.5), 20), "all ranks cost 10 s");
        assert!(!is_free(20.0, (0.0, 2.5), 21), "they cost more");
        assert!(
            !is_free(20.0, (1.0, 2.5), 20),
            "with what recording took, they do"
        );
    }
}
