//! Ranks that measure further since times of a block contradict its work terms: no rates tell what its other variants
//! take. Not here: blocks whose work depends on data, of which ranks are sampled ([`super::sampling`]).

use super::super::Job;
use base_data::ids::{BlockId, Rank, VariantId};
use base_data::program_data::ProgramData;
use base_data::rank_recording::RankRecording;
use std::collections::{BTreeMap, BTreeSet};
use token_runtime::linear_model::{self, VariantTime};
use token_runtime::representatives::executions;

/// Of some ranks the one that executes most variants of such blocks that nobody has measured; `None` where there is none.
pub fn next_rank(
    job: &Job,
    program: &ProgramData,
    recordings: &[RankRecording],
    ranks: impl Iterator<Item = u32>,
) -> Option<u32> {
    let is_data_dependent = |block: &BlockId| {
        job.study
            .table
            .blocks
            .get(block.index())
            .is_none_or(|block| block.data_dependent)
    };
    let missing_variants = missing_variants(
        program,
        recordings,
        is_data_dependent,
        job.measurement.interval,
    );
    if missing_variants.is_empty() {
        return None;
    }
    let ran: BTreeSet<u32> = recordings
        .iter()
        .filter_map(|recording| Some(recording.rank?.0))
        .collect();
    let brings = |rank: u32| {
        executions(program, Rank(rank))
            .keys()
            .filter(|id| missing_variants.contains(id))
            .count()
    };
    let candidates = ranks
        .filter(|rank| !ran.contains(rank))
        .map(|rank| (brings(rank), rank));
    let best = candidates.max_by_key(|&(brings, rank)| (brings, std::cmp::Reverse(rank)));
    best.filter(|&(brings, _)| brings > 0).map(|(_, rank)| rank)
}

/// The variants that were not measured of blocks whose measured ones contradict each other, as far as that matters to
/// the interval that is asked for.
fn missing_variants(
    program: &ProgramData,
    recordings: &[RankRecording],
    is_data_dependent: impl Fn(&BlockId) -> bool,
    interval: f64,
) -> BTreeSet<VariantId> {
    let mut measured: BTreeMap<BlockId, Vec<VariantTime>> = BTreeMap::new();
    for found in recordings.iter().flat_map(|recording| &recording.measured) {
        if found.warm.count > 0 && !is_data_dependent(&found.block) {
            measured
                .entry(found.block)
                .or_default()
                .push(VariantTime::of(&found.terms, &found.warm));
        }
    }
    let times = times(recordings);
    let all: f64 = times.values().sum();
    let share = |block: &BlockId| times.get(block).map_or(0.0, |time| time / all);
    measured.retain(|block, variants| linear_model::is_violated(variants, share(block), interval));
    let is_missing = |id: &VariantId| {
        let variant = &program.variants[id.index()];
        let known = measured.get(&variant.block);
        known.is_some_and(|known| known.iter().all(|timed| timed.terms != variant.terms))
    };
    (0..program.variants.len())
        .map(VariantId::from_index)
        .filter(is_missing)
        .collect()
}

/// What was measured, by block.
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
