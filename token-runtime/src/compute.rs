//! Merges what the ranks of a run measured into computation base data.

use base_data::block_table::BlockTable;
use base_data::compute_data::{
    ComputeData, ComputeEntry, Coordinates, Feed, PeakMemory, ProcessingUnit, Unit,
};
use base_data::distribution::Distribution;
use base_data::ids::BlockId;
use base_data::provenance::Provenance;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use std::collections::BTreeMap;

/// What a rank measured.
type Sample<'a> = (u32, &'a MeasuredVariant);

/// Computation base data from the recordings of a run in mode `measure`: one entry per block and
/// variant, all ranks that ran it taken together. Under the token one rank runs at a time, so
/// entries are of one rank per node and one thread.
pub fn merge_compute(
    recordings: &[RankRecording],
    table: BlockTable,
    provenance: Provenance,
    pu: ProcessingUnit,
) -> ComputeData {
    let ranks = recordings.len() as u32;
    let mut measured: BTreeMap<(BlockId, &[i64]), Vec<Sample<'_>>> = BTreeMap::new();
    for (rank, recording) in (0..).zip(recordings) {
        for variant in &recording.measured {
            measured.entry((variant.block, &variant.terms)).or_default().push((rank, variant));
        }
    }
    let entries = measured.into_iter().map(|((block, terms), samples)| entry(block, terms, &samples, ranks));
    let memory =
        |(rank, recording): (u32, &RankRecording)| PeakMemory { rank, ranks, bytes: recording.peak_memory };
    ComputeData {
        provenance,
        pu,
        unit: recordings.first().map_or(Unit::Time, |recording| recording.unit),
        entries: entries.collect(),
        peak_memory: (0..).zip(recordings).map(memory).collect(),
        table,
    }
}

fn entry(block: BlockId, terms: &[i64], samples: &[Sample<'_>], ranks: u32) -> ComputeEntry {
    let warm = samples.iter().fold(Distribution::default(), |all, (_, sample)| all.merged(&sample.warm));
    let coordinates = |&(rank, _): &(u32, _)| Coordinates { rank, ranks, indices: Vec::new() };
    ComputeEntry {
        block,
        terms: terms.to_vec(),
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::of(samples.iter().map(|(_, sample)| sample.first).collect()),
        warm,
        disturbed: samples.iter().map(|(_, sample)| sample.disturbed).sum(),
        coordinates: samples.iter().map(coordinates).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(measured: &[(u32, i64, i64, &[i64])]) -> RankRecording {
        let variant = |&(block, term, first, warm): &(u32, i64, i64, &[i64])| MeasuredVariant {
            block: BlockId(block),
            terms: vec![term],
            first,
            warm: Distribution::of(warm.to_vec()),
            disturbed: 1,
        };
        RankRecording { measured: measured.iter().map(variant).collect(), ..Default::default() }
    }

    #[test]
    fn equal_variants_of_all_ranks_become_one_entry() {
        let recordings = [rank(&[(4, 7, 100, &[10, 12])]), rank(&[(4, 8, 90, &[1]), (4, 7, 200, &[14])])];
        let data = merge_compute(
            &recordings,
            BlockTable::default(),
            Provenance::default(),
            ProcessingUnit::default(),
        );
        let shown: Vec<_> = data
            .entries
            .iter()
            .map(|e| (e.terms[0], e.first.mean, e.warm.count, e.warm.mean, e.disturbed, e.coordinates.len()))
            .collect();
        assert_eq!(shown, [(7, 150.0, 3, 12.0, 2, 2), (8, 90.0, 1, 1.0, 1, 1)]);
    }
}
