//! All ranks in turn, where representatives cannot run or tell too little. Ranks that run in turn take the caches from each
//! other: what they take is too long. So some of them run again, each alone, fed what calls brought to them in that run and
//! leaving loops where it did; the others' times are as much shorter as theirs.
//!
//! Not here: how ranks run alone (the parent module), and what they are fed (the MPI library).

use super::super::{Job, SerialRun};
use super::{MAXIMUM_LOGGED, SoloRunInputs, is_program_failure, rank_numbers, ranks, run_all};
use crate::failure::RanksNotSeparable;
use anyhow::Result;
use base_data::Rank;
use base_data::compute_data::{ComputeData, Feed, Unit};
use base_data::ids::BlockId;
use base_data::rank_recording::{MeasuredVariant, RankRecording, TimeSeriesSegment};
use base_data::time::Time;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::replay_input::{logged_ranks_path, message_log_path};

/// What all ranks have measured in turn, and some alone. What it costs is added to what is `spent`.
pub fn measure(
    job: &Job,
    prepared: Option<&SoloRunInputs>,
    spent: &Cell<Time>,
) -> Result<ComputeData> {
    // As many statements are executed whatever is in the caches.
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
            let is_data_dependent = |block: BlockId| {
                job.study
                    .table
                    .blocks
                    .get(block.index())
                    .is_none_or(|block| block.data_dependent)
            };
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

/// All ranks in turn, of which those that may run alone then keep what calls bring. What it costs is added to what is `spent`.
pub fn run_all_with_log(
    job: &Job,
    prepared: &SoloRunInputs,
    spent: &Cell<Time>,
) -> Result<SerialRun> {
    let folder = prepared.folder.path();
    let most = MAXIMUM_LOGGED.max(prepared.chosen.cover.len());
    let asked: Vec<u32> = ranks(prepared).take(most).collect();
    token_runtime::termination::write(&logged_ranks_path(folder), &asked)?;
    let serial = SerialRun::run(job, Some(folder))?;
    spent.set(spent.get() + serial.cost());
    Ok(serial)
}

/// Whether a rank may run alone, fed like this.
pub fn may_run(prepared: &SoloRunInputs, feed: Feed, rank: u32) -> bool {
    feed != Feed::Log || message_log_path(prepared.folder.path(), rank).exists()
}

/// Representatives, fed what was kept for them.
pub fn run_solo(
    job: &Job,
    prepared: &SoloRunInputs,
    spent: &Cell<Time>,
) -> Result<Vec<RankRecording>> {
    if let Some(rank) = prepared
        .chosen
        .cover
        .iter()
        .find(|rank| !may_run(prepared, Feed::Log, **rank))
    {
        let text = format!("rank {rank} receives more data than the message log may contain");
        return Err(RanksNotSeparable(text).into());
    }
    // Which loops are left where has been decided.
    run_all(
        job,
        prepared,
        &super::super::settings(job.measurement),
        (Feed::Log, spent),
    )
}

/// Times of a block alone and in turn, of the same executions.
#[derive(Clone, Copy, Debug, Default)]
struct CacheEffect {
    alone: f64,
    serial: f64,
}

impl CacheEffect {
    fn add(&mut self, alone: &MeasuredVariant, serial: &MeasuredVariant) {
        let executions = alone.warm.count.min(serial.warm.count) as f64;
        let (of_alone, of_in_turn, weight) = match executions {
            0.0 => (alone.first as f64, serial.first as f64, 1.0),
            _ => (alone.warm.mean, serial.warm.mean, executions),
        };
        self.alone += of_alone * weight;
        self.serial += of_in_turn * weight;
    }

    /// How many times as long it takes alone.
    fn factor(self) -> Option<f64> {
        (self.alone > 0.0 && self.serial > 0.0).then(|| self.alone / self.serial)
    }
}

/// What all ranks would have measured alone: what some have; of all else what was measured in turn, times what the block
/// takes alone, or where nobody has executed it alone, what all blocks do.
fn solo_equivalent(
    serial: &[RankRecording],
    alone: Vec<RankRecording>,
    is_data_dependent: impl Fn(BlockId) -> bool,
) -> Vec<RankRecording> {
    let of_rank = |rank: Option<Rank>, one: &MeasuredVariant| (rank, one.block, one.terms.clone());
    // What work terms tell is the same on all ranks.
    let for_others = |rank: Option<Rank>, one: &MeasuredVariant| {
        of_rank(rank.filter(|_| is_data_dependent(one.block)), one)
    };
    let before: BTreeMap<_, _> = variants(serial)
        .map(|(rank, one)| (of_rank(rank, one), one))
        .collect();
    let (mut of_blocks, mut of_all): (BTreeMap<BlockId, CacheEffect>, CacheEffect) =
        Default::default();
    let mut known = BTreeSet::new();
    for (rank, one) in variants(&alone) {
        if let Some(before) = before.get(&of_rank(rank, one)) {
            of_blocks.entry(one.block).or_default().add(one, before);
            of_all.add(one, before);
        }
        known.insert(for_others(rank, one));
    }
    let factor = |block: BlockId| {
        let of_block = of_blocks.get(&block).copied().unwrap_or_default();
        of_block.factor().or(of_all.factor()).unwrap_or(1.0)
    };
    let mut alone: BTreeMap<Option<Rank>, RankRecording> = alone
        .into_iter()
        .map(|recording| (recording.rank, recording))
        .collect();
    let all = serial.iter().map(|recording| {
        let missing = recording
            .measured
            .iter()
            .filter(|one| !known.contains(&for_others(recording.rank, one)));
        let missing = missing.map(|one| scaled(one, factor(one.block)));
        let nothing = || RankRecording {
            measured: Vec::new(),
            ..recording.clone()
        };
        let mut own = alone.remove(&recording.rank).unwrap_or_else(nothing);
        own.measured.extend(missing);
        // What it was fed was read at once; what it needs itself is better seen where it ran with all others.
        RankRecording {
            peak_memory: recording.peak_memory,
            ..own
        }
    });
    all.collect()
}

/// With their ranks.
fn variants(
    recordings: &[RankRecording],
) -> impl Iterator<Item = (Option<Rank>, &MeasuredVariant)> {
    recordings.iter().flat_map(|recording| {
        recording
            .measured
            .iter()
            .map(move |one| (recording.rank, one))
    })
}

fn scaled(one: &MeasuredVariant, factor: f64) -> MeasuredVariant {
    let part = |part: &TimeSeriesSegment| TimeSeriesSegment {
        times: part.times.scaled(factor),
        ..part.clone()
    };
    MeasuredVariant {
        first: (one.first as f64 * factor).round() as i64,
        warm: one.warm.scaled(factor),
        course: one.course.iter().map(part).collect(),
        missing_pages: one.missing_pages * factor,
        ..one.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::distribution::Distribution;

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
