//! On how many ranks blocks are sampled whose work depends on data: no work term tells how much of it a rank
//! has, and ranks that do not measure are told by those that do.

use super::super::Job;
use base_data::compute_data::Unit;
use base_data::ids::BlockId;
use base_data::program_data::ProgramData;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use base_data::time::Time;
use std::collections::BTreeMap;
use token_runtime::representatives::executions;

/// Ranks that are sampled in any case before they are said to be alike.
pub const MINIMUM_RANKS: usize = 5;
/// Processor time that nobody minds, in seconds: so much may be spent however short the run is.
const FREE_SECONDS: f64 = 0.5;
/// What a statement counts, in seconds, where statements are counted: about what one takes.
const SECONDS_PER_STATEMENT: f64 = 1e-9;

/// Whether further ranks are to be sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplingDecision {
    /// Not: the others are known well enough by the mean of these, or one more would cost more than it may.
    Stop,
    /// These are too different to tell those of the others.
    Dissimilar,
    /// These are alike, which says nothing of a branch on data that none of them took; but another is free.
    Free,
}

/// What a rank that has measured tells of sampling.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankWork {
    /// What it does in all, in seconds.
    all: f64,
    /// Of it, in blocks whose work depends on data.
    data_dependent: f64,
    /// What measuring it has cost, in seconds.
    cost: f64,
    /// Whether statements were counted.
    is_counted: bool,
    /// Whether of ranks that are alike to this one, another may call something else.
    callee_may_differ: bool,
}

impl RankWork {
    /// That of a rank.
    pub fn of(job: &Job, program: &ProgramData, recording: &RankRecording) -> Self {
        let is_data_dependent = |block: BlockId| {
            job.study
                .table
                .blocks
                .get(block.index())
                .is_some_and(|block| block.data_dependent)
        };
        let [all, data_dependent] = work(program, recording, is_data_dependent);
        let counted = || -> f64 {
            recording
                .measured
                .iter()
                .map(|m| m.first as f64 + m.warm.mean * m.warm.count as f64)
                .sum()
        };
        let (unit, cost) = match recording.unit {
            Unit::Time => (1e-12, recording.cpu.seconds()),
            Unit::Statements => (SECONDS_PER_STATEMENT, counted() * SECONDS_PER_STATEMENT),
        };
        let is_unequal = |one: &MeasuredVariant| job.study.callee_dependent.contains(&one.block);
        Self {
            all: all * unit,
            data_dependent: data_dependent * unit,
            cost,
            is_counted: recording.unit == Unit::Statements,
            callee_may_differ: recording.measured.iter().any(is_unequal),
        }
    }
}

/// Whether further ranks are to be sampled than these; what recording the program has cost counts.
pub fn decide(job: &Job, recorded: Time, works: &[RankWork]) -> SamplingDecision {
    let (share, budget) = (job.measurement.interval, job.measurement.sampling_budget);
    if !is_affordable(job, recorded, works) {
        return SamplingDecision::Stop;
    }
    let is_negligible = is_negligible(works, share);
    if works.iter().any(|work| work.callee_may_differ) || !is_negligible && !are_alike(works, share)
    {
        return SamplingDecision::Dissimilar;
    }
    match !is_negligible && is_free(works, recorded.seconds(), budget, job.ranks as usize) {
        true => SamplingDecision::Free,
        false => SamplingDecision::Stop,
    }
}

/// Whether one more rank may be measured for what it costs, together with what recording has cost; where statements are
/// counted it always may.
pub fn is_affordable(job: &Job, recorded: Time, works: &[RankWork]) -> bool {
    works.iter().any(|work| work.is_counted)
        || !exceeds_budget(
            works,
            recorded.seconds(),
            job.measurement.sampling_budget,
            works.len() + 1,
        )
}

/// Whether all other ranks may run for what they cost if each costs what this one has, together with what recording has
/// cost; where statements are counted they always may.
pub fn are_all_affordable(job: &Job, recorded: Time, work: RankWork) -> bool {
    work.is_counted
        || !exceeds_budget(
            &[work],
            recorded.seconds(),
            job.measurement.sampling_budget,
            job.ranks as usize,
        )
}

/// Share of what a rank does that is in some blocks.
pub fn share(
    program: &ProgramData,
    recording: &RankRecording,
    is_asked: impl Fn(BlockId) -> bool,
) -> f64 {
    let [all, asked] = work(program, recording, is_asked);
    if all > 0.0 { asked / all } else { 0.0 }
}

/// What a rank does in all and in some blocks, by what it has measured and in the unit of that.
fn work(
    program: &ProgramData,
    recording: &RankRecording,
    is_asked: impl Fn(BlockId) -> bool,
) -> [f64; 2] {
    let usual = |m: &MeasuredVariant| {
        if m.warm.count > 0 {
            m.warm.mean
        } else {
            m.first as f64
        }
    };
    let measured: BTreeMap<(BlockId, &[i64]), f64> = recording
        .measured
        .iter()
        .map(|m| ((m.block, &m.terms[..]), usual(m)))
        .collect();
    let [mut all, mut asked] = [0.0; 2];
    for (variant, count) in recording
        .rank
        .map(|rank| executions(program, rank))
        .unwrap_or_default()
    {
        let variant = &program.variants[variant.index()];
        let each = measured
            .get(&(variant.block, &variant.terms[..]))
            .copied()
            .unwrap_or(0.0);
        all += each * count as f64;
        asked += if is_asked(variant.block) {
            each * count as f64
        } else {
            0.0
        };
    }
    [all, asked]
}

/// Mean over ranks.
fn mean(works: &[RankWork], of: fn(&RankWork) -> f64) -> f64 {
    works.iter().map(of).sum::<f64>() / works.len() as f64
}

/// Whether work that depends on data is no more than that share of all work.
fn is_negligible(works: &[RankWork], share: f64) -> bool {
    mean(works, |work| work.data_dependent) <= share * mean(works, |work| work.all)
}

/// Whether work that depends on data differs so little between ranks that any rank's is known: two standard deviations are
/// no more than that share of all work.
fn are_alike(works: &[RankWork], share: f64) -> bool {
    let count = works.len() as f64;
    let (all, data_dependent) = (
        mean(works, |work| work.all),
        mean(works, |work| work.data_dependent),
    );
    let squares: f64 = works
        .iter()
        .map(|work| (work.data_dependent - data_dependent).powi(2))
        .sum();
    works.len() >= MINIMUM_RANKS && 2.0 * (squares / (count - 1.0)).sqrt() <= share * all
}

/// Whether so many ranks would cost more than so many times what a rank of the run does, and more than nobody minds, if
/// each costs what these have on average.
fn exceeds_budget(works: &[RankWork], recorded: f64, budget: f64, ranks: usize) -> bool {
    let cost = mean(works, |work| work.cost) * ranks as f64;
    recorded + cost > (budget * mean(works, |work| work.all)).max(FREE_SECONDS)
}

/// Whether ranks that are alike may be asked further: one more costs what nobody minds, or all that there are may be
/// measured, so that none is left that nobody has seen.
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
