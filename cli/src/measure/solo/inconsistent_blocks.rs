//! Further ranks for blocks whose measured times contradict their work terms: no rate gives the time of the other variants.
//! For data-dependent blocks, [`super::sampling`] chooses ranks.

use super::super::Job;
use base_data::ids::{BlockId, Rank, VariantId};
use base_data::program_data::ProgramData;
use base_data::rank_recording::RankRecording;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::linear_model::{self, VariantTime};
use token_runtime::representatives::executions;

/// The candidate that executes the most unmeasured variants of such blocks, and the lowest of equal ones; `None` if no
/// candidate executes any.
pub fn next_rank(
    job: &Job,
    program: &ProgramData,
    recordings: &[RankRecording],
    candidates: impl Iterator<Item = u32>,
) -> Option<u32> {
    let is_data_dependent = |block: BlockId| job.study.is_data_dependent(block);
    let interval = job.measurement.interval;
    let missing = missing_variants(program, recordings, is_data_dependent, interval);
    if missing.is_empty() {
        return None;
    }
    let mut has_run = BTreeSet::new();
    for recording in recordings {
        has_run.extend(recording.rank);
    }
    let mut best = None;
    let mut most = 0;
    for rank in candidates {
        if has_run.contains(&Rank(rank)) {
            continue;
        }
        let executed = executions(program, Rank(rank));
        let count = missing
            .iter()
            .filter(|id| executed.contains_key(id))
            .count();
        if count > most || count == most && best.is_some_and(|best| rank < best) {
            best = Some(rank);
            most = count;
        }
    }
    best
}

/// The unmeasured variants of blocks whose measured variants contradict each other by more than the requested interval
/// allows.
fn missing_variants(
    program: &ProgramData,
    recordings: &[RankRecording],
    is_data_dependent: impl Fn(BlockId) -> bool,
    interval: f64,
) -> BTreeSet<VariantId> {
    let mut measured: BTreeMap<BlockId, Vec<VariantTime>> = BTreeMap::new();
    for variant in recordings.iter().flat_map(|recording| &recording.measured) {
        if variant.warm.count > 0 && !is_data_dependent(variant.block) {
            let time = VariantTime::of(&variant.terms, &variant.warm);
            measured.entry(variant.block).or_default().push(time);
        }
    }
    let times = times(recordings);
    let total: f64 = times.values().sum();
    measured.retain(|block, variants| {
        let time = times.get(block).copied().unwrap_or(0.0);
        linear_model::is_violated(variants, time / total, interval)
    });
    let mut missing = BTreeSet::new();
    for (index, variant) in program.variants.iter().enumerate() {
        let Some(known) = measured.get(&variant.block) else {
            continue;
        };
        if known.iter().all(|timed| timed.terms != variant.terms) {
            missing.insert(VariantId::from_index(index));
        }
    }
    missing
}

/// Total measured time by block.
fn times(recordings: &[RankRecording]) -> BTreeMap<BlockId, f64> {
    let mut times = BTreeMap::new();
    for found in recordings.iter().flat_map(|recording| &recording.measured) {
        let warm = found.warm.mean * found.warm.count as f64;
        *times.entry(found.block).or_default() += found.first as f64 + warm;
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::distribution::Distribution;
    use base_data::program_data::Variant;
    use base_data::rank_recording::MeasuredVariant;

    /// Which of the terms 10, 20 and 30 of a block are missing when two ranks have measured these times.
    fn missing_terms(measured: [(i64, i64); 2], data_dependent: bool) -> Vec<i64> {
        let variants = [10, 20, 30].map(|term| Variant {
            block: BlockId(0),
            terms: vec![term],
        });
        let program = ProgramData {
            variants: variants.to_vec(),
            ..ProgramData::default()
        };
        let recordings = measured.map(|(term, time)| RankRecording {
            measured: vec![MeasuredVariant {
                block: BlockId(0),
                terms: vec![term],
                first: time,
                warm: Distribution::of(vec![time; 3]),
                disturbed: 0,
                course: Vec::new(),
                missing_pages: 0.0,
            }],
            ..RankRecording::default()
        });
        let found = missing_variants(&program, &recordings, |_| data_dependent, 0.02);
        found
            .iter()
            .map(|id| program.variants[id.index()].terms[0])
            .collect()
    }

    #[test]
    fn variants_of_inconsistent_blocks_are_measured() {
        assert_eq!(missing_terms([(10, 100), (30, 290)], false), [0; 0]);
        assert_eq!(missing_terms([(10, 100), (30, 900)], false), [20]);
        assert_eq!(missing_terms([(10, 100), (20, 50)], false), [30]);
        assert_eq!(missing_terms([(10, 100), (30, 900)], true), [0; 0]);
    }
}
