//! All ranks in turn, where representatives cannot run or tell too little. Ranks that run in turn take the caches from each
//! other: what they take is too long. So some of them run again, each alone, fed what calls brought to them in that run and
//! leaving loops where it did; the others' times are as much shorter as theirs.
//!
//! Not here: how ranks run alone (the parent module), and what they are fed (the MPI library).

use super::super::{InTurn, Job};
use super::{LOGGED, Prepared, is_the_programs, ranks, run_all, those_of};
use crate::failure::NotAlone;
use anyhow::Result;
use base_data::Rank;
use base_data::compute_data::{ComputeData, Feed, Unit};
use base_data::ids::BlockId;
use base_data::rank_recording::{CoursePart, MeasuredVariant, RankRecording};
use base_data::time::Time;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::feeding::{asked_path, log_path};

/// What all ranks have measured in turn, and some alone. What it costs is added to what is `spent`.
pub fn measure(job: &Job, prepared: Option<&Prepared>, spent: &Cell<Time>) -> Result<ComputeData> {
    // As many statements are executed whatever is in the caches.
    let Some(prepared) = prepared.filter(|_| job.study.unit == Unit::Time) else {
        let in_turn = InTurn::run(job, None)?;
        spent.set(spent.get() + in_turn.cost());
        return in_turn.data(job);
    };
    let mut in_turn = keep(job, prepared, spent)?;
    match run_alone(job, prepared, spent) {
        Ok(alone) => {
            let shown = those_of(&alone);
            let ranks = if shown.len() == 1 { "rank" } else { "ranks" };
            let how = format!("{}, and {ranks} {} alone, fed what that kept", InTurn::HOW, shown.join(", "));
            let hangs_on_data = |block: BlockId| {
                job.study.table.blocks.get(block.index()).is_none_or(|block| block.data_dependent)
            };
            in_turn.ranks = as_if_alone(&in_turn.ranks, alone, hangs_on_data);
            job.data(&in_turn.ranks, in_turn.cutting, Feed::All, &how)
        }
        Err(error) if is_the_programs(&error) => {
            tell_once!(
                "mpiete: times are those of ranks that take the caches from each other, since they cannot run alone either \
                 when they are fed what others sent: {error}"
            );
            in_turn.data(job)
        }
        Err(error) => Err(error),
    }
}

/// All ranks in turn, of which those that may run alone then keep what calls bring. What it costs is added to what is `spent`.
pub fn keep(job: &Job, prepared: &Prepared, spent: &Cell<Time>) -> Result<InTurn> {
    let folder = prepared.folder.path();
    let most = LOGGED.max(prepared.chosen.cover.len());
    let asked: Vec<u32> = ranks(prepared).take(most).collect();
    token_runtime::ending::write(&asked_path(folder), &asked)?;
    let in_turn = InTurn::run(job, Some(folder))?;
    spent.set(spent.get() + in_turn.cost());
    Ok(in_turn)
}

/// Whether a rank may run alone, fed like this.
pub fn may_run(prepared: &Prepared, feed: Feed, rank: u32) -> bool {
    feed != Feed::Log || log_path(prepared.folder.path(), rank).exists()
}

/// Representatives, fed what was kept for them.
pub fn run_alone(job: &Job, prepared: &Prepared, spent: &Cell<Time>) -> Result<Vec<RankRecording>> {
    if let Some(rank) = prepared.chosen.cover.iter().find(|rank| !may_run(prepared, Feed::Log, **rank)) {
        let text = format!("rank {rank} receives more than is kept for that");
        return Err(NotAlone(text).into());
    }
    // Which loops are left where has been decided.
    run_all(job, prepared, &super::super::settings(job.measuring), (Feed::Log, spent))
}

/// Times of a block alone and in turn, of the same executions.
#[derive(Clone, Copy, Debug, Default)]
struct Both {
    alone: f64,
    in_turn: f64,
}

impl Both {
    fn add(&mut self, alone: &MeasuredVariant, in_turn: &MeasuredVariant) {
        let executions = alone.warm.count.min(in_turn.warm.count) as f64;
        let (of_alone, of_in_turn, weight) = match executions {
            0.0 => (alone.first as f64, in_turn.first as f64, 1.0),
            _ => (alone.warm.mean, in_turn.warm.mean, executions),
        };
        self.alone += of_alone * weight;
        self.in_turn += of_in_turn * weight;
    }

    /// How many times as long it takes alone.
    fn factor(self) -> Option<f64> {
        (self.alone > 0.0 && self.in_turn > 0.0).then(|| self.alone / self.in_turn)
    }
}

/// What all ranks would have measured alone: what some have; of all else what was measured in turn, times what the block
/// takes alone, or where nobody has executed it alone, what all blocks do.
fn as_if_alone(
    in_turn: &[RankRecording],
    alone: Vec<RankRecording>,
    hangs_on_data: impl Fn(BlockId) -> bool,
) -> Vec<RankRecording> {
    let of_rank = |rank: Option<Rank>, one: &MeasuredVariant| (rank, one.block, one.terms.clone());
    // What work terms tell is the same on all ranks.
    let for_others =
        |rank: Option<Rank>, one: &MeasuredVariant| of_rank(rank.filter(|_| hangs_on_data(one.block)), one);
    let before: BTreeMap<_, _> = variants(in_turn).map(|(rank, one)| (of_rank(rank, one), one)).collect();
    let (mut of_blocks, mut of_all): (BTreeMap<BlockId, Both>, Both) = Default::default();
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
    let mut alone: BTreeMap<Option<Rank>, RankRecording> =
        alone.into_iter().map(|recording| (recording.rank, recording)).collect();
    let all = in_turn.iter().map(|recording| {
        let missing =
            recording.measured.iter().filter(|one| !known.contains(&for_others(recording.rank, one)));
        let missing = missing.map(|one| scaled(one, factor(one.block)));
        let nothing = || RankRecording { measured: Vec::new(), ..recording.clone() };
        let mut own = alone.remove(&recording.rank).unwrap_or_else(nothing);
        own.measured.extend(missing);
        // What it was fed was read at once; what it needs itself is better seen where it ran with all others.
        RankRecording { peak_memory: recording.peak_memory, ..own }
    });
    all.collect()
}

/// With their ranks.
fn variants(recordings: &[RankRecording]) -> impl Iterator<Item = (Option<Rank>, &MeasuredVariant)> {
    recordings.iter().flat_map(|recording| recording.measured.iter().map(move |one| (recording.rank, one)))
}

fn scaled(one: &MeasuredVariant, factor: f64) -> MeasuredVariant {
    let part = |part: &CoursePart| CoursePart { times: part.times.scaled(factor), ..part.clone() };
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
            course: vec![CoursePart { first: 1, last: 3, times: Distribution::of(vec![time; 3]) }],
            missing_pages: 0.0,
        };
        let measured = measured.iter().map(variant).collect();
        RankRecording { rank: Some(Rank(rank)), measured, ..RankRecording::default() }
    }

    /// Block, term, first and warm of each rank; blocks from 5 on hang on data.
    fn shown(in_turn: &[RankRecording], alone: &[RankRecording]) -> Vec<Vec<(u32, i64, i64, f64)>> {
        let all = as_if_alone(in_turn, alone.to_vec(), |block| block.0 >= 5);
        let of = |one: &MeasuredVariant| {
            assert_eq!(one.course[0].times.mean, one.warm.mean);
            (one.block.0, one.terms[0], one.first, one.warm.mean)
        };
        all.iter().map(|recording| recording.measured.iter().map(of).collect()).collect()
    }

    #[test]
    fn ranks_that_did_not_run_alone_are_as_much_quicker() {
        let in_turn = [rank(0, &[(5, 1, 100), (6, 1, 100)]), rank(1, &[(5, 1, 200), (6, 1, 50)])];
        let alone = [rank(0, &[(5, 1, 50), (6, 1, 90)])];
        let expected =
            [vec![(5, 1, 100, 50.0), (6, 1, 180, 90.0)], vec![(5, 1, 200, 100.0), (6, 1, 90, 45.0)]];
        assert_eq!(shown(&in_turn, &alone), expected);
    }

    #[test]
    fn what_work_terms_tell_is_measured_by_one_rank_for_all() {
        let in_turn = [rank(0, &[(1, 7, 100)]), rank(1, &[(1, 7, 130), (1, 8, 200)])];
        let alone = [rank(0, &[(1, 7, 80)])];
        assert_eq!(shown(&in_turn, &alone), [vec![(1, 7, 160, 80.0)], vec![(1, 8, 320, 160.0)]]);
    }

    #[test]
    fn blocks_that_nobody_executed_alone_are_as_much_quicker_as_all_others() {
        let in_turn = [rank(0, &[(5, 1, 100)]), rank(1, &[(6, 1, 60)])];
        let alone = [rank(0, &[(5, 1, 50)])];
        assert_eq!(shown(&in_turn, &alone), [vec![(5, 1, 100, 50.0)], vec![(6, 1, 60, 30.0)]]);
        assert_eq!(shown(&in_turn, &[]), [vec![(5, 1, 200, 100.0)], vec![(6, 1, 120, 60.0)]]);
    }
}
