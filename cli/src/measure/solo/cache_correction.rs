//! Measurement of all ranks in turn, where representatives cannot run or are not a sufficient sample. Ranks that run in
//! turn evict each other's data, so they compute with cold caches and their times are too long. Some of them therefore
//! run again, each alone, with the messages logged in that run and loops cut at the same iterations. The times of the
//! other ranks are scaled by the same factors.
//!
//! The parent module runs ranks alone; the MPI library replays the logged messages.

use super::super::{Job, SerialRun};
use super::{
    MAXIMUM_LOGGED, SoloRun, SoloRunInputs, is_program_failure, rank_numbers, ranks, run_all,
};
use crate::failure::RanksNotSeparable;
use anyhow::Result;
use base_data::Rank;
use base_data::compute_data::{ComputeData, Feed, Unit};
use base_data::ids::BlockId;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use base_data::time::Time;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::replay_input::{logged_ranks_path, message_log_path};

/// Measures all ranks in turn, and some of them alone. Adds the cost to `spent`.
pub fn measure(
    job: &Job,
    prepared: Option<&SoloRunInputs>,
    spent: &Cell<Time>,
) -> Result<ComputeData> {
    // Caches do not change how many statements are executed.
    let Some(prepared) = prepared.filter(|_| job.study.unit == Unit::Time) else {
        let serial = SerialRun::run(job, None)?;
        spent.set(spent.get() + serial.cost());
        return serial.data(job);
    };
    let mut serial = run_all_with_log(job, prepared, spent)?;
    match run_solo(job, prepared, spent) {
        Ok(alone) => {
            let shown = rank_numbers(&alone);
            let ranks = if shown.len() == 1 { "rank" } else { "ranks" };
            let how = format!(
                "{}, and {ranks} {} solo, with messages logged in that run",
                SerialRun::METHOD,
                shown.join(", ")
            );
            let is_data_dependent = |block: BlockId| job.study.is_data_dependent(block);
            serial.ranks = solo_equivalent(&serial.ranks, alone, is_data_dependent);
            job.data(&serial.ranks, serial.cutting, Feed::All, &how)
        }
        Err(error) if is_program_failure(&error) => {
            report_once!(
                "mpiete: block times may be too long, since ranks that run in turn evict each \
                other's caches; they cannot run solo with logged messages either: {error}"
            );
            serial.data(job)
        }
        Err(error) => Err(error),
    }
}

/// Runs all ranks in turn and logs the messages of those that may run alone afterwards. Adds the cost to `spent`.
pub fn run_all_with_log(
    job: &Job,
    prepared: &SoloRunInputs,
    spent: &Cell<Time>,
) -> Result<SerialRun> {
    let folder = prepared.folder.path();
    let most = MAXIMUM_LOGGED.max(prepared.chosen.cover.len());
    let logged: Vec<u32> = ranks(prepared).take(most).collect();
    token_runtime::termination::write(&logged_ranks_path(folder), &logged)?;
    let serial = SerialRun::run(job, Some(folder))?;
    spent.set(spent.get() + serial.cost());
    Ok(serial)
}

/// Whether a rank may run alone on these messages. A log that grew too large does not exist.
pub fn may_run(prepared: &SoloRunInputs, feed: Feed, rank: u32) -> bool {
    feed != Feed::Log || message_log_path(prepared.folder.path(), rank).exists()
}

/// Runs the representatives alone, with their logged messages.
pub fn run_solo(
    job: &Job,
    prepared: &SoloRunInputs,
    spent: &Cell<Time>,
) -> Result<Vec<RankRecording>> {
    let feed = Feed::Log;
    for &rank in &prepared.chosen.cover {
        if !may_run(prepared, feed, rank) {
            let text = format!("rank {rank} receives more data than the message log may contain");
            return Err(RanksNotSeparable(text).into());
        }
    }
    let run = SoloRun {
        job,
        prepared,
        feed,
    };
    // The log fixes the iterations at which loops are cut, so the settings need no search for tolerated cuts.
    run_all(&run, &super::super::settings(job.measurement), spent)
}

/// Times of the same executions of a block, alone and with ranks in turn.
#[derive(Clone, Copy, Debug, Default)]
struct CacheEffect {
    alone: f64,
    serial: f64,
}

impl CacheEffect {
    fn add(&mut self, alone: &MeasuredVariant, serial: &MeasuredVariant) {
        let executions = alone.warm.count.min(serial.warm.count);
        if executions == 0 {
            self.alone += alone.first as f64;
            self.serial += serial.first as f64;
        } else {
            self.alone += alone.warm.mean * executions as f64;
            self.serial += serial.warm.mean * executions as f64;
        }
    }

    /// Time alone relative to the time in turn.
    fn factor(self) -> Option<f64> {
        if self.alone > 0.0 && self.serial > 0.0 {
            Some(self.alone / self.serial)
        } else {
            None
        }
    }
}

/// The recordings that all ranks would have made alone. Ranks that ran alone keep their measurements. Every other variant is
/// the one measured in turn, scaled by its block's factor, or by the factor of all blocks where the block did not run alone.
fn solo_equivalent(
    serial: &[RankRecording],
    alone: Vec<RankRecording>,
    is_data_dependent: impl Fn(BlockId) -> bool,
) -> Vec<RankRecording> {
    // Variants of blocks covered by work terms take equally long on all ranks, so one rank's measurement stands for all.
    let shared_key = |rank: Option<Rank>, variant: &MeasuredVariant| {
        let rank = if is_data_dependent(variant.block) {
            rank
        } else {
            None
        };
        variant_key(rank, variant)
    };
    let mut in_turn = BTreeMap::new();
    for (rank, variant) in variants(serial) {
        in_turn.insert(variant_key(rank, variant), variant);
    }
    let mut effects = CacheEffects::default();
    let mut known = BTreeSet::new();
    for (rank, variant) in variants(&alone) {
        if let Some(before) = in_turn.get(&variant_key(rank, variant)) {
            effects
                .by_block
                .entry(variant.block)
                .or_default()
                .add(variant, before);
            effects.overall.add(variant, before);
        }
        known.insert(shared_key(rank, variant));
    }
    let mut alone_by_rank: BTreeMap<Option<Rank>, RankRecording> = BTreeMap::new();
    for recording in alone {
        alone_by_rank.insert(recording.rank, recording);
    }
    let mut results = Vec::new();
    for recording in serial {
        let mut result = match alone_by_rank.remove(&recording.rank) {
            Some(own) => own,
            None => RankRecording {
                measured: Vec::new(),
                ..recording.clone()
            },
        };
        for variant in &recording.measured {
            if !known.contains(&shared_key(recording.rank, variant)) {
                result
                    .measured
                    .push(scaled(variant, effects.factor(variant.block)));
            }
        }
        // A solo rank also holds its replayed messages in memory; the run with all ranks shows the program's own demand.
        result.peak_memory = recording.peak_memory;
        results.push(result);
    }
    results
}

type VariantKey = (Option<Rank>, BlockId, Vec<i64>);

fn variant_key(rank: Option<Rank>, variant: &MeasuredVariant) -> VariantKey {
    (rank, variant.block, variant.terms.clone())
}

/// Effects of the caches by block, and of all blocks together.
#[derive(Default)]
struct CacheEffects {
    by_block: BTreeMap<BlockId, CacheEffect>,
    overall: CacheEffect,
}

impl CacheEffects {
    fn factor(&self, block: BlockId) -> f64 {
        if let Some(effect) = self.by_block.get(&block)
            && let Some(factor) = effect.factor()
        {
            return factor;
        }
        self.overall.factor().unwrap_or(1.0)
    }
}

/// All variants, each with its rank.
fn variants(
    recordings: &[RankRecording],
) -> impl Iterator<Item = (Option<Rank>, &MeasuredVariant)> {
    recordings.iter().flat_map(|recording| {
        let ranks = std::iter::repeat(recording.rank);
        ranks.zip(&recording.measured)
    })
}

fn scaled(variant: &MeasuredVariant, factor: f64) -> MeasuredVariant {
    let mut scaled = variant.clone();
    scaled.first = (variant.first as f64 * factor).round() as i64;
    scaled.warm = variant.warm.scaled(factor);
    scaled.missing_pages *= factor;
    for segment in &mut scaled.course {
        segment.times = segment.times.scaled(factor);
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::distribution::Distribution;
    use base_data::rank_recording::TimeSeriesSegment;

    fn rank(rank: u32, measured: &[(u32, i64, i64)]) -> RankRecording {
        let variant = |&(block, term, time): &(u32, i64, i64)| MeasuredVariant {
            block: BlockId(block),
            terms: vec![term],
            first: 2 * time,
            warm: Distribution::of(vec![time; 3]),
            disturbed: 0,
            course: vec![TimeSeriesSegment {
                first: 1,
                last: 3,
                times: Distribution::of(vec![time; 3]),
            }],
            missing_pages: 0.0,
        };
        let measured = measured.iter().map(variant).collect();
        RankRecording {
            rank: Some(Rank(rank)),
            measured,
            ..RankRecording::default()
        }
    }

    /// Block, term, first and warm of each rank; blocks from 5 on depend on data.
    fn shown(serial: &[RankRecording], alone: &[RankRecording]) -> Vec<Vec<(u32, i64, i64, f64)>> {
        let all = solo_equivalent(serial, alone.to_vec(), |block| block.0 >= 5);
        let of = |one: &MeasuredVariant| {
            assert_eq!(one.course[0].times.mean, one.warm.mean);
            (one.block.0, one.terms[0], one.first, one.warm.mean)
        };
        all.iter()
            .map(|recording| recording.measured.iter().map(of).collect())
            .collect()
    }

    #[test]
    fn ranks_without_solo_run_are_scaled() {
        let serial = [
            rank(0, &[(5, 1, 100), (6, 1, 100)]),
            rank(1, &[(5, 1, 200), (6, 1, 50)]),
        ];
        let alone = [rank(0, &[(5, 1, 50), (6, 1, 90)])];
        let expected = [
            vec![(5, 1, 100, 50.0), (6, 1, 180, 90.0)],
            vec![(5, 1, 200, 100.0), (6, 1, 90, 45.0)],
        ];
        assert_eq!(shown(&serial, &alone), expected);
    }

    #[test]
    fn blocks_with_work_terms_use_the_solo_rank() {
        let serial = [
            rank(0, &[(1, 7, 100)]),
            rank(1, &[(1, 7, 130), (1, 8, 200)]),
        ];
        let alone = [rank(0, &[(1, 7, 80)])];
        assert_eq!(
            shown(&serial, &alone),
            [vec![(1, 7, 160, 80.0)], vec![(1, 8, 320, 160.0)]]
        );
    }

    #[test]
    fn blocks_without_solo_run_use_the_mean_factor() {
        let serial = [rank(0, &[(5, 1, 100)]), rank(1, &[(6, 1, 60)])];
        let alone = [rank(0, &[(5, 1, 50)])];
        assert_eq!(
            shown(&serial, &alone),
            [vec![(5, 1, 100, 50.0)], vec![(6, 1, 60, 30.0)]]
        );
        assert_eq!(
            shown(&serial, &[]),
            [vec![(5, 1, 200, 100.0)], vec![(6, 1, 120, 60.0)]]
        );
    }
}
